#include "os/prefault.h"

#include "os/compat.h"
#include "os/page_cost.h"
#include "os/thread.h"

#include <stdint.h>
#include <stdlib.h>

/* After each step the thread looks whether the range is still wanted. A step ends where a large page does. */
enum { STEP_BYTES = 2 << 20 };

struct tm_prefault {
    struct tm_thread thread;
    /* under the thread's lock */
    char *at; /* the rest of the range */
    size_t left;
    bool is_unsupported; /* the kernel cannot do it */
    bool is_costly;
    /* the thread's own */
    struct tm_page_cost cost;
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
        size_t step = STEP_BYTES - (uintptr_t)at % STEP_BYTES;
        step = p->left < step ? p->left : step;
        p->at += step;
        p->left -= step;
        tm_thread_unlock(&p->thread);
        uint64_t start_ns = tm_compat_thread_ns();
        bool done = tm_compat_populate(at, step);
        tm_page_cost_add(&p->cost, step, tm_compat_thread_ns() - start_ns, tm_page_cost_of_small);
        tm_thread_lock(&p->thread);
        p->is_unsupported = !done;
        p->is_costly = p->cost.is_high;
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

bool tm_prefault_is_costly(struct tm_prefault *p)
{
    if (p == NULL)
        return false;
    tm_thread_lock(&p->thread);
    bool is_costly = p->is_costly;
    tm_thread_unlock(&p->thread);
    return is_costly;
}

void tm_prefault_free(struct tm_prefault *p)
{
    if (p == NULL)
        return;
    tm_thread_end(&p->thread);
    free(p);
}
