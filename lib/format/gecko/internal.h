/* A Gecko profile being read: what gecko.c (the document), thread.c (a thread's definitions),
 * samples.c and markers.c share. */
#ifndef TM_FORMAT_GECKO_INTERNAL_H
#define TM_FORMAT_GECKO_INTERNAL_H

#include "format/gecko/gecko.h"
#include "format/gecko/resync.h"
#include "format/gecko/tables.h"
#include "format/json_args.h"

/* A thread's object, or a counter's, which has a name and samples too. */
struct tm_gecko_thread {
    uint32_t process; /* of the document's processes */
    struct tm_paged_file *spool;
    struct tm_gecko_parts parts;
    bool has_pid, has_tid, pid_is_text, tid_is_text, is_main;
    bool is_astray; /* its times count from what nobody knows */
    int64_t pid, tid;
    struct tm_buf name, process_name, process_type, pid_text, tid_text, category;
};

struct tm_gecko_list {
    struct tm_gecko_thread *all;
    uint32_t count, cap;
};

struct tm_gecko {
    struct tm_format_context context;
    bool salvage; /* damage ends a table, not the reading */
    bool rescues; /* and reading goes on behind it */
    struct tm_gecko_resync rescue;
    struct tm_json_cursor cursor;
    struct tm_gecko_process **processes; /* the first is the outermost */
    uint32_t process_count, process_cap;
    struct tm_paged_file spool;
    struct tm_gecko_parts shared;
    bool has_shared, shared_read;
    struct tm_gecko_tables shared_tables, tables;
    struct tm_gecko_thread thread; /* being read */
    bool in_thread;
    struct tm_gecko_list waiting;  /* for what comes behind them */
    struct tm_gecko_list counters; /* shown at the end, when all processes have their pids */
    struct tm_paged_file counter_spool;
    /* the thread being shown */
    const struct tm_gecko_thread *shown;
    const struct tm_gecko_process *process;
    int64_t offset_ns; /* of its process's times */
    struct tm_gecko_strings *strings;
    uint64_t thread_uuid;
    bool is_defined, has_thread_track;
    int64_t first_ns; /* its first event's time */
    struct tm_gecko_rows rows; /* of samples, or of markers */
    struct tm_buf detail, stack, name, category, text, message;
    struct tm_json_args args;
    struct tm_map defined; /* processes, threads and marker tracks that have a definition */
    struct tm_error *err;  /* of the call at hand */
    /* accounts and statistics, written at the end */
    struct tm_gecko_account damaged, skipped, no_time, no_stack, not_shown;
    uint64_t stacks_cut, no_start, tracks_shared, args_cut;
};

/* Where in the input PART of the thread being shown begins. */
static inline uint64_t tm_gecko_byte(const struct tm_gecko *x, enum tm_gecko_part part)
{
    return x->shown->parts.of[part].at + x->shown->parts.shift;
}

/* PARTS to read tables from. */
static inline struct tm_gecko_source tm_gecko_source(struct tm_gecko *x, const struct tm_gecko_parts *parts)
{
    return (struct tm_gecko_source){parts == &x->shared ? &x->spool : x->shown->spool, parts,
                                    x->salvage ? &x->damaged : NULL};
}

/* What goes on behind damage, or NULL. */
static inline struct tm_gecko_resync *tm_gecko_rescuer(struct tm_gecko *x)
{
    return x->rescues ? &x->rescue : NULL;
}

/* Reads the document. TM_OK or an error, which leaves what was read of a thread in x->thread. */
enum tm_status tm_gecko_document_read(struct tm_gecko *x);

/* The sum of a time of the thread's and its process's offset. False: beyond int64, or the offset is not known. */
bool tm_gecko_time(const struct tm_gecko *x, int64_t ns, int64_t *time_ns);

/* Takes in member KEY of a thread's object. TM_OK or an error. */
enum tm_status tm_gecko_thread_member(struct tm_gecko *x, const struct tm_json_value *key);
void tm_gecko_thread_release(struct tm_gecko_thread *thread);

/* What follows is of THREAD and its process. */
void tm_gecko_place(struct tm_gecko *x, const struct tm_gecko_thread *thread);

/* Puts THREAD into the stream. TM_OK or an error. */
enum tm_status tm_gecko_thread_show(struct tm_gecko *x, const struct tm_gecko_thread *thread);

/* Flags and columns of an event of the thread being shown. */
struct tm_event tm_gecko_event(const struct tm_gecko *x, enum tm_kind kind);

/* Defines the thread being shown and its process, before its first event, which is at TIME_NS. Uses
 * x->detail and x->message. */
enum tm_status tm_gecko_define(struct tm_gecko *x, int64_t time_ns);

enum tm_status tm_gecko_samples_show(struct tm_gecko *x, struct tm_gecko_tables *tables);
enum tm_status tm_gecko_markers_show(struct tm_gecko *x);

/* Puts the counter THREAD into the stream. TM_OK or an error. */
enum tm_status tm_gecko_counter_show(struct tm_gecko *x, const struct tm_gecko_thread *counter);

/* Sets *TRACK to the track of markers NAME in CATEGORY of the thread being shown, and defines it the
 * first time. */
enum tm_status tm_gecko_marker_track(struct tm_gecko *x, const struct tm_buf *category, const struct tm_buf *name,
                                     uint64_t *track);

/* Members that hold events which nothing shows: allocations, the profiler's own costs, pauses. take passes over
 * the value that is next and counts its rows as not shown. */
bool tm_gecko_is_unread(const struct tm_json_value *key);
enum tm_status tm_gecko_unread_take(struct tm_gecko *x);

#endif
