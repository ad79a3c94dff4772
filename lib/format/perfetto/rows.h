/* Makes the rows of packets and adds them to the sink. */
#ifndef TM_FORMAT_PERFETTO_ROWS_H
#define TM_FORMAT_PERFETTO_ROWS_H

#include "format/json_args.h"
#include "format/perfetto/count.h"

struct tm_proto_packet;

/* A detail can become much longer than its packet, because keys repeat the names around them, and interned texts are
 * stated by number. Once it has more than BYTES_FREE bytes plus GROWTH_MAX times the bytes of the packet, further
 * arguments and frames are left out. */
enum { TM_PROTO_DETAIL_BYTES_FREE = 1 << 20, TM_PROTO_DETAIL_GROWTH_MAX = 16 };

/* The destination of the rows of all readers. Zero-initialise, and set sink and counts.sink. */
struct tm_proto_rows {
    struct tm_event_sink *sink;    /* borrowed */
    struct tm_proto_counts counts; /* events that become no row, and statistics */
    struct tm_buf detail;          /* of the next row */
    bool is_cut;                   /* a part of that detail is left out because of a limit */
    size_t packet_bytes;           /* of the current packet; they limit the detail */
    struct tm_buf pending;         /* struct tm_event: derived rows that follow the next row */
    struct tm_buf raw;             /* of the next row, if it is not in the packet's bytes */
    struct tm_buf key, text;       /* scratch of the current packet: the key of an argument, and any text */
    struct tm_json_args json;      /* scratch: an argument that is JSON */
};

/* Returns a row of PACKET with the columns that all rows have. Raw is the whole packet. Without a timestamp the row is
 * untimed. */
struct tm_event tm_proto_event(const struct tm_proto_packet *packet, enum tm_kind kind);

/* Returns the row of a PACKET that other rows may follow. Without a time it is a definition. */
struct tm_event tm_proto_packet_event(const struct tm_proto_packet *packet);

/* Adds EVENT with the detail in ROWS, which it clears. If the detail is cut, counts that. TM_OK, TM_E_INPUT or
 * TM_E_SYSTEM, as tm_event_sink_add. */
enum tm_status tm_proto_add(struct tm_proto_rows *rows, struct tm_event *event, struct tm_error *err);

/* Lists the inner times of EVENT's raw payload (perfetto/packet_times.h) in the detail, then adds EVENT with the detail
 * in ROWS, which it clears. OWN_CLOCK is the clock id of the times that are on the packet's clock. */
enum tm_status tm_proto_add_with_times(struct tm_proto_rows *rows, struct tm_event *event, uint32_t own_clock,
                                       struct tm_error *err);

/* Appends TIME, a reading of CLOCK that belongs to a row without raw payload, to the DETAIL of the row. The row then
 * needs TM_EVENT_INNER_TIMES. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_inner_time(struct tm_buf *detail, uint32_t clock, int64_t time);

/* Adds the row of a PACKET that other rows may follow, with its inner times, as *ROW. */
enum tm_status tm_proto_add_packet(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                   struct tm_event *row, struct tm_error *err);

/* Adds a METADATA row without raw, which only databases need: it states that NAME happened at the time of PACKET. Does
 * nothing if PACKET has no time. *IDX is the number of a buffer; IDX may be NULL. */
enum tm_status tm_proto_add_time(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *name,
                                 const uint64_t *idx, struct tm_error *err);

/* True if the detail of the next row has reached its limit. */
static inline bool tm_proto_detail_is_full(const struct tm_proto_rows *rows)
{
    const size_t free = tm_detail_budget_left(&rows->sink->budget, TM_PROTO_DETAIL_BYTES_FREE);
    return rows->detail.len > free + TM_PROTO_DETAIL_GROWTH_MAX * rows->packet_bytes;
}

/* True if the detail of the next row takes another part. Otherwise the detail is cut. */
static inline bool tm_proto_detail_takes(struct tm_proto_rows *rows)
{
    bool is_full = tm_proto_detail_is_full(rows);
    rows->is_cut |= is_full;
    return !is_full;
}

/* Sets *STRING to the string number of the LEN bytes at S. May append to the detail. */
static inline enum tm_status tm_proto_string(struct tm_proto_rows *rows, const void *s, size_t len, uint32_t *string,
                                             struct tm_error *err)
{
    return tm_event_sink_string(rows->sink, tm_text_at(s, len), &rows->detail, string, err);
}

/* Returns a DERIVED row with EVENT's columns, but without its name, category, raw payload and detail. */
static inline struct tm_event tm_proto_derived(const struct tm_event *event, enum tm_kind kind)
{
    struct tm_event derived = *event;
    derived.kind = kind;
    derived.flags = (event->flags & (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION)) | TM_EVENT_DERIVED;
    derived.raw_bytes = 0;
    derived.detail_bytes = 0;
    derived.name = 0;
    derived.category = 0;
    return derived;
}

#endif
