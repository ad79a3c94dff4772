/* The dimensions of a track, as args: its owner, and the facts in its name or its descriptor that distinguish it from
 * other tracks of its type. Keys are those of the reference importer's tracks (its tracks_common.h and parsers). */
#ifndef TM_MODEL_TRACK_DIMENSIONS_H
#define TM_MODEL_TRACK_DIMENSIONS_H

#include "base/buf.h"
#include "model/track_type.h"

/* Appends the dimensions of TRACK, one of TRACKS, to DETAIL as args. Its type is TYPE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_dimensions(const struct tm_tracks *tracks, const struct tm_track *track,
                                   const struct tm_column_type *type, struct tm_buf *detail);

/* Appends TEXT as arg KEY; if there is none, an arg without a value. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_arg(struct tm_buf *detail, const char *key, struct tm_text text);

#endif
