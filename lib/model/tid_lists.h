/* Lists of the threads of one tid whose lifetime may not have ended, newest first. The tid's number holds the newest;
 * the threads link the others. Used by processes.c only. */
#ifndef TM_MODEL_TID_LISTS_H
#define TM_MODEL_TID_LISTS_H

#include "model/processes.h"

/* Puts thread UTID, which is on no list, first in the list of its tid. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tid_list_add(struct tm_processes *processes, int64_t utid, struct tm_error *err);

/* Removes thread UTID from the list of its tid, if it is there. */
void tm_tid_list_remove(struct tm_processes *processes, int64_t utid);

/* Empties the list of NUMBER. */
void tm_tid_list_clear(struct tm_processes *processes, struct tm_task_number *number);

#endif
