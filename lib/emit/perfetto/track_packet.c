#include "emit/perfetto/track_packet.h"

#include "base/hash.h"
#include "base/table.h"
#include "perfetto/track_event_fields.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { NAMES_MAX = 1 << 16, NAME_BYTES_MAX = 4 << 20, NAME_INTERNED_MAX = 512 };

/* LegacyEvent.FlowDirection */
enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_INOUT = 3 };

static enum tm_status sequence_of(struct tm_track_writer *w, uint32_t machine, struct tm_track_sequence **sequence,
                                  struct tm_error *err)
{
    if (tm_array_grow(&w->sequences, &w->sequence_cap, machine, sizeof *w->sequences, err) < 0)
        return TM_E_SYSTEM;
    for (; w->sequence_count <= machine; w->sequence_count++) {
        struct tm_track_sequence *s = &w->sequences[w->sequence_count];
        tm_intern_init(&s->names, NAMES_MAX, NAME_BYTES_MAX);
        tm_intern_init(&s->categories, NAMES_MAX, NAME_BYTES_MAX);
    }
    *sequence = &w->sequences[machine];
    return TM_OK;
}

/* Writes the head of a packet: machine, time (NULL: none), and the sequence for events or for descriptors. */
static enum tm_status begin_packet(struct tm_track_writer *w, uint32_t machine, const int64_t *time_ns, bool is_event,
                                   struct tm_error *err)
{
    struct tm_track_sequence *s = NULL;
    struct tm_buf *out = &w->packets->out;
    uint64_t flags = is_event ? TM_SEQUENCE_NEEDS_STATE : 0;
    enum tm_status st = sequence_of(w, machine, &s, err);
    if (st == TM_OK)
        st = tm_packet_begin(w->packets, machine, err);
    if (st < 0)
        return st;
    uint32_t *id = is_event ? &s->id : &s->descriptors;
    if (*id == 0) {
        *id = tm_packet_new_sequence(w->packets);
        flags |= TM_SEQUENCE_CLEARED;
    }
    if ((time_ns && tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)*time_ns) != TM_OK) ||
        tm_pb_put_varint(out, TM_PACKET_SEQUENCE_ID, *id) != TM_OK ||
        (flags && tm_pb_put_varint(out, TM_PACKET_SEQUENCE_FLAGS, flags) != TM_OK))
        return tm_error_nomem(err);
    return TM_OK;
}

/* Puts the entry of string ID, which is new, to w->interned. */
static bool put_entry(struct tm_track_writer *w, struct tm_text text, uint32_t id, bool is_name)
{
    size_t mark;
    return tm_pb_begin(&w->interned, is_name ? TM_INTERNED_EVENT_NAMES : TM_INTERNED_EVENT_CATEGORIES, &mark) ==
               TM_OK &&
           tm_pb_put_varint(&w->interned, TM_INTERNED_IID, (uint64_t)id + 1) == TM_OK &&
           tm_pb_put_bytes(&w->interned, TM_INTERNED_TEXT, text.data, text.len) == TM_OK &&
           tm_pb_end(&w->interned, mark) == TM_OK;
}

/* A string of the stream that a packet names. */
struct used_string {
    uint32_t number; /* its number in the stream; TM_STRING_INLINE: it has none */
    bool is_name;    /* it is the event's name; otherwise its category */
    struct tm_text text;
};

/* Finds the id of STRING on the sequence of MACHINE. The entry of a new id goes to w->interned. TM_END: the text is too
 * long, or the table is full. */
static enum tm_status intern(struct tm_track_writer *w, uint32_t machine, const struct used_string *string,
                             uint32_t *id)
{
    struct tm_track_sequence *s = &w->sequences[machine];
    struct tm_recent_string *recent = string->is_name ? w->recent_names : w->recent_categories;
    bool is_new = false;
    recent += (string->number + machine * 61) % TM_RECENT_STRINGS;
    if (recent->string == string->number && recent->machine == machine) {
        *id = recent->id;
        return TM_OK;
    }
    if (string->text.len > NAME_INTERNED_MAX)
        return TM_END;
    enum tm_status st =
        tm_intern_add(string->is_name ? &s->names : &s->categories, string->text.data, string->text.len, id, &is_new);
    if (st != TM_OK)
        return st;
    if (is_new && !put_entry(w, string->text, *id, string->is_name))
        return TM_E_SYSTEM;
    if (!(string->number & TM_STRING_INLINE))
        *recent = (struct tm_recent_string){string->number, machine, *id};
    return TM_OK;
}

/* Puts string NUMBER of E, its name (IS_NAME) or a category, into w->body: as an id if the table has room, otherwise as
 * text. */
static bool put_string(struct tm_track_writer *w, const struct tm_event *e, uint32_t number, bool is_name)
{
    struct used_string string = {number, is_name, tm_catalog_string(w->packets->catalog, number, e)};
    uint32_t id;
    if (string.text.data == NULL)
        return true;
    enum tm_status st = intern(w, e->machine, &string, &id);
    if (st == TM_END)
        return tm_pb_put_bytes(&w->body, is_name ? TM_TRACK_EVENT_NAME : TM_TRACK_EVENT_CATEGORIES, string.text.data,
                               string.text.len) == TM_OK;
    return st == TM_OK && tm_pb_put_varint(&w->body, is_name ? TM_TRACK_EVENT_NAME_IID : TM_TRACK_EVENT_CATEGORY_IIDS,
                                           (uint64_t)id + 1) == TM_OK;
}

