#include "format/perfetto/stack_counts.h"

#include "format/perfetto/last_field.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

enum { DEFAULTS_STACK_SAMPLE = 100, DEFAULTS_SOURCE = 1, DEFAULTS_PRIMARY = 2, DEFAULTS_FOLLOWERS = 3 };
enum { SAMPLE_PRIMARY = 9, SAMPLE_PRIMARY_IID = 10, SAMPLE_WEIGHT = 11 };
enum { SAMPLE_FOLLOWERS = 12, SAMPLE_FOLLOWER_IIDS = 13, SAMPLE_FOLLOWER_WEIGHTS = 14 };
enum { COUNTER_NAME = 2, COUNTER_UNIT = 3, COUNTER_UNIT_TEXT = 4, COUNTER_MULTIPLIER = 5, COUNTER_DESCRIPTION = 6 };
enum { COUNTER_SCOPE = 7, COUNTER_FIELDS };
enum { SCOPE_CPU = 2 };

/* The counts of a sample. */
struct counts {
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    const struct tm_event *row;
    uint64_t session;
    struct tm_text source;
    struct tm_buf about; /* scratch: args of the source of a track */
    struct tm_error *err;
};

struct tm_pb_field tm_proto_stack_defaults(const struct tm_proto_packet *packet)
{
    const struct tm_buf *recorded = packet->sequence ? &packet->sequence->defaults : NULL;
    return recorded ? tm_proto_last_field(tm_pb_of(recorded->data, recorded->len), DEFAULTS_STACK_SAMPLE, TM_PB_LEN)
                    : (struct tm_pb_field){0};
}

struct tm_text tm_proto_stack_source(const struct tm_pb_field *defaults)
{
    const struct tm_pb_field source =
        tm_proto_last_field(tm_pb_of(defaults->data, defaults->len), DEFAULTS_SOURCE, TM_PB_LEN);
    return source.id ? tm_text_given(source.data, source.len) : (struct tm_text){0};
}

static struct tm_text text_of(const struct tm_pb_field *f)
{
    return f->type == TM_PB_LEN ? tm_text_given(f->data, f->len) : (struct tm_text){0};
}

static struct tm_text unit_of(const struct tm_pb_field counter[COUNTER_FIELDS])
{
    static const char *const units[] = {
        NULL,          "ns",           "cycles",           "instructions",  "bytes",
        "page-faults", "cache-misses", "cache-references", "branch-misses", "count"};
    const uint64_t unit = counter[COUNTER_UNIT].value;
    if (counter[COUNTER_UNIT].id == 0 || unit == 0)
        return text_of(&counter[COUNTER_UNIT_TEXT]);
    return unit < sizeof units / sizeof *units ? tm_text_str(units[unit]) : (struct tm_text){0};
}

/* Puts the args of the source of the track of COUNTER. */
static enum tm_status put_about(struct tm_buf *about, const struct tm_pb_field counter[COUNTER_FIELDS],
                                bool is_primary)
{
    const struct tm_text description = text_of(&counter[COUNTER_DESCRIPTION]);
    enum tm_status st = tm_detail_arg_bool(about, "is_timebase", is_primary);
    if (st == TM_OK && counter[COUNTER_MULTIPLIER].id)
        st = tm_detail_arg_int(about, "unit_multiplier", (int64_t)counter[COUNTER_MULTIPLIER].value);
    return st == TM_OK && description.len
               ? tm_detail_arg_text(about, "description", description.data, description.len)
               : st;
}

/* Puts a dimension. An empty text is none. */
static enum tm_status put_dimension(struct tm_buf *dimensions, const char *key, struct tm_text text)
{
    return text.len ? tm_detail_arg_text(dimensions, key, text.data, text.len) : tm_detail_arg_null(dimensions, key);
}

/* Puts the dimensions of the track of a counter that is called NAME. */
static enum tm_status put_dimensions(struct counts *c, bool is_of_cpu, struct tm_text name)
{
    struct tm_buf *text = &c->rows->text;
    enum tm_status st = is_of_cpu ? tm_detail_arg_int(text, "cpu", c->row->cpu) : TM_OK;
    if (st == TM_OK)
        st = tm_detail_arg_int(text, "session_id", (int64_t)c->session);
    if (st == TM_OK)
        st = put_dimension(text, "source", c->source);
    return st == TM_OK ? put_dimension(text, "counter_name", name) : st;
}

static void read_counter(struct tm_pb pb, struct tm_pb_field counter[COUNTER_FIELDS])
{
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id < COUNTER_FIELDS)
            counter[f.id] = f;
        if (f.id == COUNTER_UNIT) /* one of the two is stated */
            counter[COUNTER_UNIT_TEXT].id = 0;
        else if (f.id == COUNTER_UNIT_TEXT)
            counter[COUNTER_UNIT].id = 0;
    }
}

