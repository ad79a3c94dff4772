#include "format/perfetto/described_types.h"

#include "base/hash.h"
#include "base/pb.h"
#include "container/inflater.h"
#include "perfetto/typed_fields.h"

/* Numbers of described messages and enums begin here. */
enum { DESCRIBED_FROM = 1 << 15 };

/* extension_descriptor.proto and descriptor.proto */
enum { SET = 1, SET_GZIP = 2, SET_FILE = 1 };
enum { FILE_PACKAGE = 2, FILE_MESSAGE = 4, FILE_ENUM = 5, FILE_EXTENSION = 7 };
enum { MESSAGE_NAME = 1, MESSAGE_FIELD = 2, MESSAGE_MESSAGE = 3, MESSAGE_ENUM = 4, MESSAGE_EXTENSION = 6 };
enum { ENUM_NAME = 1, ENUM_VALUE = 2, VALUE_NAME = 1, VALUE_NUMBER = 2 };
enum { FIELD_NAME = 1, FIELD_EXTENDEE = 2, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, FIELD_TYPE_NAME = 6,
       FIELD_OPTIONS = 8 };
enum { LABEL_REPEATED = 3, TYPE_MESSAGE = 11, OPTION_FLAGS_ENUM = 73921 };

/* A walk through a description. All names are collected before fields refer to them. */
struct walk {
    struct tm_described_types *types;
    struct tm_buf name; /* the full name of the message or package at this place */
    bool is_naming;
};

static struct tm_text text_of(const struct tm_pb_field *f)
{
    return f->type == TM_PB_LEN ? tm_text_at(f->data, f->len) : (struct tm_text){0};
}

/* Returns field ID of the message DATA; without data if there is none. */
static struct tm_text part(struct tm_text data, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    struct tm_text found = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id)
            found = text_of(&f);
    return found;
}

static bool find(const struct tm_described_types *types, bool is_enum, struct tm_text name, uint32_t *number)
{
    if (is_enum ? tm_typed_enum_find(name, number) : tm_typed_message_find(name, number))
        return true;
    const struct tm_proto_map_entry *entry =
        tm_proto_map_find(&types->names, is_enum, tm_hash64(name.data, name.len));
    if (entry)
        *number = (uint32_t)entry->v1;
    return entry != NULL;
}

bool tm_described_message_find(const struct tm_described_types *types, struct tm_text name, uint32_t *message)
{
    return find(types, false, name, message);
}

/* Gives the type with the name of W a number, unless it has one. */
static enum tm_status add_type(const struct walk *w, bool is_enum)
{
    const struct tm_text name = tm_text_at(w->name.data, w->name.len);
    struct tm_proto_map *names = &w->types->names;
    struct tm_proto_map_entry *entry;
    uint32_t number;
    if (find(w->types, is_enum, name, &number))
        return TM_OK;
    enum tm_status st =
        tm_proto_map_add(names, is_enum, tm_hash64(name.data, name.len), TM_DESCRIBED_TYPES_MAX, &entry);
    if (st == TM_OK)
        entry->v1 = DESCRIBED_FROM + names->count - 1;
    return st < 0 ? st : TM_OK;
}

/* Adds the SIZE bytes of ITEM to LIST as (TYPE, NUMBER) of MAP, unless it has one. */
static enum tm_status add_item(struct tm_proto_map *map, uint32_t type, uint32_t number, struct tm_buf *list,
                               struct tm_text item)
{
    struct tm_proto_map_entry *entry;
    const uint32_t before = map->count;
    enum tm_status st = tm_proto_map_add(map, type, number, TM_DESCRIBED_FIELDS_MAX, &entry);
    if (st != TM_OK || map->count == before)
        return st < 0 ? st : TM_OK;
    entry->v1 = list->len / item.len;
    return tm_buf_add(list, item.data, item.len);
}

/* Sets the kind of FIELD from TYPE of FieldDescriptorProto, and the type that it refers to from NAME. False: what it
 * refers to is not known, or it is a group. */
