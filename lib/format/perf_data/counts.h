/* The counts that samples were read with (PERF_SAMPLE_READ), and how much of each is new since the sample before.
 * Samples with them stand for what was counted since then, of each member of their group: perf record -e '{a,b}:S'.
 * Source: perf_event_open(2), tools/perf/util/session.c of Linux (which events a sample is delivered to). */
#ifndef TM_FORMAT_PERF_DATA_COUNTS_H
#define TM_FORMAT_PERF_DATA_COUNTS_H

#include "base/table.h"
#include "format/perf_data/attrs.h"

/* Counts in a record, whose bytes are borrowed. */
struct tm_perf_counts {
    struct tm_perf_cursor at;
    uint32_t len;          /* 0: none, or none with an id */
    uint32_t stride, id_at; /* bytes from count to count, from a value to its id */
};

struct tm_perf_count {
    uint64_t id, value;
};

/* Takes counts of read_format FORMAT from the front of C. Sets failed of C if there are fewer than it states. */
struct tm_perf_counts tm_perf_counts_read(struct tm_perf_cursor *c, uint64_t format);

/* Count I of COUNTS, below len. */
struct tm_perf_count tm_perf_counts_get(const struct tm_perf_counts *counts, uint32_t i);

/* Values kept at most. */
enum { TM_PERF_LAST_COUNTS_MAX = 1 << 20 };

/* The last value of each count. Zero-initialise. */
struct tm_perf_last_counts {
    struct tm_table values;
};

/* Sets *SINCE to how much COUNT has grown since it was last given, or began. A count of an event that threads inherit
 * counts for TID alone; TID is -1 for all others. A value below the last one counts from 0 again. TM_OK; TM_E_INPUT:
 * the limit; TM_E_SYSTEM. */
enum tm_status tm_perf_last_counts_since(struct tm_perf_last_counts *last, struct tm_perf_count count, int32_t tid,
                                         uint64_t *since, struct tm_error *err);

void tm_perf_last_counts_release(struct tm_perf_last_counts *last);

#endif
