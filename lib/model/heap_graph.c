#include "model/heap_graph.h"

#include "base/pb.h"
#include "base/table.h"

#include <stdlib.h>

enum { GRAPH_PID = 1, GRAPH_OBJECTS = 2, GRAPH_FIELD_NAMES = 4, GRAPH_CONTINUED = 5, GRAPH_INDEX = 6, GRAPH_ROOTS = 7,
       GRAPH_LOCATION_NAMES = 8, GRAPH_TYPES = 9, GRAPH_SIZE = 10 };
enum { OBJECT_ID = 1, OBJECT_TYPE = 2, OBJECT_SIZE = 3, OBJECT_FIELDS = 4, OBJECT_REFERENCES = 5, OBJECT_BASE = 6,
       OBJECT_ID_DELTA = 7, OBJECT_REGISTRY = 8, OBJECT_HEAP = 9, OBJECT_INTERNAL = 10, OBJECT_BITMAP = 11,
       OBJECT_BITMAP_END = 15 };
enum { ROOT_OBJECTS = 1, ROOT_TYPE = 2, ROOT_TYPE_MAX = 14 };
enum { TYPE_ID = 1, TYPE_LOCATION = 2, TYPE_NAME = 3, TYPE_OBJECT_SIZE = 4, TYPE_SUPER = 5, TYPE_FIELDS = 6,
       TYPE_KIND = 7, TYPE_LOADER = 8, TYPE_KIND_MAX = 11 };
enum { HEAP_MAX = 3 };
enum { STRING_IID = 1, STRING_TEXT = 2 };
enum { TEXTS_MAX = 1 << 24 };

void tm_heap_graph_init(struct tm_heap_graph *g)
{
    *g = (struct tm_heap_graph){.internal_field = TM_HEAP_NONE};
    tm_intern_init(&g->texts, TEXTS_MAX, (size_t)1 << 28);
}

static enum tm_status too_large(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "a heap graph has more than %d references or %d texts", TM_HEAP_REFERENCES_MAX,
                        TEXTS_MAX);
}

enum tm_status tm_heap_graph_intern(struct tm_heap_graph *g, struct tm_text text, uint32_t *number,
                                    struct tm_error *err)
{
    enum tm_status st = tm_intern_add(&g->texts, text.data ? text.data : (const uint8_t *)"", text.len, number, NULL);
    return st == TM_END ? too_large(err) : st < 0 ? tm_error_nomem(err) : TM_OK;
}

struct tm_text tm_heap_graph_text(const struct tm_heap_graph *g, uint32_t text)
{
    struct tm_text out = {0};
    if (text != TM_HEAP_NONE)
        out.data = tm_intern_get(&g->texts, text, &out.len);
    return out;
}

