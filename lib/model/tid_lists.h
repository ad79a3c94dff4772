/* Lists of the threads of one tid whose lifetime may not have ended, newest first. The table tids of tm_processes holds
 * the newest; the threads link the others. Used by processes.c only. */
#ifndef TM_MODEL_TID_LISTS_H
#define TM_MODEL_TID_LISTS_H

#include "model/processes.h"

/* The key of tid or pid NUMBER on MACHINE. */
static inline struct tm_key tm_number_key(uint32_t machine, int64_t number)
{
    return (struct tm_key){machine, (uint64_t)number, 0};
}

/* Puts thread UTID, which is on no list, first in the list of its tid. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tid_list_add(struct tm_processes *processes, int64_t utid, struct tm_error *err);

/* Removes thread UTID from the list of its tid, if it is there. */
enum tm_status tm_tid_list_remove(struct tm_processes *processes, int64_t utid, struct tm_error *err);

/* Empties the list of TID. */
void tm_tid_list_clear(struct tm_processes *processes, uint32_t machine, int64_t tid);

#endif