/* Adds the counter that DESCRIPTION describes. */
static enum tm_status add(struct counts *c, struct tm_pb description, bool is_primary, uint64_t weight)
{
    struct tm_pb_field counter[COUNTER_FIELDS] = {0};
    read_counter(description, counter);
    const bool is_of_cpu = counter[COUNTER_SCOPE].value == SCOPE_CPU, has_cpu = c->row->flags & TM_EVENT_HAS_CPU;
    const struct tm_text name = tm_text_given(text_of(&counter[COUNTER_NAME]).data, counter[COUNTER_NAME].len);
    struct tm_proto_named_row named = {
        .type = is_of_cpu ? TM_NAMED_TRACK_SAMPLE_COUNTS_OF_CPU : TM_NAMED_TRACK_SAMPLE_COUNTS,
        .gpu = is_of_cpu ? c->row->cpu : 0,
        .unit = unit_of(counter),
        .description = text_of(&counter[COUNTER_DESCRIPTION])};
    struct tm_event row = tm_proto_derived(c->row, TM_KIND_COUNTER);
    if (is_of_cpu && !has_cpu)
        return TM_OK;
    row.flags |= TM_EVENT_HAS_VALUE | (weight > INT64_MAX ? TM_EVENT_VALUE_DOUBLE : 0u) |
                 tm_event_scope_flags(is_of_cpu ? TM_SCOPE_CPU : TM_SCOPE_GLOBAL) | (is_of_cpu ? TM_EVENT_HAS_CPU : 0u);
    row.value = weight > INT64_MAX ? tm_pb_bits((double)weight) : weight;
    row.pid = row.tid = 0;
    tm_buf_clear(&c->rows->text);
    tm_buf_clear(&c->about);
    if (put_about(&c->about, counter, is_primary) < 0 || put_dimensions(c, is_of_cpu, name) < 0)
        return tm_error_nomem(c->err);
    named.source = tm_text_at(c->about.data, c->about.len);
    enum tm_status st = tm_proto_named_counter(c->rows, &named, name, &row, c->err);
    return st < 0 ? st : tm_proto_add(c->rows, &row, c->err);
}

/* Sets *DESCRIPTION to the interned description IID. False: there is none. */
static bool find_interned(const struct counts *c, uint64_t iid, struct tm_pb *description)
{
    const uint8_t *data;
    size_t len;
    if (c->packet->sequence == NULL ||
        !tm_proto_interned_find(c->packet->sequence, TM_INTERNED_SAMPLE_COUNTERS, iid, &data, &len))
        return false;
    *description = tm_pb_of(data, len);
    return true;
}

static enum tm_status add_primary(struct counts *c, struct tm_pb sample, const struct tm_pb_field *defaults)
{
    const struct tm_pb_field weight = tm_proto_last_field(sample, SAMPLE_WEIGHT, TM_PB_VARINT);
    const struct tm_pb_field iid = tm_proto_last_field(sample, SAMPLE_PRIMARY_IID, TM_PB_VARINT);
    struct tm_pb_field inlined = tm_proto_last_field(sample, SAMPLE_PRIMARY, TM_PB_LEN);
    struct tm_pb description;
    if (inlined.id == 0 && iid.id == 0)
        inlined = tm_proto_last_field(tm_pb_of(defaults->data, defaults->len), DEFAULTS_PRIMARY, TM_PB_LEN);
    if (weight.id == 0 || (inlined.id == 0 && iid.id == 0))
        return TM_OK;
    if (inlined.id)
        description = tm_pb_of(inlined.data, inlined.len);
    else if (!find_interned(c, iid.value, &description))
        return TM_OK;
    return add(c, description, true, weight.value);
}

/* Adds the followers that the fields ID of LIST describe, with their weights in order. *HAS_ANY: there are some. */
static enum tm_status add_described(struct counts *c, struct tm_pb list, uint32_t id, bool *has_any)
{
    struct tm_proto_numbers weights = {.pb = tm_pb_of(c->packet->body.data, c->packet->body.len),
                                       .id = SAMPLE_FOLLOWER_WEIGHTS};
    struct tm_pb_field f;
    uint64_t weight;
    enum tm_status st = TM_OK;
    *has_any = false;
    while (st >= 0 && tm_pb_next(&list, &f) == TM_OK) {
        if (f.id != id || f.type != TM_PB_LEN)
            continue;
        *has_any = true;
        if (!tm_proto_numbers_next(&weights, &weight))
            break;
        st = add(c, tm_pb_of(f.data, f.len), false, weight);
    }
    return st;
}

/* Adds the followers that interned data describes. One that is not described there has a weight too. */
static enum tm_status add_interned(struct counts *c, struct tm_pb sample, bool *has_any)
{
    struct tm_proto_numbers weights = {.pb = sample, .id = SAMPLE_FOLLOWER_WEIGHTS};
    struct tm_proto_numbers iids = {.pb = sample, .id = SAMPLE_FOLLOWER_IIDS};
    struct tm_pb description;
    uint64_t iid, weight;
    enum tm_status st = TM_OK;
    *has_any = false;
    while (st >= 0 && tm_proto_numbers_next(&iids, &iid)) {
        *has_any = true;
        if (!tm_proto_numbers_next(&weights, &weight))
            break;
        if (find_interned(c, iid, &description))
            st = add(c, description, false, weight);
    }
    return st;
}

enum tm_status tm_proto_stack_counts_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         const struct tm_event *row, uint64_t session, struct tm_error *err)
{
    const struct tm_pb_field defaults = tm_proto_stack_defaults(packet);
    const struct tm_pb sample = tm_pb_of(packet->body.data, packet->body.len);
    const struct tm_text source = tm_proto_stack_source(&defaults);
    struct counts c = {.rows = rows,
                       .packet = packet,
                       .row = row,
                       .session = session,
                       .source = tm_text_given(source.data, source.len),
                       .err = err};
    bool has_any;
    enum tm_status st = add_primary(&c, sample, &defaults);
    if (st >= 0)
        st = add_described(&c, sample, SAMPLE_FOLLOWERS, &has_any);
    if (st >= 0 && !has_any)
        st = add_interned(&c, sample, &has_any);
    if (st >= 0 && !has_any)
        st = add_described(&c, tm_pb_of(defaults.data, defaults.len), DEFAULTS_FOLLOWERS, &has_any);
    tm_buf_release(&c.about);
    return st;
}
