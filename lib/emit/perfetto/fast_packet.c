/* Output pftrace: recorded packets of track events, with the values in the rows after them, from the columns of a
 * batch. */
#include "emit/perfetto/internal.h"

#include "base/table.h"

/* Reads the columns of row I of BATCH that tm_packet_retime and tm_pftrace_is_next use; flags, kind and file are
 * set. */
static void get_packet(const struct tm_batch *batch, uint32_t i, size_t at, struct tm_event *e)
{
    e->time_ns = tm_batch_i64(batch, TM_COL_TIME_NS, i);
    e->position = tm_batch_u64(batch, TM_COL_POSITION, i);
    e->machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
    e->sequence = tm_batch_u32(batch, TM_COL_SEQUENCE, i);
    e->generation = tm_batch_u32(batch, TM_COL_GENERATION, i);
    e->track = tm_batch_u64(batch, TM_COL_TRACK, i);
    e->value = tm_batch_u64(batch, TM_COL_VALUE, i);
    e->raw = batch->payload + at;
    e->raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
}

/* True if row I is a value of E's packet that needs nothing to be written first. */
static bool is_plain_value(struct pftrace *p, const struct tm_batch *batch, uint32_t i, const struct tm_event *e)
{
    return tm_batch_i64(batch, TM_COL_TIME_NS, i) == e->time_ns && tm_batch_u32(batch, TM_COL_FILE, i) == e->file &&
           tm_batch_u32(batch, TM_COL_GENERATION, i) == e->generation &&
           (p->pending.events.count == 0 || !(tm_batch_u32(batch, TM_COL_FLAGS, i) & TM_EVENT_HAS_TRACK) ||
            tm_pftrace_track_is_absent(p, e, tm_batch_u64(batch, TM_COL_TRACK, i)));
}

/* Adds the values after row I, of E's packet, to the extras. *END: the row after them. TM_END: these rows must be
 * written one by one. */
static enum tm_status take_values(struct pftrace *p, const struct tm_batch *batch, uint32_t i, const struct tm_event *e,
                                  uint32_t *end)
{
    struct tm_extra_values *extras = &p->extras;
    uint32_t k = i + 1;
    extras->count = 0;
    for (; k < batch->count; k++) {
        uint32_t flags = tm_batch_u32(batch, TM_COL_FLAGS, k);
        if (!(flags & TM_EVENT_DERIVED) || tm_batch_u32(batch, TM_COL_KIND, k) != TM_KIND_COUNTER)
            break;
        if (!is_plain_value(p, batch, k, e) ||
            tm_array_grow(&extras->values, &extras->cap, extras->count, sizeof *extras->values, NULL) < 0)
            return TM_END;
        extras->values[extras->count++] =
            (struct tm_packet_value){tm_batch_u64(batch, TM_COL_VALUE, k), (flags & TM_EVENT_VALUE_DOUBLE) != 0};
    }
    *end = k;
    return k < batch->count ? TM_OK : TM_END; /* more values may be in the next batch */
}

enum tm_status tm_pftrace_fast_packet(struct pftrace *p, struct tm_batch_walk *walk, struct tm_event *e,
                                      struct tm_error *err)
{
    const struct tm_batch *batch = walk->batch;
    uint32_t end = walk->i + 1;
    enum tm_status st = TM_OK;
    if (e->kind < TM_KIND_SLICE_BEGIN || e->kind > TM_KIND_ASYNC_STEP)
        return TM_END;
    get_packet(batch, walk->i, walk->at, e);
    if (!tm_sequence_threads_is_written(&p->threads, e->generation) || !tm_pftrace_is_next(p, e))
        return TM_END;
    bool may_have_values = tm_packet_may_have_extras(e);
    if (may_have_values)
        st = take_values(p, batch, walk->i, e, &end);
    if (st == TM_OK)
        st = tm_packet_retime(&p->packets, e, may_have_values ? &p->extras : NULL, err);
    p->extras.count = 0;
    if (st != TM_OK)
        return st;
    p->now_ns = e->time_ns;
    p->after_packet = true;
    for (; walk->i < end; walk->i++)
        walk->at += tm_batch_payload_of(batch, walk->i);
    return TM_OK;
}
