/* How files shall be merged, said on a command line, and the perfetto_manifest that says the same.
 *
 *     --machine     NAME=FILE
 *     --sync        FILE[:CLOCK]=FILE[:CLOCK][+OFFSET|-OFFSET]
 *     --trace-time  CLOCK[@FILE]
 *
 * OFFSET is a decimal number and a unit (ns, us, ms, s). FILE is one of the files added, by the path
 * it was given with or by its name in the archive; a file whose name looks like an offset or a clock
 * follows it is told by which files there are. CLOCK is left to the check of the manifest.
 *
 * Source: perfetto_manifest(5). */
#ifndef TM_MANIFEST_MERGE_PLAN_H
#define TM_MANIFEST_MERGE_PLAN_H

#include "base/buf.h"

#include <stdbool.h>

struct tm_plan_file {
    const char *path; /* as given; borrowed */
    const char *name; /* as the manifest names it; borrowed */
    bool is_archive;  /* no entry of a manifest can be about it; false when added */
    /* private: what was said of it */
    char *machine;
    char *clock;      /* of its own; NULL: pinned */
    char *reference_clock;
    size_t reference; /* the file it is synchronized to */
    bool is_synced;
    int64_t offset_ns;
};

/* Zero-initialise. */
struct tm_merge_plan {
    struct tm_plan_file *files; /* owned */
    size_t count;
    /* private */
    size_t cap;
    char *trace_clock;
    size_t trace_file; /* set with has_trace_file */
    bool has_trace_file;
};

/* Adds a file; the manifest lists them in the order added. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_plan_add(struct tm_merge_plan *plan, const char *path, const char *name, struct tm_error *err);

/* Take the argument of an option. TM_OK; TM_E_USAGE when it is malformed, names a file that is not there, or says
 * again what was said; TM_E_SYSTEM. */
enum tm_status tm_merge_plan_machine(struct tm_merge_plan *plan, const char *text, struct tm_error *err);
enum tm_status tm_merge_plan_sync(struct tm_merge_plan *plan, const char *text, struct tm_error *err);
enum tm_status tm_merge_plan_trace_time(struct tm_merge_plan *plan, const char *text, struct tm_error *err);

/* "Clock CLOCK (NULL: its own timeline, which pins it) of a file reads T when REFERENCE_CLOCK (NULL: likewise) of
 * file REFERENCE reads T + offset_ns". */
struct tm_plan_relation {
    const char *clock, *reference_clock; /* copied */
    size_t reference;                    /* a file's number, in the order added */
    int64_t offset_ns;
};

/* Says so of FILE, of which no relation was said before. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_merge_plan_relate(struct tm_merge_plan *plan, size_t file, const struct tm_plan_relation *relation,
                                    struct tm_error *err);

/* True when anything was said. */
bool tm_merge_plan_says(const struct tm_merge_plan *plan);

/* Writes the manifest as JSON to OUT and checks it as tm-manifest --check does. TM_OK, TM_E_USAGE with what is wrong,
 * TM_E_SYSTEM. */
enum tm_status tm_merge_plan_manifest(const struct tm_merge_plan *plan, struct tm_buf *out, struct tm_error *err);

void tm_merge_plan_release(struct tm_merge_plan *plan);

#endif
