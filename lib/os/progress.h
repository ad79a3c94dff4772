/* Counters that tell tm-merge how far a stage has come. They are on a page that both processes map.
 *
 * tm-merge makes the page (lib/merge/progress_page.h), lets the stages inherit its descriptor and numbers each stage in
 * TM_PROGRESS. Code that reads standard input, writes standard output or opens input files attaches itself. If
 * TM_PROGRESS is not set or not understood, all calls do nothing. There are no locks: each counter has one writer, and
 * readers need only recent values. */
#ifndef TM_OS_PROGRESS_H
#define TM_OS_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TM_PROGRESS_VARIABLE "TM_PROGRESS" /* "FD,STAGE" */
#define TM_PROGRESS_MAGIC UINT64_C(0x31676f72706d74)

enum { TM_PROGRESS_STAGES_MAX = 16 };

/* One direction of a stage. Times are CLOCK_MONOTONIC. */
struct tm_progress_flow {
    _Atomic uint64_t bytes, events;
    _Atomic uint64_t waited_ns; /* in calls that have returned */
    _Atomic uint64_t since_ns;  /* when the current call began; 0: no call is in progress */
};

struct tm_progress_stage {
    struct tm_progress_flow in, out;
};

struct tm_progress_page {
    uint64_t magic;
    struct tm_progress_stage stages[TM_PROGRESS_STAGES_MAX];
};

/* A flow of this process. Attach sets it; zero-initialised it does nothing. */
struct tm_progress {
    struct tm_progress_page *page; /* mapped; NULL: no progress is shown */
    struct tm_progress_flow *flow;
};

/* Attaches PROGRESS to this stage's input or output if TM_PROGRESS is set. Lasts until detach. */
void tm_progress_attach(struct tm_progress *progress, bool is_output);
void tm_progress_detach(struct tm_progress *progress);

/* Returns the nanoseconds of CLOCK_MONOTONIC. */
uint64_t tm_progress_now_ns(void);

/* Call these around a call that may block. The second says how many BYTES it moved. */
static inline void tm_progress_begin(struct tm_progress *p)
{
    if (p->flow)
        atomic_store_explicit(&p->flow->since_ns, tm_progress_now_ns(), memory_order_relaxed);
}

static inline void tm_progress_end(struct tm_progress *p, size_t bytes)
{
    if (p->flow == NULL)
        return;
    uint64_t since = atomic_load_explicit(&p->flow->since_ns, memory_order_relaxed);
    atomic_store_explicit(&p->flow->since_ns, 0, memory_order_relaxed);
    if (since) /* another reader of the same flow may have ended its call meanwhile */
        atomic_fetch_add_explicit(&p->flow->waited_ns, tm_progress_now_ns() - since, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->flow->bytes, bytes, memory_order_relaxed);
}

static inline void tm_progress_events(struct tm_progress *p, uint64_t count)
{
    if (p->flow)
        atomic_fetch_add_explicit(&p->flow->events, count, memory_order_relaxed);
}

#endif
