/* Reads a stream once before it is shown, where --only asks for what later events decide: names of tasks, and how long
 * slices are. A stream that comes through a pipe goes to a temporary file, from which it is read again. */
#ifndef TM_EMIT_FIRST_READING_H
#define TM_EMIT_FIRST_READING_H

#include "emit/run.h"
#include "select/facts.h"

/* Zero-initialise, with .fd = -1. */
struct tm_first_reading {
    int fd; /* the stream from its start on */
    struct tm_select_facts *facts[2]; /* what it has told; owned. The second is for outputs that show the stream */
    /* private */
    bool is_temporary; /* fd is a temporary file */
};

/* Reads the stream of RUN. TM_OK with fd and what the outputs need to know before the events; TM_E_INPUT as
 * tm_emit_run; TM_E_SYSTEM. */
enum tm_status tm_first_reading_do(struct tm_first_reading *reading, const struct tm_emit_run *run,
                                   struct tm_error *err);

void tm_first_reading_release(struct tm_first_reading *reading);

#endif
