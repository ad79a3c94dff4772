#include "format/chrome_json/internal.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "format/text_pid.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

enum tm_status tm_json_text_pid(struct tm_json_row_builder *w, const struct tm_json_value *text, int64_t *number)
{
    const uint8_t *s;
    size_t len;
    if (!tm_json_text(text, &w->rows->scratch, &s, &len))
        return tm_error_nomem(w->err);
    return tm_text_pid(w->rows->sink, s, len, number, w->err);
}

/* Makes ROW the definition of a process or thread. */
static void become_definition(struct tm_event *row, bool process)
{
    row->kind = process ? TM_KIND_PROCESS : TM_KIND_THREAD;
    row->flags |= TM_EVENT_HAS_PID | (process ? 0u : (unsigned)TM_EVENT_HAS_TID);
}

/* Writes the fields that every description begins with. Whether the event becomes a definition is not known yet. */
static bool begin_description(struct tm_json_row_builder *w, bool process)
{
    struct tm_event row = w->event;
    become_definition(&row, process);
    tm_buf_clear(&w->rows->message);
    return tm_task_description_numbers(&w->rows->message, &row) == TM_OK;
}

static uint32_t definition_flags(const struct tm_json_row_builder *w)
{
    return TM_EVENT_DEFINITION | (w->has_time ? 0u : (unsigned)TM_EVENT_UNTIMED);
}

static enum tm_status add_description(struct tm_json_row_builder *w, bool process)
{
    struct tm_buf *m = &w->rows->message;
    tm_buf_clear(&w->rows->detail);
    if (tm_pb_put_bytes(&w->rows->detail, process ? TM_DETAIL_PROCESS : TM_DETAIL_THREAD, m->data, m->len) != TM_OK)
        return tm_error_nomem(w->err);
    become_definition(&w->event, process);
    w->event.flags |= definition_flags(w);
    return tm_json_row_builder_add(w);
}

/* Adds the definition that gives a process or thread the string in FIELD as its name, once for each. */
static enum tm_status define_text(struct tm_json_row_builder *w, enum tm_json_field field)
{
    bool process = field == TM_JF_PID, is_new = true;
    const uint8_t *s;
    size_t len;
    uint32_t id;
    struct tm_json_named *last = process ? &w->rows->last_process : &w->rows->last_thread;
    int64_t key[2] = {w->event.pid, process ? -1 : w->event.tid};
    if (last->is_set && last->pid == key[0] && last->tid == key[1])
        return TM_OK;
    enum tm_status st = tm_intern_add(&w->rows->named, key, sizeof key, &id, &is_new);
    *last = (struct tm_json_named){st == TM_OK, key[0], key[1]};
    if (st == TM_END) /* the table is full: define it each time */
        is_new = true;
    if (st < 0 || !tm_json_text(&w->json->value[field], &w->rows->scratch, &s, &len))
        return tm_error_nomem(w->err);
    if (!is_new)
        return TM_OK;
    struct tm_json_row_builder definition = *w;
    uint32_t name = process ? (uint32_t)TM_PROCESS_DESCRIPTION_NAME : (uint32_t)TM_THREAD_DESCRIPTION_NAME;
    if (!begin_description(w, process) ||
        (len && tm_pb_put_bytes(&w->rows->message, name, s, len) != TM_OK))
        return tm_error_nomem(w->err);
    definition.has_time = false;
    definition.event.time_ns = 0;
    definition.event.dur_ns = 0;
    return add_description(&definition, process);
}

enum tm_status tm_json_define_texts(struct tm_json_row_builder *w)
{
    enum tm_status st = TM_OK;
    if (w->pid_is_text)
        st = define_text(w, TM_JF_PID);
    if (st >= 0 && w->tid_is_text)
        st = define_text(w, TM_JF_TID);
    return st;
}

/* The kinds of metadata that describe a process or thread. */
struct meta {
    const char *name, *arg;
    bool process;
    uint32_t field;
};

