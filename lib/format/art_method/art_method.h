/* Method traces of Android's runtime (ART): what Debug.startMethodTracing, `am profile' and Android Studio write. Calls
 * are slices on a track of their own below the thread, so that they do not nest in the thread's markers.
 *
 * Versions 1 to 3 have records of one size. Their facts (threads, methods, the clock) stand in a text in front of the
 * records, or between them and in a text at the end ("streaming"). Versions 4 and 5 have blocks of a thread's records,
 * encoded as differences. Facts can come after the records that need them, so they are read first.
 *
 * Times are readings of MONOTONIC. Source: the reference importer, and what the runtime writes; doc/formats.md, ART
 * method traces. */
#ifndef TM_FORMAT_ART_METHOD_ART_METHOD_H
#define TM_FORMAT_ART_METHOD_ART_METHOD_H

#include "format/format.h"

/* Further methods and threads have no names, and are counted in facts_beyond_limits. A line of a text is damage if it
 * is longer. */
enum {
    TM_ART_METHODS_MAX = 1 << 20,
    TM_ART_NAME_BYTES_MAX = 128 << 20, /* of the names of all methods and threads, and of paths */
    TM_ART_THREADS_MAX = 1 << 16,
    TM_ART_LINE_MAX = 64 << 10
};

/* Versions 1 to 3, and versions 4 and 5. */
extern const struct tm_format tm_format_art_method;
extern const struct tm_format tm_format_art_method_v2;

#endif
