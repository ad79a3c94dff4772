#include "emit/completer.h"

#include "os/handoff.h"

#include <stdlib.h>

enum { BLOCKS = 4 };

struct tm_completer {
    struct tm_source_reader *reader;
    tm_completer_receiver *receiver;
    void *self;
    struct tm_buf whole; /* the thread's own */
    struct tm_handoff handoff;
    /* the bytes and parts that the thread has from tm_completer_put, a ring */
    struct completer_block {
        struct tm_buf own;
        struct tm_late_parts late;
    } blocks[BLOCKS];
};

static enum tm_status complete(void *self, struct tm_error *err)
{
    struct tm_completer *c = self;
    const struct completer_block *b = &c->blocks[tm_handoff_current(&c->handoff)];
    enum tm_status st = tm_late_parts_join(&b->late, &b->own, c->reader, &c->whole, err);
    return st < 0 ? st : c->receiver(c->self, &c->whole, err);
}

struct tm_completer *tm_completer_new(struct tm_sources *sources, tm_completer_receiver *receiver, void *self)
{
    struct tm_completer *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->receiver = receiver;
    c->self = self;
    c->reader = tm_source_reader_new(sources);
    if (c->reader && tm_handoff_start(&c->handoff, complete, c, BLOCKS))
        return c;
    tm_source_reader_free(c->reader);
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
    *b = (struct completer_block){*own, *late};
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
    tm_source_reader_free(c->reader);
    tm_buf_release(&c->whole);
    for (unsigned i = 0; i < BLOCKS; i++) {
        tm_buf_release(&c->blocks[i].own);
        tm_late_parts_release(&c->blocks[i].late);
    }
    free(c);
}
