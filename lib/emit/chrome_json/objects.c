#include "emit/chrome_json/objects.h"

#include "emit/chrome_json/object_draft.h"
#include "emit/paths.h"
#include "json/scan.h"

/* The members of an object that change, and how. */
enum change {
    CHANGE_NONE,
    CHANGE_PHASE,
    CHANGE_DUR,
    CHANGE_TIME,
    CHANGE_PID,
    CHANGE_TID,
    CHANGE_ID,
    CHANGE_BIND_ID,
    CHANGE_ID2,
    CHANGE_FRAME,
    CHANGE_ARGS
};

/* What is known of the object of an event. */
struct object {
    const struct tm_event *event;
    const struct tm_json_ref *ref;
    struct tm_json_destination to;
    struct tm_json_ref_changes changes;
    bool renames_frames;
    const uint8_t *from; /* its bytes before this one have been written */
};

static enum change change_of(const struct tm_json_value *key)
{
    static const struct {
        const char *name;
        size_t len;
        enum change change;
    } members[] = {{"ph", 2, CHANGE_PHASE}, {"dur", 3, CHANGE_DUR},
                   {"ts", 2, CHANGE_TIME},  {"pid", 3, CHANGE_PID},   {"tid", 3, CHANGE_TID},
                   {"id", 2, CHANGE_ID},    {"id2", 3, CHANGE_ID2},   {"bind_id", 7, CHANGE_BIND_ID},
                   {"sf", 2, CHANGE_FRAME}, {"esf", 3, CHANGE_FRAME}, {"args", 4, CHANGE_ARGS}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (tm_json_is_bytes(key, members[i].name, members[i].len))
            return members[i].change;
    return CHANGE_NONE;
}

static bool is_flow(const struct tm_event *e)
{
    return e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
}

/* Writes ID2, {"local": ID} or {"global": ID}, with the number of the id. */
static enum tm_status put_id2(struct tm_json_objects *o, const struct tm_event *e, const struct tm_json_value *id2,
                              struct tm_error *err)
{
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(id2);
    struct tm_json_value key, value;
    const uint8_t *from = id2->data;
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        if (!tm_json_is_scalar(&value))
            continue;
        size_t quote = value.type == TM_JSON_STRING;
        tm_out_bytes(&o->writer->out, from, (size_t)(value.data - quote - from));
        st = tm_json_writer_id(o->writer, e, TM_JSON_ID_OF_EVENT, &value, err);
        from = value.data + value.len + quote;
    }
    tm_out_bytes(&o->writer->out, from, (size_t)(id2->data + id2->len - from));
    return st;
}

static enum tm_status put_value(struct tm_json_objects *o, const struct object *object, enum change change,
                                const struct tm_json_value *value, struct tm_error *err)
{
    const struct tm_event *e = object->event;
    switch (change) {
    case CHANGE_PHASE: tm_out_str(&o->writer->out, "\"X\",\"dur\":0"); return TM_OK;
    case CHANGE_DUR: tm_out_str(&o->writer->out, "0"); return TM_OK;
    case CHANGE_TIME: tm_json_writer_time(o->writer, e->time_ns); return TM_OK;
    case CHANGE_PID: tm_out_i64(&o->writer->out, object->to.pid); return TM_OK;
    case CHANGE_TID: tm_out_i64(&o->writer->out, object->to.has_tid ? object->to.tid : e->tid); return TM_OK;
    case CHANGE_ID:
        return tm_json_writer_id(o->writer, e, is_flow(e) ? TM_JSON_ID_OF_FLOW : TM_JSON_ID_OF_EVENT, value, err);
    case CHANGE_BIND_ID: return tm_json_writer_id(o->writer, e, TM_JSON_ID_OF_FLOW, value, err);
    case CHANGE_FRAME: tm_json_frames_put_id(o->frames, e->file, value); return TM_OK;
    case CHANGE_ARGS: return tm_json_refs_write(&o->refs, e, value, &object->changes, err);
    default: return put_id2(o, e, value, err);
    }
}

