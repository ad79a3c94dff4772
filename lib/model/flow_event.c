#include "model/internal.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

/* Finds the track whose slices EV, a flow event, binds to. TM_END: none, because the slices of its track are on
 * lanes. */
static enum tm_status flow_track(struct tm_model_layout *layout, struct tm_model_event *ev, uint32_t *track,
                                 struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_FLOW_TRACK && f.type == TM_PB_I64)
            return tm_descriptors_track(
                &layout->descriptors,
                &(struct tm_described_event){
                    .place = ev->place, .uuid = f.value, .name = ev->name, .effect = TM_LANE_NONE},
                track, err);
    return tm_model_thread_track(layout, ev->place, ev->utid, track, err);
}

/* Takes s, t and f of Chrome JSON and of legacy track events. They bind to the enclosing slice. */
enum tm_status tm_model_flow(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_key key = {tm_model_flow_namespace(&m->out, ev), e->track, 0};
    struct tm_flow_slice slice;
    uint32_t track;
    enum tm_status st = tm_model_thread(&m->tasks, ev, err);
    if (st < 0 || (st = flow_track(&m->layout, ev, &track, err)) != TM_OK)
        return st < 0 ? st : tm_model_count(&m->out, ev->place, TM_MODEL_FLOW_WITHOUT_SLICE, err);
    const struct tm_flow_counts before = m->flows.counts;
    slice.id = tm_slices_top(&m->slices, track, &slice.ts);
    if (e->kind == TM_KIND_FLOW_END && e->value == TM_FLOW_BINDS_NEXT)
        st = tm_flows_end_at_next(&m->flows, &key, track, err);
    else if (slice.id == TM_NO_ID)
        m->flows.counts.without_slice++;
    else if (e->kind == TM_KIND_FLOW_START)
        st = tm_flows_start(&m->flows, &key, slice, err);
    else if (e->kind == TM_KIND_FLOW_STEP)
        st = tm_flows_step(&m->flows, &key, slice, err);
    else
        st = tm_flows_end(&m->flows, &key, slice, false, err);
    return st < 0 ? st : tm_model_count_flow(m, ev->place, &before, e->kind == TM_KIND_FLOW_END, err);
}
