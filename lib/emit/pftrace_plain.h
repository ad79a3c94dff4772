/* Output pftrace: the events that most of a trace consists of, past all that the others need. Private to pftrace.c. */
#ifndef TM_EMIT_PFTRACE_PLAIN_H
#define TM_EMIT_PFTRACE_PLAIN_H

#include "emit/packet_splice.h"
#include "emit/pftrace_work.h"

/* True when no event must wait, and nothing is to be noted of those that are neither of a task's life nor a definition. */
static inline bool tm_pftrace_is_at_ease(const struct pftrace *p)
{
    return !(p->waiting.count | p->late.count) && !p->tracks.names.is_kept;
}

/* True when E is a ftrace event of which write_event would do no more than hand it to the ftrace writer. */
static inline bool tm_pftrace_is_plain_ftrace(const struct pftrace *p, const struct tm_event *e)
{
    const uint32_t special = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_DERIVED;
    if (e->flags & special || !tm_pftrace_is_at_ease(p))
        return false;
    if (e->kind == TM_KIND_FTRACE)
        return tm_event_raw(e->flags) == TM_RAW_FTRACE_EVENT;
    return tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED &&
           (e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING);
}

static inline enum tm_status tm_pftrace_plain_ftrace(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    p->now_ns = e->time_ns;
    p->after_packet = true;
    return e->kind == TM_KIND_FTRACE ? tm_ftrace_write_raw(&p->ftrace, e, err) : tm_ftrace_write_sched(&p->ftrace, e, err);
}

/* Writes the next event of WALK where it is a slice or an instant whose packet goes on as it is. TM_END with nothing done
 * where it is none, or where there is no event. TM_OK or TM_E_SYSTEM. */
static inline enum tm_status tm_pftrace_plain_packet(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err)
{
    const uint32_t special = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES;
    const struct tm_batch *batch = walk->batch;
    uint32_t i = walk->i;
    struct tm_event e;
    if (i >= batch->count)
        return TM_END;
    e.flags = tm_batch_u32(batch, TM_COL_FLAGS, i);
    if ((e.flags & (special | TM_EVENT_RAW_BODY)) != TM_EVENT_RAW_BODY || tm_event_raw(e.flags) != TM_RAW_PACKET)
        return TM_END;
    e.kind = tm_batch_u32(batch, TM_COL_KIND, i);
    e.file = tm_batch_u32(batch, TM_COL_FILE, i);
    e.generation = tm_batch_u32(batch, TM_COL_GENERATION, i);
    if (!tm_pftrace_is_at_ease(p) || e.kind < TM_KIND_SLICE_BEGIN || e.kind > TM_KIND_INSTANT ||
        e.file >= p->context->catalog->file_count || !tm_sequence_threads_is_said(&p->threads, e.generation))
        return TM_END;
    e.time_ns = tm_batch_i64(batch, TM_COL_TIME_NS, i);
    e.machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
    e.sequence = tm_batch_u32(batch, TM_COL_SEQUENCE, i);
    e.raw = batch->payload + walk->at;
    e.raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
    enum tm_status st = tm_packet_splice_body(&p->packets, &e, err);
    if (st == TM_END)
        return TM_END;
    p->now_ns = e.time_ns;
    p->after_packet = true;
    walk->at += tm_batch_payload_of(batch, i);
    walk->i++;
    return st;
}

#endif
