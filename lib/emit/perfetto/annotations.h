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

#include <stdbool.h>

enum { TM_ANNOTATION_DEPTH_MAX = 32 };

/* Zero-initialise. Memory grows with the arguments of one event. */
struct tm_annotations {
    /* private */
    struct tm_annotation {
        const uint8_t *key, *bytes; /* of the key, and of a value that has bytes */
        uint64_t value;
        uint32_t len, bytes_len;
        uint32_t type; /* enum tm_arg; 0: it has no value */
    } *args;
    uint32_t count, cap;
};

/* Adds the Arg in F, a field of a Detail, after those of the event; it is borrowed until the next write. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_annotations_add(struct tm_annotations *annotations, const struct tm_pb_field *f);

/* Appends all arguments to OUT as fields ID and removes them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_annotations_write(struct tm_annotations *annotations, uint32_t id, struct tm_buf *out);

void tm_annotations_release(struct tm_annotations *annotations);

#endif
