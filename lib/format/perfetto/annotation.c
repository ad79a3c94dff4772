#include "format/perfetto/annotation.h"

#include "base/hash.h"
#include "format/perfetto/element_counts.h"
#include "format/perfetto/typed_args.h"
#include "format/perfetto/typed_message.h"
#include "stream/detail_arg.h"
#include "format/perfetto/count.h"
#include "format/perfetto/sequence.h"
#include "perfetto/typed_fields.h"

#include <inttypes.h>

/* DebugAnnotation.NestedValue */
enum { NESTED_TYPE = 1, NESTED_KEYS = 2, NESTED_DICT = 3, NESTED_ARRAY = 4 };
enum { NESTED_INT = 5, NESTED_DOUBLE = 6, NESTED_BOOL = 7, NESTED_STRING = 8 };
enum { TYPE_DICT = 1, TYPE_ARRAY = 2 };

/* Fields of a track event that are no arguments, or are debug annotations. Only others may be typed arguments. */
#define BIT(name) TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_##name)
#define UNTYPED                                                                                                        \
    (TM_TRACK_EVENT_CHANGES | BIT(THREAD_DELTA_US) | BIT(THREAD_ABSOLUTE_US) | BIT(INSTRUCTIONS_DELTA) |               \
     BIT(INSTRUCTIONS_ABSOLUTE) | BIT(CATEGORY_IIDS) | BIT(CATEGORIES) | BIT(TYPE) | BIT(NAME_IID) | BIT(NAME) |       \
     BIT(ANNOTATIONS))

struct writer {
    struct tm_proto_rows *rows;
    const struct tm_described_types *types;
    const struct tm_proto_sequence *sequence;
    struct tm_proto_element_counts *arrays; /* by a hash of their keys; annotations of one name share an array */
    bool only_counts; /* put nothing, only find errors */
    bool is_refused;  /* nothing more is put of the current annotation, as in the reference importer */
    uint32_t errors, cut; /* CUT: JSON that is damaged, and annotations beyond a limit */
};

/* Refuses the rest of the current annotation. */
static enum tm_status refuse(struct writer *w)
{
    w->errors += !w->is_refused;
    w->is_refused = true;
    return TM_OK;
}

/* Appends NAME to the key; the caller shortens the key again. '.', '[' and ']' in NAME become '_', because they
 * separate the parts of keys. */
static enum tm_status push_name(struct writer *w, const uint8_t *name, size_t len)
{
    struct tm_buf *key = &w->rows->key;
    if (w->only_counts)
        return TM_OK;
    if (tm_buf_reserve(key, len + 1) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *to = key->data + key->len; /* so that the compiler need not load it again after each byte */
    *to++ = '.';
    for (size_t i = 0; i < len; i++) {
        uint8_t c = name[i];
        to[i] = c == '.' || c == '[' || c == ']' ? '_' : c;
    }
    key->len += len + 1;
    return TM_OK;
}

/* Puts the arguments in a JSON text. A text that is not valid JSON has those before the damage, as in the reference. */
static enum tm_status put_json(struct writer *w, const struct tm_pb_field *f)
{
    struct tm_json_args *args = &w->rows->json;
    const struct tm_text key = tm_text_at(w->rows->key.data, w->rows->key.len);
    bool is_whole;
    if (tm_json_args_text(args, key, tm_text_at(f->data, f->len), &is_whole) != TM_OK)
        return TM_E_SYSTEM;
    w->cut += args->cut + !is_whole;
    w->rows->is_cut |= args->cut;
    return tm_buf_add(&w->rows->detail, args->detail.data, args->detail.len);
}

static enum tm_status put_value(struct writer *w, const struct tm_pb_field *f, bool *added)
{
    struct tm_buf *detail = &w->rows->detail, *key = &w->rows->key;
    *added = true;
    if (w->only_counts && f->id != TM_ANNOTATION_JSON && f->id != TM_ANNOTATION_STRING_IID)
        return TM_OK;
    switch (f->id) {
    case TM_ANNOTATION_BOOL: return tm_detail_arg_number(detail, key, TM_ARG_BOOL, f->value != 0);
    case TM_ANNOTATION_UINT: return tm_detail_arg_number(detail, key, TM_ARG_UINT, f->value);
    case TM_ANNOTATION_INT: return tm_detail_arg_number(detail, key, TM_ARG_INT, f->value);
    case TM_ANNOTATION_DOUBLE: return tm_detail_arg_number(detail, key, TM_ARG_DOUBLE, f->value);
    case TM_ANNOTATION_POINTER: return tm_detail_arg_number(detail, key, TM_ARG_POINTER, f->value);
    case TM_ANNOTATION_STRING: return tm_detail_arg_bytes(detail, key, TM_ARG_STRING, f->data, f->len);
    case TM_ANNOTATION_JSON:
        return f->len ? put_json(w, f) : TM_OK;
    default: {
        struct tm_pb_field text = tm_proto_interned_text(w->sequence, TM_INTERNED_ANNOTATION_STRINGS, f->value);
        *added = text.data != NULL;
        if (text.data)
            return tm_detail_arg_bytes(detail, key, TM_ARG_STRING, text.data, text.len);
        return refuse(w);
    }
    }
}

static enum tm_status put_nested(struct writer *w, const struct tm_pb_field *message, int depth, bool *added);

/* True if MESSAGE, a NestedValue, has as many keys as values. */
static bool has_pairs(const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    size_t keys = 0, values = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        keys += f.id == NESTED_KEYS && f.type == TM_PB_LEN;
        values += f.id == NESTED_DICT && f.type == TM_PB_LEN;
    }
    return keys == values;
}

