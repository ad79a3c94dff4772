#include "emit/copier.h"

#include "os/thread.h"

#include <stdlib.h>

struct tm_copier {
    struct tm_source_reader *reader;
    tm_copier_receiver *receiver;
    void *self;
    struct tm_buf whole; /* the thread's own */
    struct tm_thread thread;
    /* under the thread's lock */
    bool is_full; /* own and copies are the thread's */
    struct tm_buf own;
    struct tm_source_copies copies;
    struct tm_error err; /* of the first failure */
};

/* Completes what was put and hands it on. After a failure nothing more is handed on. */
static void complete(struct tm_copier *c)
{
    if (c->err.status < 0 || tm_source_copies_join(&c->copies, &c->own, c->reader, &c->whole, &c->err) < 0)
        return;
    (void)c->receiver(c->self, &c->whole, &c->err);
}

static void *work(void *arg)
{
    struct tm_copier *c = arg;
    tm_thread_lock(&c->thread);
    for (;;) {
        while (!c->is_full && !c->thread.stop)
            tm_thread_wait(&c->thread);
        if (c->thread.stop)
            break;
        tm_thread_unlock(&c->thread);
        complete(c);
        tm_thread_lock(&c->thread);
        c->is_full = false;
        tm_thread_changed(&c->thread);
    }
    tm_thread_unlock(&c->thread);
    return NULL;
}

struct tm_copier *tm_copier_new(struct tm_sources *sources, tm_copier_receiver *receiver, void *self)
{
    struct tm_copier *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->receiver = receiver;
    c->self = self;
    c->reader = tm_source_reader_new(sources);
    if (c->reader && tm_thread_start(&c->thread, work, c))
        return c;
    tm_source_reader_free(c->reader);
    free(c);
    return NULL;
}

/* Waits until the thread has nothing to do. The caller holds the lock. */
static enum tm_status wait_for(struct tm_copier *c, struct tm_error *err)
{
    while (c->is_full)
        tm_thread_wait(&c->thread);
    if (c->err.status < 0)
        *err = c->err;
    return c->err.status < 0 ? c->err.status : TM_OK;
}

enum tm_status tm_copier_put(struct tm_copier *c, struct tm_buf *own, struct tm_source_copies *copies,
                             struct tm_error *err)
{
    tm_thread_lock(&c->thread);
    enum tm_status st = wait_for(c, err);
    if (st == TM_OK) {
        const struct tm_buf done = c->own;
        const struct tm_source_copies done_copies = c->copies;
        c->own = *own;
        c->copies = *copies;
        c->is_full = true;
        *own = done;
        *copies = done_copies;
        tm_buf_clear(own);
        tm_source_copies_clear(copies);
        tm_thread_changed(&c->thread);
    }
    tm_thread_unlock(&c->thread);
    return st;
}

enum tm_status tm_copier_wait(struct tm_copier *c, struct tm_error *err)
{
    tm_thread_lock(&c->thread);
    enum tm_status st = wait_for(c, err);
    tm_thread_unlock(&c->thread);
    return st;
}

void tm_copier_free(struct tm_copier *c)
{
    if (c == NULL)
        return;
    tm_thread_end(&c->thread);
    tm_source_reader_free(c->reader);
    tm_buf_release(&c->whole);
    tm_buf_release(&c->own);
    tm_source_copies_release(&c->copies);
    free(c);
}
