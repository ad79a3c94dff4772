#include "os/handoff.h"

/* The function of the thread: does each piece of work that is handed over. */
static void *run(void *arg)
{
    struct tm_handoff *h = arg;
    tm_thread_lock(&h->thread);
    for (;;) {
        while (!h->is_full && !h->thread.stop)
            tm_thread_wait(&h->thread);
        if (!h->is_full)
            break;
        tm_thread_unlock(&h->thread);
        if (h->err.status >= 0)
            (void)h->work(h->self, &h->err);
        tm_thread_lock(&h->thread);
        h->is_full = false;
        tm_thread_changed(&h->thread);
    }
    tm_thread_unlock(&h->thread);
    return NULL;
}

bool tm_handoff_start(struct tm_handoff *h, enum tm_status (*work)(void *self, struct tm_error *err), void *self)
{
    *h = (struct tm_handoff){.work = work, .self = self};
    return tm_thread_start(&h->thread, run, h);
}

enum tm_status tm_handoff_wait(struct tm_handoff *h, struct tm_error *err)
{
    tm_thread_lock(&h->thread);
    while (h->is_full)
        tm_thread_wait(&h->thread);
    tm_thread_unlock(&h->thread);
    if (h->err.status < 0)
        *err = h->err;
    return h->err.status < 0 ? h->err.status : TM_OK;
}

void tm_handoff_send(struct tm_handoff *h)
{
    tm_thread_lock(&h->thread);
    h->is_full = true;
    tm_thread_changed(&h->thread);
    tm_thread_unlock(&h->thread);
}

void tm_handoff_stop(struct tm_handoff *h)
{
    tm_thread_end(&h->thread);
}
