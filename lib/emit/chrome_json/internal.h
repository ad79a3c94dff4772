/* Output json: one Chrome JSON trace. The state that its parts share; doc/json.md describes the design. */
#ifndef TM_EMIT_CHROME_JSON_INTERNAL_H
#define TM_EMIT_CHROME_JSON_INTERNAL_H

#include "json/scan.h"
#include "base/map.h"
#include "base/pb.h"
#include "emit/emit.h"
#include "emit/chrome_json/id_numbers.h"
#include "emit/chrome_json/reading.h"
#include "emit/chrome_json/spans.h"
#include "emit/pending_definitions.h"
#include "emit/out.h"
#include "emit/track_owners.h"
#include "emit/task_names.h"
#include "base/table.h"

/* Numbers for pids and tids that are strings begin at the first, those of processes whose pid belongs to another at the
 * second. */
enum { TM_JSON_TEXT_PID_FIRST = 0x40000000, TM_JSON_MOVED_PID_FIRST = 0x50000000 };

/* A task that runs on a cpu; it becomes a slice when the next one comes. */
struct tm_json_running {
    uint32_t machine, cpu;
    bool is_running;
    int64_t since_ns, tid;
    int32_t priority;
    struct tm_buf comm;
};

enum { TM_JSON_RECENT = 256 }; /* a power of two */

/* The place where a thread of a file was found last. */
struct tm_json_recent {
    int64_t pid, tid, out_pid;
    uint32_t file, machine, changes;
    uint32_t stack; /* index in raw_stacks plus 1; 0: unknown */
    bool is_there;
};

/* The file whose frames an object's sf and esf refer to (frames.c). */
struct tm_json_frames {
    bool is_ready;
    bool are_renamed;     /* two tables have an id in common */
    uint32_t table_count; /* number of different tables */
    struct tm_map table_of; /* file -> the first file with the same table, plus 1 */
};

struct tm_json_out {
    const struct tm_emit_context *context;
    struct tm_out out;
    struct tm_task_names task_names;
    bool has_events;          /* the next event needs a comma before it */
    bool has_started;
    bool has_base;
    int64_t base_ns;          /* subtracted from all times; 0 until has_base */
    uint32_t json_files;      /* number of inputs that are Chrome JSON */
    bool renames_ids;         /* rename ids of Chrome JSON, since other files have ids too */
    struct tm_json_id_numbers ids;
    bool names_sources;       /* there are several files or machines: name the source of each process */
    struct tm_map pids;       /* (machine, pid, lifetime) or (file, track) to an index of moved */
    struct tm_map pid_owners; /* from a pid of the output to its index in moved plus 1, or 0 */
    struct tm_map labelled;   /* (pid of the output, file) whose source has been written */
    struct tm_json_group {
        int64_t pid;
        uint32_t order;       /* order of the file that it was first met in */
    } *groups;                /* processes whose source has been written */
    uint32_t group_count, group_cap;
    struct tm_map sorted;     /* pids of the output with a process_sort_index from a file */
    struct tm_map named;      /* (pid, tid) of the output to a hash of the last written name */
    int64_t next_pid;         /* for pids that another machine has */
    struct tm_json_pid {
        int64_t pid, was;
    } *moved;                 /* by index in pids: the pid of the output, and the original one */
    uint32_t moved_count, moved_cap;
    struct tm_json_running *running;
    uint32_t running_count;
    struct tm_buf top;        /* top-level members of the inputs: file, key and value */
    struct tm_json_frames frames;
    struct tm_map with_objects; /* files with object events; arguments of other files refer to no objects */
    struct tm_map kernel_tids; /* (machine, kernel track) to its tid in the process "Kernel" */
    struct tm_map open_tracks; /* (file, track) to its open slices plus 1 */
    struct tm_buf *open;      /* names and categories, the innermost last */
    uint32_t open_count, open_cap;
    struct tm_json_spans spans; /* open slices of threads */
    bool meets;               /* several files: those of Chrome JSON may share a thread */
    struct tm_json_recent recent[TM_JSON_RECENT];
    uint32_t changes;         /* incremented when a pid changes its meaning */
    struct tm_json_reading reading; /* of raw_stacks, by index */
    struct tm_map raw_by_key; /* file, machine, pid, tid to an index of raw_stacks plus 1 */
    struct tm_json_raw_stack *raw_stacks;
    uint32_t raw_count, raw_cap;
    struct tm_task_names said;    /* from definitions of Chrome JSON */
    struct tm_json_whole *wholes; /* slices that ended at wholes_ns */
    uint32_t whole_count, whole_cap;
    struct tm_buf wholes_text;
    int64_t wholes_ns;
    struct tm_table open_markers; /* async markers */
    struct tm_track_owners lifetimes; /* used only for lifetimes of pids */
    struct tm_pending_definitions late; /* metadata objects with a time */
    uint64_t inexpressible;   /* events without a form in JSON */
    struct tm_buf scratch;
};

