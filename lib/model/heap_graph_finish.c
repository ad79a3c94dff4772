/* Completes a heap graph after its last packet. */
#include "base/table.h"
#include "model/heap_graph.h"

#include <stdlib.h>

/* So many superclasses of a class name references. Classes may extend each other in a circle. */
enum { SUPERCLASSES_MAX = 256 };

enum { KIND_NOREFERENCES = 2, KIND_STRING = 3, KIND_ARRAY = 4, KIND_WEAK = 9, KIND_PHANTOM = 11 };
enum { ROOT_JNI_GLOBAL = 1, ROOT_JNI_LOCAL = 2, ROOT_STICKY_CLASS = 5, ROOT_VM_INTERNAL = 13 };
enum { HEAP_ZYGOTE = 2, HEAP_BOOT_IMAGE = 3 };

/* Sets *NUMBER to the number of S in the graph's texts. Adds S if it is not there. */
static enum tm_status find_text(struct tm_heap_graph *g, const char *s, uint32_t *number, struct tm_error *err)
{
    return tm_heap_graph_intern(g, tm_text_str(s), number, err);
}

static bool has_no_fields(const struct tm_heap_type *type)
{
    return type->kind == KIND_NOREFERENCES || type->kind == KIND_STRING || type->kind == KIND_ARRAY;
}

/* Returns the class that TYPE states as its superclass; NULL if it is not known. */
static const struct tm_heap_type *stated_super(struct tm_heap_graph *g, const struct tm_heap_type *type)
{
    uint32_t number;
    if (type->super_id && tm_map_find(&g->type_ids, type->super_id, &number) && g->types[number].is_known)
        return &g->types[number];
    g->faults[TM_HEAP_MALFORMED]++;
    return NULL;
}

/* Names the references of OBJECT by the fields of its class, then by those of the classes that it extends. */
static void name_references(struct tm_heap_graph *g, const struct tm_heap_object *object)
{
    const struct tm_heap_type *type = &g->types[object->type];
    uint32_t in_type = 0, depth = 0;
    for (uint32_t i = 0; i < object->reference_count; i++) {
        for (; type && in_type >= type->field_count; depth++) {
            in_type -= type->field_count;
            type = depth < SUPERCLASSES_MAX ? stated_super(g, type) : NULL;
        }
        if (type == NULL)
            return;
        uint32_t field = g->type_fields[type->first_field + in_type++];
        if (g->fields[field].name == TM_HEAP_NONE)
            g->faults[TM_HEAP_MALFORMED]++;
        else
            g->references[object->first_reference + i].field = field;
    }
}

/* Sets what objects take from their classes: sizes, and names of references. */
static void complete_objects(struct tm_heap_graph *g)
{
    bool is_malformed = false;
    for (uint32_t i = 0; i < g->object_count; i++) {
        struct tm_heap_object *object = &g->objects[i];
        if (object->type == TM_HEAP_NONE)
            continue;
        const struct tm_heap_type *type = &g->types[object->type];
        is_malformed |= !type->is_known && (object->self_size == 0 || !object->has_field_names);
        if (type->is_known && object->self_size == 0)
            object->self_size = (int64_t)type->object_size;
        if (type->is_known && !object->has_field_names && !has_no_fields(type))
            name_references(g, object);
    }
    g->faults[TM_HEAP_MALFORMED] += is_malformed;
}

/* Finds the files of classes, and the objects that loaded them. */
static enum tm_status complete_types(struct tm_heap_graph *g, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < g->type_count; i++) {
        struct tm_heap_type *type = &g->types[i];
        if (type->has_location && !tm_map_find(&g->location_ids, type->location, &type->location_text))
            g->faults[TM_HEAP_NO_LOCATION]++;
        if (type->loader_id)
            st = tm_heap_graph_object(g, type->loader_id, &type->loader, err);
    }
    return st;
}

static int rank_of(uint8_t root)
{
    static const uint8_t first[] = {ROOT_STICKY_CLASS, ROOT_JNI_GLOBAL, ROOT_JNI_LOCAL};
    int i = 0;
    while (i < (int)sizeof first && first[i] != root)
        i++;
    return i;
}

