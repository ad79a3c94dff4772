/* Output pftrace: a fast path for the most frequent events. Private to pftrace.c. */
#ifndef TM_EMIT_PERFETTO_FAST_PATH_H
#define TM_EMIT_PERFETTO_FAST_PATH_H

#include "emit/perfetto/packet_run.h"
#include "emit/perfetto/internal.h"
#include "emit/perfetto/splice_body.h"

/* Reads the columns of row I of BATCH that tm_packet_splice_body and tm_pftrace_is_next use; flags, kind and file are
 * set. */
static inline void tm_fast_get_packet(const struct tm_batch *batch, uint32_t i, struct tm_event *e)
{
    e->time_ns = tm_batch_i64(batch, TM_COL_TIME_NS, i);
    e->machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
    e->sequence = tm_batch_u32(batch, TM_COL_SEQUENCE, i);
    e->generation = tm_batch_u32(batch, TM_COL_GENERATION, i);
    e->track = tm_batch_u64(batch, TM_COL_TRACK, i);
}

/* Reads the further columns that tm_ftrace_write_raw uses; a column that it uses must be read here. */
static inline void tm_fast_get_ftrace(const struct tm_batch *batch, uint32_t i, struct tm_event *e)
{
    tm_fast_get_packet(batch, i, e);
    e->position = tm_batch_u64(batch, TM_COL_POSITION, i);
    e->cpu = tm_batch_u32(batch, TM_COL_CPU, i);
}

/* Reads the further columns that tm_ftrace_write_sched uses. */
static inline void tm_fast_get_sched(const struct tm_batch *batch, uint32_t i, struct tm_event *e)
{
    tm_fast_get_ftrace(batch, i, e);
    e->pid = tm_batch_i64(batch, TM_COL_PID, i);
    e->tid = tm_batch_i64(batch, TM_COL_TID, i);
    e->value = tm_batch_u64(batch, TM_COL_VALUE, i);
    e->name = tm_batch_u32(batch, TM_COL_NAME, i);
    e->category = tm_batch_u32(batch, TM_COL_CATEGORY, i);
    e->detail = e->raw + e->raw_bytes;
    e->detail_bytes = tm_batch_u32(batch, TM_COL_DETAIL_BYTES, i);
}

/* Writes WALK's next events as long as they are packets that are copied unchanged and follow each other. Returns what
 * tm_packet_run_write returns. */
static inline enum tm_status tm_pftrace_run(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err)
{
    struct tm_packet_run run = {.written = p->threads.count ? p->threads.written : NULL,
                                .written_count = p->threads.written_cap,
                                .before_ns = tm_untimed_packets_next_ns(&p->untimed)};
    if (p->pending.events.count || p->threads.has_own_tracks || (p->threads.count && p->threads.written == NULL))
        return TM_OK;
    enum tm_status st = tm_packet_run_write(&p->packets, walk, &run, err);
    p->now_ns = run.rows ? run.time_ns : p->now_ns;
    return st;
}

/* True if events on the thread of row I's sequence must name another track. */
static inline bool tm_fast_has_own_thread_track(const struct pftrace *p, const struct tm_batch *batch, uint32_t i)
{
    if (!p->threads.has_own_tracks)
        return false;
    const struct tm_sequence_thread *row =
        tm_sequence_threads_of(&p->threads, tm_batch_u32(batch, TM_COL_GENERATION, i));
    return row && row->own_track;
}

/* Writes the next event of WALK, or several, if write_event would only pass them on: a track event in a packet or of
 * another format, or an ftrace event. TM_END: there is no such event, and nothing was done. TM_OK, TM_E_INPUT or
 * TM_E_SYSTEM. */
static inline enum tm_status tm_pftrace_fast(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err)
{
    const uint32_t special = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES;
    const struct tm_batch *batch = walk->batch;
    uint32_t i = walk->i;
    enum tm_status st = TM_END;
    struct tm_event e; /* only the columns that its users read */
#ifdef __SANITIZE_ADDRESS__ /* makes the tests find a column that is used and was not read */
    memset(&e, 0xa5, sizeof e);
#endif
    if (i >= batch->count || p->in_state || p->has_pending_packet || p->tracks.names.is_enabled ||
        p->bounds.is_cutting || tm_line_tasks_may_rename(&p->line_tasks))
        return TM_END;
    e.flags = tm_batch_u32(batch, TM_COL_FLAGS, i);
    e.kind = tm_batch_u32(batch, TM_COL_KIND, i);
    e.file = tm_batch_u32(batch, TM_COL_FILE, i);
    e.raw = batch->payload + walk->at;
    e.raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
    if (e.flags & special)
        return TM_END;
    switch (tm_event_raw(e.flags)) {
    case TM_RAW_PACKET:
        if (tm_fast_has_own_thread_track(p, batch, i))
            return TM_END;
        if (!(e.flags & TM_EVENT_RAW_BODY) || e.kind < TM_KIND_SLICE_BEGIN || e.kind > TM_KIND_INSTANT)
            return tm_pftrace_fast_packet(p, walk, &e, err);
        tm_fast_get_packet(batch, i, &e);
        if (tm_packet_has_own_default(&p->packets, &e))
            return tm_pftrace_fast_packet(p, walk, &e, err);
        if (!tm_pftrace_is_next(p, &e))
            return TM_END;
        if (tm_sequence_threads_is_written(&p->threads, e.generation))
            st = tm_packet_splice_body(&p->packets, &e, batch->payload_bytes - walk->at, err);
        break;
    case TM_RAW_FTRACE_EVENT:
        if (e.kind != TM_KIND_FTRACE)
            return TM_END;
        tm_fast_get_ftrace(batch, i, &e);
        if (!tm_pftrace_is_next(p, &e))
            return TM_END;
        st = tm_ftrace_write_raw(&p->ftrace, &e, err);
        break;
    case TM_RAW_COMPACT_SCHED:
        if (e.kind != TM_KIND_SCHED_SWITCH && e.kind != TM_KIND_SCHED_WAKING)
            return TM_END;
        tm_fast_get_sched(batch, i, &e);
        if (!tm_pftrace_is_next(p, &e))
            return TM_END;
        st = tm_ftrace_write_sched(&p->ftrace, &e, err);
        break;
    case TM_RAW_NONE:
    case TM_RAW_JSON:
        return tm_pftrace_track_rows(p, walk, err);
    default:
        break;
    }
    if (st == TM_END)
        return TM_END;
    p->now_ns = e.time_ns;
    p->after_packet = true;
    walk->at += tm_batch_payload_of(batch, i);
    walk->i++;
    return st == TM_OK && tm_event_raw(e.flags) == TM_RAW_PACKET ? tm_pftrace_run(p, walk, err) : st;
}

#endif