/* Returns the output's id of flow ID of E's file. */
static uint64_t flow_id(const struct tm_track_writer *w, const struct tm_event *e, uint64_t id)
{
    uint64_t order = w->packets->catalog->files[e->file].processing_order;
    return w->is_alone || w->packets->joins_flows ? id : tm_hash_u64(id ^ tm_hash_u64(order + 1));
}

static bool put_bind(struct tm_track_writer *w, uint64_t id, uint64_t direction)
{
    size_t mark;
    return tm_pb_begin(&w->body, TM_TRACK_EVENT_LEGACY, &mark) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_BIND_ID, id) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_FLOW_DIRECTION, direction) == TM_OK &&
           tm_pb_end(&w->body, mark) == TM_OK;
}

/* Puts the args, flows and thread time of E's detail. */
static bool put_detail(struct tm_track_writer *w, const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    bool good = true;
    while (good && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN)
            good = tm_annotations_add(&w->annotations, &f) == TM_OK;
        else if (f.id == TM_DETAIL_FLOW_IDS || f.id == TM_DETAIL_TERMINATING_FLOW_IDS)
            good = tm_pb_put_i64(&w->body,
                                 f.id == TM_DETAIL_FLOW_IDS ? TM_TRACK_EVENT_FLOWS : TM_TRACK_EVENT_ENDING_FLOWS,
                                 flow_id(w, e, f.value)) == TM_OK;
        else if (f.id >= TM_DETAIL_BIND_OUT && f.id <= TM_DETAIL_BIND_IN)
            good = put_bind(w, flow_id(w, e, f.value),
                            f.id == TM_DETAIL_BIND_OUT    ? FLOW_OUT
                            : f.id == TM_DETAIL_BIND_STEP ? FLOW_INOUT
                                                       : FLOW_IN);
        else if (f.id == TM_DETAIL_THREAD_TIME && w->time_uuid)
            good = tm_pb_put_varint(&w->body, TM_TRACK_EVENT_EXTRA_TRACKS, w->time_uuid) == TM_OK &&
                   tm_pb_put_varint(&w->body, TM_TRACK_EVENT_EXTRA_VALUES, (uint64_t)tm_unzigzag(f.value)) == TM_OK;
    }
    return good && tm_annotations_write(&w->annotations, TM_TRACK_EVENT_ANNOTATIONS, &w->body) == TM_OK;
}

static bool put_flow(struct tm_track_writer *w, const struct tm_event *e)
{
    static const char phases[] = {'s', 't', 'f'};
    size_t mark;
    return tm_pb_begin(&w->body, TM_TRACK_EVENT_LEGACY, &mark) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_PHASE, (uint64_t)phases[e->kind - TM_KIND_FLOW_START]) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_UNSCOPED_ID, flow_id(w, e, e->track)) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_BIND_TO_ENCLOSING,
                            e->kind != TM_KIND_FLOW_END || e->value == 0) == TM_OK &&
           tm_pb_end(&w->body, mark) == TM_OK;
}

/* Returns the scope of E, an instant that readers of Chrome JSON put on one track for its process or for the trace; 0
 * for other events. */
static uint64_t legacy_scope(const struct tm_track_writer *w, const struct tm_event *e, int type)
{
    enum tm_scope scope = tm_event_scope(e->flags);
    if (type != TM_TRACK_INSTANT || !w->is_alone || e->flags & TM_EVENT_ASYNC ||
        w->packets->catalog->files[e->file].input_type != TM_INPUT_JSON)
        return 0;
    return scope == TM_SCOPE_PROCESS ? TM_LEGACY_SCOPE_PROCESS : scope == TM_SCOPE_GLOBAL ? TM_LEGACY_SCOPE_GLOBAL : 0;
}

static bool put_type(struct tm_track_writer *w, const struct tm_event *e, int type)
{
    uint64_t scope = legacy_scope(w, e, type);
    size_t mark;
    if (scope == 0)
        return type == TM_TRACK_NONE || tm_pb_put_varint(&w->body, TM_TRACK_EVENT_TYPE, (uint64_t)type) == TM_OK;
    return tm_pb_begin(&w->body, TM_TRACK_EVENT_LEGACY, &mark) == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_PHASE, 'I') == TM_OK &&
           tm_pb_put_varint(&w->body, TM_LEGACY_EVENT_INSTANT_SCOPE, scope) == TM_OK &&
           tm_pb_end(&w->body, mark) == TM_OK;
}

