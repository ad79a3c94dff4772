/* Definitions that are pending, in a temporary file, until an event that is shown needs them: interned data of a
 * sequence's generation, and descriptors of tracks. Memory: one entry for each generation and track. */
#ifndef TM_SELECT_PENDING_ROWS_H
#define TM_SELECT_PENDING_ROWS_H

#include "os/temporary_file.h"
#include "base/buf.h"
#include "base/table.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_pending_rows {
    struct tm_temporary_file file; /* the caller sets its dir */
    /* private */
    struct tm_table last; /* by key: offset of its last row */
    struct tm_buf tail;   /* rows that are not in the file yet */
    struct tm_buf loaded;
    uint64_t *offsets;    /* offsets of the rows taken last */
    uint32_t count, cap;
};

/* Keys. Rows of one key are needed together. */
struct tm_key tm_pending_rows_of_generation(uint32_t generation);
struct tm_key tm_pending_rows_of_track(uint32_t file, uint64_t uuid);

static inline bool tm_pending_rows_any(const struct tm_pending_rows *rows)
{
    return rows->last.count > 0;
}

/* Keeps ROW until KEY is needed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_rows_add(struct tm_pending_rows *rows, const struct tm_key *key, const struct tm_event *row,
                                   struct tm_error *err);

/* Removes the *COUNT rows of KEY. They can be read with tm_pending_rows_get. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_rows_take(struct tm_pending_rows *rows, const struct tm_key *key, uint32_t *count,
                                    struct tm_error *err);

/* Reads row I of those taken last, in the order in which they were added. It is valid until the next call. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_pending_rows_get(struct tm_pending_rows *rows, uint32_t i, struct tm_event *row,
                                   struct tm_error *err);

void tm_pending_rows_release(struct tm_pending_rows *rows);

#endif
