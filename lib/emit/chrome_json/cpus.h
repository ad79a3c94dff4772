/* The CPUs of all machines: each task that ran is a slice of its CPU, in a process "Scheduling". */
#ifndef TM_EMIT_CHROME_JSON_CPUS_H
#define TM_EMIT_CHROME_JSON_CPUS_H

#include "emit/chrome_json/metadata.h"
#include "emit/task_names.h"

/* A task that runs on a CPU. It becomes a slice at the next switch. */
struct tm_json_cpu {
    uint32_t machine, cpu;
    int64_t since_ns, tid;
    int32_t priority;
    uint32_t name;       /* of the task, a string of the stream with a number; 0: comm has it */
    bool is_running;
    uint16_t counts[2];  /* indexes of the counts that the pid and its names depend on */
    uint32_t changes;    /* their sum, plus 1, when the output last had the names */
    int64_t out_pid;     /* the pid in the output */
    struct tm_buf comm;
};

enum { TM_JSON_CPUS_RECENT = 1 << 12 }; /* a power of two */

/* Zero-initialise, and set the borrowed members. */
struct tm_json_cpus {
    struct tm_json_metadata *metadata; /* borrowed, as the next */
    const struct tm_task_names *names;
    /* private */
    struct tm_json_cpu *rows;
    uint32_t count, cap;
    struct tm_map by_number;              /* machine and cpu to the index of a row */
    uint16_t recent[TM_JSON_CPUS_RECENT]; /* by a hash of these: the row that was found last */
};

/* E, a switch, ends the slice of its CPU and begins the next. TM_OK or an error. */
enum tm_status tm_json_cpus_switch(struct tm_json_cpus *cpus, const struct tm_event *e, struct tm_error *err);

void tm_json_cpus_release(struct tm_json_cpus *cpus);

#endif