/* True if this member with this value must be written anew. */
static bool must_change(const struct tm_json_objects *o, const struct object *object, enum change change,
                        const struct tm_json_value *value)
{
    const struct tm_event *e = object->event;
    bool renames_ids = o->inputs->are_several;
    switch (change) {
    case CHANGE_NONE: return false;
    case CHANGE_PHASE:
    case CHANGE_DUR: return e->flags & TM_EVENT_NO_LENGTH;
    case CHANGE_TIME: return tm_event_is_timed(e->flags);
    case CHANGE_PID: return e->flags & TM_EVENT_HAS_PID && tm_json_is_scalar(value);
    case CHANGE_TID:
        return (object->to.has_tid && tm_json_is_scalar(value)) ||
               (e->flags & TM_EVENT_HAS_TID && value->type == TM_JSON_STRING);
    case CHANGE_ID: /* the id of a counter is part of its name */
        return renames_ids && e->kind != TM_KIND_COUNTER && tm_json_is_scalar(value);
    case CHANGE_BIND_ID: return renames_ids && tm_json_is_scalar(value);
    case CHANGE_FRAME: return object->renames_frames && tm_json_is_scalar(value);
    case CHANGE_ARGS: return object->changes.may_change && value->type == TM_JSON_OBJECT;
    default: return renames_ids && value->type == TM_JSON_OBJECT;
    }
}

/* Reads the next member. Nested values were checked when they were unpacked. */
static enum tm_json_status next_member(struct tm_json_scan *scan, enum change *change, struct tm_json_value *value)
{
    struct tm_json_value key;
    enum tm_json_status st = tm_json_key(scan, &key);
    if (st != TM_JSON_OK)
        return st;
    *change = change_of(&key);
    st = tm_json_pass(scan, value);
    return st != TM_JSON_OK ? st : tm_json_comma(scan, '}');
}

static enum tm_status not_an_object(const struct tm_event *e, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a JSON object",
                        (unsigned long long)e->position);
}

/* Writes the unchanged text before the value, then the value anew. */
static inline enum tm_status change_value(struct tm_json_objects *o, struct object *object, enum change change,
                                          const struct tm_json_value *value, struct tm_error *err)
{
    size_t quote = value->type == TM_JSON_STRING;
    tm_out_bytes(&o->writer->out, object->from, (size_t)(value->data - quote - object->from));
    object->from = value->data + value->len + quote;
    return put_value(o, object, change, value, err);
}

/* Writes the object, which it reads to find what must change. */
static enum tm_status put_scanned(struct tm_json_objects *o, struct object *object, struct tm_error *err)
{
    const struct tm_event *e = object->event;
    struct tm_json_scan scan = tm_json_scan_bytes(e->raw, e->raw + e->raw_bytes, true);
    struct tm_json_value value;
    enum change change;
    enum tm_json_status json;
    enum tm_status st = TM_OK;
    bool has_tid = false;
    scan.p++;
    while (st == TM_OK && (json = next_member(&scan, &change, &value)) == TM_JSON_OK) {
        if (!must_change(o, object, change, &value))
            continue;
        st = change_value(o, object, change, &value, err);
        has_tid |= change == CHANGE_TID;
    }
    if (st < 0 || json != TM_JSON_CLOSE)
        return st < 0 ? st : not_an_object(e, err);
    if (object->to.has_tid && !has_tid) { /* it had no tid: insert one before the closing brace */
        const uint8_t *brace = e->raw + e->raw_bytes - 1;
        tm_out_bytes(&o->writer->out, object->from, (size_t)(brace - object->from));
        tm_out_str(&o->writer->out, ",\"tid\":");
        tm_out_i64(&o->writer->out, object->to.tid);
        object->from = brace;
    }
    tm_out_bytes(&o->writer->out, object->from, (size_t)(e->raw + e->raw_bytes - object->from));
    return TM_OK;
}

