/* Events of the firmware of Google's phones, which the kernel forwards: thermal_exynos_acpm_*, param_set_value_cpm,
 * fwtp_perfetto_*. Most state a time of their own. Rules and names: importers/ftrace/thermal_tracker.cc and
 * ftrace_parser.cc of perfetto. */
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/detail_arg.h"

#include <stdio.h>
#include <string.h>

enum { THERMAL_ZONE = 1, THERMAL_TEMPERATURE = 2, THERMAL_COOLING = 4 };

/* One event. */
struct firmware {
    struct tm_proto_rows *rows;
    const struct tm_proto_event_fields *fields;
    struct tm_event like; /* the columns that its rows share */
    struct tm_error *err;
};

static struct tm_text text_of(const struct firmware *w, uint32_t field)
{
    const uint8_t *text = w->fields->text[field];
    return (struct tm_text){text ? text : (const uint8_t *)"", text ? w->fields->len[field] : 0};
}

/* Adds a counter with the value in FIELD. rows->text has the dimension of its track. */
static enum tm_status add_counter(const struct firmware *w, enum tm_named_track type, struct tm_text name,
                                  uint32_t field)
{
    struct tm_event row = w->like;
    row.kind = TM_KIND_COUNTER;
    row.flags |= TM_EVENT_HAS_VALUE;
    row.value = (uint32_t)w->fields->number[field];
    const struct tm_proto_named_row named = {.type = type, .has_name = true};
    enum tm_status st = tm_proto_named_counter(w->rows, &named, name, &row, w->err);
    bool is_thermal = type == TM_NAMED_TRACK_ACPM_TEMPERATURE || type == TM_NAMED_TRACK_ACPM_COOLING;
    if (st >= 0 && is_thermal && w->rows->sink->want_packet_args &&
        tm_detail_arg_int(&w->rows->detail, "thermal_zone_id", (int64_t)w->fields->number[THERMAL_ZONE]) < 0)
        return tm_error_nomem(w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Adds the counter in field VALUE, named by field NAME. Without that field the name is empty. */
static enum tm_status add_named(const struct firmware *w, enum tm_named_track type, uint32_t name, uint32_t value)
{
    const struct tm_text dimension = w->fields->text[name] ? text_of(w, name) : (struct tm_text){0};
    enum tm_status st = tm_proto_named_dimension(w->rows, "name", dimension, w->err);
    return st < 0 ? st : add_counter(w, type, text_of(w, name), value);
}

static enum tm_status add_zone(const struct firmware *w, enum tm_named_track type, const char *zone, uint32_t value)
{
    char name[48];
    int len = type == TM_NAMED_TRACK_ACPM_COOLING ? snprintf(name, sizeof name, "Tj-%s Cooling Device", zone)
                                                  : snprintf(name, sizeof name, "%s Temperature", zone);
    enum tm_status st = tm_proto_named_dimension(w->rows, "thermal_zone", tm_text_at(zone, strlen(zone)), w->err);
    return st < 0 ? st : add_counter(w, type, tm_text_at(name, (size_t)len), value);
}

static enum tm_status add_thermal(const struct firmware *w)
{
    static const char *const zones[] = {"BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"};
    const uint32_t zone = (uint32_t)w->fields->number[THERMAL_ZONE];
    if (zone >= sizeof zones / sizeof *zones)
        return tm_proto_count_stat(&w->rows->counts, TM_PROTO_STAT_THERMAL_ZONE, w->like.machine, 1, w->err);
    enum tm_status st = add_zone(w, TM_NAMED_TRACK_ACPM_TEMPERATURE, zones[zone], THERMAL_TEMPERATURE);
    return st < 0 ? st : add_zone(w, TM_NAMED_TRACK_ACPM_COOLING, zones[zone], THERMAL_COOLING);
}

/* Adds the begin or the end of a slice. There is one track, so a begin also ends the slice before it. */
static enum tm_status add_slice(const struct firmware *w)
{
    enum { CATEGORY = 3, NAME = 4, IS_BEGIN = 5 };
    const bool is_begin = (uint32_t)w->fields->number[IS_BEGIN] != 0;
    const struct tm_text name = text_of(w, NAME), category = text_of(w, CATEGORY);
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_FIRMWARE_SLICES};
    struct tm_event row = w->like;
    row.kind = TM_KIND_KERNEL;
    row.value = is_begin ? TM_KERNEL_STATE : TM_KERNEL_STATE_DONE;
    w->rows->key.len = w->rows->text.len = 0;
    if (tm_buf_add(&w->rows->key, name.data, name.len) != TM_OK)
        return tm_error_nomem(w->err);
    enum tm_status st = tm_proto_named_row(w->rows, &named, &row, w->err);
    if (st >= 0 && is_begin && w->fields->text[NAME])
        st = tm_proto_string(w->rows, name.data, name.len, &row.name, w->err);
    if (st >= 0 && is_begin && w->fields->text[CATEGORY])
        st = tm_proto_string(w->rows, category.data, category.len, &row.category, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

enum tm_status tm_proto_ftrace_firmware(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                        const struct tm_event *event, struct tm_error *err)
{
    enum { CPM_BODY = 1, CPM_VALUE = 2, COUNTER_NAME = 4, COUNTER_VALUE = 5 };
    const uint32_t time = tm_ftrace_own_time(f->id);
    struct tm_proto_event_fields fields;
    struct firmware w = {.rows = rows, .fields = &fields, .like = tm_proto_derived(event, TM_KIND_COUNTER), .err = err};
    tm_proto_event_fields_read(&fields, f);
    w.like.tid = w.like.pid = 0;
    w.like.value = 0;
    if (time) { /* a row of its own, on the file's default clock */
        w.like.flags &= ~(uint32_t)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
        w.like.clock = 0;
        w.like.time_ns = (int64_t)fields.number[time];
    }
    switch (f->id) {
    case TM_FTRACE_EVENT_PARAM_SET_VALUE_CPM: return add_named(&w, TM_NAMED_TRACK_CPM_COUNTERS, CPM_BODY, CPM_VALUE);
    case TM_FTRACE_EVENT_FWTP_PERFETTO_COUNTER:
        return add_named(&w, TM_NAMED_TRACK_FIRMWARE_COUNTERS, COUNTER_NAME, COUNTER_VALUE);
    case TM_FTRACE_EVENT_FWTP_PERFETTO_SLICE: return add_slice(&w);
    default: return add_thermal(&w);
    }
}
