/* Flow events whose ends are in different files: the start is not after the arrival. */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_FLOW_EVENT = 1, SEED_FLOW_ID = 2, SEED_BIND_ID = 11 };

/* Makes a record of a point of a flow, at the begin of EVENT. ID and SEED identify the flow. */
static struct tm_record record_of(const struct tm_align_event *event, uint64_t id, uint64_t seed, enum tm_role role)
{
    return (struct tm_record){.key = tm_hash64_numbers(&id, 1, seed),
                              .begin_ns = event->begin_ns,
                              .end_ns = event->begin_ns,
                              .role = (uint8_t)role,
                              .form = TM_MATCH_FLOW};
}

void tm_align_take_flows(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context)
{
    const struct tm_event *e = event->event;
    struct tm_record record;
    (void)use;
    if (e->kind == TM_KIND_FLOW_START || e->kind == TM_KIND_FLOW_STEP || e->kind == TM_KIND_FLOW_END) {
        enum tm_role role = e->kind == TM_KIND_FLOW_START  ? TM_ROLE_CAUSE
                            : e->kind == TM_KIND_FLOW_STEP ? TM_ROLE_STEP
                                                           : TM_ROLE_EFFECT;
        record = record_of(event, e->track, SEED_FLOW_EVENT, role);
        put(context, &record, false);
    }
    if (event->has_bind) {
        record = record_of(event, event->bind, SEED_BIND_ID, event->bind_role);
        put(context, &record, false);
    }
    for (uint32_t i = 0; i < event->flow_count; i++) {
        record = record_of(event, event->flows[i], SEED_FLOW_ID, TM_ROLE_CAUSE);
        put(context, &record, false);
    }
    for (uint32_t i = 0; i < event->ending_flow_count; i++) {
        record = record_of(event, event->ending_flows[i], SEED_FLOW_ID, TM_ROLE_EFFECT);
        put(context, &record, false);
    }
}
