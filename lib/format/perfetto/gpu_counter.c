#include "format/perfetto/gpu_counter.h"

#include "base/hash.h"
#include "format/perfetto/count.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/sequence.h"

/* GpuCounterEvent and GpuCounterDescriptor */
enum { EVENT_DESCRIPTOR = 1, EVENT_COUNTERS = 2, EVENT_GPU = 3, EVENT_IID = 4 };
enum { INTERNED_DESCRIPTOR = 2, INTERNED_GPU = 3 };
enum { DESCRIPTOR_SPECS = 1 };
enum { SPEC_ID = 1, SPEC_NAME = 2, SPEC_DESCRIPTION = 3 };
enum { SPEC_NUMERATORS = 7, SPEC_DENOMINATORS = 8, SPEC_DIRECTION = 11 };
enum { VALUE_ID = 1, VALUE_INT = 2, VALUE_DOUBLE = 3, DIRECTION_FORWARDS = 2 };
enum { COUNTERS_MAX = 1 << 16, TEXTS_BYTES_MAX = 4 << 20 };

/* A counter's track. Its texts are ranges of the texts of all counters. */
struct gpu_counter {
    uint32_t gpu;
    size_t name_at, unit_at, description_at;
    uint32_t name_len, unit_len, description_len;
    bool is_described;    /* a row has its description */
    bool is_behind;       /* last is a row that waits for its value */
    struct tm_event last; /* without raw */
};

/* What the bits of a counter's entry in the table of ids mean beside the place of its track. */
enum { IS_FORWARDS = 1 };

/* One packet. */
struct reader {
    struct tm_proto_gpu_counters *counters;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    uint64_t scope; /* of the ids of counters; 0: the whole file */
    uint32_t gpu;
    struct tm_error *err;
};

static struct gpu_counter *counter_at(const struct tm_proto_gpu_counters *counters, uint64_t place)
{
    return (struct gpu_counter *)(void *)counters->list.data + place;
}

static enum tm_status count_bad(const struct reader *r)
{
    return tm_proto_count_stat(&r->rows->counts, TM_PROTO_STAT_GPU_COUNTER_BAD, r->packet->machine, 1, r->err);
}

static uint64_t id_key(const struct reader *r, uint32_t id)
{
    const uint64_t key[2] = {r->scope, id};
    return tm_hash64_numbers(key, 2, 1);
}

static const char *unit_name(uint64_t unit)
{
    static const char *const names[] = {
        "",    "bit", "Kb",  "Mb",     "Gb",    "Tb",       "Pb", "B", "KB", "MB", "GB", "TB", "PB", "Hz",
        "KHz", "MHz", "GHz", "THz",    "PHz",   "ns",       "us", "ms", "s", "min", "h",
        "Vertex", "Pixel", "Triangle", "mW", "W", "kW", "J", "V", "A", "C", "F", "K", "%",
        "Primitive", "Fragment", "Instruction"};
    return unit < sizeof names / sizeof *names ? names[unit] : "Unknown";
}

/* Appends the units of SPEC to TEXTS: "A:B/C:D". */
static enum tm_status put_units(struct tm_buf *texts, struct tm_pb spec)
{
    struct tm_proto_numbers over = {.pb = spec, .id = SPEC_NUMERATORS}, under = {.pb = spec, .id = SPEC_DENOMINATORS};
    const size_t from = texts->len;
    enum tm_status st = TM_OK;
    uint64_t unit;
    while (st == TM_OK && tm_proto_numbers_next(&over, &unit)) {
        st = texts->len > from ? tm_buf_add_byte(texts, ':') : TM_OK;
        if (st == TM_OK)
            st = tm_buf_add_str(texts, unit_name(unit));
    }
    for (uint8_t before = '/'; st == TM_OK && tm_proto_numbers_next(&under, &unit);) {
        const char *name = unit_name(unit);
        if (*name == '\0')
            continue;
        st = tm_buf_add_byte(texts, before) == TM_OK ? tm_buf_add_str(texts, name) : TM_E_SYSTEM;
        before = ':';
    }
    return st;
}

/* The fields of a GpuCounterSpec. */
struct spec {
    struct tm_pb body;
    struct tm_pb_field id, name, description;
    bool is_forwards;
};

static struct spec read_spec(const struct tm_pb_field *f)
{
    struct spec spec = {.body = tm_pb_of(f->data, f->len)};
    struct tm_pb pb = spec.body;
    struct tm_pb_field g;
    while (tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == SPEC_ID && g.type == TM_PB_VARINT)
            spec.id = g;
        else if (g.id == SPEC_NAME && g.type == TM_PB_LEN)
            spec.name = g;
        else if (g.id == SPEC_DESCRIPTION && g.type == TM_PB_LEN)
            spec.description = g;
        else if (g.id == SPEC_DIRECTION)
            spec.is_forwards = g.value == DIRECTION_FORWARDS;
    return spec;
}