/* Walks the pairs of dict_keys and dict_values side by side. */
static enum tm_status put_nested_dict(struct writer *w, const struct tm_pb_field *message, int depth)
{
    struct tm_pb keys = tm_pb_of(message->data, message->len), values = keys;
    struct tm_pb_field k, v;
    size_t mark = w->rows->key.len;
    enum tm_status st = TM_OK;
    if (!has_pairs(message))
        return refuse(w);
    while (st == TM_OK && !w->is_refused) {
        bool added;
        do
            st = tm_pb_next(&keys, &k);
        while (st == TM_OK && (k.id != NESTED_KEYS || k.type != TM_PB_LEN));
        do
            st = st != TM_OK ? st : tm_pb_next(&values, &v);
        while (st == TM_OK && (v.id != NESTED_DICT || v.type != TM_PB_LEN));
        if (st != TM_OK)
            break;
        if ((st = push_name(w, k.data, k.len)) == TM_OK)
            st = put_nested(w, &v, depth + 1, &added);
        w->rows->key.len = mark;
    }
    return st == TM_E_SYSTEM ? st : TM_OK;
}

/* The entries of a dictionary or an array. */
struct entries {
    uint32_t field; /* the number of the field that has one */
    bool has_index; /* the key of an entry is its index; otherwise PUT adds the entry's name */
    int depth;      /* of an entry */
    enum tm_status (*put)(struct writer *, const struct tm_pb_field *, int depth, bool *added);
};

/* Sets *COUNT to the number of elements of the array with the current key. */
static enum tm_status count_of(struct writer *w, uint64_t **count)
{
    return tm_proto_element_count(w->arrays, tm_hash64(w->rows->key.data, w->rows->key.len), count);
}

/* Puts the entries of MESSAGE. Sets *ADDED if there is one. */
static enum tm_status put_entries(struct writer *w, const struct tm_pb_field *message, const struct entries *entries,
                                  bool *added)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    size_t mark = w->rows->key.len;
    uint64_t index = 0, *count = &index;
    enum tm_status st = entries->has_index ? count_of(w, &count) : TM_OK;
    index = *count;
    while (st == TM_OK && !w->is_refused && tm_pb_next(&pb, &f) == TM_OK) {
        bool child = false;
        if (f.id != entries->field || f.type != TM_PB_LEN)
            continue;
        if (entries->has_index)
            st = tm_buf_addf(&w->rows->key, "[%" PRIu64 "]", index);
        if (st == TM_OK)
            st = entries->put(w, &f, entries->depth, &child);
        w->rows->key.len = mark;
        index += child;
        *added |= child;
    }
    if (st == TM_OK && entries->has_index && (st = count_of(w, &count)) == TM_OK) /* it can be elsewhere now */
        *count = index;
    return st;
}

