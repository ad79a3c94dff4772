/* A sample as recorded, and the trailing fields of other records. */
#ifndef TM_FORMAT_PERF_DATA_SAMPLE_H
#define TM_FORMAT_PERF_DATA_SAMPLE_H

#include "format/perf_data/counts.h"

/* The processor's mode: in the misc bits of a record, or as marks in a call chain. */
enum tm_perf_mode {
    TM_PERF_MODE_UNKNOWN = 0,
    TM_PERF_MODE_KERNEL = 1,
    TM_PERF_MODE_USER = 2,
    TM_PERF_MODE_HYPERVISOR = 3,
    TM_PERF_MODE_GUEST_KERNEL = 4,
    TM_PERF_MODE_GUEST_USER = 5
};
enum { TM_PERF_MODE_MASK = 7 };

/* Pointers point into the record. */
struct tm_perf_sample {
    bool has_thread, has_time, has_cpu, has_period, has_ip;
    int32_t pid, tid; /* -1: not recorded, or the kernel had no number any more for a task that has ended */
    uint32_t cpu;
    uint64_t ip, time, period;
    const uint8_t *chain; /* chain_len numbers of 8 bytes, innermost first; NULL: not recorded */
    uint64_t chain_len;
    const uint8_t *raw; /* the fields of a tracepoint; NULL: not recorded */
    uint32_t raw_len;
    struct tm_perf_counts counts;
    bool has_user_stack; /* the sample has a copy of the thread's stack, which is not unwound */
};

/* Reads the sample of ATTR in RECORD, the bytes after the header. False: it is truncated. */
bool tm_perf_sample_read(const struct tm_perf_attr *attr, struct tm_perf_cursor record, struct tm_perf_sample *sample);

/* Reads the trailing fields of a record of ATTR other than a sample: thread, time and cpu, if present. Shortens RECORD
 * by them. False: it is truncated. */
bool tm_perf_sample_read_end(const struct tm_perf_attr *attr, struct tm_perf_cursor *record,
                             struct tm_perf_sample *sample);

#endif
