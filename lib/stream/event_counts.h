/* Counts events and their bytes by time, in a bounded number of bins. The bins depend only on the events, not on their
 * order. They also do not depend on how the events were divided into messages that are added up.
 *
 * A bin is a time of 2^shift ns that begins at a multiple of that. Only bins with events are kept. shift is the least
 * number for which there are at most TM_EVENT_BINS_MAX, and at least that of each message added. */
#ifndef TM_STREAM_EVENT_COUNTS_H
#define TM_STREAM_EVENT_COUNTS_H

#include "base/map.h"
#include "stream/writer.h"

enum { TM_EVENT_BINS_MAX = 1 << 14, TM_EVENT_BINS_SHIFT_MAX = 63 };

struct tm_event_bin {
    int64_t number; /* the bin is from number * 2^shift on */
    uint64_t count, bytes;
};

/* Zero-initialise. */
struct tm_event_counts {
    uint32_t shift;
    uint64_t total_bytes;
    /* private */
    struct tm_event_bin *bins;
    uint32_t count, cap;
    uint32_t last; /* the bin of the last event */
    struct tm_map of_number;
};

/* Counts COUNT events at TIME_NS that have BYTES (at least COUNT) in all. TM_OK; TM_E_INPUT if there are more than 2^64
 * - 1 bytes; TM_E_SYSTEM. */
enum tm_status tm_event_counts_add(struct tm_event_counts *counts, int64_t time_ns, uint64_t count, uint64_t bytes,
                                   struct tm_error *err);

/* Add the counts in MESSAGE, or in FRAME, which is an EventCounts. TM_OK; TM_E_INPUT if it is damaged, with "byte N: "
 * in front for a frame; TM_E_SYSTEM. */
enum tm_status tm_event_counts_add_message(struct tm_event_counts *counts, const Tracemerge__EventCounts *message,
                                           struct tm_error *err);
enum tm_status tm_event_counts_add_frame(struct tm_event_counts *counts, const struct tm_frame *frame,
                                         struct tm_error *err);

/* Writes an EventCounts frame. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_event_counts_write(struct tm_event_counts *counts, struct tm_stream_writer *writer,
                                     struct tm_error *err);

/* Sets POINTS to PART_COUNT - 1 rising times. They divide the events into PART_COUNT parts with equal numbers of bytes,
 * assuming that the events of a bin are spread evenly over it. */
void tm_event_counts_divide(struct tm_event_counts *counts, uint32_t part_count, int64_t *points);

void tm_event_counts_release(struct tm_event_counts *counts);

#endif
