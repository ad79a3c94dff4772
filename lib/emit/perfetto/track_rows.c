/* Output pftrace: rows that the track writer takes, from the columns of a batch. */
#include "emit/perfetto/internal.h"

/* True if BATCH has a row I, it is from before BEFORE_NS, and write_event would only pass it to the track writer: an
 * event of a format whose events have no recorded packet. */
static bool is_next_row(const struct pftrace *p, const struct tm_batch *batch, uint32_t i, int64_t before_ns)
{
    const uint32_t special = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_DERIVED;
    if (i >= batch->count || tm_batch_i64(batch, TM_COL_TIME_NS, i) >= before_ns)
        return false;
    uint32_t flags = tm_batch_u32(batch, TM_COL_FLAGS, i), kind = tm_batch_u32(batch, TM_COL_KIND, i),
             file = tm_batch_u32(batch, TM_COL_FILE, i);
    enum tm_raw raw = tm_event_raw(flags);
    return !(flags & special) && (raw == TM_RAW_NONE || raw == TM_RAW_JSON) && kind >= TM_KIND_SLICE_BEGIN &&
           kind <= TM_KIND_ASYNC_STEP &&
           p->context->catalog->files[file].clock_policy != TRACEMERGE__CLOCK_POLICY__PROTO;
}

enum tm_status tm_pftrace_track_rows(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err)
{
    const struct tm_batch *batch = walk->batch;
    const int64_t before_ns = tm_untimed_packets_next_ns(&p->untimed);
    struct tm_event e;
    bool is_next = p->bounds.is_settled && p->pending.events.count == 0 && p->threads.count == 0 &&
                   is_next_row(p, batch, walk->i, before_ns);
    enum tm_status st = is_next ? TM_OK : TM_END;
    while (st == TM_OK && is_next && tm_batch_next(walk, &e)) {
        is_next = is_next_row(p, batch, walk->i, before_ns);
        if ((p->has_text || p->has_perf_script) && (st = tm_pftrace_note_task(p, &e, err)) < 0)
            break;
        bool is_last = is_next && tm_batch_i64(batch, TM_COL_TIME_NS, walk->i) > e.time_ns;
        st = is_last ? tm_track_write_last(&p->tracks, &e, err) : tm_track_write(&p->tracks, &e, err);
        p->now_ns = e.time_ns;
        p->after_packet = false;
    }
    return st;
}
