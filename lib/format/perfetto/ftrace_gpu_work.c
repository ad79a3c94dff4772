/* gpu_work_period: how long a GPU worked for an app. Rules and names: importers/ftrace/gpu_work_period_tracker.cc of
 * perfetto. */
#include "format/perfetto/ftrace_event.h"
#include "stream/detail_arg.h"

#include <stdio.h>
#include <string.h>

enum { GPU = 1, UID, START, END, ACTIVE };

/* The row is an event of its own at the start of the period, which is a reading of MONOTONIC_RAW. */
enum tm_status tm_proto_ftrace_gpu_work(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                        const struct tm_event *event, struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    const uint64_t *n = fields.number;
    char name[64];
    tm_proto_event_fields_read(&fields, f);
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_GPU_WORK,
                                       .second = (uint16_t)n[GPU],
                                       .instance = (uint32_t)n[UID],
                                       .gpu = (uint32_t)n[GPU]};
    struct tm_event row = tm_proto_derived(event, TM_KIND_SLICE_COMPLETE);
    int64_t dur = (int64_t)(n[END] - n[START]), active = (int64_t)n[ACTIVE];
    if (!fields.has[START])
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_FTRACE_ERRORS, event->machine, 1, err);
    if (dur <= 0)
        return dur == 0 ? TM_OK
                        : tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_GPU_WORK_NEGATIVE, event->machine, 1, err);
    row.flags &= ~(unsigned)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
    row.clock = TM_CLOCK_MONOTONIC_RAW;
    row.time_ns = (int64_t)n[START];
    row.dur_ns = dur;
    row.tid = row.pid = 0;
    rows->key.len = rows->text.len = 0;
    if (tm_detail_arg_int(&rows->text, "uid", (int32_t)(uint32_t)n[UID]) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_proto_named_row(rows, &named, &row, err);
    row.flags &= ~(uint32_t)TM_EVENT_ASYNC;
    int len = snprintf(name, sizeof name, "%%%.2f", 100.0 * ((double)active / (double)dur));
    if (st >= 0)
        st = tm_proto_string(rows, name, (size_t)len, &row.name, err);
    if (st >= 0 && tm_pb_put_varint(&rows->detail, TM_DETAIL_THREAD_DUR, tm_zigzag(active)) < 0)
        return tm_error_nomem(err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}
