/* Where a format parser puts what it reads: events with names interned, snapshots, statistics and
 * accounts of one file after another, written as a stream. One sink serves a whole run.
 *
 * Frames keep their order relative to events: what a parser puts first comes out first. */
#ifndef TM_STREAM_EVENT_SINK_H
#define TM_STREAM_EVENT_SINK_H

#include "base/intern.h"
#include "stream/batch_builder.h"
#include "stream/raw_choice.h"
#include "stream/writer.h"

/* Bounds of the string table; past them strings travel with their event. */
enum { TM_SINK_STRINGS_MAX = 1 << 18, TM_SINK_STRING_BYTES_MAX = 16 << 20, TM_SINK_STRING_MAX = 4096 };

struct tm_event_sink {
    struct tm_stream_writer *writer; /* borrowed */
    uint32_t file;                   /* the file whose turn it is */
    uint64_t position;               /* of the next event or snapshot in it */
    uint64_t timed_count;            /* counted events of the file so far */
    uint64_t untimed_count;
    struct tm_raw_choice raw; /* the raw payloads that are kept (default all) */
    bool want_detail; /* keep args and other detail that only some outputs need (default true) */
    bool want_json_detail; /* also args of Chrome JSON events, whose raw says them too (default true) */
    bool want_compact_messages; /* CompactSched messages whole, which takes raw (default false) */
    /* private */
    struct tm_batch_builder batch;
    struct tm_intern strings;
    uint32_t strings_sent;
    uint32_t generations;
    struct tm_buf detail;
};

void tm_event_sink_init(struct tm_event_sink *sink, struct tm_stream_writer *writer);

/* A file's turn begins: position and counts start anew. */
enum tm_status tm_event_sink_file_begin(struct tm_event_sink *sink, const Tracemerge__FileBegin *begin,
                                        struct tm_error *err);

/* It ends; writes FileEnd with the counts. SIZE_BYTES: bytes read of it. */
enum tm_status tm_event_sink_file_end(struct tm_event_sink *sink, uint32_t file, uint64_t size_bytes,
                                      struct tm_error *err);

/* After an inner file's end, back to the container around it. */
void tm_event_sink_set_file(struct tm_event_sink *sink, uint32_t file);

/* The string number of LEN bytes for the name or category column. When the table is full or the
 * string is longer than TM_SINK_STRING_MAX it goes into DETAIL, the detail bytes of the event
 * being made (a text field is appended), and the result refers there. Bytes are kept as they are,
 * be they UTF-8 or not. An empty string is a string; NULL gives 0, none. */
enum tm_status tm_event_sink_string(struct tm_event_sink *sink, const void *s, size_t len, struct tm_buf *detail,
                                    uint32_t *string, struct tm_error *err);

/* Adds EVENT. Sets file and position itself; drops raw that is not kept. The payload is
 * copied. */
enum tm_status tm_event_sink_add(struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err);

/* The row added last is COUNT events, at least one: they have positions and are counted as so many. */
static inline void tm_event_sink_stands_for(struct tm_event_sink *sink, uint32_t count)
{
    sink->position += count - 1;
    sink->timed_count += count - 1;
}

/* Adds ROWS, all of them counted events; sets file and position itself. */
enum tm_status tm_event_sink_add_rows(struct tm_event_sink *sink, const struct tm_batch_rows *rows,
                                      struct tm_error *err);

/* Adds ROWS. They are counted events, and what they have of raw is kept (tm_raw_choice_has). Sets file and position
 * itself. */
enum tm_status tm_event_sink_add_copies(struct tm_event_sink *sink, const struct tm_batch_copies *rows,
                                        struct tm_error *err);

/* A new number for the generation column; writes the Sequence frame. */
enum tm_status tm_event_sink_generation(struct tm_event_sink *sink, uint32_t machine, uint32_t sequence,
                                        uint32_t *generation, struct tm_error *err);

/* A frame in its place between the events: a Snapshot, a RemoteClockSync (each takes a position
 * and counts as untimed), a Stat, a Metadata, a ClockHint. */
enum tm_status tm_event_sink_message(struct tm_event_sink *sink, enum tm_frame_type type,
                                     const ProtobufCMessage *message, struct tm_error *err);

/* COUNT events (or bytes, for reason "skipped_bytes") of the file were read and will not come, for
 * REASON (tm_accounting's words: damaged, needs_state, no_time, …). They count as read: an event
 * that is accounted here must not be added too. BYTE: where the first was, or UINT64_MAX. */
enum tm_status tm_event_sink_account(struct tm_event_sink *sink, const char *reason, uint32_t clock, uint64_t count,
                                     uint64_t byte, struct tm_error *err);

/* Adds VALUE to statistic NAME of the file. */
enum tm_status tm_event_sink_stat(struct tm_event_sink *sink, const char *name, Tracemerge__Severity severity,
                                  int64_t value, struct tm_error *err);

/* Writes what is buffered. */
enum tm_status tm_event_sink_flush(struct tm_event_sink *sink, struct tm_error *err);

void tm_event_sink_release(struct tm_event_sink *sink);

#endif