static bool set_kind(const struct tm_described_types *types, struct tm_typed_field *field, uint64_t type,
                     struct tm_text name)
{
    static const uint8_t kinds[] = {
        [1] = TM_TYPED_DOUBLE, [2] = TM_TYPED_FLOAT, [3] = TM_TYPED_INT, [4] = TM_TYPED_UINT,
        [5] = TM_TYPED_INT32, [6] = TM_TYPED_UINT, [7] = TM_TYPED_UINT, [8] = TM_TYPED_BOOL,
        [9] = TM_TYPED_TEXT, [TYPE_MESSAGE] = TM_TYPED_MESSAGE, [12] = TM_TYPED_BYTES, [13] = TM_TYPED_UINT32,
        [14] = TM_TYPED_ENUM, [15] = TM_TYPED_INT32, [16] = TM_TYPED_INT, [17] = TM_TYPED_ZIGZAG,
        [18] = TM_TYPED_ZIGZAG};
    enum { TYPE_GROUP = 10 };
    uint32_t of = 0;
    if (type == 0 || type == TYPE_GROUP || type >= sizeof kinds)
        return false;
    field->kind = kinds[type];
    if (field->kind == TM_TYPED_MESSAGE && tm_text_is(name, ".perfetto.protos.DebugAnnotation")) {
        field->kind = TM_TYPED_ANNOTATION;
        return true;
    }
    if (field->kind == TM_TYPED_MESSAGE || field->kind == TM_TYPED_ENUM)
        if (!find(types, field->kind == TM_TYPED_ENUM, name, &of))
            return false;
    field->of = (uint16_t)of;
    return true;
}

static void set_flags(const struct tm_described_types *types, struct tm_typed_field *field, struct tm_text options)
{
    const struct tm_text name = part(options, OPTION_FLAGS_ENUM);
    uint32_t of;
    if (name.data == NULL || (field->kind != TM_TYPED_INT && field->kind != TM_TYPED_INT32) ||
        !find(types, true, name, &of))
        return;
    field->kind = field->kind == TM_TYPED_INT ? TM_TYPED_FLAGS : TM_TYPED_FLAGS32;
    field->of = (uint16_t)of;
}

/* Adds the field that FieldDescriptorProto F describes to MESSAGE. */
static enum tm_status add_field(const struct walk *w, uint32_t message, struct tm_text f)
{
    struct tm_described_types *types = w->types;
    struct tm_typed_field field = {.number = 0};
    struct tm_pb pb = tm_pb_of(f.data, f.len);
    struct tm_pb_field g;
    struct tm_text name = {0}, type_name = {0}, options = {0};
    uint64_t type = TYPE_MESSAGE;
    while (tm_pb_next(&pb, &g) == TM_OK) {
        switch (g.id) {
        case FIELD_NAME: name = text_of(&g); break;
        case FIELD_NUMBER: field.number = (uint32_t)g.value; break;
        case FIELD_LABEL: field.is_repeated = g.value == LABEL_REPEATED; break;
        case FIELD_TYPE: type = g.value; break;
        case FIELD_TYPE_NAME: type_name = text_of(&g); break;
        case FIELD_OPTIONS: options = text_of(&g); break;
        default: break;
        }
    }
    if (name.len == 0 || name.len > TM_TYPED_FIELD_NAME_MAX || !set_kind(types, &field, type, type_name) ||
        (message < DESCRIBED_FROM && tm_typed_field_find(message, field.number)))
        return TM_OK;
    set_flags(types, &field, options);
    memcpy(field.name, name.data, name.len);
    return add_item(&types->fields, message, field.number, &types->field_list, tm_text_at(&field, sizeof field));
}

static enum tm_status add_extension(const struct walk *w, struct tm_text f)
{
    uint32_t message;
    return find(w->types, false, part(f, FIELD_EXTENDEE), &message) ? add_field(w, message, f) : TM_OK;
}