/* chrome_json.c */

/* Puts "," and a new line, except before the first event. */
void tm_json_out_next(struct tm_json_out *j);

/* Puts TIME_NS as "ts": microseconds, exact and short. */
void tm_json_out_time(struct tm_json_out *j, int64_t time_ns);
void tm_json_out_micros(struct tm_json_out *j, int64_t ns);

/* Counts E, which has no form in JSON. */
void tm_json_out_unsupported(struct tm_json_out *j, const struct tm_event *e);

/* ids.c */

/* The output's pid for PID on MACHINE: PID itself unless another process has it, of another machine or an earlier
 * lifetime. */
enum tm_status tm_json_out_pid(struct tm_json_out *j, uint32_t machine, int64_t pid, int64_t *out,
                               struct tm_error *err);

/* The output's pid for E, an event of process PID. A track keeps the process of its first event. TM_OK or an error. */
enum tm_status tm_json_out_pid_of(struct tm_json_out *j, const struct tm_event *e, int64_t pid, int64_t *out,
                                  struct tm_error *err);

/* True if NUMBER is in the range that tm-unpack uses for pids and tids that are strings; a recorded number may be in it
 * too. */
static inline bool tm_json_is_text_number(int64_t number)
{
    return number >= TM_JSON_TEXT_PID_FIRST && number < TM_JSON_MOVED_PID_FIRST;
}

/* Writes machine and file of each process of a file, once. */
enum tm_status tm_json_out_source(struct tm_json_out *j, const struct tm_event *e, int64_t out_pid,
                                  struct tm_error *err);

