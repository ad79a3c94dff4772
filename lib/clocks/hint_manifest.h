/* The hints that were used, as a perfetto_manifest: with it, and without hints, every file is placed as
 * it was. A manifest has one relation a file; what needs a second is said by another file that has none
 * (a relation is between clocks of a machine, whoever mentions it), else the files that relied on it are
 * related to the file itself. What a configuration made on a command line says (machines of files, relations, trace
 * time) is said again. */
#ifndef TM_CLOCKS_HINT_MANIFEST_H
#define TM_CLOCKS_HINT_MANIFEST_H

#include "clocks/clock_hints.h"

/* Zero-initialise. */
struct tm_hint_manifest {
    bool is_enabled; /* else what is added is passed over */
    /* private */
    struct tm_hint_file *files; /* by id */
    uint32_t count, cap;
    struct tm_buf names;
    const Tracemerge__Config *config; /* borrowed; NULL: none */
};

/* A file becomes known; then its turn begins. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hint_manifest_file(struct tm_hint_manifest *manifest, const Tracemerge__File *frame,
                                     struct tm_error *err);
void tm_hint_manifest_begin(struct tm_hint_manifest *manifest, const Tracemerge__FileBegin *frame);

/* The input is configured by CONFIG, which must outlive MANIFEST. TM_OK; TM_E_INPUT when it says what cannot be said
 * again here: machines of embedded ids, points, attributes. */
enum tm_status tm_hint_manifest_configure(struct tm_hint_manifest *manifest, const Tracemerge__Config *config,
                                          struct tm_error *err);

/* Appends the manifest for those of HINTS that became edges to TEXT. TM_OK; TM_E_INPUT when no manifest
 * can say it: a file has no path of its own, or two have the same; TM_E_SYSTEM. */
enum tm_status tm_hint_manifest_make(const struct tm_hint_manifest *manifest, const struct tm_clock_hints *hints,
                                     struct tm_buf *text, struct tm_error *err);

void tm_hint_manifest_release(struct tm_hint_manifest *manifest);

#endif
