/* The CPUs of all machines: each task that ran is a slice of its CPU, in a process "Scheduling". */
#ifndef TM_EMIT_CHROME_JSON_CPUS_H
#define TM_EMIT_CHROME_JSON_CPUS_H

#include "emit/chrome_json/metadata.h"

/* A task that runs on a CPU. It becomes a slice at the next switch. */
struct tm_json_cpu {
    uint32_t machine, cpu;
    bool is_running;
    int64_t since_ns, tid;
    int32_t priority;
    struct tm_buf comm;
    /* the pid in the output, which has its name, while changes is the sum of its counts in pids and metadata, plus 1 */
    int64_t out_pid;
    uint32_t changes;
};

/* Zero-initialise, and set metadata. */
struct tm_json_cpus {
    struct tm_json_metadata *metadata; /* borrowed */
    /* private */
    struct tm_json_cpu *rows;
    uint32_t count, cap;
    struct tm_map by_number; /* machine and cpu to the index of a row */
};

/* E, a switch, ends the slice of its CPU. The next task has the name COMM. TM_OK or an error. */
enum tm_status tm_json_cpus_switch(struct tm_json_cpus *cpus, const struct tm_event *e, struct tm_text comm,
                                   struct tm_error *err);

void tm_json_cpus_release(struct tm_json_cpus *cpus);

#endif
