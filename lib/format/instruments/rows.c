#include "format/instruments/internal.h"

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/pb.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"

#include <stdio.h>

enum { COUNTS_MAX = 64 };

static const char sync_subsystem[] = "dev.perfetto.clock_sync";

static void count(uint64_t *total, uint64_t *first, uint64_t byte)
{
    if ((*total)++ == 0)
        *first = byte;
}

/* Adds the frame whose record is at PLACE to x->stack. A caller's address is a return address; 1 less is inside the
 * call. */
static enum tm_status put_frame(struct tm_instruments *x, uint64_t place, bool is_leaf)
{
    struct tm_buf *out = &x->stack;
    size_t mark;
    tm_buf_clear(&x->record);
    enum tm_status st = tm_instruments_refs_get(&x->refs, place, &x->record, x->err);
    if (st < 0)
        return st;
    const uint8_t *r = x->record.data;
    uint64_t pc = tm_get_le64(r + 1);
    if (tm_pb_begin(out, TM_DETAIL_FRAMES, &mark) != TM_OK ||
        tm_buf_add(out, r + TM_FRAME_RECORD_FIELDS, x->record.len - TM_FRAME_RECORD_FIELDS) != TM_OK ||
        (r[0] && tm_pb_put_varint(out, TM_STACK_FRAME_REL_PC, pc - (pc && !is_leaf)) != TM_OK) ||
        tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Sets *FIT to how many of the frames at FRAMES, from the innermost on, fit into the limit of a stack. */
static enum tm_status fitting(struct tm_instruments *x, const uint8_t *frames, size_t frame_count, size_t *fit)
{
    const size_t bytes_max = tm_detail_budget_left(&x->context.sink->budget, TM_INSTRUMENTS_STACK_BYTES);
    size_t bytes = 0;
    for (*fit = 0; *fit < frame_count; ++*fit) {
        tm_buf_clear(&x->record);
        enum tm_status st = tm_instruments_refs_get(&x->refs, tm_get_le64(frames + 8 * *fit), &x->record, x->err);
        if (st < 0)
            return st;
        bytes += x->record.len + 2 * TM_VARINT_MAX;
        if (bytes > bytes_max)
            break;
    }
    return TM_OK;
}

/* Sets x->stack to the frames of the row's backtrace, unless it has them already. */
static enum tm_status put_stack(struct tm_instruments *x)
{
    size_t n = 0;
    if (x->stack_backtrace == x->row.backtrace)
        return TM_OK;
    x->stack_backtrace = x->row.backtrace;
    tm_buf_clear(&x->stack);
    tm_buf_clear(&x->frames);
    enum tm_status st = tm_instruments_refs_get(&x->refs, x->row.backtrace, &x->frames, x->err);
    if (st == TM_OK)
        st = fitting(x, x->frames.data, x->frames.len / 8, &n);
    if (st < 0)
        return st;
    x->stacks_cut += n < x->frames.len / 8;
    while (st == TM_OK && n-- > 0)
        st = put_frame(x, tm_get_le64(x->frames.data + 8 * n), n == 0);
    return st;
}

/* Adds the hardware counters of the sample, each as a counter of the thread. */
static enum tm_status add_counts(struct tm_instruments *x, const struct tm_event *sample)
{
    struct tm_event e = *sample;
    e.kind = TM_KIND_COUNTER;
    e.flags |= TM_EVENT_DERIVED | TM_EVENT_HAS_VALUE;
    tm_buf_clear(&x->other);
    enum tm_status st = tm_instruments_refs_get(&x->refs, x->row.counts, &x->other, x->err);
    const char *s = (const char *)x->other.data, *end = s + x->other.len;
    for (int i = 0; st == TM_OK && i < COUNTS_MAX; i++) {
        char name[24];
        int64_t value;
        while (s < end && (*s < '0' || *s > '9'))
            s++;
        const char *start = s;
        while (s < end && *s >= '0' && *s <= '9')
            s++;
        if (s == start || tm_decimal_int(start, (size_t)(s - start), &value) != TM_OK)
            break;
        e.value = (uint64_t)value;
        tm_buf_clear(&x->detail);
        int len = snprintf(name, sizeof name, "pmc-events[%d]", i);
        st = tm_event_sink_string(x->context.sink, tm_text_at(name, (size_t)len), &x->detail, &e.name, x->err);
        e.detail = x->detail.data;
        e.detail_bytes = (uint32_t)x->detail.len;
        if (st == TM_OK)
            st = tm_event_sink_add(x->context.sink, &e, x->err);
    }
    return st;
}

/* Adds the row as a sample, then its hardware counters. */
static enum tm_status add_sample(struct tm_instruments *x)
{
    static const char cycles[] = "cycles";
    const struct tm_instruments_row *row = &x->row;
    struct tm_event e = {.kind = TM_KIND_SAMPLE, .time_ns = row->time_ns, .cpu = (uint32_t)row->core,
                         .value = row->weight};
    e.flags = tm_event_scope_flags(TM_SCOPE_THREAD) | (row->has_core ? TM_EVENT_HAS_CPU : 0u) |
              (row->has_weight ? TM_EVENT_HAS_VALUE : 0u);
    enum tm_status st = tm_instruments_thread_of(x, &e);
    if (st == TM_END)
        count(&x->no_thread, &x->first_no_thread, row->byte);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if ((st = put_stack(x)) < 0)
        return st;
    tm_buf_clear(&x->detail);
    if (row->is_cycles)
        st = tm_event_sink_string(x->context.sink, tm_text_at(cycles, sizeof cycles - 1), &x->detail, &e.name, x->err);
    if (st == TM_OK && tm_buf_add(&x->detail, x->stack.data, x->stack.len) != TM_OK)
        return tm_error_nomem(x->err);
    e.detail = x->detail.data;
    e.detail_bytes = (uint32_t)x->detail.len;
    if (st == TM_OK)
        st = tm_event_sink_add(x->context.sink, &e, x->err);
    e.flags &= ~(uint32_t)TM_EVENT_HAS_CPU;
    e.name = 0;
    return st < 0 || row->counts == 0 ? st : add_counts(x, &e);
}

/* Writes a hint that BOOTTIME is the machine's. A snapshot isolates the clocks of a file that is not its machine's
 * primary file (doc/rules.md section 5); the hint relates them to the machine's. */
static enum tm_status add_hint(struct tm_instruments *x)
{
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    if (!x->context.options || !x->context.options->hints)
        return TM_OK;
    hint.file = x->context.sink->file;
    hint.from_clock = hint.clock = TM_CLOCK_BOOTTIME;
    hint.source = tm_bytes(sync_subsystem, sizeof sync_subsystem - 1);
    return tm_event_sink_message(x->context.sink, TM_FRAME_CLOCK_HINT, &hint.base, x->err);
}

/* Relates the file's clock to BOOTTIME by this row. A row that goes back in time is ignored, as in the reference
 * importer. */
static enum tm_status add_snapshot(struct tm_instruments *x)
{
    Tracemerge__Snapshot snapshot = TRACEMERGE__SNAPSHOT__INIT;
    const struct tm_clock_reading pair[2] = {{TM_CLOCK_TRACE_FILE, x->row.time_ns},
                                             {TM_CLOCK_BOOTTIME, (int64_t)x->row.log}};
    if (x->has_sync && x->row.log < x->last_sync) {
        x->sync_backwards++;
        return TM_OK;
    }
    bool is_first = !x->has_sync;
    x->has_sync = true;
    x->last_sync = x->row.log;
    snapshot.byte = x->row.byte;
    enum tm_status st = tm_event_sink_snapshot(x->context.sink, &snapshot, pair, x->err);
    return st == TM_OK && is_first ? add_hint(x) : st;
}

/* Sets *IS_SYNC to whether the row relates clocks: its subsystem is that of clock synchronization. */
static enum tm_status check_sync(struct tm_instruments *x, bool *is_sync)
{
    *is_sync = false;
    if (x->row.subsystem == 0 || !x->row.has_log)
        return TM_OK;
    tm_buf_clear(&x->record);
    enum tm_status st = tm_instruments_refs_get(&x->refs, x->row.subsystem, &x->record, x->err);
    *is_sync = st == TM_OK && x->record.len == sizeof sync_subsystem - 1 &&
               memcmp(x->record.data, sync_subsystem, x->record.len) == 0;
    return st;
}

enum tm_status tm_instruments_row_add(struct tm_instruments *x)
{
    const struct tm_instruments_row *row = &x->row;
    bool is_sync;
    enum tm_status st = check_sync(x, &is_sync);
    if (st < 0)
        return st;
    bool is_signpost = row->name && !row->is_sample;
    if (!row->has_time && !row->has_start && (is_sync || is_signpost || row->backtrace))
        count(&x->no_time, &x->first_no_time, row->byte);
    else if (!row->has_time)
        count(&x->other_rows, &x->first_other_row, row->byte);
    else if (is_sync)
        return add_snapshot(x);
    else if (is_signpost)
        return tm_instruments_signpost_add(x);
    else if (row->backtrace)
        return add_sample(x);
    else if (row->is_sample)
        count(&x->no_stack, &x->first_no_stack, row->byte);
    else
        count(&x->other_rows, &x->first_other_row, row->byte);
    return TM_OK;
}

static enum tm_status account(struct tm_instruments *x, enum tm_drop_reason reason, uint64_t n, uint64_t byte)
{
    return n ? tm_event_sink_account(x->context.sink, (struct tm_loss){reason, 0, n, byte}, x->err) : TM_OK;
}

static enum tm_status stat(struct tm_instruments *x, const char *name, Tracemerge__Severity severity, uint64_t n)
{
    return n ? tm_event_sink_stat(x->context.sink, name, severity, (int64_t)n, x->err) : TM_OK;
}

enum tm_status tm_instruments_accounts(struct tm_instruments *x)
{
    enum tm_status st = account(x, TM_DROP_NO_TIME, x->no_time, x->first_no_time);
    if (st == TM_OK)
        st = account(x, TM_DROP_NO_STACK, x->no_stack, x->first_no_stack);
    if (st == TM_OK)
        st = account(x, TM_DROP_NO_THREAD, x->no_thread, x->first_no_thread);
    if (st == TM_OK)
        st = account(x, TM_DROP_NOT_SHOWN, x->other_rows, x->first_other_row);
    if (st == TM_OK)
        st = stat(x, "instruments_row_missing_thread", TRACEMERGE__SEVERITY__ERROR, x->no_thread);
    if (st == TM_OK)
        st = stat(x, "instruments_unknown_ref", TRACEMERGE__SEVERITY__ERROR, x->unknown_refs);
    if (st == TM_OK)
        st = stat(x, "instruments_stack_cut", TRACEMERGE__SEVERITY__DATA_LOSS, x->stacks_cut);
    if (st == TM_OK)
        st = stat(x, "instruments_clock_sync_backwards", TRACEMERGE__SEVERITY__ERROR, x->sync_backwards);
    return st;
}