/* Marks the objects that OBJECT reaches. STACK has room for all objects. */
static void mark_reachable(struct tm_heap_graph *g, uint32_t object, uint32_t referent, uint32_t *stack)
{
    uint32_t depth = 0;
    if (g->objects[object].is_reachable)
        return;
    g->objects[object].is_reachable = true;
    stack[depth++] = object;
    while (depth) {
        const struct tm_heap_object *from = &g->objects[stack[--depth]];
        uint8_t kind = from->type == TM_HEAP_NONE ? 0 : g->types[from->type].kind;
        bool is_weak = kind >= KIND_WEAK && kind <= KIND_PHANTOM;
        for (uint32_t i = 0; i < from->reference_count; i++) {
            const struct tm_heap_reference *ref = &g->references[from->first_reference + i];
            if (ref->owned == TM_HEAP_NONE || g->objects[ref->owned].is_reachable ||
                (is_weak && ref->field != TM_HEAP_NONE && g->fields[ref->field].name == referent))
                continue;
            g->objects[ref->owned].is_reachable = true;
            stack[depth++] = ref->owned;
        }
    }
}

static void mark_root(struct tm_heap_graph *g, uint32_t object, uint8_t root, uint32_t referent, uint32_t *stack)
{
    uint8_t *is = &g->objects[object].root;
    if (*is == TM_HEAP_NO_ROOT || rank_of(root) < rank_of(*is))
        *is = root;
    mark_reachable(g, object, referent, stack);
}

/* Marks the roots and what they reach. Objects of the zygote's heap and of the boot image are never collected, so they
 * are roots too. */
static enum tm_status mark_roots(struct tm_heap_graph *g, struct tm_error *err)
{
    uint32_t referent, object;
    enum tm_status st = find_text(g, "java.lang.ref.Reference.referent", &referent, err);
    uint32_t *stack = malloc((g->object_count + (size_t)1) * sizeof *stack);
    if (stack == NULL)
        st = tm_error_nomem(err);
    for (uint32_t i = 0; st == TM_OK && i < g->root_count; i++)
        if (tm_map_find(&g->object_ids, g->roots[i].object, &object))
            mark_root(g, object, g->roots[i].type, referent, stack);
    for (uint32_t i = 0; st == TM_OK && i < g->object_count; i++)
        if (g->objects[i].heap == HEAP_ZYGOTE || g->objects[i].heap == HEAP_BOOT_IMAGE)
            mark_root(g, i, ROOT_VM_INTERNAL, referent, stack);
    free(stack);
    return st;
}

/* Returns the object that field NAME of OBJECT refers to, or TM_HEAP_NONE. */
static uint32_t referent_of(const struct tm_heap_graph *g, uint32_t object, uint32_t name)
{
    const struct tm_heap_object *from = &g->objects[object];
    for (uint32_t i = 0; i < from->reference_count; i++) {
        const struct tm_heap_reference *ref = &g->references[from->first_reference + i];
        if (ref->field != TM_HEAP_NONE && g->fields[ref->field].name == name)
            return ref->owned;
    }
    return TM_HEAP_NONE;
}

/* Returns NAME without "java.lang.Class<" and ">" around it (*IS_CLASS) and "[]" at its end (*IS_ARRAY). */
static struct tm_text plain_name(struct tm_text name, bool *is_class, bool *is_array)
{
    const struct tm_text around = tm_text_str("java.lang.Class<");
    *is_class = name.len > around.len && memcmp(name.data, around.data, around.len) == 0 &&
                name.data[name.len - 1] == '>';
    if (*is_class)
        name = (struct tm_text){name.data + around.len, name.len - around.len - 1};
    *is_array = name.len >= 2 && memcmp(name.data + name.len - 2, "[]", 2) == 0;
    while (name.len >= 2 && memcmp(name.data + name.len - 2, "[]", 2) == 0)
        name.len -= 2;
    return name;
}

/* The parts of a type's name. */
struct named_type {
    struct tm_key key; /* the plain name, and the file that it is from */
    bool is_class, is_array;
};

/* Reads the name of TYPE. TM_END: it has none. */
static enum tm_status read_type(struct tm_heap_graph *g, uint32_t type, struct named_type *named, struct tm_error *err)
{
    struct tm_text name = tm_heap_graph_text(g, g->types[type].name);
    uint32_t number;
    if (name.data == NULL)
        return TM_END;
    uint8_t *copy = malloc(name.len + 1); /* adding a text may move it */
    if (copy == NULL)
        return tm_error_nomem(err);
    memcpy(copy, name.data, name.len);
    name = plain_name((struct tm_text){copy, name.len}, &named->is_class, &named->is_array);
    enum tm_status st = tm_heap_graph_intern(g, name, &number, err);
    free(copy);
    named->key = (struct tm_key){number, g->types[type].location_text, 0};
    return st;
}

