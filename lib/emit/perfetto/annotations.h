/* The arguments of an event as DebugAnnotations: the keys of the args table, "args.a.b[0]", become nested dictionaries
 * and arrays.
 *
 * Readers replace dots and brackets in a name by "_", so a flat key would be another argument to them. Arguments of one
 * dictionary or array normally stand together, as parsers leave them; if they do not, there are two of one name, which
 * readers join. The elements of an array have no numbers. An element without an argument, such as {}, is an empty
 * nested_value, which readers count but do not show; an event has up to some thousands of these. Nesting deeper than
 * TM_ANNOTATION_DEPTH_MAX stays in the name. Source: track_event/debug_annotation.proto. */
#ifndef TM_EMIT_PERFETTO_ANNOTATIONS_H
#define TM_EMIT_PERFETTO_ANNOTATIONS_H

#include "base/pb.h"
#include "emit/perfetto/annotation_key.h"
#include "emit/perfetto/annotation_plan.h"

enum { TM_ANNOTATION_PLANS = 128 };

/* The keys of those arguments of an event that do not state them (stream/arg_keys.h). */
struct tm_annotation_keys {
    struct tm_text text; /* borrowed */
    struct tm_text ids;  /* of the names in them (annotation_names.h), borrowed; empty: names are texts */
    uint32_t number;     /* of the text in the stream; 0: there are no keys; an inline string is any number */
};

/* The arguments of one event, written while they come. Zero-initialise. Memory grows with them, and with those of the
 * events that are remembered. */
struct tm_annotations {
    /* private */
    struct tm_buf out;
    struct tm_annotation_group groups[TM_ANNOTATION_DEPTH_MAX + 2]; /* those that the last argument is in */
    uint32_t depth, fillers;
    uint32_t id;        /* of the field */
    const uint8_t *key; /* of the last argument */
    uint32_t key_len;
    uint32_t step; /* number of arguments so far */
    struct tm_annotation_keys keys;
    uint32_t keyless;    /* number of arguments so far that do not state their keys */
    bool is_keyless;     /* the last argument is one of these */
    uint32_t keys_taken; /* number of keys that were taken from keys.text */
    struct tm_annotation_plan *plan; /* NULL: it does not have all arguments so far */
    bool has_plan_for_keys; /* the plan is that of the event's keys */
    struct tm_annotation_plan plans[TM_ANNOTATION_PLANS];
};

/* Begins an event, whose annotations are fields ID. KEYS is borrowed until tm_annotations_end. Events without keys
 * there that have the same number LIKE mostly have the same keys. */
void tm_annotations_begin(struct tm_annotations *annotations, uint32_t id, uint32_t like,
                          struct tm_annotation_keys keys);

/* Adds the Arg of LEN bytes at DATA after those of the event. DATA is borrowed until tm_annotations_end. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_annotations_add(struct tm_annotations *annotations, const uint8_t *data, size_t len);

/* Ends the event. Sets *TEXT to its annotations, which are valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_annotations_end(struct tm_annotations *annotations, struct tm_text *text);

void tm_annotations_release(struct tm_annotations *annotations);

#endif
