/* The state of a Gecko profile being read. document.c reads the document, thread.c the members of a thread;
 * definitions.c, samples.c, markers.c and counters.c make rows. */
#ifndef TM_FORMAT_GECKO_INTERNAL_H
#define TM_FORMAT_GECKO_INTERNAL_H

#include "format/gecko/counts.h"
#include "format/gecko/gecko.h"
#include "format/gecko/resync.h"
#include "format/gecko/tables.h"
#include "format/json_args.h"

/* The object of a thread, or of a counter, which has a name and samples too. */
struct tm_gecko_thread {
    uint32_t process; /* index in the document's processes */
    struct tm_paged_file *text_file;
    struct tm_gecko_parts parts;
    bool has_pid, has_tid, pid_is_text, tid_is_text;
    bool has_unknown_origin; /* the origin of its times is unknown */
    int64_t pid, tid;
    struct tm_buf name, process_name, process_type, pid_text, tid_text, category;
};

struct tm_gecko_list {
    struct tm_gecko_thread *all;
    uint32_t count, cap;
};

/* Makes the rows of threads and counters, one at a time. */
struct tm_gecko_view {
    struct tm_event_sink *sink;     /* borrowed */
    struct tm_gecko_counts *counts; /* borrowed */
    struct tm_gecko_account *damaged; /* counts damage that ends a table; NULL: that is an error; borrowed */
    struct tm_error *err; /* of the current call */
    /* The thread being shown; tm_gecko_place sets it. */
    const struct tm_gecko_thread *thread;
    const struct tm_gecko_process *process;
    int64_t offset_ns; /* added to the times of its process */
    struct tm_gecko_strings *strings;
    uint64_t uuid;
    bool is_defined, has_track;
    int64_t first_ns;      /* time of its first event */
    struct tm_map defined; /* processes, threads and marker tracks that are defined already */
    /* Scratch. */
    struct tm_gecko_rows rows; /* of samples, markers or counts */
    struct tm_buf detail, stack, name, category, text, message;
    struct tm_json_args args;    /* of one member of a payload */
    struct tm_json_args payload; /* of all members of a payload */
    struct tm_json_arg_places places;
    struct tm_json_arg_shapes shapes;
};

/* The reader of a document. */
struct tm_gecko {
    struct tm_format_context context;
    bool salvage; /* damage ends a table, not the reading */
    bool resyncs; /* reading continues after damage */
    struct tm_gecko_resync resync;
    struct tm_json_cursor cursor;
    struct tm_gecko_process **processes; /* the first is the outermost process */
    uint32_t process_count, process_cap;
    struct tm_paged_file text_file;
    struct tm_gecko_parts shared;
    bool has_shared, shared_read;
    struct tm_gecko_tables shared_tables, tables;
    struct tm_gecko_thread thread; /* being read */
    bool in_thread;
    struct tm_gecko_list pending_threads; /* threads that need a later table or facts of a process */
    struct tm_gecko_list counters; /* shown at the end, when all pids are known */
    struct tm_paged_file counter_file;
    struct tm_gecko_view view;
    struct tm_buf text;    /* scratch */
    struct tm_error *err;  /* of the current call */
    struct tm_gecko_counts counts;
};

/* The byte of the input at which PART of the thread being shown begins. */
static inline uint64_t tm_gecko_view_byte(const struct tm_gecko_view *view, enum tm_gecko_part part)
{
    return view->thread->parts.of[part].at + view->thread->parts.shift;
}

/* The thread being shown, as a source of tables. */
static inline struct tm_gecko_source tm_gecko_view_source(const struct tm_gecko_view *view)
{
    return (struct tm_gecko_source){view->thread->text_file, &view->thread->parts, view->damaged};
}

/* The object that continues after damage, or NULL. */
static inline struct tm_gecko_resync *tm_gecko_resyncer(struct tm_gecko *x)
{
    return x->resyncs ? &x->resync : NULL;
}

/* Reads the document. TM_OK or an error. After an error x->thread has the part of a thread that was read. */
enum tm_status tm_gecko_document_read(struct tm_gecko *x);

/* Sets *TIME_NS to NS, a time of the thread, plus the offset of its process. False if that is beyond int64 or the
 * offset is unknown. */
bool tm_gecko_view_time(const struct tm_gecko_view *view, int64_t ns, int64_t *time_ns);

/* Reads member KEY of a thread's object. TM_OK or an error. */
enum tm_status tm_gecko_thread_member(struct tm_gecko *x, const struct tm_json_value *key);
void tm_gecko_thread_release(struct tm_gecko_thread *thread);

/* Makes THREAD and its process current. */
void tm_gecko_place(struct tm_gecko *x, const struct tm_gecko_thread *thread);

/* Puts THREAD into the stream. TM_OK or an error. */
enum tm_status tm_gecko_thread_show(struct tm_gecko *x, struct tm_gecko_thread *thread);

/* A row for an event of the thread being shown, with its common flags and columns. */
struct tm_event tm_gecko_view_event(const struct tm_gecko_view *view, enum tm_kind kind);

/* Defines the thread being shown and its process before its first event, at TIME_NS. Uses the scratch detail and
 * message. TM_OK or an error. */
enum tm_status tm_gecko_define(struct tm_gecko_view *view, int64_t time_ns);

/* Add the samples of the thread being shown, with stacks of TABLES, or its markers, to the stream. TM_OK or an
 * error. */
enum tm_status tm_gecko_samples_show(struct tm_gecko_view *view, struct tm_gecko_tables *tables);
enum tm_status tm_gecko_markers_show(struct tm_gecko_view *view);

/* Puts the counter being shown into the stream. TM_OK or an error. */
enum tm_status tm_gecko_counter_show(struct tm_gecko_view *view);

/* Sets *TRACK to the track of the markers NAME in CATEGORY of the thread being shown. The first call defines it. TM_OK
 * or an error. */
enum tm_status tm_gecko_marker_track(struct tm_gecko_view *view, const struct tm_buf *category,
                                     const struct tm_buf *name, uint64_t *track);

/* True if member KEY has events that are not shown: allocations, the profiler's own costs, pauses. */
bool tm_gecko_is_unread(const struct tm_json_value *key);

/* Skips the next value of CURSOR and counts its rows in ACCOUNT. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_gecko_unread_take(struct tm_json_cursor *cursor, struct tm_gecko_account *account,
                                    struct tm_error *err);

#endif
