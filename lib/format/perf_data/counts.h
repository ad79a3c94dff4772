/* The counts that a sample carries (PERF_SAMPLE_READ), and how much each has grown since the sample before. Such a
 * sample represents that growth, for each member of its group: perf record -e '{a,b}:S'. Source: perf_event_open(2),
 * tools/perf/util/session.c of Linux (which events a sample is delivered to). */
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

/* Takes counts of read_format FORMAT from the front of C. Sets C's failed if there are fewer than stated. */
struct tm_perf_counts tm_perf_counts_read(struct tm_perf_cursor *c, uint64_t format);

/* Count I of COUNTS, below len. */
struct tm_perf_count tm_perf_counts_get(const struct tm_perf_counts *counts, uint32_t i);

/* Limit of the values stored. */
enum { TM_PERF_LAST_COUNTS_MAX = 1 << 20 };

/* The last value of each count. Zero-initialise. */
struct tm_perf_last_counts {
    struct tm_table values;
};

/* Sets *SINCE to the growth of COUNT since the last call with its id, or since it began. If threads inherit the event,
 * TID has a count of its own; for all other events TID is -1. A value below the last one counts from 0 again. TM_OK;
 * TM_E_INPUT: the limit; TM_E_SYSTEM. */
enum tm_status tm_perf_last_counts_since(struct tm_perf_last_counts *last, struct tm_perf_count count, int32_t tid,
                                         uint64_t *since, struct tm_error *err);

void tm_perf_last_counts_release(struct tm_perf_last_counts *last);

#endif