/* If OBJECT is that of a class, adds the type of its superclass's object to SUPERS. */
static enum tm_status add_super(struct tm_heap_graph *g, uint32_t object, uint32_t field, struct tm_table *supers,
                                struct tm_error *err)
{
    struct named_type class;
    uint32_t super, type = g->objects[object].type;
    enum tm_status st = type == TM_HEAP_NONE ? TM_END : read_type(g, type, &class, err);
    if (st != TM_OK || !class.is_class || class.is_array || (super = referent_of(g, object, field)) == TM_HEAP_NONE ||
        g->objects[super].type == TM_HEAP_NONE)
        return st < 0 ? st : TM_OK;
    return tm_table_set(supers, &class.key, g->objects[super].type, err);
}

/* Finds superclasses. Each class has an object, whose field superClass refers to the object of the superclass. */
static enum tm_status find_supers(struct tm_heap_graph *g, struct tm_table *supers, struct tm_table *types,
                                  struct tm_error *err)
{
    struct named_type type;
    uint32_t field;
    enum tm_status st = find_text(g, "java.lang.Class.superClass", &field, err);
    for (uint32_t i = 0; st >= 0 && i < g->object_count; i++)
        st = add_super(g, i, field, supers, err);
    for (uint32_t i = 0; st >= 0 && i < g->type_count; i++) {
        const struct tm_key key = {g->types[i].name, g->types[i].location_text, 0};
        st = tm_table_set(types, &key, i, err);
    }
    for (uint32_t i = 0; st >= 0 && i < g->type_count; i++) {
        st = read_type(g, i, &type, err);
        bool is_plain = st == TM_OK && !type.is_class && !type.is_array;
        int64_t by = is_plain ? tm_table_find(supers, &type.key) : TM_TABLE_NONE;
        if (by == TM_TABLE_NONE || (st = read_type(g, (uint32_t)by, &type, err)) != TM_OK)
            continue;
        int64_t super = tm_table_find(types, &type.key);
        if (super != TM_TABLE_NONE)
            g->types[i].superclass = (uint32_t)super;
    }
    return st < 0 ? st : TM_OK;
}

static enum tm_status complete_supers(struct tm_heap_graph *g, struct tm_error *err)
{
    struct tm_table supers = {0}, types = {0};
    enum tm_status st = find_supers(g, &supers, &types, err);
    tm_table_release(&supers);
    tm_table_release(&types);
    return st;
}

/* Finds memory outside of the heap. A Cleaner refers to the object that owns it (referent) and, through thunk and
 * this$0, to the registry that states its size. The lowest bit of the size states who allocated it. */
static enum tm_status complete_native_sizes(struct tm_heap_graph *g, struct tm_error *err)
{
    static const char *const names[] = {"sun.misc.Cleaner", "java.lang.ref.Reference.referent",
                                        "sun.misc.Cleaner.thunk", "sun.misc.Cleaner.next",
                                        "libcore.util.NativeAllocationRegistry$CleanerThunk.this$0"};
    enum { CLEANER, REFERENT, THUNK, NEXT, REGISTRY, COUNT };
    uint32_t n[COUNT], at;
    enum tm_status st = TM_OK;
    for (int i = 0; st == TM_OK && i < COUNT; i++)
        st = find_text(g, names[i], &n[i], err);
    for (uint32_t i = 0; st == TM_OK && i < g->object_count; i++) {
        if (g->objects[i].type == TM_HEAP_NONE || g->types[g->objects[i].type].name != n[CLEANER])
            continue;
        uint32_t referent = referent_of(g, i, n[REFERENT]), thunk = referent_of(g, i, n[THUNK]);
        if (referent == TM_HEAP_NONE || thunk == TM_HEAP_NONE || referent_of(g, i, n[NEXT]) == i) /* it has run */
            continue;
        uint32_t registry = referent_of(g, thunk, n[REGISTRY]);
        if (registry != TM_HEAP_NONE && tm_map_find(&g->registry_of, registry, &at)) {
            uint64_t bytes = (uint64_t)g->registries[at] & ~UINT64_C(1);
            g->objects[referent].native_size = (int64_t)((uint64_t)g->objects[referent].native_size + bytes);
        }
    }
    return st;
}

enum tm_status tm_heap_graph_finish(struct tm_heap_graph *g, struct tm_error *err)
{
    complete_objects(g);
    enum tm_status st = complete_types(g, err);
    if (st == TM_OK)
        st = mark_roots(g, err);
    if (st == TM_OK)
        st = complete_supers(g, err);
    return st < 0 ? st : complete_native_sizes(g, err);
}
