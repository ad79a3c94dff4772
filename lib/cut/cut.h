/* Cuts a sorted, placed stream into parts by time, in one pass. Each part is a stream. First come all frames and
 * definitions of the whole, so numbers mean the same in all parts. Then come the events that state what holds at its
 * beginning, with their own times. Then come the events of its range. doc/parts.md says what outputs make of it. */
#ifndef TM_CUT_CUT_H
#define TM_CUT_CUT_H

#include "os/memory_limit.h"

#include <stdint.h>

enum { TM_CUT_POINTS_MAX = 1 << 16 };

struct tm_cut {
    const int64_t *points; /* rising; part 0 ends at the first, the last part begins at the last */
    uint32_t point_count;  /* one less than the number of parts */
    const char *temporary_dir; /* NULL: as tm_io_temporary */
    /* Sets *FD to the descriptor for PART; -1: the part is not written. TM_OK or an error. */
    enum tm_status (*open)(void *self, uint32_t part, int *fd, struct tm_error *err);
    /* Called when PART is complete. TM_OK or an error. */
    enum tm_status (*close)(void *self, uint32_t part, int fd, struct tm_error *err);
    void *self;
    uint32_t *empty_count; /* counts parts that are written and have no event in their range; NULL: not wanted */
    uint64_t *left_out; /* counts open slices that the state has no room for (TM_OPEN_UNITS_MAX); NULL: not wanted */
    struct tm_memory_limit *memory; /* for the state; NULL: not limited; borrowed */
};

/* Cuts the stream on IN, which is read twice; one that cannot be goes to a temporary file first. TM_OK. TM_E_INPUT if
 * it is damaged, not placed, not sorted, a part already, has whole messages (tm-unpack --whole-sched), or needs more
 * memory than allowed. TM_E_SYSTEM. */
enum tm_status tm_cut(int in, const struct tm_cut *cut, struct tm_error *err);

#endif
