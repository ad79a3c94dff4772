/* A row that is a whole CompactSched message (doc/events.md), taken apart into the rows of its events. */
#ifndef TM_PERFETTO_COMPACT_ROWS_H
#define TM_PERFETTO_COMPACT_ROWS_H

#include "base/buf.h"
#include "base/checked.h"
#include "perfetto/compact_message.h"
#include "stream/event.h"

enum {
    TM_COMPACT_WHOLE_MIN = 32, /* events; fewer are rows of their own, which go into larger messages together */
    TM_COMPACT_WHOLE_BYTES_MAX = 64 << 10 /* a longer message is, too */
};

/* Zero-initialise; may be opened again and again. */
struct tm_compact_rows {
    bool borrows_names; /* for events that are looked at and not kept */
    /* private */
    struct tm_compact_reader reader;
    struct tm_event whole;
    uint64_t shift;   /* what its times lie behind those of the message */
    bool is_known;    /* who runs: */
    int32_t pid, prio;
    uint32_t comm;    /* in the table of the message, or UINT32_MAX: the category of whole */
    struct tm_buf detail;
};

/* ROWS is before the first event of WHOLE, whose payload stays the caller's and must stay. TM_OK; TM_E_INPUT where its
 * raw bytes are no CompactSched message with an event, TM_E_SYSTEM. */
enum tm_status tm_compact_rows_open(struct tm_compact_rows *rows, const struct tm_event *whole, struct tm_error *err);

/* TM_OK with *EVENT as tm-unpack would have made it, but that its names travel with it; valid until the next call.
 * Where borrows_names is set its detail is mostly the message itself. TM_END, or TM_E_SYSTEM. */
enum tm_status tm_compact_rows_next(struct tm_compact_rows *rows, struct tm_event *event, struct tm_error *err);

void tm_compact_rows_release(struct tm_compact_rows *rows);

/* When the last event is of a row with TIME_NS and DUR_NS. */
static inline int64_t tm_compact_rows_last(int64_t time_ns, int64_t dur_ns)
{
    int64_t last_ns;
    return tm_add_i64(time_ns, dur_ns < 0 ? 0 : dur_ns, &last_ns) ? last_ns : INT64_MAX;
}

#endif
