/* A draft of a manifest: how files shall be merged, as options on a command line state it, and the perfetto_manifest
 * made from that.
 *
 *     --machine     NAME=FILE
 *     --sync        FILE[:CLOCK]=FILE[:CLOCK][+OFFSET|-OFFSET]
 *     --trace-time  CLOCK[@FILE]
 *
 * OFFSET is a decimal number and a unit (ns, us, ms, s). FILE is one of the files added. It is named by the path under
 * which it was given, by its name in the archive, or by a base name that only one file has. In --machine it may also be
 * a directory or the archive, which means all files in it. A file name can look as if a clock or an offset followed;
 * the files that exist then decide what it means. The check of the manifest checks CLOCK. Machines of files that have
 * none after this may be named by rule (machine_rule.h).
 *
 * Source: perfetto_manifest(5). */
#ifndef TM_MANIFEST_DRAFT_H
#define TM_MANIFEST_DRAFT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_draft_file {
    const char *path; /* as given; borrowed */
    const char *name; /* as the manifest names it; borrowed */
    bool is_archive;  /* a manifest can have no entry for it; false when added */
    bool has_rank;    /* it states its rank in a job; false when added */
    uint64_t rank, world_size; /* world_size 0: not stated */
    const char *host; /* the host that it states; NULL: none; borrowed; NULL when added */
    bool is_host_of_several;
    /* private: what options stated about it */
    char *machine;
    bool is_of_directory; /* the machine was given for the directory */
    char *clock;      /* of its own; NULL: pinned */
    char *reference_clock;
    size_t reference; /* the file it is synchronized to */
    bool is_synced;
    int64_t offset_ns;
};

/* Zero-initialise. */
struct tm_draft {
    struct tm_draft_file *files; /* owned */
    size_t count;
    const char *root;  /* path of the directory or archive that contains all files, borrowed; NULL: none */
    bool is_natural;   /* the manifest lists the files in natural order: rank2 before rank10 */
    /* private */
    uint32_t cap;
    char *trace_clock;
    size_t trace_file; /* set with has_trace_file */
    bool has_trace_file;
};

/* Adds a file. The manifest lists files in the order added, unless is_natural. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_draft_add(struct tm_draft *draft, const char *path, const char *name, struct tm_error *err);

/* Apply the argument of an option. TM_OK. TM_E_USAGE if it is malformed, names a file that is not there, or repeats
 * what was stated before. TM_E_SYSTEM. */
enum tm_status tm_draft_machine(struct tm_draft *draft, const char *text, struct tm_error *err);
enum tm_status tm_draft_sync(struct tm_draft *draft, const char *text, struct tm_error *err);
enum tm_status tm_draft_trace_time(struct tm_draft *draft, const char *text, struct tm_error *err);

/* States that clock CLOCK of a file reads T when REFERENCE_CLOCK of file REFERENCE reads T + offset_ns. A NULL clock is
 * a file's own timeline; a NULL CLOCK pins the file. */
struct tm_draft_relation {
    const char *clock, *reference_clock; /* copied */
    size_t reference;                    /* a file's number, in the order added */
    int64_t offset_ns;
};

/* Relates FILE by RELATION. It must have no relation yet. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_draft_relate(struct tm_draft *draft, size_t file, const struct tm_draft_relation *relation,
                               struct tm_error *err);

/* Sets the machine of FILE, which has none yet, to the one with the name of LEN bytes at NAME (copied). TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_draft_name(struct tm_draft *draft, size_t file, const void *name, size_t len, struct tm_error *err);

/* Makes CLOCK (copied) trace time, on the machine of FILE unless that is NULL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_draft_set_trace_time(struct tm_draft *draft, const char *clock, const size_t *file,
                                       struct tm_error *err);

/* True if anything was set. */
bool tm_draft_is_set(const struct tm_draft *draft);

/* Writes the manifest as JSON to OUT and checks it as tm-manifest --check does. TM_OK; TM_E_USAGE, with the problem;
 * TM_E_SYSTEM. */
enum tm_status tm_draft_manifest(const struct tm_draft *draft, struct tm_buf *out, struct tm_error *err);

void tm_draft_release(struct tm_draft *draft);

#endif