static const enum change changes[] = {[TM_JSON_VALUE_TS] = CHANGE_TIME,
                                      [TM_JSON_VALUE_PID] = CHANGE_PID,
                                      [TM_JSON_VALUE_ID] = CHANGE_ID,
                                      [TM_JSON_VALUE_ID2] = CHANGE_ID2,
                                      [TM_JSON_VALUE_BIND_ID] = CHANGE_BIND_ID};

/* Returns the value at S in TEXT; without data if TEXT is NULL. */
static struct tm_json_value value_at(const struct tm_json_value_offset *s, const uint8_t *text)
{
    return (struct tm_json_value){.data = text ? text + s->at + s->is_string : NULL,
                                  .len = s->len - 2u * s->is_string,
                                  .type = s->is_string                ? TM_JSON_STRING
                                          : s->of == TM_JSON_VALUE_ID2 ? TM_JSON_OBJECT
                                                                      : TM_JSON_NUMBER};
}

/* Writes the object with changes at the offsets of values that tm-unpack noted. */
static enum tm_status put_by_offsets(struct tm_json_objects *o, struct object *object, struct tm_error *err)
{
    const struct tm_event *e = object->event;
    const struct tm_json_ref *ref = object->ref;
    enum tm_status st = TM_OK;
    if (ref->offsets_end > e->raw_bytes)
        return not_an_object(e, err);
    for (uint32_t i = 0; i < ref->offset_count && st == TM_OK; i++) {
        const struct tm_json_value_offset *s = &ref->offsets[i];
        struct tm_json_value value = value_at(s, e->raw);
        value.escaped = s->is_string && memchr(value.data, '\\', value.len);
        if (must_change(o, object, changes[s->of], &value))
            st = change_value(o, object, changes[s->of], &value, err);
    }
    tm_out_bytes(&o->writer->out, object->from, (size_t)(e->raw + e->raw_bytes - object->from));
    return st;
}

/* True if tm-unpack noted no offsets, or if members change whose offsets it does not note. */
static bool must_be_read(const struct object *object)
{
    return !object->ref->has_offsets || object->event->flags & TM_EVENT_NO_LENGTH || object->to.has_tid ||
           object->renames_frames || object->changes.may_change || tm_json_is_text_number(object->event->tid);
}

/* Writes OBJECT, whose text is in memory. */
static enum tm_status put_object(struct tm_json_objects *o, struct object *object, struct tm_error *err)
{
    const struct tm_event *e = object->event;
    enum tm_status st = tm_json_refs_find(&o->refs, e, &object->changes, err);
    if (st < 0)
        return st;
    object->from = e->raw;
    object->renames_frames = tm_json_frames_renames(o->frames, e->file) && tm_json_refs_may_have_key(e, "sf");
    tm_json_writer_next(o->writer);
    st = must_be_read(object) ? put_scanned(o, object, err) : put_by_offsets(o, object, err);
    return st < 0 ? st : tm_out_end_row(&o->writer->out, err);
}

/* Finds the destination of OBJECT, which does not depend on its text. */
static enum tm_status begin_object(struct tm_json_objects *o, struct object *object, struct tm_error *err)
{
    enum tm_status st = tm_json_destinations_find(&o->destinations, object->event, &object->to, err);
    bool is_definition = object->event->flags & TM_EVENT_DEFINITION;
    return st < 0 || is_definition ? st : tm_json_frames_read(o->frames, err);
}

/* True if OBJECT can be written without a look at its text: no more than its time and pid change. Sets *DRAFT then. */
static bool draft_copy(const struct tm_json_objects *o, const struct object *object, struct tm_json_object_draft *draft)
{
    const struct tm_event *e = object->event;
    const struct tm_json_ref *ref = object->ref;
    if (!tm_out_copies(&o->writer->out) || tm_json_refs_read_text(&o->refs, e) ||
        tm_json_frames_renames(o->frames, e->file) || must_be_read(object) || ref->offsets_end > ref->bytes)
        return false;
    draft->ts_ns = e->time_ns - o->writer->base_ns;
    draft->pid = object->to.pid;
    draft->times = draft->gap_count = 0;
    for (uint32_t i = 0; i < ref->offset_count; i++) {
        const struct tm_json_value_offset *s = &ref->offsets[i];
        const enum change change = changes[s->of];
        struct tm_json_value value = value_at(s, NULL);
        if (!must_change(o, object, change, &value))
            continue;
        if (change != CHANGE_TIME && change != CHANGE_PID)
            return false;
        draft->times |= (uint8_t)((change == CHANGE_TIME) << draft->gap_count);
        draft->gaps[draft->gap_count++] = (struct tm_json_object_gap){s->at, s->len};
    }
    return true;
}