enum tm_status tm_track_packet_event(struct tm_track_writer *w, const struct tm_event *e, int type, uint64_t uuid,
                                struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    enum tm_status st = begin_packet(w, e->machine, &e->time_ns, true, err);
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
    bool good = true;
    if (st < 0)
        return st;
    tm_buf_clear(&w->body);
    tm_buf_clear(&w->interned);
    good = put_type(w, e, type) && tm_pb_put_varint(&w->body, TM_TRACK_EVENT_TRACK_UUID, uuid) == TM_OK;
    if (type == TM_TRACK_COUNTER)
        good = good && (e->flags & TM_EVENT_VALUE_DOUBLE
                            ? tm_pb_put_i64(&w->body, TM_TRACK_EVENT_DOUBLE_COUNTER, e->value)
                            : tm_pb_put_varint(&w->body, TM_TRACK_EVENT_COUNTER, e->value)) == TM_OK;
    else
        good = good && put_string(w, e, e->category, false) && put_string(w, e, e->name, true) && put_detail(w, e) &&
               (!is_flow || put_flow(w, e));
    if (!good || (w->interned.len &&
                  tm_pb_put_bytes(out, TM_PACKET_INTERNED_DATA, w->interned.data, w->interned.len) != TM_OK) ||
        tm_pb_put_bytes(out, TM_PACKET_TRACK_EVENT, w->body.data, w->body.len) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w->packets, err);
}

enum tm_status tm_track_packet_end(struct tm_track_writer *w, const struct tm_open_end *end,
                                   const struct tm_event *as, uint64_t uuid, struct tm_error *err)
{
    uint8_t detail[TM_PB_FIELD_MAX];
    const uint64_t time_uuid = w->time_uuid;
    struct tm_event e = {.time_ns = end->end_ns,
                         .machine = end->machine,
                         .file = end->file,
                         .kind = TM_KIND_SLICE_END,
                         .name = as ? as->name : 0,
                         .category = as ? as->category : 0,
                         .detail = detail};
    if (end->time_uuid)
        e.detail_bytes = (uint32_t)(tm_pb_varint_at(detail, TM_DETAIL_THREAD_TIME, tm_zigzag(end->thread_ns)) - detail);
    w->time_uuid = end->time_uuid;
    enum tm_status st = tm_track_packet_event(w, &e, TM_TRACK_END, uuid, err);
    w->time_uuid = time_uuid;
    return st;
}

enum tm_status tm_track_packet_below(struct tm_track_writer *w, const struct tm_event *e, uint64_t parent)
{
    char path[1024];
    const char *name = tm_packet_file_name(w->packets->catalog, e->file, path, sizeof path);
    tm_buf_clear(&w->body);
    return (parent == 0 || tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PARENT, parent) == TM_OK) &&
                   tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_NAME, name, strlen(name)) == TM_OK &&
                   tm_pb_put_varint(&w->body, TM_DESCRIPTOR_MERGE_BEHAVIOR, TM_MERGES_NOT) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

enum tm_status tm_track_packet_lane(struct tm_track_writer *w, const struct tm_event *e, uint64_t lane, uint64_t parent,
                                    struct tm_error *err)
{
    if (tm_track_packet_below(w, e, parent) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, lane, err);
}

static bool move_event(const struct tm_pb_field *event, uint64_t uuid, struct tm_buf *out)
{
    struct tm_pb pb = tm_pb_of(event->data, event->len);
    struct tm_pb_field f;
    size_t mark;
    bool good = tm_pb_begin(out, TM_PACKET_TRACK_EVENT, &mark) == TM_OK;
    while (good && tm_pb_next(&pb, &f) == TM_OK)
        good = (f.id == TM_TRACK_EVENT_TRACK_UUID ? tm_pb_put_varint(out, TM_TRACK_EVENT_TRACK_UUID, uuid)
                                   : tm_buf_add(out, f.start, (size_t)(f.end - f.start))) == TM_OK;
    return good && tm_pb_end(out, mark) == TM_OK;
}

enum tm_status tm_track_packet_move(const struct tm_buf *packets, uint64_t uuid, struct tm_buf *out)
{
    struct tm_pb pb = tm_pb_of(packets->data, packets->len);
    struct tm_pb_field packet, f;
    bool good = true;
    while (good && tm_pb_next(&pb, &packet) == TM_OK) {
        struct tm_pb within = tm_pb_of(packet.data, packet.len);
        size_t mark;
        good = tm_pb_begin(out, packet.id, &mark) == TM_OK;
        while (good && tm_pb_next(&within, &f) == TM_OK)
            good = f.id == TM_PACKET_TRACK_EVENT ? move_event(&f, uuid, out)
                                                 : tm_buf_add(out, f.start, (size_t)(f.end - f.start)) == TM_OK;
        good = good && tm_pb_end(out, mark) == TM_OK;
    }
    return good ? TM_OK : TM_E_SYSTEM;
}

enum tm_status tm_track_packet_describe(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                        struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    size_t mark;
    enum tm_status st = begin_packet(w, e->machine, tm_event_is_timed(e->flags) ? &e->time_ns : NULL, false, err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_PACKET_TRACK_DESCRIPTOR, &mark) != TM_OK ||
        tm_pb_put_varint(out, TM_DESCRIPTOR_UUID, uuid) != TM_OK ||
        tm_buf_add(out, w->body.data, w->body.len) != TM_OK || tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w->packets, err);
}
