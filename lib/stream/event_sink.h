/* The object to which parsers add what they read: events, snapshots, statistics and accounts of one file after another.
 * The sink interns names and writes all as a stream. One sink serves a whole run.
 *
 * Frames keep their order relative to events. Calls return TM_OK, TM_E_INPUT if a frame is larger than
 * TM_FRAME_BYTES_MAX, or TM_E_SYSTEM. */
#ifndef TM_STREAM_EVENT_SINK_H
#define TM_STREAM_EVENT_SINK_H

#include "base/intern.h"
#include "base/name_set.h"
#include "base/text.h"
#include "stream/batch_builder.h"
#include "stream/detail_budget.h"
#include "stream/drop_reason.h"
#include "stream/raw_choice.h"
#include "stream/slice_tids.h"
#include "stream/writer.h"

/* Limits of the string table. Further strings are inline in their event. */
enum { TM_SINK_STRINGS_MAX = 1 << 18, TM_SINK_STRING_BYTES_MAX = 16 << 20, TM_SINK_STRING_MAX = 4096 };

enum { TM_SINK_RECENT = 512 }; /* a power of 2 */

struct tm_event_sink {
    struct tm_stream_writer *writer; /* borrowed */
    uint32_t file;                   /* the current file */
    uint64_t position;               /* of the next event or snapshot in it */
    uint64_t timed_count;            /* counted events of the file so far */
    uint64_t untimed_count;
    struct tm_raw_choice raw; /* which raw payloads are kept (default: all) */
    bool want_detail; /* keep args and other detail that only some outputs need (default: true) */
    bool want_json_detail; /* also keep args of Chrome JSON events, which are in raw too (default: true) */
    const struct tm_name_set *json_args; /* only these args of Chrome JSON events; borrowed; NULL: all (default) */
    bool want_packet_args; /* also keep args of track events, which are in raw too (default: true) */
    bool want_value_rows;  /* keep extra counter values of track events as rows, not in raw alone (default: true) */
    /* For a sink whose frames are copied into the sink of the run: converts *STRING from a number of this sink to that
     * of the run's sink. NULL: this is the run's sink. */
    enum tm_status (*run_string)(void *arg, uint32_t *string, struct tm_error *err);
    void *run_arg; /* argument of run_string */
    struct tm_detail_budget budget; /* of the current file; tm_event_sink_file_reads sets it */
    /* Names, labels and other facts of the current file that a limit of its parser leaves out. Parsers count; the end
     * of the file states the statistic facts_beyond_limits. */
    uint64_t left_out;
    bool want_compact_messages; /* keep whole CompactSched messages; requires raw (default: false) */
    /* private */
    struct tm_batch_builder batch;
    struct tm_slice_tids slice_tids; /* of the file so far */
    struct tm_intern strings;
    uint32_t recent[TM_SINK_RECENT]; /* numbers of strings, by a few of their bytes; 0: none */
    uint32_t strings_sent;
    uint32_t generations;
    struct tm_buf detail;
};

/* Initialises SINK, which writes to WRITER (borrowed). */
void tm_event_sink_init(struct tm_event_sink *sink, struct tm_stream_writer *writer);

/* Begins a file's turn. Position and counts restart. */
enum tm_status tm_event_sink_file_begin(struct tm_event_sink *sink, const Tracemerge__FileBegin *begin,
                                        struct tm_error *err);

/* Tells where the next byte of the file, whose turn has begun, is in its input: *OFFSET, which is borrowed until the
 * next call. NULL: no more of it is read. Without a place the file's details have no bound (detail_budget.h). */
void tm_event_sink_file_reads(struct tm_event_sink *sink, const uint64_t *offset);

/* Ends a file's turn and writes FileEnd with the counts. SIZE_BYTES is the number of its bytes that were read. */
enum tm_status tm_event_sink_file_end(struct tm_event_sink *sink, uint32_t file, uint64_t size_bytes,
                                      struct tm_error *err);

/* Returns to the container FILE after the end of a file inside it. */
void tm_event_sink_set_file(struct tm_event_sink *sink, uint32_t file);

