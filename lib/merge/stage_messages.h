/* What the stages of a pipeline said on standard error, once all have ended: the cause of a failure, and warnings. */
#ifndef TM_MERGE_STAGE_MESSAGES_H
#define TM_MERGE_STAGE_MESSAGES_H

#include "os/pipeline.h"
#include "os/program.h"

/* Prints to standard error what each stage said; of those that failed because another did, their warnings only, and of
 * the one that was the cause how it died if it said nothing. QUIET: no warnings. */
void tm_stage_messages_print(const struct tm_program *program, const struct tm_pipeline *pipeline, bool quiet);

#endif
