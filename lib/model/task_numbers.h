/* The pids and tids of all machines, and the task that each means now. A number is kept from its first use on. Memory:
 * 32 bytes for each number, and its place in an index. */
#ifndef TM_MODEL_TASK_NUMBERS_H
#define TM_MODEL_TASK_NUMBERS_H

#include "base/index.h"

struct tm_task_number {
    int64_t number;
    uint32_t machine;
    int32_t newest;   /* the first thread on the number's list (model/tid_lists.h); TM_NO_ID */
    int32_t live;     /* the thread that it means as a tid; TM_NO_ID */
    int32_t process;  /* the process that it means as a pid; TM_NO_ID */
    uint32_t orphans; /* threads on its list whose process is not known */
};

enum { TM_TASK_NUMBERS_RECENT = 1 << 11 };

/* Zero-initialise. */
struct tm_task_numbers {
    /* private */
    struct tm_task_number *rows;
    uint32_t count, cap;
    struct tm_index index;
    uint32_t *recent; /* for each of TM_TASK_NUMBERS_RECENT places: the last row found there, plus 1; 0: none */
};

/* Returns the row of NUMBER on MACHINE, or NULL. It is valid until a row is added. */
struct tm_task_number *tm_task_numbers_find(const struct tm_task_numbers *numbers, uint32_t machine, int64_t number);

/* Sets *ROW to the row of NUMBER on MACHINE, which is added if it is new. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_task_numbers_get(struct tm_task_numbers *numbers, uint32_t machine, int64_t number,
                                   struct tm_task_number **row, struct tm_error *err);

void tm_task_numbers_release(struct tm_task_numbers *numbers);

#endif