/* Puts a NestedValue, the form of older traces. */
static enum tm_status put_nested(struct writer *w, const struct tm_pb_field *message, int depth, bool *added)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, value = {0};
    uint64_t type = 0;
    *added = false;
    if (depth > TM_PROTO_DEPTH_MAX) {
        w->rows->is_cut = true;
        w->cut++;
        return TM_OK;
    }
    if (!tm_proto_detail_takes(w->rows))
        return TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == NESTED_TYPE)
            type = f.value;
        else if (f.id >= NESTED_INT && f.id <= NESTED_STRING)
            value = f;
    }
    if (type == TYPE_DICT) {
        *added = true;
        return put_nested_dict(w, message, depth);
    }
    const struct entries elements = {NESTED_ARRAY, true, depth + 1, put_nested};
    if (type == TYPE_ARRAY)
        return put_entries(w, message, &elements, added);
    if (value.id == 0)
        return TM_OK;
    value.id = value.id == NESTED_INT      ? TM_ANNOTATION_INT
               : value.id == NESTED_DOUBLE ? TM_ANNOTATION_DOUBLE
               : value.id == NESTED_BOOL   ? TM_ANNOTATION_BOOL
                                           : TM_ANNOTATION_STRING;
    return put_value(w, &value, added);
}

static enum tm_status put_annotation(struct writer *w, const struct tm_pb_field *message, int depth, bool *added);

/* A decoded DebugAnnotation. */
struct annotation {
    struct tm_text name;
    struct tm_pb_field value; /* id 0: none */
    struct tm_text type;      /* full name of the type of a value that is a message */
    bool has_dict, has_array;
};

static struct tm_text interned(const struct writer *w, uint32_t field, uint64_t iid)
{
    struct tm_pb_field text = tm_proto_interned_text(w->sequence, field, iid);
    return tm_text_at(text.data, text.len);
}

static void read_annotation(const struct writer *w, const struct tm_pb_field *message, struct annotation *a)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    bool has_number = false;
    a->name = a->type = (struct tm_text){0};
    a->value.id = 0;
    a->has_dict = a->has_array = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        switch (f.id) {
        case TM_ANNOTATION_NAME_IID:
            has_number = f.value != 0;
            a->name = interned(w, TM_INTERNED_ANNOTATION_NAMES, f.value);
            break;
        case TM_ANNOTATION_NAME: /* an iid takes precedence over a text */
            if (!has_number)
                a->name = tm_text_at(f.data, f.len);
            break;
        case TM_ANNOTATION_DICT:
            a->has_dict = true;
            break;
        case TM_ANNOTATION_ARRAY:
            a->has_array = true;
            break;
        case TM_ANNOTATION_BOOL:
        case TM_ANNOTATION_UINT:
        case TM_ANNOTATION_INT:
        case TM_ANNOTATION_DOUBLE:
        case TM_ANNOTATION_STRING:
        case TM_ANNOTATION_POINTER:
        case TM_ANNOTATION_NESTED:
        case TM_ANNOTATION_JSON:
        case TM_ANNOTATION_STRING_IID:
        case TM_ANNOTATION_PROTO:
            a->value = f;
            break;
        case TM_ANNOTATION_TYPE:
            a->type = tm_text_at(f.data, f.len);
            break;
        case TM_ANNOTATION_TYPE_IID:
            a->type = interned(w, TM_INTERNED_ANNOTATION_TYPES, f.value);
            break;
        default:
            break;
        }
    }
}

/* Puts a DebugAnnotation inside a message of another type. */
static enum tm_status put_inner(void *self, const struct tm_pb_field *message, int depth)
{
    bool added = false;
    return put_annotation(self, message, depth, &added);
}

/* Puts a message of the type that the annotation names. */
static enum tm_status put_message(struct writer *w, const struct annotation *a, int depth, bool *added)
{
    static const char annotation[] = ".perfetto.protos.DebugAnnotation";
    const struct tm_typed_writer typed = {w->types, w->rows, put_inner, w, NULL};
    uint32_t message;
    if (w->only_counts)
        return TM_OK;
    *added = true;
    if (a->type.data && tm_text_is(a->type, annotation))
        return put_annotation(w, &a->value, depth + 1, added);
    if (a->type.data && tm_described_message_find(w->types, a->type, &message))
        return tm_proto_typed_message_put(&typed, message, tm_pb_of(a->value.data, a->value.len), depth + 1);
    return refuse(w);
}

