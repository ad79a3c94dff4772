/* Events that two recorders saw: a switch in two recordings of one kernel, or a mark that an app's own trace and the
 * system's both have. They are at one time, except for the delays of the recorders.
 *
 * A switch has a CPU and two tasks, which repeat often. So the sequence of switches of CPU 0 is matched by its rhythm,
 * as markers are. It suffices to relate two clocks, so the switches of other CPUs are left out. The marks of a thread
 * are matched by rhythm too, grouped by their names without digits, since "frame 7" occurs once. Marks of a system
 * trace are compared with those of other files, but marks of two programs never: programs may do the same in the same
 * rhythm, and thread numbers repeat on other machines. */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_SWITCH = 6, SEED_MARK = 10, NAME_MAX_BYTES = 256 };

/* Adds a mark. The kernel states the CPU of its thread; a program does not. */
static void put_mark(const struct tm_align_event *event, tm_align_put *put, void *context)
{
    const struct tm_event *e = event->event;
    bool by_kernel = e->flags & TM_EVENT_HAS_CPU;
    char stem[NAME_MAX_BYTES];
    size_t n = 0;
    if (!event->has_tid || (!by_kernel && !event->wants_mark) || e->flags & TM_EVENT_ASYNC || event->name.len == 0)
        return;
    for (size_t i = 0; i < event->name.len && n < sizeof stem; i++)
        if (event->name.data[i] < '0' || event->name.data[i] > '9')
            stem[n++] = (char)event->name.data[i];
    struct tm_record record = {.key = tm_hash64_seed(stem, n, SEED_MARK + (uint64_t)event->tid),
                               .symbol = tm_hash64(event->name.data, event->name.len),
                               .begin_ns = event->begin_ns,
                               .end_ns = event->begin_ns,
                               .role = by_kernel ? TM_ROLE_EQUAL : TM_ROLE_MARK,
                               .form = TM_MATCH_SAME};
    put(context, &record, true);
}

void tm_align_take_recorded_twice(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                                  void *context)
{
    const struct tm_event *e = event->event;
    (void)use;
    if (e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_COMPLETE || e->kind == TM_KIND_INSTANT)
        put_mark(event, put, context);
    if (e->kind != TM_KIND_SCHED_SWITCH || e->cpu != 0 || !(e->flags & TM_EVENT_HAS_PID))
        return;
    const uint64_t cpu = e->cpu, tasks[] = {(uint64_t)e->tid, (uint64_t)e->pid};
    struct tm_record record = {.key = tm_hash64_numbers(&cpu, 1, SEED_SWITCH),
                               .symbol = tm_hash64_numbers(tasks, 2, 0),
                               .begin_ns = event->begin_ns,
                               .end_ns = event->begin_ns,
                               .role = TM_ROLE_EQUAL,
                               .form = TM_MATCH_SAME};
    put(context, &record, true);
}