static enum tm_status add_value(const struct walk *w, uint32_t type, struct tm_text f)
{
    struct tm_typed_value value = {.number = 0};
    struct tm_pb pb = tm_pb_of(f.data, f.len);
    struct tm_pb_field g;
    struct tm_text name = {0};
    while (tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == VALUE_NAME)
            name = text_of(&g);
        else if (g.id == VALUE_NUMBER)
            value.number = (int32_t)g.value;
    if (name.len == 0 || name.len > TM_TYPED_VALUE_NAME_MAX)
        return TM_OK;
    memcpy(value.name, name.data, name.len);
    return add_item(&w->types->values, type, (uint32_t)value.number, &w->types->value_list,
                    tm_text_at(&value, sizeof value));
}

/* Appends a dot and NAME to the name of W. */
static enum tm_status push(struct walk *w, struct tm_text name)
{
    return tm_buf_add_byte(&w->name, '.') == TM_OK ? tm_buf_add(&w->name, name.data, name.len) : TM_E_SYSTEM;
}

static enum tm_status walk_enum(struct walk *w, struct tm_text data)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    const size_t mark = w->name.len;
    uint32_t type;
    enum tm_status st = push(w, part(data, ENUM_NAME));
    if (st == TM_OK && w->is_naming)
        st = add_type(w, true);
    else if (st == TM_OK && find(w->types, true, tm_text_at(w->name.data, w->name.len), &type))
        while (st == TM_OK && (st = tm_pb_next(&pb, &f)) == TM_OK)
            if (f.id == ENUM_VALUE)
                st = add_value(w, type, text_of(&f));
    w->name.len = mark;
    return st == TM_END ? TM_OK : st;
}

static enum tm_status walk_message(struct walk *w, struct tm_text data, int depth);

/* Takes a part of MESSAGE. TrackEvent itself gets only extensions, as in the reference. */
static enum tm_status walk_part(struct walk *w, uint32_t message, const struct tm_pb_field *f, int depth)
{
    switch (f->id) {
    case MESSAGE_MESSAGE: return walk_message(w, text_of(f), depth + 1);
    case MESSAGE_ENUM: return walk_enum(w, text_of(f));
    case MESSAGE_FIELD:
        return w->is_naming || message == TM_TYPED_TRACK_EVENT ? TM_OK : add_field(w, message, text_of(f));
    case MESSAGE_EXTENSION: return w->is_naming ? TM_OK : add_extension(w, text_of(f));
    default: return TM_OK;
    }
}

static enum tm_status walk_message(struct walk *w, struct tm_text data, int depth)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    const size_t mark = w->name.len;
    uint32_t message = 0;
    if (depth > TM_DESCRIBED_DEPTH_MAX)
        return TM_OK;
    enum tm_status st = push(w, part(data, MESSAGE_NAME));
    if (st == TM_OK && w->is_naming)
        st = add_type(w, false);
    if (st == TM_OK && find(w->types, false, tm_text_at(w->name.data, w->name.len), &message))
        while (st == TM_OK && (st = tm_pb_next(&pb, &f)) == TM_OK)
            st = walk_part(w, message, &f, depth);
    w->name.len = mark;
    return st == TM_END ? TM_OK : st;
}

