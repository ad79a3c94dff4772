/* Merges streams that have been placed on one timeline and sorted, each where it was recorded, into
 * one: numbers of files, machines, strings and sequences are made anew, in the order of the streams. */
#ifndef TM_SORT_UNION_STREAM_MERGE_H
#define TM_SORT_UNION_STREAM_MERGE_H

#include "sort/sorter.h"

/* A stream to be merged. */
struct tm_merge_stream {
    const char *name; /* for messages, and the name of its outermost file */
    int fd;
};

/* Writes the COUNT streams as one to OUT. Memory is a batch or two a stream and the tables; with more
 * streams than OPTIONS' memory has room for, groups of them are merged to temporary files first.
 * TM_OK; TM_E_INPUT "NAME: …" when a stream is damaged, not placed, not sorted, or on another
 * timeline than the first (clock, and machine unless the clock is REALTIME); TM_E_SYSTEM. */
enum tm_status tm_stream_merge(const struct tm_merge_stream *streams, uint32_t count, int out,
                               const struct tm_sort_options *options, struct tm_error *err);

#endif
