/* The events that could not be placed, one by one. They become Dropped frames (--keep-dropped). */
#ifndef TM_CLOCKS_DROPPED_LIST_H
#define TM_CLOCKS_DROPPED_LIST_H

#include "base/buf.h"
#include "clocks/placement_record.h"
#include "stream/event.h"

enum { TM_DROPPED_ROWS = 512, TM_DROPPED_TEXT_BYTES = 64 << 10 };

/* What the events of one frame have in common. */
struct tm_dropped_group {
    uint32_t file, machine, clock;
    enum tm_row_result result;
};

/* Zero-initialise with is_enabled and writer set. */
struct tm_dropped_list {
    bool is_enabled;
    struct tm_stream_writer *writer; /* borrowed */
    /* private */
    struct tm_dropped_group group;
    uint32_t count;
    uint64_t positions[TM_DROPPED_ROWS];
    int64_t times[TM_DROPPED_ROWS];
    int64_t trace_times[TM_DROPPED_ROWS];
    uint32_t kinds[TM_DROPPED_ROWS], names[TM_DROPPED_ROWS];
    protobuf_c_boolean definitions[TM_DROPPED_ROWS];
    struct tm_buf texts; /* names that are in no table of strings */
};

/* Adds EVENT. Its time_ns is the reading of its own clock; its machine and clock are those of its account. RESULT is
 * the reason for which it was dropped. TRACE_NS is used for TM_RESULT_NEGATIVE_TIME alone. Writes a frame if one is
 * full or EVENT does not belong to it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_dropped_list_add(struct tm_dropped_list *list, const struct tm_event *event,
                                   enum tm_row_result result, int64_t trace_ns, struct tm_error *err);

/* Writes what has been added. To be called before the accounts of a file are written. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_dropped_list_flush(struct tm_dropped_list *list, struct tm_error *err);

void tm_dropped_list_release(struct tm_dropped_list *list);

#endif
