/* The hints that were used, as a perfetto_manifest. With that manifest, and without hints, every file is placed as
 * before. A manifest can state one relation for each file. If a file needs a second one, another file without a
 * relation states it, because a relation is between clocks of a machine, whichever file mentions it. If there is no
 * such file, the files that relied on it are related to the file itself. The manifest repeats a configuration that was
 * made on a command line (machines of files, relations, trace time). */
#ifndef TM_CLOCKS_HINT_MANIFEST_H
#define TM_CLOCKS_HINT_MANIFEST_H

#include "clocks/clock_hints.h"

/* Zero-initialise. */
struct tm_hint_manifest {
    bool is_enabled; /* else what is added is ignored */
    /* private */
    struct tm_hint_file *files; /* by id */
    uint32_t count, cap;
    struct tm_buf names;
    const Tracemerge__Config *config; /* borrowed; NULL: none */
};

/* tm_hint_manifest_file adds a file. tm_hint_manifest_begin notes that its turn has begun. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hint_manifest_file(struct tm_hint_manifest *manifest, const Tracemerge__File *frame,
                                     struct tm_error *err);
void tm_hint_manifest_begin(struct tm_hint_manifest *manifest, const Tracemerge__FileBegin *frame);

/* Notes that CONFIG configures the input. It must outlive MANIFEST. TM_OK; TM_E_INPUT if CONFIG has something that the
 * new manifest cannot repeat: machines of embedded ids, points, attributes. */
enum tm_status tm_hint_manifest_configure(struct tm_hint_manifest *manifest, const Tracemerge__Config *config,
                                          struct tm_error *err);

/* Appends to TEXT the manifest for those of HINTS that became edges. TM_OK. TM_E_INPUT if no manifest can state
 * it: a file has no path of its own, two files have the same, or a clock has no name in manifests. TM_E_SYSTEM. */
enum tm_status tm_hint_manifest_make(const struct tm_hint_manifest *manifest, const struct tm_clock_hints *hints,
                                     struct tm_buf *text, struct tm_error *err);

void tm_hint_manifest_release(struct tm_hint_manifest *manifest);

#endif
