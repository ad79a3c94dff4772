#include "sort/sort_threads.h"

#include "os/handoff.h"

#include <stdlib.h>

enum { PIECES_PER_THREAD = 2, PIECES_MAX = PIECES_PER_THREAD * TM_SORT_THREADS_MAX };

/* A batch on its way from its frame to its block. */
struct piece {
    struct tm_buf body; /* of the frame */
    uint64_t offset;    /* of the frame in the stream */
    struct tm_batch_store columns;
    struct tm_batch batch;
    struct tm_sorted_batch sorted;
};

struct tm_sort_threads {
    struct tm_block_store *store;
    struct tm_file_order *orders;
    pthread_mutex_t layouts; /* the lock of the store's layouts */
    struct tm_handoff handoff;
    struct piece pieces[PIECES_MAX]; /* a ring */
};

/* Sorts the batch of a piece. */
static enum tm_status sort_piece(void *self, struct tm_handoff_piece number, struct tm_error *err)
{
    struct tm_sort_threads *t = self;
    struct piece *p = &t->pieces[number.place];
    enum tm_status st = tm_batch_decode(&p->batch, &p->columns, p->body.data, p->body.len, err);
    if (st == TM_OK)
        st = tm_sorted_batch_find(&p->sorted, &p->batch, t->orders, &t->store->layouts, err);
    if (st == TM_E_INPUT)
        return tm_error_prefix(err, "byte %llu", (unsigned long long)p->offset);
    return st == TM_OK ? tm_sorted_batch_pack(&p->sorted, err) : st;
}

static enum tm_status store_piece(void *self, unsigned place, struct tm_error *err)
{
    struct tm_sort_threads *t = self;
    return tm_block_store_add(t->store, &t->pieces[place].sorted, err);
}

struct tm_sort_threads *tm_sort_threads_new(unsigned count, struct tm_block_store *store,
                                            struct tm_file_order *orders)
{
    struct tm_sort_threads *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->store = store;
    t->orders = orders;
    if (pthread_mutex_init(&t->layouts, NULL) == 0) {
        store->layouts.lock = &t->layouts;
        const struct tm_handoff_work work = {.work = sort_piece, .pass_on = store_piece, .self = t,
                                             .depth = PIECES_PER_THREAD * count, .threads = count};
        if (tm_handoff_start(&t->handoff, &work))
            return t;
        store->layouts.lock = NULL;
        (void)pthread_mutex_destroy(&t->layouts);
    }
    free(t);
    return NULL;
}

enum tm_status tm_sort_threads_put(struct tm_sort_threads *t, const struct tm_frame *frame, struct tm_error *err)
{
    enum tm_status st = tm_handoff_room(&t->handoff, err);
    if (st < 0)
        return st;
    struct piece *p = &t->pieces[tm_handoff_next(&t->handoff)];
    tm_buf_clear(&p->body);
    if (tm_buf_add(&p->body, frame->body, frame->body_bytes) != TM_OK)
        return tm_error_nomem(err);
    p->offset = frame->offset;
    tm_handoff_send(&t->handoff);
    return TM_OK;
}

enum tm_status tm_sort_threads_wait(struct tm_sort_threads *t, struct tm_error *err)
{
    return tm_handoff_wait(&t->handoff, err);
}

void tm_sort_threads_free(struct tm_sort_threads *t)
{
    if (t == NULL)
        return;
    tm_handoff_stop(&t->handoff);
    t->store->layouts.lock = NULL;
    (void)pthread_mutex_destroy(&t->layouts);
    for (int i = 0; i < PIECES_MAX; i++) {
        tm_buf_release(&t->pieces[i].body);
        tm_batch_store_release(&t->pieces[i].columns);
        tm_sorted_batch_release(&t->pieces[i].sorted);
    }
    free(t);
}
