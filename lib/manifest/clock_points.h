/* The extension x_tracemerge of a `clocks` object: what a clock and its reference read at several moments, how far
 * from the truth that may be, and which rule found it. Other readers of version 1 pass over it, as over every field
 * that they do not know, and take offset_ns. Source: perfetto_manifest(5). */
#ifndef TM_MANIFEST_CLOCK_POINTS_H
#define TM_MANIFEST_CLOCK_POINTS_H

#include "manifest/json_text.h"

enum { TM_MANIFEST_POINTS_MAX = 65536 }; /* of one entry */

/* The clock reads own_ns when the reference reads own_ns + offset_ns. */
struct tm_manifest_point {
    int64_t own_ns, offset_ns;
};

/* Zero-initialise. */
struct tm_manifest_points {
    struct tm_manifest_point *points; /* owned; own_ns grows, and so does the sum but where points are 1 ns apart */
    size_t count;                     /* 0: offset_ns alone holds */
    bool has_uncertainty;
    int64_t uncertainty_ns;           /* 0 or more */
    const char *rule;                 /* borrowed from the JSON tree; NULL: not said */
};

/* Reads CLOCKS.x_tracemerge, where it is there. WHERE is put before the text of each problem ("files[3]: ") or empty.
 * TM_OK, also when PROBLEMS got some; TM_E_SYSTEM when memory ran out. */
enum tm_status tm_manifest_points_read(struct tm_manifest_points *points, struct tm_json_text *json,
                                       const cJSON *clocks, const char *where, struct tm_manifest_problems *problems);

/* Checks that OFFSET_NS of CLOCKS, which other readers take, is among the offsets of POINTS. */
void tm_manifest_points_check(const struct tm_manifest_points *points, struct tm_json_text *json, const cJSON *clocks,
                              int64_t offset_ns, const char *where, struct tm_manifest_problems *problems);

void tm_manifest_points_release(struct tm_manifest_points *points);

#endif