/* Finds the number of ID, or gives it the next one, COUNT. TM_OK: it is new. TM_END: it was there. */
static enum tm_status number_of(struct tm_map *ids, uint64_t id, uint32_t count, uint32_t *number, struct tm_error *err)
{
    if (tm_map_find(ids, id, number))
        return TM_END;
    *number = count;
    return tm_map_add(ids, id, count) < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_heap_graph_object(struct tm_heap_graph *g, uint64_t id, uint32_t *object, struct tm_error *err)
{
    enum tm_status st = number_of(&g->object_ids, id, g->object_count, object, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if ((st = tm_array_grow(&g->objects, &g->object_cap, g->object_count, sizeof *g->objects, err)) < 0)
        return st;
    g->objects[g->object_count++] =
        (struct tm_heap_object){.self_size = -1, .type = TM_HEAP_NONE, .root = TM_HEAP_NO_ROOT};
    return TM_OK;
}

static enum tm_status type_of(struct tm_heap_graph *g, uint64_t id, uint32_t *type, struct tm_error *err)
{
    enum tm_status st = number_of(&g->type_ids, id, g->type_count, type, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if ((st = tm_array_grow(&g->types, &g->type_cap, g->type_count, sizeof *g->types, err)) < 0)
        return st;
    g->types[g->type_count++] = (struct tm_heap_type){.id = id, .name = TM_HEAP_NONE, .location_text = TM_HEAP_NONE,
                                                      .superclass = TM_HEAP_NONE, .loader = TM_HEAP_NONE};
    return TM_OK;
}

static enum tm_status new_field(struct tm_heap_graph *g, uint32_t *field, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&g->fields, &g->field_cap, g->field_count, sizeof *g->fields, err);
    if (st < 0)
        return st;
    *field = g->field_count;
    g->fields[g->field_count++] = (struct tm_heap_field){TM_HEAP_NONE, TM_HEAP_NONE};
    return TM_OK;
}

static enum tm_status field_of(struct tm_heap_graph *g, uint64_t id, uint32_t *field, struct tm_error *err)
{
    enum tm_status st = number_of(&g->field_ids, id, g->field_count, field, err);
    return st != TM_OK ? (st < 0 ? st : TM_OK) : new_field(g, field, err);
}

static enum tm_status add_reference(struct tm_heap_graph *g, uint32_t owned, uint32_t field, struct tm_error *err)
{
    if (g->reference_count == TM_HEAP_REFERENCES_MAX)
        return too_large(err);
    enum tm_status st =
        tm_array_grow(&g->references, &g->reference_cap, g->reference_count, sizeof *g->references, err);
    if (st == TM_OK)
        g->references[g->reference_count++] = (struct tm_heap_reference){owned, field};
    return st;
}

static enum tm_status add_root(struct tm_heap_graph *g, uint64_t object, uint8_t type, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&g->roots, &g->root_cap, g->root_count, sizeof *g->roots, err);
    if (st == TM_OK)
        g->roots[g->root_count++] = (struct tm_heap_root){object, type};
    return st;
}

/* The numbers of a repeated field, packed or each in a field of its own. */
struct numbers {
    struct tm_pb message;
    uint32_t id;
    const uint8_t *p, *end; /* of the packed ones */
};

/* Reads the next number. TM_OK with *VALUE set, TM_END, or TM_E_INPUT: they are malformed. */
static enum tm_status next_number(struct numbers *n, uint64_t *value)
{
    struct tm_pb_field f;
    while (n->p == n->end) {
        if (tm_pb_next(&n->message, &f) != TM_OK)
            return TM_END;
        if (f.id == n->id && f.type == TM_PB_VARINT) {
            *value = f.value;
            return TM_OK;
        }
        if (f.id == n->id && f.type == TM_PB_LEN) {
            n->p = f.data;
            n->end = f.data + f.len;
        }
    }
    n->p = tm_varint_get(n->p, n->end, value);
    return n->p ? TM_OK : TM_E_INPUT;
}

/* Returns how many numbers there are in field ID of MESSAGE; -1: they are malformed. */
static int64_t count_numbers(struct tm_pb message, uint32_t id)
{
    struct numbers n = {.message = message, .id = id};
    uint64_t value;
    int64_t count = 0;
    enum tm_status st;
    while ((st = next_number(&n, &value)) == TM_OK)
        count++;
    return st < 0 ? -1 : count;
}

/* An object as its message has it. */
struct stated_object {
    uint64_t id, type, size, base;
    uint8_t heap;
    bool has_registry;
    int64_t registry;
    struct tm_heap_bitmap bitmap;
};

static struct stated_object read_object(const struct tm_heap_graph *g, struct tm_pb pb)
{
    struct stated_object stated = {.heap = g->last_heap};
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_VARINT)
            continue;
        switch (f.id) {
        case OBJECT_ID: stated.id = f.value; break;
        case OBJECT_ID_DELTA:
            if (f.value)
                stated.id = g->last_object + f.value;
            break;
        case OBJECT_TYPE: stated.type = f.value; break;
        case OBJECT_SIZE: stated.size = f.value; break;
        case OBJECT_BASE: stated.base = f.value; break;
        case OBJECT_HEAP: stated.heap = f.value <= HEAP_MAX ? (uint8_t)f.value : 0; break;
        case OBJECT_REGISTRY:
            stated.has_registry = true;
            stated.registry = (int64_t)f.value;
            break;
        default:
            if (f.id >= OBJECT_BITMAP && f.id < OBJECT_BITMAP_END) {
                stated.bitmap.has |= (uint8_t)(1 << (f.id - OBJECT_BITMAP));
                stated.bitmap.values[f.id - OBJECT_BITMAP] =
                    f.id < OBJECT_BITMAP + 2 ? (int64_t)f.value : (int64_t)(uint32_t)f.value;
            }
        }
    }
    return stated;
}

