#include "emit/perfetto/track_packet.h"

#include "base/hash.h"
#include "base/table.h"
#include "emit/paths.h"
#include "perfetto/track_event_fields.h"

enum { NAMES_MAX = 1 << 16, NAME_BYTES_MAX = 4 << 20, NAME_INTERNED_MAX = 512 };

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

/* Sets *HEAD to the first fields of a packet of MACHINE: an event, or else a descriptor. */
static enum tm_status begin_head(struct tm_track_writer *w, uint32_t machine, bool is_event, struct tm_draft_head *head,
                                 struct tm_error *err)
{
    struct tm_track_sequence *s = NULL;
    enum tm_status st = sequence_of(w, machine, &s, err);
    if (st < 0)
        return st;
    uint32_t *id = is_event ? &s->id : &s->descriptors;
    head->machine_id = tm_packet_machine(w->packets, machine);
    head->flags = is_event ? TM_SEQUENCE_NEEDS_STATE : 0;
    if (*id == 0) {
        *id = tm_packet_track_sequence(w->packets, machine, is_event);
        head->flags |= TM_SEQUENCE_CLEARED;
    }
    head->sequence = *id;
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
    uint32_t id;     /* its id on the sequence plus 1; 0: none */
    struct tm_text text; /* if it has no id */
};

/* Returns the place in the cache of STRING of MACHINE. */
static struct tm_recent_string *place_of(struct tm_track_writer *w, uint32_t machine, const struct used_string *string)
{
    struct tm_recent_string *recent = string->is_name ? w->recent_names : w->recent_categories;
    return recent + (string->number + machine * 61) % TM_RECENT_STRINGS;
}

/* Finds the id of STRING, which has a text, on the sequence of MACHINE. The entry of a new id goes to w->interned.
 * TM_END: the text is too long, or the table is full. */
static enum tm_status intern(struct tm_track_writer *w, uint32_t machine, struct used_string *string)
{
    struct tm_track_sequence *s = &w->sequences[machine];
    const struct tm_text text = string->text;
    bool is_new = false;
    uint32_t id;
    if (text.len > NAME_INTERNED_MAX)
        return TM_END;
    enum tm_status st = tm_intern_add(string->is_name ? &s->names : &s->categories, text.data, text.len, &id, &is_new);
    if (st != TM_OK)
        return st;
    if (is_new && !put_entry(w, text, id, string->is_name))
        return TM_E_SYSTEM;
    string->id = id + 1;
    if (!(string->number & TM_STRING_INLINE))
        *place_of(w, machine, string) = (struct tm_recent_string){string->number, machine, string->id};
    return TM_OK;
}

/* Finds the id of STRING if it was used recently, or if there is none. */
static bool find_recent(struct tm_track_writer *w, const struct tm_event *e, struct used_string *string)
{
    const struct tm_recent_string *recent = place_of(w, e->machine, string);
    bool is_recent = recent->string == string->number && recent->machine == e->machine;
    string->id = is_recent && string->number ? recent->id : 0;
    return is_recent || string->number == 0;
}

/* Finds the id of STRING, or its text if it can have no id. */
static enum tm_status find_string(struct tm_track_writer *w, const struct tm_event *e, struct used_string *string)
{
    if (find_recent(w, e, string))
        return TM_OK;
    string->text = tm_catalog_string(w->packets->catalog, string->number, e);
    if (string->text.data == NULL)
        return TM_OK;
    enum tm_status st = intern(w, e->machine, string);
    if (st == TM_OK)
        string->text = (struct tm_text){NULL, 0};
    return st < 0 ? st : TM_OK;
}

/* Events of a flow of Fuchsia may have different names. Readers would take them for events of different flows. */
static bool is_unnamed_flow(const struct tm_track_writer *w, const struct tm_event *e)
{
    return e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END &&
           w->packets->catalog->files[e->file].input_type == TM_INPUT_FUCHSIA;
}

/* Adds name and category of E to DRAFT, and the keys of its args. */
static enum tm_status add_names(struct tm_track_writer *w, const struct tm_event *e, struct tm_event_draft *draft)
{
    const bool is_unnamed = is_unnamed_flow(w, e);
    struct used_string category = {.number = is_unnamed || tm_event_is_async_marker(e->flags) ? 0 : e->category},
                       name = {.number = is_unnamed ? 0 : e->name, .is_name = true};
    struct tm_annotation_keys *keys = &draft->arg_keys;
    const bool has_ids = e->arg_keys && !(e->arg_keys & TM_STRING_INLINE);
    enum tm_status st = TM_OK;
    keys->number = e->arg_keys;
    if (e->arg_keys)
        keys->text = tm_catalog_string(w->packets->catalog, e->arg_keys, e);
    const struct tm_used_arg_keys used = {e->machine, e->arg_keys, keys->text};
    const bool has_keys = !has_ids || tm_annotation_names_recent(&w->arg_names, &used, &keys->ids);
    if (!find_recent(w, e, &category) || !find_recent(w, e, &name) || !has_keys) {
        tm_buf_clear(&w->interned);
        if ((st = find_string(w, e, &category)) == TM_OK)
            st = find_string(w, e, &name);
        if (st == TM_OK && has_ids)
            st = tm_annotation_names_find(&w->arg_names, &used, &w->interned, &keys->ids);
        w->texts = (struct tm_event_texts){category.text, name.text, tm_text_at(w->interned.data, w->interned.len)};
        draft->texts = category.text.data || name.text.data || w->interned.len ? &w->texts : NULL;
    }
    draft->category_id = category.id;
    draft->name_id = name.id;
    return st;
}

