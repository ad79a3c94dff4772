/* Events that are pending until the end of their file, in order: up to one batch in memory, more in an unlinked file.
 * Source: doc/rules.md section 5, "Conversion". */
#ifndef TM_CLOCKS_DEFERRAL_H
#define TM_CLOCKS_DEFERRAL_H

#include "stream/batch_builder.h"
#include "stream/temporary_stream.h"

/* Zero-initialise. */
struct tm_deferral {
    uint64_t count; /* pending rows */
    /* private */
    struct tm_batch_builder rows;
    struct tm_temporary_stream file;
    enum { TM_DEFERRAL_EMPTY, TM_DEFERRAL_SPILLED, TM_DEFERRAL_READING, TM_DEFERRAL_LAST } state;
};

/* Appends EVENT. TEMPORARY_DIR is as for tm_io_temporary. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferral_add(struct tm_deferral *deferral, const struct tm_event *event, const char *temporary_dir,
                               struct tm_error *err);

/* Appends the rows of BATCH, as tm_deferral_add would. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferral_add_batch(struct tm_deferral *deferral, const struct tm_batch *batch,
                                     const char *temporary_dir, struct tm_error *err);

/* Returns the next batch of pending events, valid until the next call. Nothing may be added any more. TM_OK, TM_END or
 * an error. */
enum tm_status tm_deferral_next(struct tm_deferral *deferral, struct tm_batch *batch, struct tm_error *err);

void tm_deferral_release(struct tm_deferral *deferral);

#endif
