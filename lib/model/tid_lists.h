/* Threads of one tid that may still live, the newest first: tids of tm_processes holds that one, the threads hold the
 * rest. For processes.c alone. */
#ifndef TM_MODEL_TID_LISTS_H
#define TM_MODEL_TID_LISTS_H

#include "model/processes.h"

/* A tid or pid NUMBER of MACHINE. */
static inline struct tm_key tm_number_key(uint32_t machine, int64_t number)
{
    return (struct tm_key){machine, (uint64_t)number, 0};
}

/* Puts thread UTID, which is on no list, in front of those of its tid. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tid_list_add(struct tm_processes *processes, int64_t utid, struct tm_error *err);

/* Takes it off again, if it is there. */
enum tm_status tm_tid_list_remove(struct tm_processes *processes, int64_t utid, struct tm_error *err);

/* Takes all threads of TID off. */
void tm_tid_list_clear(struct tm_processes *processes, uint32_t machine, int64_t tid);

#endif
