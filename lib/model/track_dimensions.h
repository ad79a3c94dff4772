/* The dimensions of a track, as args: its owner, and the facts in its name or its descriptor that distinguish it from
 * other tracks of its type. Keys are those of the reference importer's tracks (its tracks_common.h and parsers). */
#ifndef TM_MODEL_TRACK_DIMENSIONS_H
#define TM_MODEL_TRACK_DIMENSIONS_H

#include "base/buf.h"
#include "model/track_type.h"

/* Appends the dimensions of TRACK, whose type is TYPE and whose name is NAME, to DETAIL as args. MERGE_KEY is the text
 * that siblings are merged by. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_dimensions(const struct tm_track *track, const struct tm_column_type *type,
                                   struct tm_text name, struct tm_text merge_key, struct tm_buf *detail);

#endif
