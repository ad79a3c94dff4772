/* The extension x_tracemerge of a `clocks` object: the readings of a clock and its reference at several instants, how
 * inexact these may be, and the rule that found them. Other readers of version 1 ignore it, as they ignore every
 * unknown field, and take offset_ns. Source: perfetto_manifest(5). */
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
    struct tm_manifest_point *points; /* owned; own_ns grows; the sum grows too, except between points 1 ns apart */
    size_t count;                     /* 0: offset_ns alone holds */
    bool has_uncertainty;
    int64_t uncertainty_ns;           /* 0 or more */
    const char *rule;                 /* borrowed from the JSON tree; NULL: none is given */
};

/* Reads CLOCKS.x_tracemerge if it is there. WHERE is put in front of each problem ("files[3]: ") or is empty. TM_OK,
 * even if problems were added to PROBLEMS; TM_E_SYSTEM if out of memory. */
enum tm_status tm_manifest_points_read(struct tm_manifest_points *points, struct tm_json_text *json,
                                       const cJSON *clocks, const char *where, struct tm_manifest_problems *problems);

/* Sets the smallest and the largest offset of POINTS. False: there are no points. */
bool tm_manifest_points_range(const struct tm_manifest_points *points, int64_t *low_ns, int64_t *high_ns);

void tm_manifest_points_release(struct tm_manifest_points *points);

#endif
