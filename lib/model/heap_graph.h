/* The graph of a Java heap, as the packets of one dump state it: objects, the references between them, classes, and
 * roots. Source of the messages: perfetto's third_party/android/art/heap_graph.proto. Init, then add. Memory grows with
 * the graph: about 70 bytes an object and 8 a reference. */
#ifndef TM_MODEL_HEAP_GRAPH_H
#define TM_MODEL_HEAP_GRAPH_H

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"

#include <stdbool.h>

enum { TM_HEAP_REFERENCES_MAX = 1 << 27 };
#define TM_HEAP_NONE UINT32_MAX /* no object, no class, no field, no text, no root */

/* Of an object that is only referred to, self_size is -1 and there is no class. */
struct tm_heap_object {
    int64_t self_size, native_size;
    uint32_t type;                       /* a number of types */
    uint32_t first_reference, reference_count;
    uint8_t heap;                        /* as HeapGraphObject.HeapType numbers it; 0: unknown */
    uint8_t root;                        /* as HeapGraphRoot.Type numbers it; TM_HEAP_NO_ROOT */
    bool is_reachable, has_field_names;
};

enum { TM_HEAP_NO_ROOT = UINT8_MAX };

struct tm_heap_reference {
    uint32_t owned; /* an object; TM_HEAP_NONE: the field is null */
    uint32_t field; /* a number of fields; TM_HEAP_NONE: not named */
};

struct tm_heap_type {
    bool is_known; /* a packet describes it */
    bool has_location;
    uint8_t kind;  /* as HeapGraphType.Kind numbers it */
    uint32_t name; /* a number of texts; TM_HEAP_NONE */
    uint32_t location_text;
    uint32_t first_field, field_count;   /* in type_fields */
    uint32_t superclass;                 /* by the objects of classes; a number of types */
    uint32_t loader;                     /* an object */
    uint64_t id, location, object_size, super_id, loader_id;
};

struct tm_heap_field {
    uint32_t name, type; /* numbers of texts; TM_HEAP_NONE: not known */
};

/* Fields of the objects of class Bitmap. */
struct tm_heap_bitmap {
    uint8_t has; /* bit N: values[N] is stated */
    int64_t values[4];
};

enum tm_heap_fault { TM_HEAP_MALFORMED, TM_HEAP_MISSING_PACKET, TM_HEAP_NO_LOCATION, TM_HEAP_NOT_FINISHED,
                     TM_HEAP_FAULT_COUNT };

struct tm_heap_graph {
    bool has_owner;
    int64_t pid, ts; /* of the dump */
    bool is_truncated, has_size;
    int64_t size;
    struct tm_heap_object *objects;
    uint32_t object_count;
    struct tm_heap_reference *references;
    uint32_t reference_count;
    struct tm_heap_type *types;
    uint32_t type_count;
    uint32_t *type_fields; /* numbers of fields */
    uint32_t type_field_count;
    struct tm_heap_field *fields;
    uint32_t field_count;
    struct tm_heap_bitmap *bitmaps;
    uint32_t bitmap_count;
    struct tm_map bitmap_of; /* by object */
    struct tm_intern texts;
    uint64_t faults[TM_HEAP_FAULT_COUNT];
    /* private */
    struct tm_map object_ids, type_ids, field_ids, location_ids;
    int64_t *registries; /* bytes outside of the heap, that registries state */
    struct tm_map registry_of; /* by object */
    uint32_t registry_count;
    struct tm_heap_root {
        uint64_t object;
        uint8_t type;
    } *roots;
    uint32_t root_count;
    uint32_t object_cap, reference_cap, type_cap, type_field_cap, field_cap, bitmap_cap, registry_cap, root_cap;
    bool has_index;
    uint64_t index, last_object;
    uint8_t last_heap;
    uint32_t internal_field; /* of references of the runtime */
};

void tm_heap_graph_init(struct tm_heap_graph *graph);

/* Adds MESSAGE, a HeapGraph, at time TS. *IS_LAST: no further message of the dump follows. TM_OK;
 * TM_E_INPUT: the limit is exceeded; TM_E_SYSTEM. */
enum tm_status tm_heap_graph_add(struct tm_heap_graph *graph, int64_t ts, struct tm_text message, bool *is_last,
                                 struct tm_error *err);

/* Completes the graph after its last message: sizes, names of references, superclasses, roots, what is reachable, and
 * the memory outside of the heap. Returns what tm_heap_graph_add returns. */
enum tm_status tm_heap_graph_finish(struct tm_heap_graph *graph, struct tm_error *err);

/* Returns a text by its number. Its data is NULL for TM_HEAP_NONE. Valid until the next add. */
struct tm_text tm_heap_graph_text(const struct tm_heap_graph *graph, uint32_t text);

void tm_heap_graph_release(struct tm_heap_graph *graph);

/* For heap_graph.c and heap_graph_finish.c. Set *OBJECT to the index of the object ID, and *NUMBER to the number of
 * TEXT. What is new is added. Return what tm_heap_graph_add returns. */
enum tm_status tm_heap_graph_object(struct tm_heap_graph *graph, uint64_t id, uint32_t *object, struct tm_error *err);
enum tm_status tm_heap_graph_intern(struct tm_heap_graph *graph, struct tm_text text, uint32_t *number,
                                    struct tm_error *err);

#endif
