/* The source of a track, as args with the keys of the reference importer: the descriptor that it has, or Chrome. */
#ifndef TM_MODEL_TRACK_SOURCE_H
#define TM_MODEL_TRACK_SOURCE_H

#include "base/buf.h"
#include "model/tracks.h"
#include "stream/input_type.h"

/* Appends the args that a track has from its TrackDescription MESSAGE to DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_source_described(struct tm_text message, struct tm_buf *detail);

/* Appends the source of TRACK, one of TRACKS, whose file is of FILE_TYPE, to DETAIL as args; nothing if it has none.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_source(const struct tm_tracks *tracks, const struct tm_track *track,
                               enum tm_input_type file_type, struct tm_buf *detail);

#endif