/* Writes the object of DRAFT. The writer copies TEXT, its text. */
static enum tm_status put_copied(struct tm_json_objects *o, struct tm_json_object_draft *draft,
                                 const struct tm_source_text *text, struct tm_error *err)
{
    struct tm_out *out = &o->writer->out;
    draft->follows = tm_json_writer_follows(o->writer);
    const struct tm_text record = {(const uint8_t *)draft, tm_json_object_draft_bytes(draft)};
    tm_out_text(out, text);
    tm_out_late(out, tm_json_object_format, &record, 1);
    return tm_out_end_row(out, err);
}

enum tm_status tm_json_objects_write(struct tm_json_objects *o, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_ref ref = {0};
    struct object object = {.event = e, .ref = &ref};
    enum tm_status st = tm_json_ref_find(e->detail, e->detail_bytes, &ref);
    if (st < 0)
        return not_an_object(e, err);
    st = begin_object(o, &object, err);
    return st < 0 ? st : put_object(o, &object, err);
}

/* Finds the text of REF, the object of E. TM_OK or an error. */
static enum tm_status find_text(const struct tm_json_objects *o, const struct tm_event *e,
                                const struct tm_json_ref *ref, struct tm_source_text *text, struct tm_error *err)
{
    char path[TM_PATH_TEXT_MAX];
    enum tm_status st = tm_sources_find(o->writer->context->sources, e->file, ref, text, err);
    if (st != TM_END)
        return st;
    tm_catalog_path(o->writer->context->catalog, e->file, path, sizeof path);
    return tm_error_set(err, TM_E_INPUT, "%s: its text is not in the stream, but in the file itself, which no --source "
                                         "names or which was replaced after it was unpacked", path);
}

enum tm_status tm_json_objects_write_ref(struct tm_json_objects *o, const struct tm_event *e,
                                         const struct tm_json_ref *ref, struct tm_error *err)
{
    struct tm_event whole = *e;
    struct object object = {.event = &whole, .ref = ref};
    struct tm_sources *sources = o->writer->context->sources;
    struct tm_source_text text;
    enum tm_status st = find_text(o, e, ref, &text, err);
    if (st < 0 || (st = begin_object(o, &object, err)) < 0)
        return st;
    struct tm_json_object_draft draft;
    if (draft_copy(o, &object, &draft))
        return put_copied(o, &draft, &text, err);
    if (o->reader == NULL && (o->reader = tm_source_reader_new(sources)) == NULL)
        return tm_error_nomem(err);
    st = tm_source_reader_read(o->reader, &text, &whole.raw, err);
    whole.raw_bytes = ref->bytes;
    return st == TM_OK ? put_object(o, &object, err) : st;
}

enum tm_status tm_json_objects_write_end(struct tm_json_objects *o, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_destination to;
    struct tm_json_event_draft draft;
    enum tm_status st = tm_json_destinations_find(&o->destinations, e, &to, err);
    if (st < 0)
        return st;
    tm_json_writer_draft(o->writer, e, 'E', &draft);
    draft.pid = to.pid;
    draft.tid = to.has_tid ? to.tid : e->tid;
    return tm_json_writer_put(o->writer, &draft, err);
}

void tm_json_objects_release(struct tm_json_objects *o)
{
    tm_json_destinations_release(&o->destinations);
    tm_json_refs_release(&o->refs);
    tm_source_reader_free(o->reader);
}
