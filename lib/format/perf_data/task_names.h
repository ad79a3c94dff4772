/* The names of threads over time. First everything that a file states is added. Then names can be looked up, each at
 * its time, in any order. A new thread inherits the name of its maker. Later stages cannot do this, because records of
 * perf.data are not in order of time, and a name can come after samples that it applies to. */
#ifndef TM_FORMAT_PERF_DATA_TASK_NAMES_H
#define TM_FORMAT_PERF_DATA_TASK_NAMES_H

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"

enum { TM_PERF_TASK_NAMES_MAX = 1 << 21, TM_PERF_TASK_NAME_BYTES_MAX = 32 << 20 };

/* Zero-initialise, then init. */
struct tm_perf_task_names {
    /* private */
    struct tm_perf_task_name *list;
    uint32_t count, cap;
    struct tm_intern texts;
};

void tm_perf_task_names_init(struct tm_perf_task_names *names);

/* Notes that TID has NAME from TIME on. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_task_names_add(struct tm_perf_task_names *names, int64_t tid, uint64_t time, struct tm_text name,
                                      struct tm_error *err);

/* Notes that TID has from TIME on the name that MAKER has at TIME. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_task_names_inherit(struct tm_perf_task_names *names, int64_t tid, int64_t maker, uint64_t time,
                                          struct tm_error *err);

/* Call it once all is added, before the first look-up. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_task_names_settle(struct tm_perf_task_names *names, struct tm_error *err);

/* The name of TID at TIME; empty if unknown. Call after settle. */
struct tm_text tm_perf_task_names_find(const struct tm_perf_task_names *names, int64_t tid, uint64_t time);

void tm_perf_task_names_release(struct tm_perf_task_names *names);

#endif
