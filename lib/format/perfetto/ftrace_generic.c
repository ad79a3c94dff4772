#include "format/perfetto/ftrace_generic.h"

#include "base/table.h"
#include "format/perfetto/count.h"
#include "format/perfetto/ftrace_event.h"
#include "stream/detail_arg.h"
#include "base/hash.h"

#include <stdlib.h>

/* Fields of GenericEventDescriptor, DescriptorProto and FieldDescriptorProto. */
enum { NUMBER = 1, DESCRIPTOR = 2 };
enum { MESSAGE_NAME = 1, MESSAGE_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_TYPE = 5 };

/* FieldDescriptorProto.Type */
enum {
    TYPE_DOUBLE = 1, TYPE_FLOAT = 2, TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_INT32 = 5, TYPE_FIXED64 = 6,
    TYPE_FIXED32 = 7, TYPE_BOOL = 8, TYPE_STRING = 9, TYPE_BYTES = 12, TYPE_UINT32 = 13, TYPE_ENUM = 14,
    TYPE_SFIXED32 = 15, TYPE_SFIXED64 = 16, TYPE_SINT32 = 17, TYPE_SINT64 = 18
};

/* Adds F to the texts. TM_END: they are full. */
static enum tm_status add_text(struct tm_proto_generics *g, const struct tm_pb_field *f, uint32_t *at, uint32_t *len)
{
    if (g->texts.len + f->len > TM_PROTO_GENERIC_TEXT_MAX)
        return TM_END;
    *at = (uint32_t)g->texts.len;
    *len = (uint32_t)f->len;
    return tm_buf_add(&g->texts, f->data, f->len);
}

static bool is_number(uint64_t type)
{
    return type == TYPE_INT64 || type == TYPE_UINT64 || type == TYPE_INT32 || type == TYPE_UINT32;
}

/* Notes what field NUMBER of EVENT states if its name is one by which drivers state slices and counters. */
static void note_role(struct tm_proto_generic *event, uint8_t number, struct tm_text name, uint64_t type)
{
    static const char scope[] = "scope_";
    if (type == TYPE_STRING && tm_text_is(name, "slice_name")) {
        event->slice_name = number;
    } else if (type == TYPE_STRING && tm_text_is(name, "track_name")) {
        event->track_name = number;
    } else if (is_number(type) && tm_text_is(name, "track_event_type")) {
        event->slice_kind = number;
    } else if (is_number(type) && tm_text_is(name, "counter_value")) {
        event->value = number;
    } else if (is_number(type) && name.len >= sizeof scope - 1 && memcmp(name.data, scope, sizeof scope - 1) == 0) {
        event->scope = number;
        event->scope_type = tm_text_is(name, "scope_tgid")  ? TM_SCOPE_PROCESS
                            : tm_text_is(name, "scope_cpu") ? TM_SCOPE_CPU
                                                            : TM_SCOPE_GLOBAL;
    }
}

/* Reads a FieldDescriptorProto into EVENT. TM_E_INPUT: the reference importer refuses it. TM_END: the texts are
 * full. */
static enum tm_status read_field(struct tm_proto_generics *g, const struct tm_pb_field *message,
                                 struct tm_proto_generic *event)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, name = {.data = (const uint8_t *)""};
    uint64_t number = 0, type = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == FIELD_NAME && f.type == TM_PB_LEN)
            name = f;
        else if (f.id == FIELD_NUMBER)
            number = f.value;
        else if (f.id == FIELD_TYPE)
            type = f.value;
    }
    if (number >= TM_PROTO_GENERIC_FIELDS || type > TYPE_SINT64)
        return TM_E_INPUT;
    event->fields[number].type = (uint8_t)type;
    note_role(event, (uint8_t)number, tm_text_at(name.data, name.len), type);
    return add_text(g, &name, &event->fields[number].name_at, &event->fields[number].name_len);
}

