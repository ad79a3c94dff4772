/* The messages of the stages of a pipeline on standard error, after all have ended: the cause of a failure, and
 * warnings. */
#ifndef TM_MERGE_STAGE_MESSAGES_H
#define TM_MERGE_STAGE_MESSAGES_H

#include "os/pipeline.h"
#include "os/program.h"

/* Prints the messages of each stage to standard error. Of stages that failed because of another one, prints only
 * warnings. A stage that failed on its input, but not because its stream ended early, failed by itself: its messages
 * are printed too, except for those that the cause has printed: two stages may be unable to open the same file. If the
 * stage that caused the failure said nothing, prints how it ended. QUIET: no warnings. Those of a stage that repeats
 * them are not printed either. */
void tm_stage_messages_print(const struct tm_program *program, const struct tm_pipeline *pipeline, bool quiet);

#endif
