#include "sort/collector_thread.h"

#include "os/handoff.h"

#include <stdlib.h>

enum { BATCHES = 3 /* that the thread can have */ };

struct tm_collector_thread {
    struct tm_collector_receiver receiver;
    struct tm_collector_columns columns; /* the thread's own */
    struct tm_handoff handoff;
    struct tm_noted_batch batches[BATCHES]; /* what the thread has from tm_collector_thread_put, a ring */
};

/* Copies the rows of a batch and writes it. */
static enum tm_status write_batch(void *self, struct tm_handoff_piece piece, struct tm_error *err)
{
    struct tm_collector_thread *t = self;
    const struct tm_noted_batch *noted = &t->batches[piece.place];
    const uint32_t last = noted->count - 1;
    struct tm_batch batch;
    enum tm_status st = TM_OK;
    tm_collector_columns_clear(&t->columns);
    for (uint32_t i = 0; i < last && st == TM_OK; i++)
        st = tm_collector_columns_copy(&t->columns, &noted->notes[i], err);
    if (st == TM_OK)
        st = tm_collector_columns_batch(&t->columns, &noted->notes[last], &batch, err);
    return st < 0 ? st : t->receiver.write(t->receiver.to, &batch, err);
}

struct tm_collector_thread *tm_collector_thread_new(struct tm_collector_receiver receiver, size_t limit_bytes)
{
    struct tm_collector_thread *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->receiver = receiver;
    t->columns.limit_bytes = limit_bytes;
    if (tm_handoff_start(&t->handoff, &(struct tm_handoff_work){
                                          .work = write_batch, .self = t, .depth = BATCHES, .threads = 1}))
        return t;
    free(t);
    return NULL;
}

enum tm_status tm_collector_thread_put(struct tm_collector_thread *t, struct tm_noted_batch *batch,
                                       struct tm_error *err)
{
    enum tm_status st = tm_handoff_room(&t->handoff, err);
    if (st < 0)
        return st;
    struct tm_noted_batch *place = &t->batches[tm_handoff_next(&t->handoff)];
    const struct tm_noted_batch done = *place;
    *place = *batch;
    *batch = done;
    batch->count = 0;
    tm_handoff_send(&t->handoff);
    return TM_OK;
}

enum tm_status tm_collector_thread_wait(struct tm_collector_thread *t, struct tm_error *err)
{
    return tm_handoff_wait(&t->handoff, err);
}

unsigned tm_collector_thread_left(struct tm_collector_thread *t)
{
    return tm_handoff_left(&t->handoff);
}

void tm_collector_thread_free(struct tm_collector_thread *t)
{
    if (t == NULL)
        return;
    tm_handoff_stop(&t->handoff);
    for (int i = 0; i < BATCHES; i++)
        tm_noted_batch_release(&t->batches[i]);
    tm_collector_columns_release(&t->columns);
    free(t);
}
