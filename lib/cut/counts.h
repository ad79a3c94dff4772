/* How many events each part of a stream has, by file, machine and clock. Each part accounts for the events of the
 * others as filtered. */
#ifndef TM_CUT_COUNTS_H
#define TM_CUT_COUNTS_H

#include "base/table.h"
#include "stream/writer.h"

/* Zero-initialise, with .part_count set. */
struct tm_cut_counts {
    uint32_t part_count;
    bool has_flows; /* some events are flows */
    /* private */
    struct tm_cut_count {
        uint32_t file, machine, clock;
        uint64_t *of_part; /* part_count of them, and the sum of all */
    } *rows;
    uint32_t count, cap, last;
    struct tm_table by_key;
};

/* Counts EVENT in PART. IS_STATE: it is part of the state, and another part counts it too. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_cut_counts_add(struct tm_cut_counts *counts, const struct tm_event *event, uint32_t part,
                                 bool is_state, struct tm_error *err);

/* True if PART has events, or states them. */
bool tm_cut_counts_has(const struct tm_cut_counts *counts, uint32_t part);

/* Writes the accounts of the events that PART does not contain. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_cut_counts_write(const struct tm_cut_counts *counts, uint32_t part, struct tm_stream_writer *writer,
                                   struct tm_error *err);

void tm_cut_counts_release(struct tm_cut_counts *counts);

#endif