/* Puts a DebugAnnotation. A DEPTH below zero means an entry of an array, which needs no name. */
static enum tm_status put_annotation(struct writer *w, const struct tm_pb_field *message, int depth, bool *added)
{
    struct annotation a;
    bool in_array = depth < 0;
    depth = in_array ? -depth : depth;
    if (w->is_refused || !tm_proto_detail_takes(w->rows))
        return TM_OK;
    read_annotation(w, message, &a);
    if (!in_array && a.name.data == NULL)
        return refuse(w);
    if (depth > TM_PROTO_DEPTH_MAX) {
        w->rows->is_cut = true;
        w->cut++;
        return TM_OK;
    }
    if (!in_array && push_name(w, a.name.data, a.name.len) != TM_OK)
        return TM_E_SYSTEM;
    /* Entries are DebugAnnotations themselves. */
    const struct entries members = {TM_ANNOTATION_DICT, false, depth + 1, put_annotation};
    const struct entries elements = {TM_ANNOTATION_ARRAY, true, -depth - 1, put_annotation};
    if (a.has_dict) {
        *added = true;
        return put_entries(w, message, &members, added);
    }
    if (a.has_array)
        return put_entries(w, message, &elements, added);
    if (a.value.id == TM_ANNOTATION_NESTED)
        return put_nested(w, &a.value, depth, added);
    if (a.value.id == TM_ANNOTATION_PROTO)
        return put_message(w, &a, depth, added);
    return a.value.id ? put_value(w, &a.value, added) : TM_OK;
}

static enum tm_status put_annotations(struct writer *w, struct tm_pb pb)
{
    struct tm_pb_field f;
    enum tm_status st = tm_buf_add_str(&w->rows->key, "debug");
    const size_t prefix = w->rows->key.len;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        bool added = false;
        if (f.id != TM_TRACK_EVENT_ANNOTATIONS || f.type != TM_PB_LEN)
            continue;
        w->rows->key.len = prefix;
        w->is_refused = false;
        st = put_annotation(w, &f, 0, &added);
    }
    return st;
}

enum tm_status tm_proto_annotations_put(const struct tm_proto_track_context *context, bool is_shown,
                                        struct tm_error *err)
{
    struct tm_proto_element_counts arrays;
    struct writer w = {.rows = context->rows,
                       .arrays = &arrays,
                       .types = context->types,
                       .sequence = context->packet->sequence,
                       .only_counts = !context->rows->sink->want_packet_args};
    uint32_t unknown = 0;
    const struct tm_typed_writer typed = {context->types, context->rows, put_inner, &w, &unknown};
    const bool is_typed = context->event->fields & ~UNTYPED;
    size_t before = context->rows->detail.len;
    const bool was_cut = context->rows->is_cut;
    enum tm_status st = is_typed ? tm_proto_typed_args_put(context, &w.errors) : TM_OK;
    context->rows->key.len = 0;
    tm_proto_element_counts_init(&arrays);
    if (st == TM_OK && is_typed && !w.only_counts)
        st = tm_proto_typed_message_put(&typed, TM_TYPED_TRACK_EVENT, context->event->body, 0);
    if (st == TM_OK && context->event->fields & (BIT(ANNOTATIONS) | BIT(OTHERS)))
        st = put_annotations(&w, context->event->body);
    tm_proto_element_counts_release(&arrays);
    if (st != TM_OK)
        return tm_error_nomem(err);
    w.cut += tm_proto_detail_is_full(context->rows);
    if (w.only_counts) {
        context->rows->detail.len = before;
        context->rows->is_cut = was_cut;
    }
    struct tm_proto_counts *counts = &context->rows->counts;
    const uint32_t machine = context->packet->machine;
    if (unknown)
        st = tm_proto_count_stat(counts, TM_PROTO_STAT_UNKNOWN_EXTENSIONS, machine, unknown, err);
    if (st == TM_OK && w.errors && is_shown)
        st = tm_proto_count_stat(counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS, machine, w.errors, err);
    return st < 0 || w.cut == 0 ? st
                                : tm_proto_count_stat(counts, TM_PROTO_STAT_ANNOTATION_ERRORS, machine, w.cut, err);
}