/* Makes the track that SPEC describes. */
static enum tm_status add_counter(const struct reader *r, const struct spec *spec)
{
    struct tm_buf *texts = &r->counters->texts;
    struct gpu_counter c = {.gpu = r->gpu, .name_at = texts->len, .name_len = (uint32_t)spec->name.len};
    enum tm_status st = tm_buf_add(texts, spec->name.data, spec->name.len);
    c.unit_at = texts->len;
    if (st == TM_OK)
        st = put_units(texts, spec->body);
    c.unit_len = (uint32_t)(texts->len - c.unit_at);
    c.description_at = texts->len;
    c.description_len = (uint32_t)spec->description.len;
    if (st == TM_OK)
        st = tm_buf_add(texts, spec->description.data, spec->description.len);
    return st == TM_OK ? tm_buf_add(&r->counters->list, &c, sizeof c) : st;
}

/* Finds the track of SPEC, by machine, GPU and name, or makes it. TM_END: there are too many. */
static enum tm_status track_of(const struct reader *r, const struct spec *spec, uint64_t *place)
{
    struct tm_proto_gpu_counters *counters = r->counters;
    struct tm_proto_map_entry *entry;
    const uint64_t key = tm_hash64_seed(spec->name.data, spec->name.len, r->gpu);
    const uint32_t before = counters->tracks.count;
    if (counters->texts.len + spec->body.end - spec->body.p > TEXTS_BYTES_MAX)
        return TM_END;
    enum tm_status st = tm_proto_map_add(&counters->tracks, r->packet->machine, key, COUNTERS_MAX, &entry);
    if (st != TM_OK)
        return st;
    if (counters->tracks.count > before) {
        entry->v1 = counters->list.len / sizeof(struct gpu_counter);
        st = add_counter(r, spec);
    }
    *place = entry->v1;
    return st;
}

/* Takes SPEC, unless its id is known already. */
static enum tm_status take_spec(const struct reader *r, const struct spec *spec)
{
    struct tm_proto_map *ids = &r->counters->ids;
    struct tm_proto_map_entry *entry;
    const uint64_t key = id_key(r, (uint32_t)spec->id.value);
    uint64_t place;
    if (spec->id.id == 0 || spec->name.id == 0 || tm_proto_map_find(ids, r->packet->machine, key))
        return r->scope ? TM_OK : count_bad(r);
    enum tm_status st = track_of(r, spec, &place);
    if (st == TM_OK)
        st = tm_proto_map_add(ids, r->packet->machine, key, COUNTERS_MAX, &entry);
    if (st == TM_OK)
        entry->v1 = place << 1 | (spec->is_forwards ? IS_FORWARDS : 0);
    return st < 0 ? tm_error_nomem(r->err) : TM_OK;
}

static enum tm_status take_descriptor(const struct reader *r, const struct tm_pb_field *descriptor)
{
    struct tm_pb pb = tm_pb_of(descriptor->data, descriptor->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == DESCRIPTOR_SPECS && f.type == TM_PB_LEN) {
            const struct spec spec = read_spec(&f);
            st = take_spec(r, &spec);
        }
    return st;
}

/* Makes the interned descriptor IID the scope of the packet, and takes it when the sequence's interval first names it.
 * TM_END: there is none. */
static enum tm_status take_interned(struct reader *r, uint64_t iid)
{
    const struct tm_proto_sequence *sequence = r->packet->sequence;
    const uint64_t key[3] = {r->packet->sequence_id, r->packet->generation, iid};
    struct tm_proto_map_entry *entry;
    struct tm_pb_field f, descriptor = {0};
    const uint8_t *data;
    size_t len;
    r->scope = tm_hash64_numbers(key, 3, 0) | 1;
    if (tm_proto_map_find(&r->counters->scopes, r->packet->machine, r->scope))
        return TM_OK;
    r->gpu = 0;
    if (sequence == NULL || !tm_proto_interned_find(sequence, TM_INTERNED_GPU_COUNTERS, iid, &data, &len))
        return TM_END;
    struct tm_pb pb = tm_pb_of(data, len);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INTERNED_DESCRIPTOR && f.type == TM_PB_LEN)
            descriptor = f;
        else if (f.id == INTERNED_GPU)
            r->gpu = (uint32_t)f.value;
    if (descriptor.id == 0)
        return TM_END;
    enum tm_status st =
        tm_proto_map_add(&r->counters->scopes, r->packet->machine, r->scope, COUNTERS_MAX, &entry);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(r->err);
    return st == TM_OK ? take_descriptor(r, &descriptor) : TM_OK;
}

