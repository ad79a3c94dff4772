#include "sort/collector_threads.h"

#include "os/handoff.h"

#include <stdlib.h>

enum { BATCHES = 3, FURTHER_BATCHES = 2 /* that one thread can have, and each further one */ };
enum { BATCHES_MAX = BATCHES + FURTHER_BATCHES * (TM_COLLECTOR_THREADS_MAX - 1) };

struct tm_collector_threads {
    struct tm_batch_receiver receiver;
    struct tm_handoff handoff;
    /* what the threads have from tm_collector_threads_put, a ring */
    struct piece {
        struct tm_noted_batch noted;
        struct tm_collector_columns columns;
        struct tm_batch batch; /* of these columns, or of a block */
    } pieces[BATCHES_MAX];
};

/* Copies the rows of a batch. */
static enum tm_status copy_batch(void *self, struct tm_handoff_piece number, struct tm_error *err)
{
    struct tm_collector_threads *t = self;
    struct piece *p = &t->pieces[number.place];
    const uint32_t last = p->noted.count - 1;
    enum tm_status st = TM_OK;
    tm_collector_columns_clear(&p->columns);
    for (uint32_t i = 0; i < last && st == TM_OK; i++)
        st = tm_collector_columns_copy(&p->columns, &p->noted.notes[i], err);
    return st < 0 ? st : tm_collector_columns_batch(&p->columns, &p->noted.notes[last], &p->batch, err);
}

static enum tm_status write_batch(void *self, unsigned place, struct tm_error *err)
{
    struct tm_collector_threads *t = self;
    return t->receiver.show(t->receiver.self, &t->pieces[place].batch, err);
}

struct tm_collector_threads *tm_collector_threads_new(struct tm_batch_receiver receiver, size_t limit_bytes,
                                                      unsigned count)
{
    struct tm_collector_threads *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->receiver = receiver;
    for (int i = 0; i < BATCHES_MAX; i++)
        t->pieces[i].columns.limit_bytes = limit_bytes;
    const struct tm_handoff_work work = {.work = copy_batch, .pass_on = write_batch, .self = t,
                                         .depth = BATCHES + FURTHER_BATCHES * (count - 1), .threads = count};
    if (tm_handoff_start(&t->handoff, &work))
        return t;
    free(t);
    return NULL;
}

enum tm_status tm_collector_threads_put(struct tm_collector_threads *t, struct tm_noted_batch *batch,
                                       struct tm_error *err)
{
    enum tm_status st = tm_handoff_room(&t->handoff, err);
    if (st < 0)
        return st;
    struct tm_noted_batch *place = &t->pieces[tm_handoff_next(&t->handoff)].noted;
    const struct tm_noted_batch done = *place;
    *place = *batch;
    *batch = done;
    batch->count = 0;
    tm_handoff_send(&t->handoff);
    return TM_OK;
}

enum tm_status tm_collector_threads_wait(struct tm_collector_threads *t, struct tm_error *err)
{
    return tm_handoff_wait(&t->handoff, err);
}

unsigned tm_collector_threads_left(struct tm_collector_threads *t)
{
    return tm_handoff_left(&t->handoff);
}

void tm_collector_threads_free(struct tm_collector_threads *t)
{
    if (t == NULL)
        return;
    tm_handoff_stop(&t->handoff);
    for (int i = 0; i < BATCHES_MAX; i++) {
        tm_noted_batch_release(&t->pieces[i].noted);
        tm_collector_columns_release(&t->pieces[i].columns);
    }
    free(t);
}