/* Adds the references of an object: those of its fields, then those of the runtime. */
static enum tm_status add_references(struct tm_heap_graph *g, struct tm_pb message, uint64_t base, bool has_names,
                                     struct tm_error *err)
{
    struct numbers objects = {.message = message, .id = OBJECT_REFERENCES};
    struct numbers names = {.message = message, .id = OBJECT_FIELDS};
    struct numbers internal = {.message = message, .id = OBJECT_INTERNAL};
    enum tm_status st = TM_OK;
    uint64_t id, name;
    while (st == TM_OK && next_number(&objects, &id) == TM_OK) {
        uint32_t owned = TM_HEAP_NONE, field = TM_HEAP_NONE;
        if (id)
            st = tm_heap_graph_object(g, id + base, &owned, err);
        if (st == TM_OK && has_names && next_number(&names, &name) == TM_OK)
            st = field_of(g, name, &field, err);
        if (st == TM_OK)
            st = add_reference(g, owned, field, err);
    }
    while (st == TM_OK && next_number(&internal, &id) == TM_OK) {
        uint32_t owned;
        if (g->internal_field == TM_HEAP_NONE && (st = new_field(g, &g->internal_field, err)) == TM_OK)
            st = tm_heap_graph_intern(g, tm_text_str("runtimeInternalObjects"),
                                      &g->fields[g->internal_field].name, err);
        if (st == TM_OK && (st = tm_heap_graph_object(g, id, &owned, err)) == TM_OK)
            st = add_reference(g, owned, g->internal_field, err);
    }
    return st;
}

/* Keeps what only some objects state. */
static enum tm_status add_values(struct tm_heap_graph *g, uint32_t object, const struct stated_object *stated,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (stated->has_registry) {
        st = tm_array_grow(&g->registries, &g->registry_cap, g->registry_count, sizeof *g->registries, err);
        if (st < 0 || tm_map_set(&g->registry_of, object, g->registry_count) < 0)
            return st < 0 ? st : tm_error_nomem(err);
        g->registries[g->registry_count++] = stated->registry;
    }
    if (stated->bitmap.has) {
        st = tm_array_grow(&g->bitmaps, &g->bitmap_cap, g->bitmap_count, sizeof *g->bitmaps, err);
        if (st < 0 || tm_map_set(&g->bitmap_of, object, g->bitmap_count) < 0)
            return st < 0 ? st : tm_error_nomem(err);
        g->bitmaps[g->bitmap_count++] = stated->bitmap;
    }
    return st;
}

/* Adds an object. TM_END: the message is malformed, and the objects after it do not count. */
static enum tm_status add_object(struct tm_heap_graph *g, struct tm_pb message, struct tm_error *err)
{
    int64_t names = count_numbers(message, OBJECT_FIELDS), references = count_numbers(message, OBJECT_REFERENCES);
    int64_t internal = count_numbers(message, OBJECT_INTERNAL);
    bool is_cut = names < 0 || references < 0 || internal < 0;
    if (is_cut || (names && names != references)) {
        g->faults[TM_HEAP_MALFORMED]++;
        return is_cut ? TM_END : TM_OK;
    }
    struct stated_object stated = read_object(g, message);
    uint32_t number, type, first;
    enum tm_status st = tm_heap_graph_object(g, stated.id, &number, err);
    if (st < 0 || (st = type_of(g, stated.type, &type, err)) < 0)
        return st;
    first = g->reference_count;
    if ((st = add_references(g, message, stated.base, names != 0, err)) < 0)
        return st;
    g->last_object = stated.id;
    g->last_heap = stated.heap;
    struct tm_heap_object *object = &g->objects[number];
    object->self_size = (int64_t)stated.size;
    object->type = type;
    object->heap = stated.heap;
    object->first_reference = first;
    object->reference_count = g->reference_count - first;
    object->has_field_names = names != 0 || references == 0;
    return add_values(g, number, &stated, err);
}

