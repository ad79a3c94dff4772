#include "format/perfetto/perf_counts.h"

#include "format/perfetto/last_field.h"
#include "format/perfetto/numbers.h"

#include <inttypes.h>

enum { DEFAULTS_PERF_SAMPLE = 12, DEFAULTS_TIMEBASE = 1, DEFAULTS_FOLLOWERS = 4 };
enum { SAMPLE_TIMEBASE_COUNT = 6, SAMPLE_FOLLOWER_COUNTS = 7 };
enum { TRACEPOINT_NAME = 1, RAW_TYPE = 1, RAW_CONFIGS = 3 /* config, config1, config2 follow the type */ };
enum { MODIFIERS = 4 /* with the one that is none */ };

/* The fields of an event that is counted. */
struct event_fields {
    uint32_t counter, tracepoint, raw, name, modifiers;
};

static const struct event_fields timebase_fields = {4, 3, 5, 10, 12};
static const struct event_fields follower_fields = {1, 2, 3, 4, 5};

/* Returns the name that perf gives PerfEvents.Counter NUMBER. */
static const char *counter_name(uint64_t number)
{
    static const char *const names[] = {
        [1] = "cpu-clock",         [2] = "page-faults",      [3] = "task-clock",
        [4] = "context-switches",  [5] = "cpu-migrations",   [6] = "minor-faults",
        [7] = "major-faults",      [8] = "alignment-faults", [9] = "emulation-faults",
        [10] = "cpu-cycles",       [11] = "instructions",    [12] = "cache-references",
        [13] = "cache-misses",     [14] = "branch-instructions",
        [15] = "branch-misses",    [16] = "bus-cycles",      [17] = "stalled-cycles-frontend",
        [18] = "stalled-cycles-backend",                     [19] = "ref-cycles",
        [20] = "dummy"};
    return number < sizeof names / sizeof *names && names[number] ? names[number] : "unknown";
}

static enum tm_status put_raw_name(struct tm_buf *text, struct tm_pb raw)
{
    const struct tm_pb_field type = tm_proto_last_field(raw, RAW_TYPE, TM_PB_VARINT);
    enum tm_status st = tm_buf_addf(text, "raw.0x%" PRIx32, (uint32_t)type.value);
    for (uint32_t i = 1; st == TM_OK && i <= RAW_CONFIGS; i++)
        st = tm_buf_addf(text, ".0x%" PRIx64, tm_proto_last_field(raw, RAW_TYPE + i, TM_PB_VARINT).value);
    return st;
}

/* Puts the name of EVENT without its modifiers. */
static enum tm_status put_base_name(struct tm_buf *text, struct tm_pb event, const struct event_fields *fields)
{
    const struct tm_pb_field name = tm_proto_last_field(event, fields->name, TM_PB_LEN);
    const struct tm_pb_field counter = tm_proto_last_field(event, fields->counter, TM_PB_VARINT);
    const struct tm_pb_field tracepoint = tm_proto_last_field(event, fields->tracepoint, TM_PB_LEN);
    const struct tm_pb_field raw = tm_proto_last_field(event, fields->raw, TM_PB_LEN);
    if (name.len)
        return tm_buf_add(text, name.data, name.len);
    if (counter.id)
        return tm_buf_add_str(text, counter_name(counter.value));
    if (tracepoint.id) {
        const struct tm_pb_field of =
            tm_proto_last_field(tm_pb_of(tracepoint.data, tracepoint.len), TRACEPOINT_NAME, TM_PB_LEN);
        return tm_buf_add(text, of.data, of.len);
    }
    return raw.id ? put_raw_name(text, tm_pb_of(raw.data, raw.len)) : tm_buf_add_str(text, "unknown");
}

/* Puts the name of EVENT, with modifiers after a colon as in perf. */
static enum tm_status put_name(struct tm_buf *text, struct tm_pb event, const struct event_fields *fields)
{
    static const char letters[MODIFIERS] = {0, 'u', 'k', 'h'};
    struct tm_proto_numbers modifiers = {.pb = event, .id = fields->modifiers};
    bool has_colon = false;
    uint64_t modifier;
    tm_buf_clear(text);
    enum tm_status st = put_base_name(text, event, fields);
    while (st == TM_OK && tm_proto_numbers_next(&modifiers, &modifier)) {
        if (modifier == 0 || modifier >= MODIFIERS)
            continue;
        if (!has_colon)
            st = tm_buf_add_byte(text, ':');
        has_colon = true;
        if (st == TM_OK)
            st = tm_buf_add_byte(text, (uint8_t)letters[modifier]);
    }
    return st;
}

/* Adds the counter that is named in rows->text. */
static enum tm_status add_count(struct tm_proto_rows *rows, const struct tm_event *row, uint64_t value,
                                struct tm_error *err)
{
    struct tm_event derived = tm_proto_derived(row, TM_KIND_COUNTER);
    derived.flags |= tm_event_scope_flags(TM_SCOPE_CPU) | TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE;
    derived.cpu = row->flags & TM_EVENT_HAS_CPU ? row->cpu : 0;
    derived.pid = derived.tid = 0;
    derived.value = value;
    enum tm_status st = tm_proto_string(rows, rows->text.data, rows->text.len, &derived.name, err);
    return st < 0 ? st : tm_proto_add(rows, &derived, err);
}

static enum tm_status add_followers(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                    struct tm_pb defaults, const struct tm_event *row, struct tm_error *err)
{
    struct tm_proto_numbers counts = {.pb = tm_pb_of(packet->body.data, packet->body.len),
                                      .id = SAMPLE_FOLLOWER_COUNTS};
    struct tm_pb_field f;
    uint64_t count;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&defaults, &f) == TM_OK) {
        if (f.id != DEFAULTS_FOLLOWERS || f.type != TM_PB_LEN)
            continue;
        if (!tm_proto_numbers_next(&counts, &count))
            break;
        if (put_name(&rows->text, tm_pb_of(f.data, f.len), &follower_fields) < 0)
            return tm_error_nomem(err);
        st = add_count(rows, row, count, err);
    }
    return st;
}

enum tm_status tm_proto_perf_counts_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        const struct tm_event *row, struct tm_error *err)
{
    const struct tm_buf *recorded = packet->sequence ? &packet->sequence->defaults : NULL;
    const struct tm_pb_field of_samples =
        recorded ? tm_proto_last_field(tm_pb_of(recorded->data, recorded->len), DEFAULTS_PERF_SAMPLE, TM_PB_LEN)
                 : (struct tm_pb_field){0};
    const struct tm_pb defaults = tm_pb_of(of_samples.data, of_samples.len);
    const struct tm_pb_field timebase = tm_proto_last_field(defaults, DEFAULTS_TIMEBASE, TM_PB_LEN);
    const struct tm_pb_field count =
        tm_proto_last_field(tm_pb_of(packet->body.data, packet->body.len), SAMPLE_TIMEBASE_COUNT, TM_PB_VARINT);
    enum tm_status st = TM_OK;
    tm_buf_clear(&rows->text);
    if (count.id) {
        st = of_samples.id ? put_name(&rows->text, tm_pb_of(timebase.data, timebase.len), &timebase_fields)
                           : tm_buf_add_str(&rows->text, counter_name(1));
        st = st < 0 ? tm_error_nomem(err) : add_count(rows, row, count.value, err);
    }
    return st < 0 || of_samples.id == 0 ? st : add_followers(rows, packet, defaults, row, err);
}