static enum tm_status read_event(struct tm_proto_generics *g, const struct tm_pb_field *descriptor,
                                 struct tm_proto_generic *event)
{
    struct tm_pb pb = tm_pb_of(descriptor->data, descriptor->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    *event = (struct tm_proto_generic){.scope_type = TM_SCOPE_THREAD};
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == MESSAGE_NAME && f.type == TM_PB_LEN)
            st = add_text(g, &f, &event->name_at, &event->name_len);
        else if (f.id == MESSAGE_FIELD && f.type == TM_PB_LEN)
            st = read_field(g, &f, event);
    }
    return st;
}

static enum tm_status count_error(struct tm_proto_rows *rows, uint32_t machine, struct tm_error *err)
{
    return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_GENERIC_DESCRIPTOR, machine, 1, err);
}

enum tm_status tm_proto_generic_note(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows, uint32_t machine,
                                     const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_proto_generics *g = &kernels->generics;
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, descriptor = {.data = (const uint8_t *)""};
    struct tm_proto_map_entry *entry;
    uint32_t number = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == NUMBER)
            number = (uint32_t)f.value;
        else if (f.id == DESCRIPTOR && f.type == TM_PB_LEN)
            descriptor = f;
    }
    if (tm_proto_map_find(&g->by_number, machine, number))
        return TM_OK;
    if (tm_array_grow(&g->events, &g->cap, g->count, sizeof *g->events, err) < 0)
        return TM_E_SYSTEM;
    enum tm_status st = read_event(g, &descriptor, &g->events[g->count]);
    if (st == TM_E_INPUT || st == TM_END)
        return count_error(rows, machine, err);
    if (st == TM_OK)
        st = tm_proto_map_add(&g->by_number, machine, number, TM_PROTO_GENERICS_MAX, &entry);
    if (st != TM_OK)
        return st == TM_END ? count_error(rows, machine, err) : tm_error_nomem(err);
    entry->v1 = g->count++;
    return TM_OK;
}

static double float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Appends field F, of type TYPE, as arg KEY. A field of another wire type than TYPE has no arg. */
static enum tm_status put_field(struct tm_buf *detail, const struct tm_buf *key, uint8_t type,
                                const struct tm_pb_field *f)
{
    const bool is_text = type == TYPE_STRING || type == TYPE_BYTES;
    if (is_text != (f->type == TM_PB_LEN))
        return TM_OK;
    switch (type) {
    case TYPE_STRING:
    case TYPE_BYTES: return tm_detail_arg_bytes(detail, key, TM_ARG_STRING, f->data, f->len);
    case TYPE_DOUBLE: return tm_detail_arg_number(detail, key, TM_ARG_DOUBLE, f->value);
    case TYPE_FLOAT:
        return tm_detail_arg_number(detail, key, TM_ARG_DOUBLE, tm_pb_bits(float_of((uint32_t)f->value)));
    case TYPE_UINT32:
    case TYPE_UINT64:
    case TYPE_FIXED32:
    case TYPE_FIXED64: return tm_detail_arg_number(detail, key, TM_ARG_UINT, f->value);
    case TYPE_SINT32:
    case TYPE_SINT64: return tm_detail_arg_number(detail, key, TM_ARG_INT, (uint64_t)tm_unzigzag(f->value));
    case TYPE_SFIXED32:
        return tm_detail_arg_number(detail, key, TM_ARG_INT, (uint64_t)(int64_t)(int32_t)(uint32_t)f->value);
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_BOOL:
    case TYPE_ENUM:
    case TYPE_SFIXED64: return tm_detail_arg_number(detail, key, TM_ARG_INT, f->value);
    default: return TM_OK;
    }
}

/* A slice or a counter that a driver states. */
struct driver_row {
    const struct tm_proto_generics *generics;
    const struct tm_proto_generic *event;
    const struct tm_pb_field *message;
    struct tm_proto_rows *rows;
    struct tm_event *row;
};

static bool find(const struct tm_pb_field *message, uint32_t number, struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    while (tm_pb_next(&pb, f) == TM_OK)
        if (f->id == number)
            return true;
    return false;
}

