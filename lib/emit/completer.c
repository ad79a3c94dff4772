#include "emit/completer.h"

#include "os/compat.h"
#include "os/handoff.h"

#include <stdlib.h>

/* The blocks that one thread can have, and each further one. From SEVERAL_FROM processors on there are two threads: one
 * takes up to 1.6 times as long for a block as the thread that makes it. */
enum {
    BLOCKS = 4,
    FURTHER_BLOCKS = 2,
    BLOCKS_MAX = BLOCKS + FURTHER_BLOCKS * (TM_HANDOFF_THREADS_MAX - 1),
    SEVERAL_FROM = 4
};

_Static_assert((int)BLOCKS_MAX <= (int)TM_HANDOFF_DEPTH_MAX, "all blocks can be handed over");

struct tm_completer {
    struct tm_completer_ends ends;
    struct tm_source_reader *readers[TM_HANDOFF_THREADS_MAX]; /* one for each thread */
    bool is_alone; /* there is one thread */
    struct tm_handoff handoff;
    /* the bytes and parts that the threads have from tm_completer_put, a ring */
    struct completer_block {
        struct tm_buf own;
        struct tm_late_parts late;
        struct tm_buf whole; /* made of both */
    } blocks[BLOCKS_MAX];
};

static enum tm_status complete(void *self, struct tm_handoff_piece piece, struct tm_error *err)
{
    struct tm_completer *c = self;
    struct completer_block *b = &c->blocks[piece.place];
    enum tm_status st = tm_late_parts_join(&b->late, &b->own, c->readers[piece.thread], &b->whole, err);
    return st == TM_OK && c->ends.check ? c->ends.check(&b->whole, err) : st;
}

static enum tm_status hand_on(void *self, unsigned place, struct tm_error *err)
{
    struct tm_completer *c = self;
    struct tm_buf *whole = &c->blocks[place].whole, *next = &c->blocks[(place + 1) % BLOCKS].whole;
    enum tm_status st = c->ends.receiver(c->ends.self, whole, err);
    if (c->is_alone) { /* memory that was used recently is faster */
        const struct tm_buf other = *next;
        *next = *whole;
        *whole = other;
    }
    return st;
}

unsigned tm_completer_threads(unsigned jobs)
{
    unsigned wanted = jobs ? jobs : tm_compat_processors() >= SEVERAL_FROM ? 2 : 1;
    return wanted < TM_HANDOFF_THREADS_MAX ? wanted : TM_HANDOFF_THREADS_MAX;
}

static void release_readers(struct tm_completer *c)
{
    for (unsigned i = 0; i < TM_HANDOFF_THREADS_MAX; i++)
        tm_source_reader_free(c->readers[i]);
}

struct tm_completer *tm_completer_new(const struct tm_completer_ends *ends, unsigned threads)
{
    struct tm_completer *c = calloc(1, sizeof *c);
    unsigned readers = 0;
    if (c == NULL)
        return NULL;
    c->ends = *ends;
    while (readers < threads && (c->readers[readers] = tm_source_reader_new(ends->sources)) != NULL)
        readers++;
    c->is_alone = readers == 1;
    const unsigned depth = BLOCKS + FURTHER_BLOCKS * (readers ? readers - 1 : 0);
    const struct tm_handoff_work work = {.work = complete,
                                         .pass_on = hand_on,
                                         .self = c,
                                         .depth = depth,
                                         .threads = readers};
    if (readers > 0 && tm_handoff_start(&c->handoff, &work))
        return c;
    release_readers(c);
    free(c);
    return NULL;
}

enum tm_status tm_completer_put(struct tm_completer *c, struct tm_buf *own, struct tm_late_parts *late,
                                struct tm_error *err)
{
    enum tm_status st = tm_handoff_room(&c->handoff, err);
    struct completer_block *b = &c->blocks[tm_handoff_next(&c->handoff)];
    if (st < 0)
        return st;
    const struct completer_block done = *b;
    b->own = *own;
    b->late = *late;
    *own = done.own;
    *late = done.late;
    tm_buf_clear(own);
    tm_late_parts_clear(late);
    tm_handoff_send(&c->handoff);
    return TM_OK;
}

enum tm_status tm_completer_wait(struct tm_completer *c, struct tm_error *err)
{
    return tm_handoff_wait(&c->handoff, err);
}

void tm_completer_free(struct tm_completer *c)
{
    if (c == NULL)
        return;
    tm_handoff_stop(&c->handoff);
    release_readers(c);
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        tm_buf_release(&c->blocks[i].own);
        tm_buf_release(&c->blocks[i].whole);
        tm_late_parts_release(&c->blocks[i].late);
    }
    free(c);
}
