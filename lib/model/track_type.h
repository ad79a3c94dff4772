/* The type column of a track. Types are the reference importer's (its tracks_common.h and parsers). The types of
 * counters follow from their names, which are the reference importer's too. */
#ifndef TM_MODEL_TRACK_TYPE_H
#define TM_MODEL_TRACK_TYPE_H

#include "model/tracks.h"
#include "stream/input_type.h"

/* The type of TRACK, whose name is NAME, in a file of FILE_TYPE; a constant. */
const char *tm_track_type_text(const struct tm_track *track, struct tm_text name, enum tm_input_type file_type);

/* The unit of counters of TYPE; NULL: the type has none. */
const char *tm_track_type_unit(const char *type);

#endif