/* Returns the type of the track of the row. Tracks of counters follow those of slices. */
static enum tm_named_track type_of(const struct driver_row *d)
{
    static const enum tm_named_track types[][2] = {
        [TM_SCOPE_GLOBAL] = {TM_NAMED_TRACK_DRIVER_SLICES, TM_NAMED_TRACK_DRIVER_COUNTERS},
        [TM_SCOPE_THREAD] = {TM_NAMED_TRACK_DRIVER_THREAD_SLICES, TM_NAMED_TRACK_DRIVER_THREAD_COUNTERS},
        [TM_SCOPE_PROCESS] = {TM_NAMED_TRACK_DRIVER_PROCESS_SLICES, TM_NAMED_TRACK_DRIVER_PROCESS_COUNTERS},
        [TM_SCOPE_CPU] = {TM_NAMED_TRACK_DRIVER_CPU_SLICES, TM_NAMED_TRACK_DRIVER_CPU_COUNTERS}};
    return types[d->event->scope_type][d->row->kind == TM_KIND_COUNTER];
}

/* Sets what the row belongs to: its thread, or the process, the cpu or another number that the event states. TM_END: it
 * does not. */
static enum tm_status put_scope(struct driver_row *d, int64_t *scope)
{
    struct tm_pb_field f = {0};
    if (d->event->scope && !find(d->message, d->event->scope, &f))
        return TM_END;
    *scope = d->event->scope ? (int64_t)f.value : d->row->tid;
    d->row->flags |= tm_event_scope_flags((enum tm_scope)d->event->scope_type);
    if (d->event->scope_type == TM_SCOPE_PROCESS) {
        d->row->flags |= TM_EVENT_HAS_PID;
        d->row->pid = (uint32_t)f.value;
    } else if (d->event->scope_type == TM_SCOPE_CPU && d->row->flags & TM_EVENT_DERIVED) {
        d->row->flags |= TM_EVENT_HAS_CPU; /* the row of the event itself has the cpu where that happened */
        d->row->cpu = (uint32_t)f.value;
    } else if (d->event->scope_type == TM_SCOPE_THREAD) {
        d->row->flags |= TM_EVENT_HAS_TID;
    }
    return TM_OK;
}

/* Puts the row on its track. TM_END: the event does not state it. */
static enum tm_status put_track(struct driver_row *d, struct tm_error *err)
{
    const struct tm_text event = {d->generics->texts.data + d->event->name_at, d->event->name_len};
    struct tm_text name = event;
    struct tm_pb_field f;
    struct tm_buf *dimensions = &d->rows->text;
    int64_t scope;
    if (d->event->track_name) {
        if (!find(d->message, d->event->track_name, &f))
            return TM_END;
        name = tm_text_given(f.data, f.len);
    }
    enum tm_status st = put_scope(d, &scope);
    if (st != TM_OK)
        return st;
    tm_buf_clear(dimensions);
    if ((d->event->scope_type == TM_SCOPE_GLOBAL && tm_detail_arg_int(dimensions, "scope", scope) < 0) ||
        tm_detail_arg_text(dimensions, "tracepoint", event.data, event.len) < 0 ||
        tm_detail_arg_text(dimensions, "name", name.data, name.len) < 0)
        return tm_error_nomem(err);
    const uint64_t identity = tm_hash64(dimensions->data, dimensions->len) ^ tm_hash_u64((uint64_t)scope);
    struct tm_proto_named_row named = {
        .type = type_of(d), .second = (uint16_t)(identity >> 32), .instance = (uint32_t)identity, .has_name = true};
    if (d->event->scope_type == TM_SCOPE_CPU)
        named.gpu = (uint32_t)scope;
    if (d->row->kind == TM_KIND_COUNTER)
        return tm_proto_named_counter(d->rows, &named, name, d->row, err);
    tm_buf_clear(&d->rows->key);
    return tm_buf_add(&d->rows->key, name.data, name.len) < 0 ? tm_error_nomem(err)
                                                              : tm_proto_named_row(d->rows, &named, d->row, err);
}

static bool is_slice(const struct tm_proto_generic *event)
{
    return event->slice_kind && event->slice_name;
}

