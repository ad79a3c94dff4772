/* One of the streams that are merged. Its frames are read first and become part of a union. Then its batches are
 * read, checked for order, and renumbered. */
#ifndef TM_SORT_UNION_MERGE_INPUT_H
#define TM_SORT_UNION_MERGE_INPUT_H

#include "sort/union/batch_renumber.h"
#include "sort/block.h"
#include "sort/union/frame_union.h"
#include "sort/order_check.h"
#include "stream/reader.h"

#include <sys/types.h>

/* Zero-initialise and set the first three. */
struct tm_merge_input {
    const char *name;           /* for messages; borrowed */
    int fd;                     /* borrowed, unless opens */
    struct tm_frame_union *all; /* borrowed */
    bool has_events;            /* known once opened */
    bool has_trace_time;        /* known once opened; machine and file are new numbers */
    Tracemerge__TraceTime trace_time;
    uint64_t sequence;          /* sequence number of its blocks */
    bool only_definitions; /* true: next stops before the first event that is no definition, and continues there once
                              this is cleared */
    bool opens; /* resume opens the file NAME and park closes it; fd is -1 at first */
    /* private */
    off_t offset; /* where a parked input is read next */
    struct tm_stream_ids ids;
    struct tm_stream_reader reader;
    struct tm_order_check check;
    struct tm_batch_renumber renumber;
    struct tm_frame_file frames;
    Tracemerge__Machine **machines;
    uint32_t machine_count, machine_cap;
    struct tm_block block, rest; /* block was shown last, or precedes rest */
    bool has_head, has_rest;
};

/* Reads all frames before the first batch into the union. TM_OK. TM_E_INPUT "NAME: …" if it is no stream, is not
 * placed or not sorted, or its frames are damaged. TM_E_SYSTEM. */
enum tm_status tm_merge_input_open(struct tm_merge_input *input, struct tm_error *err);

/* Open and close the file of an input that opens it. resume continues where park stopped. For other inputs they do
 * nothing. TM_OK; TM_E_INPUT: the file can no longer be opened; TM_E_SYSTEM. */
enum tm_status tm_merge_input_resume(struct tm_merge_input *input, struct tm_error *err);
enum tm_status tm_merge_input_park(struct tm_merge_input *input, struct tm_error *err);

/* Reads its next rows. Blocks are transient. Can be the next function of a tm_run_source. TM_OK, TM_END or an
 * error. */
enum tm_status tm_merge_input_next(void *input, struct tm_block **block, struct tm_error *err);

void tm_merge_input_release(struct tm_merge_input *input);

#endif