/* Returns what makes the flow ids of E's file different from those of others; 0: they stay. */
static uint64_t flow_mix(const struct tm_track_writer *w, const struct tm_event *e)
{
    uint64_t order = w->packets->catalog->files[e->file].processing_order;
    return w->is_alone || w->packets->joins_flows ? 0 : tm_hash_u64(order + 1);
}

/* Returns the scope of the instant E if readers of Chrome JSON put it on one track for its process or for the trace;
 * otherwise 0. */
static uint8_t legacy_scope(const struct tm_track_writer *w, const struct tm_event *e)
{
    enum tm_scope scope = tm_event_scope(e->flags);
    if (!w->is_alone || e->flags & TM_EVENT_ASYNC ||
        w->packets->catalog->files[e->file].input_type != TM_INPUT_JSON)
        return 0;
    return scope == TM_SCOPE_PROCESS ? TM_LEGACY_SCOPE_PROCESS : scope == TM_SCOPE_GLOBAL ? TM_LEGACY_SCOPE_GLOBAL : 0;
}

/* Returns a draft of an event at TIME_NS on track UUID of MACHINE, without a type. NULL: no memory. */
static struct tm_event_draft *new_draft(struct tm_track_writer *w, uint32_t machine, int64_t time_ns, uint64_t uuid,
                                        struct tm_error *err)
{
    struct tm_event_draft *d = tm_packet_new_event(w->packets, err);
    if (d == NULL || begin_head(w, machine, true, &d->head, err) < 0)
        return NULL;
    d->head.time_ns = (uint64_t)time_ns;
    d->head.is_timed = true;
    d->track_uuid = uuid;
    d->value = d->thread_time_uuid = d->flow_mix = 0;
    d->category_id = d->name_id = 0;
    d->type = d->legacy_scope = d->flow_phase = 0;
    d->binds_enclosing = d->value_is_double = d->value_is_thread_time = false;
    d->texts = NULL;
    d->detail = (struct tm_text){NULL, 0};
    d->arg_keys = (struct tm_annotation_keys){.number = 0};
    return d;
}

/* Adds to DRAFT the flow event E. */
static void add_flow(const struct tm_event *e, struct tm_event_draft *draft)
{
    static const uint8_t phases[] = {'s', 't', 'f'};
    draft->flow_phase = phases[e->kind - TM_KIND_FLOW_START];
    draft->value = tm_id_mixed(draft->flow_mix, e->track);
    draft->binds_enclosing = e->kind != TM_KIND_FLOW_END || e->value == 0;
}

enum tm_status tm_track_packet_event(struct tm_track_writer *w, const struct tm_event *e, int type, uint64_t uuid,
                                     struct tm_error *err)
{
    struct tm_event_draft *draft = new_draft(w, e->machine, e->time_ns, uuid, err);
    if (draft == NULL)
        return TM_E_SYSTEM;
    draft->type = (uint8_t)type;
    if (type == TM_TRACK_COUNTER) {
        draft->value = e->value;
        draft->value_is_double = e->flags & TM_EVENT_VALUE_DOUBLE;
        return tm_packet_put_event(w->packets, draft, err);
    }
    if (type == TM_TRACK_INSTANT)
        draft->legacy_scope = legacy_scope(w, e);
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
    if (is_flow || e->detail_bytes) {
        draft->flow_mix = flow_mix(w, e);
        draft->detail = tm_text_at(e->detail, e->detail_bytes);
        draft->thread_time_uuid = w->time_uuid;
    }
    if (is_flow)
        add_flow(e, draft);
    if (add_names(w, e, draft) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_put_event(w->packets, draft, err);
}

enum tm_status tm_track_packet_end(struct tm_track_writer *w, const struct tm_open_end *end,
                                   const struct tm_event *as, uint64_t uuid, struct tm_error *err)
{
    struct tm_event_draft *draft = new_draft(w, end->machine, end->end_ns, uuid, err);
    if (draft == NULL)
        return TM_E_SYSTEM;
    draft->type = TM_TRACK_END;
    if (end->time_uuid) {
        draft->thread_time_uuid = end->time_uuid;
        draft->value = (uint64_t)end->thread_ns;
        draft->value_is_thread_time = true;
    }
    if (as && add_names(w, as, draft) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_put_event(w->packets, draft, err);
}

enum tm_status tm_track_packet_below(struct tm_track_writer *w, const struct tm_event *e, uint64_t parent)
{
    char path[TM_PATH_TEXT_MAX];
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
    struct tm_draft_head head = {.time_ns = (uint64_t)e->time_ns, .is_timed = tm_event_is_timed(e->flags)};
    size_t packet, mark;
    enum tm_status st = begin_head(w, e->machine, false, &head, err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_TRACE_PACKET, &packet) != TM_OK || tm_buf_reserve(out, TM_DRAFT_HEAD_MAX) != TM_OK)
        return tm_error_nomem(err);
    out->len = (size_t)(tm_draft_head_put(out->data + out->len, &head) - out->data);
    if (tm_pb_begin(out, TM_PACKET_TRACK_DESCRIPTOR, &mark) != TM_OK ||
        tm_pb_put_varint(out, TM_DESCRIPTOR_UUID, uuid) != TM_OK ||
        tm_buf_add(out, w->body.data, w->body.len) != TM_OK || tm_pb_end(out, mark) != TM_OK ||
        tm_pb_end(out, packet) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_flush_full(w->packets, err);
}
