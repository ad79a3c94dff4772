/* The events of a line; each is a row. */
#include "format/xspace/internal.h"

#include "base/checked.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

#include <inttypes.h>

enum { EVENT_METADATA = 1, EVENT_OFFSET_PS = 2, EVENT_DURATION_PS = 3, EVENT_STAT = 4, EVENT_OCCURRENCES = 5 };
enum { PS_PER_NS = 1000 };
enum { STATS_GROWTH_MAX = 16 }; /* of TM_XSPACE_STATS_BYTES_FREE */

struct event {
    uint64_t metadata;
    int64_t offset_ps, duration_ps;
    bool is_aggregate;
};

static int64_t floor_ns(int64_t ps)
{
    return ps / PS_PER_NS - (ps % PS_PER_NS < 0);
}

/* Sets begin and duration. Begin and end are rounded down to nanoseconds. A timestamp of the line below half of the
 * start's is relative to the start. False: they do not fit. */
static bool set_times(const struct tm_xspace *x, const struct event *v, struct tm_event *row)
{
    int64_t end_ps, base_ns = x->now.timestamp_ns;
    if (v->duration_ps < 0 || !tm_add_i64(v->offset_ps, v->duration_ps, &end_ps))
        return false;
    if (x->has_start && base_ns < x->start_ns / 2 && !tm_add_i64(base_ns, x->start_ns, &base_ns))
        return false;
    row->dur_ns = floor_ns(end_ps) - floor_ns(v->offset_ps);
    return tm_add_i64(base_ns, floor_ns(v->offset_ps), &row->time_ns);
}

static enum tm_status read_event(struct tm_text data, struct event *v)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    enum tm_status st;
    *v = (struct event){0};
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == EVENT_METADATA)
            v->metadata = f.value;
        else if (f.id == EVENT_OFFSET_PS)
            v->offset_ps = (int64_t)f.value;
        else if (f.id == EVENT_DURATION_PS)
            v->duration_ps = (int64_t)f.value;
        else if (f.id == EVENT_OCCURRENCES)
            v->is_aggregate = true;
    }
    return st;
}

/* Adds the stats in the fields FIELD of message DATA, until the detail has more than x->detail_max bytes. */
static enum tm_status put_stats(struct tm_xspace *x, struct tm_text data, uint32_t field,
                                struct tm_xspace_flows *flows)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != field || f.type != TM_PB_LEN)
            continue;
        if (x->detail.len > x->detail_max)
            x->unshown_stat_count++;
        else
            st = tm_xspace_stat(x, (struct tm_text){f.data, f.len}, flows);
    }
    return st;
}

/* Sets the name that METADATA gives to its events: the display name, or the full one. If there are both, the full one
 * is an argument. */
static enum tm_status put_name(struct tm_xspace *x, const struct event *v, struct tm_text metadata,
                               struct tm_event *row)
{
    struct tm_text name = tm_xspace_name(metadata, TM_XEVENT_METADATA_DISPLAY_NAME);
    struct tm_text full = tm_xspace_name(metadata, TM_XMETADATA_NAME);
    struct tm_event_sink *sink = x->context.sink;
    if (name.len == 0 && full.len == 0) {
        x->unnamed_count++;
        tm_buf_clear(&x->text);
        if (tm_buf_addf(&x->text, "event %" PRIu64, v->metadata) != TM_OK)
            return tm_error_nomem(x->err);
        name = (struct tm_text){x->text.data, x->text.len};
    } else if (name.len == 0) {
        name = full;
    } else if (sink->want_detail && full.len &&
               tm_detail_arg_text(&x->detail, "long_name", full.data, full.len) != TM_OK) {
        return tm_error_nomem(x->err);
    }
    return tm_event_sink_string(sink, tm_text_at(name.data, name.len), &x->detail, &row->name, x->err);
}

enum tm_status tm_xspace_event(struct tm_xspace *x, struct tm_text data, uint64_t byte)
{
    struct event v;
    struct tm_xspace_flows flows = {0};
    struct tm_event_sink *sink = x->context.sink;
    uint32_t clock = x->has_start || x->is_absolute ? TM_CLOCK_REALTIME : TM_CLOCK_TRACE_FILE;
    struct tm_event row = {.kind = TM_KIND_SLICE_COMPLETE, .clock = clock, .pid = x->pid, .tid = x->now.tid,
                           .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
    if (read_event(data, &v) < 0)
        return tm_xspace_damage(x, byte, 0, "an event with damaged fields");
    if (v.is_aggregate)
        return tm_event_sink_account(sink, (struct tm_loss){TM_DROP_NOT_SHOWN, clock, 1, byte}, x->err);
    if (!set_times(x, &v, &row))
        return tm_event_sink_account(sink, (struct tm_loss){TM_DROP_OUT_OF_RANGE, clock, 1, byte}, x->err);
    if (v.duration_ps == 0)
        row.kind = TM_KIND_INSTANT;
    struct tm_text metadata = {0};
    tm_buf_clear(&x->detail);
    enum tm_status st = tm_xspace_names_get(&x->events, &x->uncounted, v.metadata, &metadata, x->err);
    x->detail_max = tm_detail_budget_left(&x->context.sink->budget, TM_XSPACE_STATS_BYTES_FREE) +
                    STATS_GROWTH_MAX * (data.len + metadata.len);
    if (st >= 0)
        st = put_name(x, &v, st == TM_OK ? metadata : (struct tm_text){0}, &row);
    if (st >= 0 && sink->want_detail)
        st = put_stats(x, metadata, TM_XEVENT_METADATA_STAT, &flows);
    if (st >= 0 && sink->want_detail)
        st = put_stats(x, data, EVENT_STAT, &flows);
    if (st >= 0 && sink->want_detail)
        st = tm_xspace_flows_put(x, &flows);
    row.detail = x->detail.data;
    row.detail_bytes = (uint32_t)x->detail.len;
    return st < 0 ? st : tm_event_sink_add(sink, &row, x->err);
}
