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
#include "base/text.h"

#include <stdbool.h>

enum { TM_ANNOTATION_DEPTH_MAX = 32 };

/* The arguments of one event, written while they come. Zero-initialise. Memory grows with them. */
struct tm_annotations {
    /* private */
    struct tm_buf out;
    struct tm_annotation_group {
        size_t mark;   /* of its message, for tm_pb_end */
        uint64_t next; /* of an array: the number of the element after the last one */
        uint32_t end;  /* the keys of its members are equal up to this dot or bracket, which they all have */
        uint32_t from; /* where the names or numbers of its members begin */
        bool is_array;
    } groups[TM_ANNOTATION_DEPTH_MAX + 2]; /* the dictionaries and arrays that the last argument is in */
    uint32_t depth, fillers;
    const uint8_t *key; /* of the last argument */
    uint32_t key_len;
};

/* Adds the Arg of LEN bytes at DATA after those of the event, as an annotation in field ID. DATA is borrowed until
 * tm_annotations_end. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_annotations_add(struct tm_annotations *annotations, uint32_t id, const uint8_t *data, size_t len);

/* Ends the event. Sets *TEXT to its annotations, which are valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_annotations_end(struct tm_annotations *annotations, struct tm_text *text);

void tm_annotations_release(struct tm_annotations *annotations);

#endif
