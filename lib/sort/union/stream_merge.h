/* Merges streams that were each placed on one timeline and sorted where they were recorded. Files, machines, strings
 * and sequences are renumbered in the order of the streams. */
#ifndef TM_SORT_UNION_STREAM_MERGE_H
#define TM_SORT_UNION_STREAM_MERGE_H

#include "sort/sorter.h"

/* A stream to be merged. */
struct tm_merge_stream {
    const char *name; /* for messages, and as name of its outermost file */
    int fd;           /* -1: NAME is a regular file, which is open only while it is read */
};

/* Streams to be merged into one. */
struct tm_merge_streams {
    struct tm_merge_stream *streams;
    uint32_t count;
    uint32_t descriptors; /* this many may be open at a time */
};

/* Merges STREAMS into OUT. The memory in use is a batch or two for each stream, and the tables. If there are more
 * streams than OPTIONS' memory allows, or more than may be open at a time, groups of them are merged to temporary files
 * first. TM_OK. TM_E_INPUT "NAME: …" if a stream is damaged, not placed, not sorted, or on another timeline than the
 * first (another clock, or another machine unless the clock is REALTIME). TM_E_SYSTEM. */
enum tm_status tm_stream_merge(const struct tm_merge_streams *streams, int out, const struct tm_sort_options *options,
                               struct tm_error *err);

#endif
