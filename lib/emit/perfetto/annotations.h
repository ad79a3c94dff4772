/* The arguments of an event as DebugAnnotations: keys as the args table has them, "args.a.b[0]", are dictionaries and
 * arrays in each other again.
 *
 * Readers make "_" of dots and brackets in a name, so that a flat one would be another argument to them. Arguments of
 * one dictionary or array are taken to stand together, as parsers leave them; where they do not, there are two of one
 * name, which readers join. An array's elements have no numbers there: for one that left nothing behind, as {} does, an
 * empty dictionary stands (a nested_value, of which readers make no argument but count it), up to some thousands an
 * event. Nesting deeper than TM_ANNOTATION_DEPTH_MAX stays in the name.
 * Source: track_event/debug_annotation.proto. */
#ifndef TM_EMIT_PERFETTO_ANNOTATIONS_H
#define TM_EMIT_PERFETTO_ANNOTATIONS_H

#include "base/pb.h"

#include <stdbool.h>

enum { TM_ANNOTATION_DEPTH_MAX = 32 };

/* Zero-initialise. Memory grows with the arguments of one event. */
struct tm_annotations {
    /* private */
    struct tm_annotation {
        const uint8_t *key;
        uint32_t len;
        struct tm_pb_field value;
    } *args;
    uint32_t count, cap;
};

/* Puts the Arg in F, a field of a Detail, after those of the event; it is borrowed until the next write. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_annotations_add(struct tm_annotations *annotations, const struct tm_pb_field *f);

/* Appends them to OUT as fields ID, and forgets them. */
enum tm_status tm_annotations_write(struct tm_annotations *annotations, uint32_t id, struct tm_buf *out);

void tm_annotations_release(struct tm_annotations *annotations);

#endif
