/* Events that wait for the end of their file: kept in order, in memory up to one batch and in an
 * unlinked file beyond. Source: doc/rules.md section 5, "Conversion". */
#ifndef TM_CLOCKS_DEFERRAL_H
#define TM_CLOCKS_DEFERRAL_H

#include "stream/batch_builder.h"
#include "stream/reader.h"
#include "stream/writer.h"

/* Zero-initialise. */
struct tm_deferral {
    uint64_t count; /* rows waiting */
    /* private */
    struct tm_batch_builder rows;
    struct tm_stream_writer writer;
    struct tm_stream_reader reader;
    int fd;
    enum { TM_DEFERRAL_EMPTY, TM_DEFERRAL_SPILLED, TM_DEFERRAL_READING, TM_DEFERRAL_LAST } state;
    bool has_fd;
};

/* Puts EVENT at the end. SPILL_DIR: as for tm_io_temporary. */
enum tm_status tm_deferral_add(struct tm_deferral *deferral, const struct tm_event *event, const char *spill_dir,
                               struct tm_error *err);

/* The next batch of what waits, valid until the next call; nothing may be added any more. TM_OK,
 * TM_END or an error. */
enum tm_status tm_deferral_next(struct tm_deferral *deferral, struct tm_batch *batch, struct tm_error *err);

void tm_deferral_release(struct tm_deferral *deferral);

#endif
