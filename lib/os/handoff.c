#include "os/handoff.h"

/* The function of the thread: does each piece of work that is handed over. */
static void *run(void *arg)
{
    struct tm_handoff *h = arg;
    tm_thread_lock(&h->thread);
    for (;;) {
        while (h->sent == h->done && !h->thread.stop)
            tm_thread_wait(&h->thread);
        if (h->sent == h->done)
            break;
        struct tm_error err = h->err;
        tm_thread_unlock(&h->thread);
        if (err.status >= 0)
            (void)h->work(h->self, &err);
        tm_thread_lock(&h->thread);
        h->err = err;
        unsigned left = h->sent - ++h->done;
        if (left == 0 || left == h->depth / 2) /* what the caller waits for */
            tm_thread_changed(&h->thread);
    }
    tm_thread_unlock(&h->thread);
    return NULL;
}

bool tm_handoff_start(struct tm_handoff *h, enum tm_status (*work)(void *self, struct tm_error *err), void *self,
                      unsigned depth)
{
    *h = (struct tm_handoff){.work = work, .self = self, .depth = depth};
    return tm_thread_start(&h->thread, run, h);
}

/* Waits, if the thread has more than ALLOWED pieces, until it has at most MAX. */
static enum tm_status wait_for(struct tm_handoff *h, unsigned allowed, unsigned max, struct tm_error *err)
{
    tm_thread_lock(&h->thread);
    if (h->sent - h->done > allowed)
        while (h->sent - h->done > max)
            tm_thread_wait(&h->thread);
    enum tm_status st = h->err.status < 0 ? h->err.status : TM_OK;
    if (st < 0)
        *err = h->err;
    tm_thread_unlock(&h->thread);
    return st;
}

enum tm_status tm_handoff_room(struct tm_handoff *h, struct tm_error *err)
{
    return wait_for(h, h->depth - 1, h->depth / 2, err);
}

enum tm_status tm_handoff_wait(struct tm_handoff *h, struct tm_error *err)
{
    return wait_for(h, 0, 0, err);
}

void tm_handoff_send(struct tm_handoff *h)
{
    tm_thread_lock(&h->thread);
    h->sent++;
    tm_thread_changed(&h->thread);
    tm_thread_unlock(&h->thread);
}

void tm_handoff_stop(struct tm_handoff *h)
{
    tm_thread_end(&h->thread);
}