static enum tm_status walk_file(struct walk *w, struct tm_text data)
{
    struct tm_pb pb = tm_pb_of(data.data, data.len);
    struct tm_pb_field f;
    const struct tm_text package = part(data, FILE_PACKAGE);
    enum tm_status st;
    w->name.len = 0;
    if (package.len && (st = push(w, package)) < 0)
        return st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == FILE_MESSAGE)
            st = walk_message(w, text_of(&f), 0);
        else if (f.id == FILE_ENUM)
            st = walk_enum(w, text_of(&f));
        else if (f.id == FILE_EXTENSION && !w->is_naming)
            st = add_extension(w, text_of(&f));
        if (st < 0)
            return st;
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status walk_set(struct walk *w, struct tm_text set)
{
    struct tm_pb pb = tm_pb_of(set.data, set.len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (f.id == SET_FILE && (st = walk_file(w, text_of(&f))) < 0)
            return st;
    return st == TM_END ? TM_OK : st;
}

static enum tm_status add_set(struct tm_described_types *types, struct tm_text set)
{
    struct walk w = {.types = types, .is_naming = true};
    const enum tm_status named = walk_set(&w, set);
    enum tm_status st = named;
    w.is_naming = false;
    if (named != TM_E_SYSTEM)
        st = walk_set(&w, set);
    tm_buf_release(&w.name);
    return st;
}

/* Decompresses PACKED into SET. TM_E_INPUT: it is damaged or too long, or *IS_PAST_LIMIT is set. */
static enum tm_status expand(struct tm_text packed, struct tm_buf *set, struct tm_expansion *expansion,
                             bool *is_past_limit, struct tm_error *err)
{
    enum { CHUNK_BYTES = 64 << 10 };
    struct tm_input in = {0};
    struct tm_inflater inflater = {0};
    size_t got;
    tm_input_init_bytes(&in, packed.data, packed.len);
    enum tm_status st = tm_inflater_init(&inflater, TM_INFLATER_GZIP, &in, err);
    while (st == TM_OK) {
        if (set->len > TM_DESCRIBED_BYTES_MAX)
            st = TM_E_INPUT;
        else if (tm_buf_reserve(set, CHUNK_BYTES) != TM_OK)
            st = tm_error_nomem(err);
        else if ((st = tm_inflater_read(&inflater, set->data + set->len, CHUNK_BYTES, &got, err)) >= 0) {
            set->len += got;
            *is_past_limit = expansion && tm_expansion_add(expansion, got, err) < 0;
            st = *is_past_limit ? TM_E_INPUT : st;
        }
    }
    tm_inflater_release(&inflater);
    tm_input_release(&in);
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_described_types_read(struct tm_described_types *types, struct tm_text data,
                                       struct tm_expansion *expansion, bool *is_past_limit, struct tm_error *err)
{
    const struct tm_text set = part(data, SET), packed = part(data, SET_GZIP);
    struct tm_buf expanded = {0};
    enum tm_status st = TM_OK;
    if (set.data)
        st = add_set(types, set);
    else if (packed.data && (st = expand(packed, &expanded, expansion, is_past_limit, err)) == TM_OK)
        st = add_set(types, tm_text_at(expanded.data, expanded.len));
    tm_buf_release(&expanded);
    return st == TM_E_SYSTEM ? tm_error_nomem(err) : st;
}

const struct tm_typed_field *tm_described_field_find(const struct tm_described_types *types, uint32_t message,
                                                     uint32_t number)
{
    const struct tm_typed_field *known = message < DESCRIBED_FROM ? tm_typed_field_find(message, number) : NULL;
    const struct tm_proto_map_entry *entry = known ? NULL : tm_proto_map_find(&types->fields, message, number);
    return entry ? (const struct tm_typed_field *)(const void *)types->field_list.data + entry->v1 : known;
}

const char *tm_described_value_name(const struct tm_described_types *types, uint32_t type, int32_t number)
{
    const char *known = type < DESCRIBED_FROM ? tm_typed_value_name(type, number) : NULL;
    const struct tm_proto_map_entry *entry =
        known ? NULL : tm_proto_map_find(&types->values, type, (uint32_t)number);
    return entry ? ((const struct tm_typed_value *)(const void *)types->value_list.data + entry->v1)->name : known;
}

void tm_described_types_release(struct tm_described_types *types)
{
    tm_proto_map_release(&types->names);
    tm_proto_map_release(&types->fields);
    tm_proto_map_release(&types->values);
    tm_buf_release(&types->field_list);
    tm_buf_release(&types->value_list);
}