/* Sets *STRING to the number of TEXT for the column name, category or arg_keys. If the table is full, or TEXT is longer
 * than TM_SINK_STRING_MAX, it is appended as a text field to DETAIL, the detail bytes of the current event, and *STRING
 * refers there. Bytes are kept unchanged, UTF-8 or not, but a text that exceeds the budget of the file is cut. An empty
 * text has a number too. A text without data gives 0 (none). */
enum tm_status tm_event_sink_string(struct tm_event_sink *sink, struct tm_text text, struct tm_buf *detail,
                                    uint32_t *string, struct tm_error *err);

/* Converts *STRING, which tm_event_sink_string has set, to its number in the stream. Call it before another number is
 * derived from *STRING. */
static inline enum tm_status tm_event_sink_run_string(struct tm_event_sink *sink, uint32_t *string,
                                                      struct tm_error *err)
{
    if (sink->run_string == NULL || *string == 0 || *string & TM_STRING_INLINE)
        return TM_OK;
    return sink->run_string(sink->run_arg, string, err);
}

/* Adds EVENT and copies its payload. Sets file and position. Drops raw bytes that are not kept, and a large detail that
 * exceeds the budget of the file. */
enum tm_status tm_event_sink_add(struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err);

/* Call this if the last added row stands for COUNT (at least 1) events. They take positions and are counted. */
static inline void tm_event_sink_stands_for(struct tm_event_sink *sink, uint32_t count)
{
    sink->position += count - 1;
    sink->timed_count += count - 1;
}

/* Adds ROWS, all of which are counted events. Sets file and position. */
enum tm_status tm_event_sink_add_rows(struct tm_event_sink *sink, const struct tm_batch_rows *rows,
                                      struct tm_error *err);

/* Adds ROWS. They are counted events, and their raw bytes must be of a kind that is kept (tm_raw_choice_has). Sets
 * file and position. */
enum tm_status tm_event_sink_add_copies(struct tm_event_sink *sink, const struct tm_batch_copies *rows,
                                        struct tm_error *err);

/* Makes a new number for the generation column and writes its Sequence frame. */
enum tm_status tm_event_sink_generation(struct tm_event_sink *sink, uint32_t machine, uint32_t sequence,
                                        uint32_t *generation, struct tm_error *err);

/* Adds a frame in its place between events: a Snapshot, RemoteClockSync (each takes a position and counts as
 * untimed), Stat, Metadata or ClockHint. */
enum tm_status tm_event_sink_message(struct tm_event_sink *sink, enum tm_frame_type type,
                                     const ProtobufCMessage *message, struct tm_error *err);

/* What a clock showed. Units are the clock's, and clocks have the ids of stream/clock_id.h. */
struct tm_clock_reading {
    uint32_t clock;
    int64_t value;
};

/* Adds SNAPSHOT as tm_event_sink_message does, with the readings of PAIR, and with the file and position of SINK. The
 * caller sets its other fields. */
enum tm_status tm_event_sink_snapshot(struct tm_event_sink *sink, Tracemerge__Snapshot *snapshot,
                                      const struct tm_clock_reading pair[2], struct tm_error *err);

/* Events of a file that were read and are dropped; bytes for TM_DROP_SKIPPED_BYTES. */
struct tm_loss {
    enum tm_drop_reason reason;
    uint32_t clock;
    uint64_t count;
    uint64_t byte; /* where the first is in the file; UINT64_MAX: unknown */
};

/* Accounts for LOSS. Its events count as read, so they must not be added as events too. */
enum tm_status tm_event_sink_account(struct tm_event_sink *sink, struct tm_loss loss, struct tm_error *err);

/* Adds VALUE to statistic NAME of the file. */
enum tm_status tm_event_sink_stat(struct tm_event_sink *sink, const char *name, Tracemerge__Severity severity,
                                  int64_t value, struct tm_error *err);

/* Writes buffered events. */
enum tm_status tm_event_sink_flush(struct tm_event_sink *sink, struct tm_error *err);

void tm_event_sink_release(struct tm_event_sink *sink);

#endif
