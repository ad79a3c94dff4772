/* What --only learns in a first reading of the stream: the names that tasks have in the end, and which slices are as
 * long as wanted. Memory grows with the number of threads and processes. A byte for each slice goes to a temporary
 * file. */
#ifndef TM_SELECT_FACTS_H
#define TM_SELECT_FACTS_H

#include "model/processes.h"
#include "os/paged_file.h"

struct tm_select_facts {
    struct tm_processes tasks;      /* as the model has them when the stream has ended */
    struct tm_paged_file durations; /* of each slice begin, in order: 1 if its duration is wanted, else 0 */
    int64_t last_ns;                /* the time of the last event */
};

/* TEMPORARY_DIR is for the temporary file; borrowed; may be NULL. TM_OK with *FACTS, to be freed, or TM_E_SYSTEM. */
enum tm_status tm_select_facts_new(struct tm_select_facts **facts, const char *temporary_dir, struct tm_error *err);
void tm_select_facts_free(struct tm_select_facts *facts);

#endif
