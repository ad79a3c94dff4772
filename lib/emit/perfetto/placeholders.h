/* Bytes on their way out that must wait for some before them to be decided.
 *
 * A hole is a place for packets of which there are two versions; until it is known which one is right, it holds back
 * what comes behind it. Memory: the holes that are open, a few MiB of what is held back; the rest goes to a temporary
 * file. */
#ifndef TM_EMIT_PERFETTO_PLACEHOLDERS_H
#define TM_EMIT_PERFETTO_PLACEHOLDERS_H

#include "base/buf.h"
#include "os/paged_file.h"

#include <stdbool.h>

/* Zero-initialise. */
struct tm_placeholders {
    const char *dir; /* for the temporary file; borrowed; NULL: as tm_io_spool */
    /* private */
    struct tm_paged_file bytes;
    uint64_t begin, end; /* what is held back, as records */
    struct tm_hole {
        uint64_t record;
        struct tm_buf versions[2];
        uint32_t next_free; /* of one that is not open: as free */
    } *holes;
    uint32_t hole_count, hole_cap, free; /* free: the number of one plus 1, 0 none */
};

/* True while anything is held back. */
static inline bool tm_holes_any(const struct tm_placeholders *holes)
{
    return holes->end > holes->begin;
}

/* LEN bytes, which come behind all that is held back. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_holes_put(struct tm_placeholders *holes, const void *data, size_t len, struct tm_error *err);

/* A hole behind all that is held back: *HOLE is its number until it is decided. Takes VERSIONS over, also where it
 * fails. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_holes_open(struct tm_placeholders *holes, struct tm_buf versions[2], uint32_t *hole,
                             struct tm_error *err);

/* HOLE becomes its version WHICH. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_holes_decide(struct tm_placeholders *holes, uint32_t hole, int which, struct tm_error *err);

/* Moves to OUT what no open hole holds back any more, MAX bytes and one record at most. TM_OK: there may be more;
 * TM_END: there is not; TM_E_SYSTEM. */
enum tm_status tm_holes_take(struct tm_placeholders *holes, struct tm_buf *out, size_t max, struct tm_error *err);

void tm_holes_release(struct tm_placeholders *holes);

#endif
