/* Finds the text of the type column for a track. Types are the reference importer's (its tracks_common.h and parsers).
 * The types of counters follow from their names, which are the reference importer's too. */
#ifndef TM_MODEL_TRACK_TYPE_H
#define TM_MODEL_TRACK_TYPE_H

#include "model/tracks.h"
#include "stream/input_type.h"

/* All texts are constants. */
struct tm_column_type {
    const char *text;
    const char *text_of_thread; /* instead, for a thread that belongs to no process; NULL: that of all others */
    const char *unit; /* of the counters of this type; NULL: none */
    /* The dimensions that the name of a track holds: the name with {KEY} in place of the value of each, or {#KEY} of a
     * number. {} is a part that is none. NULL: the name holds none. */
    const char *pattern;
    const char *const *words; /* the names that the first numbers have in the name, up to NULL; NULL: none has one */
};

/* Returns the type of TRACK, whose name is NAME, in a file of FILE_TYPE. */
struct tm_column_type tm_column_type_of(const struct tm_track *track, struct tm_text name,
                                        enum tm_input_type file_type);

#endif
