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
    /* The dimension that the name of a track holds between BEFORE and AFTER, and the key of its arg. */
    const char *key;            /* NULL: the name holds none */
    const char *before, *after; /* NULL: nothing */
    bool is_number;
};

/* Returns the type of TRACK, whose name is NAME, in a file of FILE_TYPE. */
struct tm_column_type tm_column_type_of(const struct tm_track *track, struct tm_text name,
                                        enum tm_input_type file_type);

#endif
