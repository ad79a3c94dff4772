#include "os/prefault.h"

#include "os/compat.h"
#include "os/thread.h"

#include <stdlib.h>

enum { STEP_BYTES = 1 << 20 }; /* after each step the thread looks whether the range is still wanted */

struct tm_prefault {
    struct tm_thread thread;
    /* under the thread's lock */
    char *at; /* the rest of the range */
    size_t left;
    bool is_unsupported; /* the kernel cannot do it */
};

/* The function of the thread: backs the range step by step. */
static void *work(void *arg)
{
    struct tm_prefault *p = arg;
    tm_thread_lock(&p->thread);
    while (!p->thread.stop) {
        if (p->left == 0 || p->is_unsupported) {
            tm_thread_wait(&p->thread);
            continue;
        }
        char *at = p->at;
        size_t step = p->left < STEP_BYTES ? p->left : STEP_BYTES;
        p->at += step;
        p->left -= step;
        tm_thread_unlock(&p->thread);
        bool done = tm_compat_populate(at, step);
        tm_thread_lock(&p->thread);
        p->is_unsupported = !done;
    }
    tm_thread_unlock(&p->thread);
    return NULL;
}

struct tm_prefault *tm_prefault_new(void)
{
    struct tm_prefault *p = calloc(1, sizeof *p);
    if (p == NULL || tm_thread_start(&p->thread, work, p))
        return p;
    free(p);
    return NULL;
}

void tm_prefault_range(struct tm_prefault *p, void *mem, size_t bytes)
{
    if (p == NULL)
        return;
    tm_thread_lock(&p->thread);
    p->at = mem;
    p->left = bytes;
    tm_thread_changed(&p->thread);
    tm_thread_unlock(&p->thread);
}

void tm_prefault_free(struct tm_prefault *p)
{
    if (p == NULL)
        return;
    tm_thread_end(&p->thread);
    free(p);
}
