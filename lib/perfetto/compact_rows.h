/* Expands a row that is a whole CompactSched message (doc/events.md) into the rows of its events. */
#ifndef TM_PERFETTO_COMPACT_ROWS_H
#define TM_PERFETTO_COMPACT_ROWS_H

#include "base/buf.h"
#include "base/checked.h"
#include "perfetto/compact_message.h"
#include "stream/event.h"

enum {
    /* Limits of a message that becomes one row. The events of any other message become rows of their own. */
    TM_COMPACT_WHOLE_MIN = 32, /* events; outputs join those of shorter messages to larger ones */
    TM_COMPACT_WHOLE_BYTES_MAX = 64 << 10
};

/* Zero-initialise; may be opened again and again. */
struct tm_compact_rows {
    bool borrows_names; /* names are not copied from the message; set it if no event is kept after the next call */
    /* private */
    struct tm_compact_reader reader;
    struct tm_event whole;
    uint64_t shift;   /* ns; is added to the message's times */
    bool is_known;    /* pid, prio and comm are those of the running task */
    int32_t pid, prio;
    uint32_t comm;    /* index of its name in the message's table; UINT32_MAX: its name is the category of whole */
    struct tm_buf detail;
};

/* Puts ROWS before the first event of WHOLE. The payload of WHOLE stays the caller's and must outlive the reading.
 * TM_OK; TM_E_INPUT if its raw bytes are no CompactSched message with an event; TM_E_SYSTEM. */
enum tm_status tm_compact_rows_open(struct tm_compact_rows *rows, const struct tm_event *whole, struct tm_error *err);

/* Sets *EVENT to the next row, as tm-unpack would have made it. Only its names differ: they are inline in the event. It
 * is valid until the next call. If borrows_names is set, the detail of EVENT may be the message itself. TM_OK, TM_END
 * or TM_E_SYSTEM. */
enum tm_status tm_compact_rows_next(struct tm_compact_rows *rows, struct tm_event *event, struct tm_error *err);

void tm_compact_rows_release(struct tm_compact_rows *rows);

/* Returns the time of the last event of a row with TIME_NS and DUR_NS. */
static inline int64_t tm_compact_rows_last(int64_t time_ns, int64_t dur_ns)
{
    int64_t last_ns;
    return tm_add_i64(time_ns, dur_ns < 0 ? 0 : dur_ns, &last_ns) ? last_ns : INT64_MAX;
}

#endif
