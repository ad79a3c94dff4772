/* Events of one thing that two recorders saw: a switch of one kernel in two recordings of it, a mark that an app's own
 * trace and the system's both have. They are at one time, but for how late each recorder was.
 *
 * A switch is known by cpu, both tasks, priority and state, and comes again and again; so the sequence of switches of a
 * cpu is matched by its rhythm, as markers are. */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_SWITCH = 6 };

void tm_align_take_twice(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context)
{
    const struct tm_event *e = event->event;
    (void)use;
    if (e->kind != TM_KIND_SCHED_SWITCH || e->cpu != 0 || !(e->flags & TM_EVENT_HAS_PID))
        return;
    const uint64_t tasks[] = {(uint64_t)e->tid, (uint64_t)e->pid};
    struct tm_record record = {.key = tm_hash64_seed(&e->cpu, sizeof e->cpu, SEED_SWITCH),
                               .symbol = tm_hash64(tasks, sizeof tasks),
                               .begin_ns = event->begin_ns,
                               .end_ns = event->begin_ns,
                               .role = TM_ROLE_EQUAL,
                               .form = TM_MATCH_SAME};
    put(context, &record, true);
}