static enum tm_status add_type(struct tm_heap_graph *g, struct tm_pb message, struct tm_error *err)
{
    struct numbers fields = {.message = message, .id = TYPE_FIELDS};
    struct tm_heap_type type = {.is_known = true, .location_text = TM_HEAP_NONE, .superclass = TM_HEAP_NONE,
                                .loader = TM_HEAP_NONE};
    struct tm_text name = {0};
    struct tm_pb_field f;
    uint64_t id;
    uint32_t number;
    if (count_numbers(message, TYPE_FIELDS) < 0) {
        g->faults[TM_HEAP_MALFORMED]++;
        return TM_OK;
    }
    for (struct tm_pb pb = message; tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TYPE_NAME && f.type == TM_PB_LEN)
            name = (struct tm_text){f.data, f.len};
        if (f.type != TM_PB_VARINT)
            continue;
        switch (f.id) {
        case TYPE_ID: type.id = f.value; break;
        case TYPE_LOCATION:
            type.has_location = true;
            type.location = f.value;
            break;
        case TYPE_OBJECT_SIZE: type.object_size = f.value; break;
        case TYPE_SUPER: type.super_id = f.value; break;
        case TYPE_KIND: type.kind = f.value <= TYPE_KIND_MAX ? (uint8_t)f.value : 0; break;
        case TYPE_LOADER: type.loader_id = f.value; break;
        default: break;
        }
    }
    type.first_field = g->type_field_count;
    enum tm_status st = tm_heap_graph_intern(g, name, &type.name, err);
    while (st == TM_OK && next_number(&fields, &id) == TM_OK) {
        uint32_t field;
        if ((st = field_of(g, id, &field, err)) == TM_OK &&
            (st = tm_array_grow(&g->type_fields, &g->type_field_cap, g->type_field_count, sizeof *g->type_fields,
                                err)) == TM_OK)
            g->type_fields[g->type_field_count++] = field;
    }
    type.field_count = g->type_field_count - type.first_field;
    if (st == TM_OK && (st = type_of(g, type.id, &number, err)) == TM_OK)
        g->types[number] = type;
    return st;
}

static enum tm_status add_roots(struct tm_heap_graph *g, struct tm_pb message, bool *is_cut, struct tm_error *err)
{
    struct numbers objects = {.message = message, .id = ROOT_OBJECTS};
    struct tm_pb_field f;
    uint64_t type = 0, id;
    enum tm_status st = TM_OK;
    for (struct tm_pb pb = message; tm_pb_next(&pb, &f) == TM_OK;)
        if (f.id == ROOT_TYPE && f.type == TM_PB_VARINT)
            type = f.value <= ROOT_TYPE_MAX ? f.value : 0;
    *is_cut = count_numbers(message, ROOT_OBJECTS) < 0;
    g->faults[TM_HEAP_MALFORMED] += *is_cut;
    while (st == TM_OK && !*is_cut && next_number(&objects, &id) == TM_OK)
        st = add_root(g, id, (uint8_t)type, err);
    return st;
}

/* Adds the name of a field or a location. The name of a field comes after its type and a blank. That of a location is
 * the path of a file. */
static enum tm_status add_name(struct tm_heap_graph *g, struct tm_pb pb, bool is_location, struct tm_error *err)
{
    struct tm_text text = {0}, type = {0};
    struct tm_pb_field f;
    uint64_t id = 0;
    uint32_t number, field;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STRING_IID && f.type == TM_PB_VARINT)
            id = f.value;
        else if (f.id == STRING_TEXT && f.type == TM_PB_LEN)
            text = (struct tm_text){f.data, f.len};
    }
    enum tm_status st;
    if (is_location) {
        st = tm_heap_graph_intern(g, text, &number, err);
        return st == TM_OK && tm_map_add(&g->location_ids, id, number) < 0 ? tm_error_nomem(err) : st;
    }
    const uint8_t *blank = text.len ? memchr(text.data, ' ', text.len) : NULL;
    if (blank) {
        type = (struct tm_text){text.data, (size_t)(blank - text.data)};
        text = (struct tm_text){blank + 1, text.len - type.len - 1};
    }
    if ((st = field_of(g, id, &field, err)) < 0 || g->fields[field].name != TM_HEAP_NONE)
        return st;
    if ((st = tm_heap_graph_intern(g, text, &number, err)) == TM_OK)
        g->fields[field].name = number;
    return st < 0 || type.data == NULL ? st : tm_heap_graph_intern(g, type, &g->fields[field].type, err);
}