static const struct meta metas[] = {
    {"process_name", "name", true, TM_PROCESS_DESCRIPTION_NAME},
    {"process_labels", "labels", true, TM_PROCESS_DESCRIPTION_LABELS},
    {"process_sort_index", "sort_index", true, TM_PROCESS_DESCRIPTION_SORT_INDEX},
    {"thread_name", "name", false, TM_THREAD_DESCRIPTION_NAME},
    {"thread_sort_index", "sort_index", false, TM_THREAD_DESCRIPTION_SORT_INDEX},
};

/* Counts an argument of the wrong form. Labels are not counted, because the reference importer does not read them. */
static enum tm_status refuse(struct tm_json_row_builder *w, const struct meta *m)
{
    w->rows->parser_failures += !(m->process && m->field == TM_PROCESS_DESCRIPTION_LABELS);
    return TM_END;
}

static enum tm_status put_sort_index(struct tm_json_row_builder *w, const struct meta *m, const struct tm_json_value *v)
{
    int64_t n;
    if (v->type != TM_JSON_NUMBER || tm_decimal_scale((const char *)v->data, v->len, 0, &n) != TM_OK)
        return refuse(w, m);
    return tm_pb_put_varint(&w->rows->message, m->field, tm_zigzag(n));
}

/* Adds each label of the LEN bytes at S, which are separated by commas. */
static enum tm_status put_labels(struct tm_json_row_builder *w, const struct meta *m, const uint8_t *s, size_t len)
{
    const uint8_t *end = s + len;
    while (s <= end) {
        const uint8_t *comma = memchr(s, ',', (size_t)(end - s));
        const uint8_t *stop = comma ? comma : end;
        if (stop > s && tm_pb_put_bytes(&w->rows->message, m->field, s, (size_t)(stop - s)) != TM_OK)
            return TM_E_SYSTEM;
        s = stop + 1;
    }
    return TM_OK;
}

/* Adds what the event states to the description. TM_END: its argument is missing or has a wrong form. */
static enum tm_status put_meta(struct tm_json_row_builder *w, const struct meta *m)
{
    struct tm_json_value v = {0};
    const uint8_t *s;
    size_t len;
    const struct tm_json_value *args = tm_json_event_get(w->json, TM_JF_ARGS);
    if (args == NULL || !tm_json_find(args, m->arg, &v))
        return TM_END;
    if (!begin_description(w, m->process))
        return TM_E_SYSTEM;
    if (m->field == TM_PROCESS_DESCRIPTION_SORT_INDEX || m->field == TM_THREAD_DESCRIPTION_SORT_INDEX)
        return put_sort_index(w, m, &v);
    if (v.type != TM_JSON_STRING || v.len == 0)
        return refuse(w, m);
    /* A process or thread whose id is a string keeps that string as its name. */
    if (m->process && m->field == TM_PROCESS_DESCRIPTION_NAME && w->pid_is_text)
        v = w->json->value[TM_JF_PID];
    else if (!m->process && w->tid_is_text)
        v = w->json->value[TM_JF_TID];
    if (!tm_json_text(&v, &w->rows->scratch, &s, &len))
        return TM_E_SYSTEM;
    if (m->field == TM_PROCESS_DESCRIPTION_LABELS && m->process)
        return put_labels(w, m, s, len);
    return tm_pb_put_bytes(&w->rows->message, m->field, s, len) == TM_OK ? TM_OK : TM_E_SYSTEM;
}

enum tm_status tm_json_metadata_event(struct tm_json_row_builder *w)
{
    const struct tm_json_value *name = tm_json_event_of(w->json, TM_JF_NAME, TM_JSON_STRING);
    for (size_t i = 0; name && i < sizeof metas / sizeof metas[0]; i++) {
        if (!tm_json_is(name, metas[i].name))
            continue;
        enum tm_status st = put_meta(w, &metas[i]);
        if (st == TM_OK)
            return add_description(w, metas[i].process);
        if (st < 0)
            return tm_error_nomem(w->err);
        break;
    }
    w->event.kind = TM_KIND_METADATA;
    w->event.flags |= definition_flags(w) | (w->has_tid ? TM_EVENT_HAS_PID : 0u);
    tm_buf_clear(&w->rows->detail);
    enum tm_status st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    return st < 0 ? st : tm_json_row_builder_add(w);
}