/* Makes the row one of a slice. Its category is the name of the event. TM_END: the event states too little. */
static enum tm_status put_slice(struct driver_row *d, struct tm_error *err)
{
    struct tm_pb_field kind, name;
    if (!find(d->message, d->event->slice_kind, &kind) || !find(d->message, d->event->slice_name, &name))
        return TM_END;
    const char letter = (char)kind.value;
    if (letter != 'B' && letter != 'E' && letter != 'I')
        return TM_END;
    enum tm_status st = put_track(d, err);
    if (st != TM_OK)
        return st;
    d->row->kind = letter == 'B' ? TM_KIND_SLICE_BEGIN : letter == 'E' ? TM_KIND_SLICE_END : TM_KIND_INSTANT;
    const struct tm_text event = {d->generics->texts.data + d->event->name_at, d->event->name_len};
    st = tm_proto_string(d->rows, event.data, event.len, &d->row->category, err);
    if (st < 0 || letter == 'E')
        return st;
    return tm_proto_string(d->rows, name.data ? name.data : (const uint8_t *)"", name.len, &d->row->name, err);
}

/* Puts the fields as args. */
static enum tm_status put_fields(const struct driver_row *d, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(d->message->data, d->message->len);
    struct tm_pb_field f;
    struct tm_buf *key = &d->rows->key;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id >= TM_PROTO_GENERIC_FIELDS || d->event->fields[f.id].type == 0) {
            st = count_error(d->rows, d->row->machine, err);
            continue;
        }
        tm_buf_clear(key);
        if (tm_buf_add(key, d->generics->texts.data + d->event->fields[f.id].name_at,
                       d->event->fields[f.id].name_len) < 0 ||
            put_field(&d->rows->detail, key, d->event->fields[f.id].type, &f) < 0)
            st = tm_error_nomem(err);
    }
    return st < 0 ? st : TM_OK;
}

static enum tm_status count_driver_error(const struct driver_row *d, struct tm_error *err)
{
    return tm_proto_count_stat(&d->rows->counts, TM_PROTO_STAT_DRIVER_TRACK, d->row->machine, 1, err);
}

enum tm_status tm_proto_ftrace_generic(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *message,
                                       struct tm_event *row, struct tm_error *err)
{
    const struct tm_proto_generics *g = &bundle->kernels->generics;
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&g->by_number, row->machine, message->id);
    struct driver_row d = {.generics = g, .message = message, .rows = bundle->rows, .row = row};
    const struct tm_event plain = *row;
    row->kind = TM_KIND_FTRACE;
    if (entry == NULL)
        return count_error(d.rows, row->machine, err);
    d.event = &g->events[entry->v1];
    enum tm_status st = is_slice(d.event) ? put_slice(&d, err) : TM_END;
    if (st == TM_END) {
        *row = plain;
        row->kind = TM_KIND_FTRACE;
        tm_buf_clear(&d.rows->detail);
        st = is_slice(d.event) ? count_driver_error(&d, err) : TM_OK;
        if (st >= 0)
            st = tm_proto_string(d.rows, g->texts.data + d.event->name_at, d.event->name_len, &row->name, err);
    }
    return st < 0 ? st : put_fields(&d, err);
}

enum tm_status tm_proto_ftrace_generic_derive(const struct tm_proto_ftrace_bundle *bundle,
                                              const struct tm_pb_field *message, const struct tm_event *event,
                                              struct tm_error *err)
{
    const struct tm_proto_generics *g = &bundle->kernels->generics;
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&g->by_number, event->machine, message->id);
    struct tm_event row = tm_proto_derived(event, TM_KIND_COUNTER);
    struct driver_row d = {.generics = g, .message = message, .rows = bundle->rows, .row = &row};
    struct tm_pb_field value;
    if (entry == NULL)
        return TM_OK;
    d.event = &g->events[entry->v1];
    if (is_slice(d.event) || d.event->value == 0)
        return TM_OK;
    if (!find(message, d.event->value, &value))
        return count_driver_error(&d, err);
    row.flags |= TM_EVENT_HAS_VALUE;
    row.value = value.value;
    enum tm_status st = put_track(&d, err);
    return st == TM_END ? count_driver_error(&d, err) : st < 0 ? st : tm_proto_add(bundle->rows, &row, err);
}

void tm_proto_generics_release(struct tm_proto_generics *g)
{
    tm_proto_map_release(&g->by_number);
    free(g->events);
    tm_buf_release(&g->texts);
    *g = (struct tm_proto_generics){0};
}