/* Checks the number of a packet. Numbers count from 0, without gaps. */
static void take_index(struct tm_heap_graph *g, uint64_t index)
{
    if (index != (g->has_index ? g->index + 1 : 0)) {
        g->is_truncated = true;
        g->faults[TM_HEAP_MISSING_PACKET]++;
    }
    g->has_index = true;
    g->index = index;
}

/* True if the message is of the dump: of the same process and time as those before it. */
static bool is_of_dump(struct tm_heap_graph *g, int64_t pid, int64_t ts)
{
    if (!g->has_owner) {
        g->has_owner = true;
        g->pid = pid;
        g->ts = ts;
    }
    return g->pid == pid && g->ts == ts;
}

static enum tm_status add_part(struct tm_heap_graph *g, const struct tm_pb_field *f, bool is_of_it, bool skips[2],
                               struct tm_error *err)
{
    struct tm_pb message = tm_pb_of(f->data, f->len);
    bool is_graph = f->id == GRAPH_OBJECTS || f->id == GRAPH_ROOTS;
    enum tm_status st = TM_OK;
    if (is_graph && !is_of_it) {
        g->faults[TM_HEAP_NOT_FINISHED]++;
        return TM_OK;
    }
    switch (f->id) {
    case GRAPH_OBJECTS:
        st = skips[0] ? TM_OK : add_object(g, message, err);
        skips[0] = skips[0] || st == TM_END;
        break;
    case GRAPH_ROOTS: st = skips[1] ? TM_OK : add_roots(g, message, &skips[1], err); break;
    case GRAPH_TYPES: st = add_type(g, message, err); break;
    case GRAPH_FIELD_NAMES: st = add_name(g, message, false, err); break;
    case GRAPH_LOCATION_NAMES: st = add_name(g, message, true, err); break;
    default: break;
    }
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_heap_graph_add(struct tm_heap_graph *g, int64_t ts, struct tm_text message, bool *is_last,
                                 struct tm_error *err)
{
    struct tm_pb_field f;
    uint64_t index = 0;
    int64_t pid = 0;
    bool has_parts = false, skips[2] = {false};
    enum tm_status st = TM_OK;
    *is_last = true;
    for (struct tm_pb pb = tm_pb_of(message.data, message.len); tm_pb_next(&pb, &f) == TM_OK;) {
        has_parts = has_parts || f.id == GRAPH_OBJECTS || f.id == GRAPH_ROOTS;
        if (f.type != TM_PB_VARINT)
            continue;
        switch (f.id) {
        case GRAPH_PID: pid = (int64_t)(uint32_t)f.value; break;
        case GRAPH_INDEX: index = f.value; break;
        case GRAPH_CONTINUED: *is_last = f.value == 0; break;
        case GRAPH_SIZE:
            g->has_size = true;
            g->size = (int64_t)f.value;
            break;
        default: break;
        }
    }
    take_index(g, index);
    bool is_of_it = !has_parts || is_of_dump(g, pid, ts);
    for (struct tm_pb pb = tm_pb_of(message.data, message.len); st == TM_OK && tm_pb_next(&pb, &f) == TM_OK;)
        if (f.type == TM_PB_LEN)
            st = add_part(g, &f, is_of_it, skips, err);
    return st;
}

void tm_heap_graph_release(struct tm_heap_graph *g)
{
    tm_map_release(&g->object_ids);
    tm_map_release(&g->type_ids);
    tm_map_release(&g->field_ids);
    tm_map_release(&g->location_ids);
    tm_map_release(&g->registry_of);
    tm_map_release(&g->bitmap_of);
    tm_intern_release(&g->texts);
    free(g->objects);
    free(g->references);
    free(g->types);
    free(g->type_fields);
    free(g->fields);
    free(g->bitmaps);
    free(g->registries);
    free(g->roots);
    *g = (struct tm_heap_graph){0};
}
