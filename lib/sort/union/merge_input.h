/* One of the streams that are merged: its frames are read first and become part of a union, then
 * its batches are read, checked to be in order, and renumbered. */
#ifndef TM_SORT_UNION_MERGE_INPUT_H
#define TM_SORT_UNION_MERGE_INPUT_H

#include "sort/union/batch_renumber.h"
#include "sort/block.h"
#include "sort/union/frame_union.h"
#include "sort/order_check.h"
#include "stream/reader.h"

/* Zero-initialise and set the first three. */
struct tm_merge_input {
    const char *name;           /* for messages; borrowed */
    int fd;                     /* borrowed */
    struct tm_frame_union *all; /* borrowed */
    bool has_events;            /* known once opened */
    bool has_trace_time;        /* likewise; machine and file are new numbers */
    Tracemerge__TraceTime trace_time;
    uint64_t sequence;          /* of its blocks */
    bool only_definitions;      /* next ends before the first event that is none, and goes on there
                                   when this is cleared */
    /* private */
    struct tm_stream_ids ids;
    struct tm_stream_reader reader;
    struct tm_order_check check;
    struct tm_batch_renumber renumber;
    struct tm_frame_file frames;
    Tracemerge__Machine **machines;
    uint32_t machine_count, machine_cap;
    struct tm_block block, rest; /* block was shown last, or is to be shown before rest */
    bool has_head, has_rest;
};

/* Reads all frames before the first batch into the union. TM_OK; TM_E_INPUT "NAME: …" when it is no
 * stream, is not placed or not sorted, or its frames are damaged; TM_E_SYSTEM. */
enum tm_status tm_merge_input_open(struct tm_merge_input *input, struct tm_error *err);

/* Its next rows: a tm_merge_source's next; blocks are transient. TM_OK, TM_END, an error. */
enum tm_status tm_merge_input_next(void *input, struct tm_block **block, struct tm_error *err);

void tm_merge_input_release(struct tm_merge_input *input);

#endif
