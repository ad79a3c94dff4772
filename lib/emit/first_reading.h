/* Reads a stream once before it is shown, if --only depends on later events: names of tasks, and durations of slices. A
 * stream from a pipe goes to a temporary file, which is read for the second reading. */
#ifndef TM_EMIT_FIRST_READING_H
#define TM_EMIT_FIRST_READING_H

#include "emit/run.h"
#include "select/facts.h"

/* Zero-initialise, with .fd = -1. */
struct tm_first_reading {
    int fd; /* the stream from its start */
    struct tm_select_facts *facts[2]; /* the result; owned. The second is for outputs that show the stream's own rows */
    /* private */
    bool is_temporary; /* fd is a temporary file */
};

/* Reads the stream of RUN. TM_OK with fd and with the facts that the outputs need before the events; TM_E_INPUT like
 * tm_emit_run; TM_E_SYSTEM. */
enum tm_status tm_first_reading_run(struct tm_first_reading *reading, const struct tm_emit_run *run,
                                    struct tm_error *err);

void tm_first_reading_release(struct tm_first_reading *reading);

#endif
