#include "format/ninja/internal.h"

struct busy {
    int64_t until_ms;
    uint32_t worker;
};

/* Of workers that end together the one with the lowest number comes last, so that it is on top of the idle ones. */
static bool is_before(const void *a, const void *b)
{
    const struct busy *x = a, *y = b;
    return x->until_ms != y->until_ms ? x->until_ms < y->until_ms : x->worker > y->worker;
}

static const struct tm_heap_order by_end = {sizeof(struct busy), is_before};

/* Makes workers idle whose jobs end at NOW_MS or before. All that are idle already became so no later than the job
 * before began, so the stack stays in order. */
static enum tm_status release_until(struct tm_ninja_workers *w, int64_t now_ms, struct tm_error *err)
{
    struct busy ended;
    while (w->busy.count && ((const struct busy *)w->busy.items)->until_ms <= now_ms) {
        if (tm_array_grow(&w->idle, &w->idle_cap, w->idle_count, sizeof *w->idle, err) < 0)
            return TM_E_SYSTEM;
        tm_heap_pop(&w->busy, &by_end, &ended);
        w->idle[w->idle_count++] = ended.worker;
    }
    return TM_OK;
}

enum tm_status tm_ninja_workers_take(struct tm_ninja_workers *w, const struct tm_ninja_job *job, uint32_t *worker,
                                     struct tm_error *err)
{
    enum tm_status st = release_until(w, job->start_ms, err);
    if (st < 0)
        return st;
    *worker = w->idle_count ? w->idle[--w->idle_count] : w->count++;
    return tm_heap_push(&w->busy, &by_end, &(struct busy){job->end_ms, *worker}, err);
}

void tm_ninja_workers_release(struct tm_ninja_workers *w)
{
    tm_heap_release(&w->busy);
    free(w->idle);
    *w = (struct tm_ninja_workers){0};
}