/* Notes whether E, a definition, states a sort index of its process. */
enum tm_status tm_json_out_note_sorted(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* At the end: processes without a sort index are sorted by file. Some readers take the first index they find, others
 * the last. */
enum tm_status tm_json_out_groups(struct tm_json_out *j, struct tm_error *err);

/* Writes a metadata event that names a process (TID_NAMED false) or thread, unless it has that name already. */
enum tm_status tm_json_out_name(struct tm_json_out *j, int64_t pid, const int64_t *tid, struct tm_text name,
                                struct tm_error *err);

/* If E defines a process or thread of Chrome JSON whose pid or tid is a string, names it by that string, whatever the
 * definition states. */
enum tm_status tm_json_out_text_name(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* At the end: writes the names of threads that became known after all of their slices were written. */
enum tm_status tm_json_out_late_names(struct tm_json_out *j, struct tm_error *err);

/* destination.c: the process and thread in the output of objects of Chrome JSON. */

/* *HAS_TID: E goes to TID instead of its own thread. */
struct tm_json_destination {
    int64_t pid, tid;
    bool has_tid;
};
enum tm_status tm_json_out_where(struct tm_json_out *j, const struct tm_event *e, struct tm_json_destination *where,
                                 struct tm_error *err);

/* The tid of a lane of a thread (numbers of lanes.h). Its name is written before its first use. */
enum tm_status tm_json_out_tid(struct tm_json_out *j, uint32_t thread, uint32_t lane, int64_t *tid,
                               struct tm_error *err);

/* Notes what E, a definition of Chrome JSON, states of a thread or process: for lanes, and for pids that are strings if
 * these are renamed. */
enum tm_status tm_json_out_learn(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

void tm_json_out_where_release(struct tm_json_out *j);

/* raw.c: writes E, whose raw bytes are a JSON object, with the necessary changes. */
enum tm_status tm_json_out_object(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_ref *ref,
                                  struct tm_error *err);

/* Writes E's object with the changes, using the offsets of values that E's detail states. */
enum tm_status tm_json_out_raw(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* rows.c: writes E as a JSON event. */
enum tm_status tm_json_out_row(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* Parts of such an event. */
struct tm_text tm_json_row_string(const struct tm_json_out *j, uint32_t string, const struct tm_event *e);

/* {"ph":"X","ts":… */
void tm_json_row_head(struct tm_json_out *j, const char *phase, int64_t time_ns);

/* ,"pid":…,"tid":… */
void tm_json_row_thread(struct tm_json_out *j, int64_t pid, int64_t tid);

/* Writes the head, and process and thread of E. */
enum tm_status tm_json_row_begin(struct tm_json_out *j, const struct tm_event *e, const char *phase,
                                 struct tm_error *err);

/* Writes MEMBER (,"key":) with TEXT unless TEXT is empty. */
void tm_json_row_text(struct tm_json_out *j, const char *member, struct tm_text text);

/* Writes the args of the Detail of LEN bytes of FILE with their keys unchanged, and a flow as bind_id, which holds
 * one. */
enum tm_status tm_json_row_detail(struct tm_json_out *j, uint32_t file, const uint8_t *detail, size_t len,
                                  struct tm_error *err);

/* Writes E's detail and the end. */
enum tm_status tm_json_row_end(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* kernel.c: sets PLACE if E is on a kernel track; otherwise PLACE is unchanged. */
enum tm_status tm_json_out_kernel(struct tm_json_out *j, const struct tm_event *e, struct tm_event_task *place,
                                  struct tm_error *err);

/* slices.c: writes a slice or instant. */
enum tm_status tm_json_out_slice(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* Adds args to an open slice. */
enum tm_status tm_json_out_slice_args(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* Writes the head of E, an instant or flow event of the thread of PLACE, on the lane of the slices that it belongs
 * to. */
enum tm_status tm_json_out_touch(struct tm_json_out *j, const struct tm_event *e, struct tm_event_task place,
                                 const char *phase, struct tm_error *err);

/* Writes complete events that ended at wholes_ns. */
enum tm_status tm_json_out_wholes(struct tm_json_out *j, struct tm_error *err);

/* Writes these, and slices without an end. */
enum tm_status tm_json_out_open_rest(struct tm_json_out *j, struct tm_error *err);

/* open.c: the open slices of E's async track. An end needs the name and category of its slice. */
enum tm_status tm_json_out_open(struct tm_json_out *j, const struct tm_event *e, struct tm_text category,
                                struct tm_text name, struct tm_error *err);

/* Removes the innermost; texts without data if none is open. They are valid until the next open. */
void tm_json_out_close(struct tm_json_out *j, const struct tm_event *e, struct tm_text *category, struct tm_text *name);

/* top.c: keeps "key":value of an input's top level; all are written at the end. */
enum tm_status tm_json_out_keep_top(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);
enum tm_status tm_json_out_write_top(struct tm_json_out *j, struct tm_error *err);

/* A kept member; PB is over j->top. */
struct tm_json_top_member {
    uint32_t file;
    struct tm_text key, value; /* as in the input's text */
};
bool tm_json_top_next(struct tm_pb *pb, struct tm_json_top_member *m);

/* frames.c: stackFrames and samples of the top level, of which the output has one each.
 *
 * Equal tables become one; different tables are joined. If two tables have an id in common, all ids are replaced by
 * names with their file (or the first file with the same table), "ORDER:ID": in the tables, and in sf, esf and
 * parent. */

/* True if M is one of these members, which are not kept unchanged. */
bool tm_json_frames_take(const struct tm_json_out *j, const struct tm_json_top_member *m);

/* Reads the tables once all are known: before the first event with a time. */
enum tm_status tm_json_frames_ready(struct tm_json_out *j, struct tm_error *err);

/* True if frames of FILE are renamed: its own, or those of others, which an id without a frame could refer to. */
bool tm_json_frames_renames(const struct tm_json_out *j, uint32_t file);

/* Writes ID of FILE under its new name, a string. */
void tm_json_frames_put_id(struct tm_json_out *j, uint32_t file, const struct tm_json_value *id);

enum tm_status tm_json_out_write_frames(struct tm_json_out *j, struct tm_error *err);

/* refs.c: references to objects, and times, in arguments of events. */

/* The changes in them. */
struct tm_json_refs {
    bool is_there;    /* a change may be necessary */
    bool is_snapshot; /* of an object: it may contain other objects with ids */
    bool is_profile;
    bool has_times;   /* add shift_ns to known times on the event's clock */
    int64_t shift_ns;
};
enum tm_status tm_json_out_refers(struct tm_json_out *j, const struct tm_event *e, struct tm_json_refs *refs,
                                  struct tm_error *err);

/* Writes ARGS of E with the changes. */
enum tm_status tm_json_out_refs(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_value *args,
                                const struct tm_json_refs *refs, struct tm_error *err);

/* raw.c: true if E's text may have a key that ends with the two characters ENDING. */
bool tm_json_out_may_have(const struct tm_event *e, const char *ending);

/* Writes the scalar VALUE, an id of KIND in E's file, renumbered; a value that is not an id is unchanged. */
enum tm_status tm_json_out_id(struct tm_json_out *j, const struct tm_event *e, enum tm_json_id_kind kind,
                              const struct tm_json_value *value, struct tm_error *err);

/* The number of ID, an id of KIND in FILE. */
enum tm_status tm_json_out_number(struct tm_json_out *j, uint32_t file, enum tm_json_id_kind kind, uint64_t id,
                                  struct tm_error *err);

#endif
