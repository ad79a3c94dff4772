/* A part by time of a stream (tm-sort --cut). Before the events of its range it has events that state what holds at the
 * beginning of the range. These keep their own times (doc/parts.md). */
#ifndef TM_STREAM_TIME_PART_H
#define TM_STREAM_TIME_PART_H

#include <stdbool.h>
#include <stdint.h>

/* The range [from_ns, to_ns). If has_from and has_to are false, the stream is whole. */
struct tm_time_part {
    bool has_from, has_to;
    int64_t from_ns, to_ns;
};

static inline bool tm_time_part_is_whole(const struct tm_time_part *part)
{
    return !part->has_from && !part->has_to;
}

static inline bool tm_time_part_is_same(const struct tm_time_part *a, const struct tm_time_part *b)
{
    return a->has_from == b->has_from && a->has_to == b->has_to && (!a->has_from || a->from_ns == b->from_ns) &&
           (!a->has_to || a->to_ns == b->to_ns);
}

#endif