/* Adds ROW of C with VALUE, the bits of a double. Only the first row of a counter has its description. */
static enum tm_status add_value(const struct reader *r, struct gpu_counter *c, struct tm_event row, uint64_t value)
{
    const uint8_t *texts = r->counters->texts.data;
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_GPU_COUNTER, .gpu = c->gpu};
    named.unit = tm_text_at(texts + c->unit_at, c->unit_len);
    if (!c->is_described)
        named.description = tm_text_at(texts + c->description_at, c->description_len);
    c->is_described = true;
    row.value = value;
    tm_buf_clear(&r->rows->text); /* it has no dimensions */
    enum tm_status st =
        tm_proto_named_counter(r->rows, &named, tm_text_at(texts + c->name_at, c->name_len), &row, r->err);
    return st < 0 ? st : tm_proto_add(r->rows, &row, r->err);
}

/* Takes one value. OWN_TIME selects the counters whose values hold up to their time; without it the others are taken,
 * and values of unknown counters are counted. */
static enum tm_status take_value(const struct reader *r, const struct tm_event *like, const struct tm_pb_field *f,
                                 bool own_time)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g, id = {0}, number = {0};
    while (tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == VALUE_ID && g.type == TM_PB_VARINT)
            id = g;
        else if ((g.id == VALUE_INT && g.type == TM_PB_VARINT) || (g.id == VALUE_DOUBLE && g.type == TM_PB_I64))
            number = g;
    if (id.id == 0 || number.id == 0)
        return TM_OK;
    const struct tm_proto_map_entry *entry =
        tm_proto_map_find(&r->counters->ids, r->packet->machine, id_key(r, (uint32_t)id.value));
    if (entry == NULL)
        return own_time || r->scope == 0 ? TM_OK : count_bad(r);
    if (own_time == (entry->v1 & IS_FORWARDS))
        return TM_OK;
    struct gpu_counter *c = counter_at(r->counters, entry->v1 >> 1);
    const uint64_t value = number.id == VALUE_DOUBLE ? number.value : tm_pb_bits((double)(int64_t)number.value);
    if (!own_time)
        return add_value(r, c, *like, value);
    enum tm_status st = c->is_behind ? add_value(r, c, c->last, value) : TM_OK;
    c->is_behind = true;
    c->last = *like;
    return st;
}

static enum tm_status take_values(const struct reader *r)
{
    const struct tm_event event = tm_proto_event(r->packet, TM_KIND_COUNTER);
    enum tm_status st = TM_OK;
    for (int own_time = 0; own_time < 2; own_time++) {
        struct tm_pb pb = tm_pb_of(r->packet->body.data, r->packet->body.len);
        struct tm_pb_field f;
        struct tm_event like = tm_proto_derived(&event, TM_KIND_COUNTER);
        like.flags |= tm_event_scope_flags(TM_SCOPE_GLOBAL) | TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE;
        if (own_time)
            like.flags &= ~(uint32_t)TM_EVENT_DERIVED;
        like.raw = NULL;
        like.detail = NULL;
        while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
            if (f.id == EVENT_COUNTERS && f.type == TM_PB_LEN)
                st = take_value(r, &like, &f, own_time);
    }
    return st;
}

enum tm_status tm_proto_gpu_counter_read(struct tm_proto_gpu_counters *counters, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct reader r = {.counters = counters, .rows = rows, .packet = packet, .err = err};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f, descriptor = {0}, iid = {0};
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == EVENT_DESCRIPTOR && f.type == TM_PB_LEN)
            descriptor = f;
        else if (f.id == EVENT_IID && f.type == TM_PB_VARINT)
            iid = f;
        else if (f.id == EVENT_GPU)
            r.gpu = (uint32_t)f.value;
    if (iid.id)
        st = take_interned(&r, iid.value);
    else if (descriptor.id)
        st = take_descriptor(&r, &descriptor);
    if (st == TM_END)
        return count_bad(&r);
    /* Times of a clock of a sequence can be relative to those before them. */
    return st < 0 || !packet->has_time || tm_clock_is_scoped(packet->clock) ? st : take_values(&r);
}

enum tm_status tm_proto_gpu_counters_finish(struct tm_proto_gpu_counters *counters, struct tm_proto_rows *rows,
                                            struct tm_error *err)
{
    const struct reader r = {.counters = counters, .rows = rows, .err = err};
    const size_t count = counters->list.len / sizeof(struct gpu_counter);
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < count && st >= 0; i++) {
        struct gpu_counter *c = counter_at(counters, i);
        if (c->is_behind)
            st = add_value(&r, c, c->last, tm_pb_bits(0));
    }
    return st;
}

void tm_proto_gpu_counters_release(struct tm_proto_gpu_counters *counters)
{
    tm_proto_map_release(&counters->ids);
    tm_proto_map_release(&counters->tracks);
    tm_proto_map_release(&counters->scopes);
    tm_buf_release(&counters->list);
    tm_buf_release(&counters->texts);
}
