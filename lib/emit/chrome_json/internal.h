/* Output json: one Chrome JSON trace. What its parts work on; doc/json.md is the design. */
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

/* Pids and tids that are strings have numbers from the first on, processes whose number is another's from the second
 * on. */
enum { TM_JSON_TEXT_PID_FIRST = 0x40000000, TM_JSON_MOVED_PID_FIRST = 0x50000000 };

/* A running task of a cpu, to become a slice when the next one comes. */
struct tm_json_running {
    uint32_t machine, cpu;
    bool is_running;
    int64_t since_ns, tid;
    int32_t priority;
    struct tm_buf comm;
};

enum { TM_JSON_RECENT = 256 }; /* a power of two */

/* Where a thread of a file was found last. */
struct tm_json_recent {
    int64_t pid, tid, out_pid;
    uint32_t file, machine, changes;
    uint32_t stack; /* in raw_stacks, plus 1; 0: not looked for */
    bool is_there;
};

/* Which file's frames an object's sf and esf mean (frames.c). */
struct tm_json_frames {
    bool is_ready;
    bool are_renamed;     /* ids of two tables meet */
    uint32_t table_count; /* different ones */
    struct tm_map table_of; /* file -> the first file with the same table, plus 1 */
};

struct tm_json_out {
    const struct tm_emit_context *context;
    struct tm_out out;
    struct tm_task_names who;
    bool has_events;          /* a comma goes before the next one */
    bool has_started;
    bool has_base;
    int64_t base_ns;          /* taken off all times; 0 until has_base */
    uint32_t json_files;      /* inputs that are Chrome JSON, in all */
    bool renames_ids;         /* of Chrome JSON: other files have ids too */
    struct tm_json_id_numbers ids;
    bool names_sources;       /* more than one file or machine: processes say where they are from */
    struct tm_map pids;       /* (machine, pid, life), (file, track) -> number in the output's order, plus owners */
    struct tm_map pid_owners; /* pid of the output -> its number in moved plus 1, or 0 */
    struct tm_map labelled;   /* (pid of the output, file) whose source was said */
    struct tm_json_group {
        int64_t pid;
        uint32_t order;       /* of the file that it was first met in */
    } *groups;                /* processes whose source was said */
    uint32_t group_count, group_cap;
    struct tm_map sorted;     /* pids of the output whose process_sort_index a file says */
    struct tm_map named;      /* (pid, tid) of the output -> hash of the name last said */
    int64_t next_pid;         /* for pids that another machine has */
    struct tm_json_pid {
        int64_t pid, was;
    } *moved;                 /* by value of pids: the number in the output, and the one it had */
    uint32_t moved_count, moved_cap;
    struct tm_json_running *running;
    uint32_t running_count;
    struct tm_buf top;        /* top-level members of the inputs: file, key and value */
    struct tm_json_frames frames;
    struct tm_map with_objects; /* files that have object events: others' arguments refer to none */
    struct tm_map kernel_tids; /* (machine, track of the kernel's) -> its tid in the process "Kernel" */
    struct tm_map open_tracks; /* (file, track) -> its open slices, plus 1 */
    struct tm_buf *open;      /* names and categories, the innermost last */
    uint32_t open_count, open_cap;
    struct tm_json_spans spans; /* open slices of threads */
    bool meets;               /* more than one file: those of Chrome JSON may be of one thread */
    struct tm_json_recent recent[TM_JSON_RECENT];
    uint32_t changes;         /* of what pids mean */
    struct tm_json_reading reading; /* of raw_stacks, by their numbers */
    struct tm_map raw_by_key; /* file, machine, pid, tid -> raw_stacks, plus 1 */
    struct tm_json_raw_stack *raw_stacks;
    uint32_t raw_count, raw_cap;
    struct tm_task_names said;    /* by definitions of Chrome JSON */
    struct tm_json_whole *wholes; /* slices that ended at wholes_ns */
    uint32_t whole_count, whole_cap;
    struct tm_buf wholes_text;
    int64_t wholes_ns;
    struct tm_table open_markers; /* asynchronous ones */
    struct tm_track_owners lifetimes; /* of pids: only that */
    struct tm_pending_definitions late; /* metadata objects with a time */
    uint64_t inexpressible;   /* events JSON has no form for */
    struct tm_buf scratch;
};

/* chrome_json.c */

/* "," and a new line before all events but the first. */
void tm_json_out_next(struct tm_json_out *j);

/* TIME_NS as "ts" has it: microseconds, exact, shortest. */
void tm_json_out_time(struct tm_json_out *j, int64_t time_ns);
void tm_json_out_micros(struct tm_json_out *j, int64_t ns);

/* E has no form in JSON. */
void tm_json_out_unsupported(struct tm_json_out *j, const struct tm_event *e);

/* ids.c */

/* The output's pid for PID on MACHINE: its own unless another process has it, of another machine or before. */
enum tm_status tm_json_out_pid(struct tm_json_out *j, uint32_t machine, int64_t pid, int64_t *out,
                               struct tm_error *err);

/* The output's pid for E, an event of process PID. A track keeps the process that it was in when it was first used.
 * TM_OK or an error. */
enum tm_status tm_json_out_pid_of(struct tm_json_out *j, const struct tm_event *e, int64_t pid, int64_t *out,
                                  struct tm_error *err);

/* True when NUMBER is one that tm-unpack gave a pid or tid that is a string; a recorded one may be such too. */
static inline bool tm_json_is_text_number(int64_t number)
{
    return number >= TM_JSON_TEXT_PID_FIRST && number < TM_JSON_MOVED_PID_FIRST;
}

/* Says once for each process of a file from which machine and file it is. */
enum tm_status tm_json_out_source(struct tm_json_out *j, const struct tm_event *e, int64_t out_pid,
                                  struct tm_error *err);

/* Notes whether E, a definition, says where its process is shown among others. */
enum tm_status tm_json_out_note_sorted(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* At the end: processes whose files do not say that are shown by file. Some readers take the first index that they
 * find, others the last. */
enum tm_status tm_json_out_groups(struct tm_json_out *j, struct tm_error *err);

/* A metadata event that names a process (TID_NAMED false) or thread, unless that was its last name. */
enum tm_status tm_json_out_name(struct tm_json_out *j, int64_t pid, const int64_t *tid, struct tm_text name,
                                struct tm_error *err);

/* Where E defines a process or thread of Chrome JSON whose pid or tid is a string: that string is its name, whatever
 * the definition says. */
enum tm_status tm_json_out_text_name(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* At the end, the names of threads that came to be known when all of their slices had been written. */
enum tm_status tm_json_out_late_names(struct tm_json_out *j, struct tm_error *err);

/* destination.c: which process and thread of the output objects of Chrome JSON are of. */

/* *HAS_TID: E goes to TID instead of what it says. */
struct tm_json_destination {
    int64_t pid, tid;
    bool has_tid;
};
enum tm_status tm_json_out_where(struct tm_json_out *j, const struct tm_event *e, struct tm_json_destination *where,
                                 struct tm_error *err);

/* The tid of a lane of a thread (numbers of lanes.h); it is said whose it is, before it is used. */
enum tm_status tm_json_out_tid(struct tm_json_out *j, uint32_t thread, uint32_t lane, int64_t *tid,
                               struct tm_error *err);

/* Notes what E, a definition, says of a thread or process if it is of Chrome JSON: for lanes, and for pids that are
 * strings, where these become others. */
enum tm_status tm_json_out_learn(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

void tm_json_out_where_release(struct tm_json_out *j);

/* raw.c: E, whose raw bytes are a JSON object, with what must change changed. */
enum tm_status tm_json_out_object(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_ref *ref,
                                  struct tm_error *err);

/* As tm_json_out_object, with the offsets of values that E's detail states. */
enum tm_status tm_json_out_raw(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* rows.c: E made into a JSON event. */
enum tm_status tm_json_out_row(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* Parts of one. */
struct tm_text tm_json_row_string(const struct tm_json_out *j, uint32_t string, const struct tm_event *e);

/* {"ph":"X","ts":… */
void tm_json_row_head(struct tm_json_out *j, const char *phase, int64_t time_ns);

/* ,"pid":…,"tid":… */
void tm_json_row_thread(struct tm_json_out *j, int64_t pid, int64_t tid);

/* The head, and whose E is. */
enum tm_status tm_json_row_begin(struct tm_json_out *j, const struct tm_event *e, const char *phase,
                                 struct tm_error *err);

/* MEMBER (,"key":) with TEXT, where it is there. */
void tm_json_row_text(struct tm_json_out *j, const char *member, struct tm_text text);

/* The args of the Detail of LEN bytes of FILE, keys as they are; flows as bind_id, which holds one. */
enum tm_status tm_json_row_detail(struct tm_json_out *j, uint32_t file, const uint8_t *detail, size_t len,
                                  struct tm_error *err);

/* E's detail, and the end. */
enum tm_status tm_json_row_end(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* kernel.c: where E is, if it is on a track of the kernel's; else PLACE stays. */
enum tm_status tm_json_out_kernel(struct tm_json_out *j, const struct tm_event *e, struct tm_event_task *place,
                                  struct tm_error *err);

/* slices.c: a slice or instant. */
enum tm_status tm_json_out_slice(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* Args of one that is open. */
enum tm_status tm_json_out_slice_args(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);

/* The head of E, an instant or flow event of the thread of PLACE, where the slices are that it belongs to. */
enum tm_status tm_json_out_touch(struct tm_json_out *j, const struct tm_event *e, struct tm_event_task place,
                                 const char *phase, struct tm_error *err);

/* Complete events that ended at wholes_ns. */
enum tm_status tm_json_out_wholes(struct tm_json_out *j, struct tm_error *err);

/* These, and what never ended. */
enum tm_status tm_json_out_open_rest(struct tm_json_out *j, struct tm_error *err);

/* open.c: the open slices of E's asynchronous track. An end needs the name and category of its slice. */
enum tm_status tm_json_out_open(struct tm_json_out *j, const struct tm_event *e, struct tm_text category,
                                struct tm_text name, struct tm_error *err);

/* Takes the innermost off; texts without data where nothing is open. They are valid until the next open. */
void tm_json_out_close(struct tm_json_out *j, const struct tm_event *e, struct tm_text *category, struct tm_text *name);

/* top.c: "key":value of an input's top level is kept; all of it is written at the end. */
enum tm_status tm_json_out_keep_top(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err);
enum tm_status tm_json_out_write_top(struct tm_json_out *j, struct tm_error *err);

/* One that was kept; PB is over j->top. */
struct tm_json_top_member {
    uint32_t file;
    struct tm_text key, value; /* as they are in the text */
};
bool tm_json_top_next(struct tm_pb *pb, struct tm_json_top_member *m);

/* frames.c: stackFrames and samples of the top level, of which there is one in the output.
 *
 * Tables that are equal stay one, different ones are joined. Where an id is in two of them, all ids become those of
 * their file (or of the first that has the same table): "ORDER:ID", in the tables, and in sf, esf and parent. */

/* True: M is among these, and is not kept as it is. */
bool tm_json_frames_take(const struct tm_json_out *j, const struct tm_json_top_member *m);

/* Looks at the tables, once, when all are known: before the first event with a time. */
enum tm_status tm_json_frames_ready(struct tm_json_out *j, struct tm_error *err);

/* True when what FILE says of frames is to be renamed: they, or frames of others, which an id of it without a frame
 * could mean. */
bool tm_json_frames_renames(const struct tm_json_out *j, uint32_t file);

/* ID of FILE under its new name, a string. */
void tm_json_frames_put_id(struct tm_json_out *j, uint32_t file, const struct tm_json_value *id);

enum tm_status tm_json_out_write_frames(struct tm_json_out *j, struct tm_error *err);

/* refs.c: what arguments of events say of objects, and of times. */

/* What is to change in them. */
struct tm_json_refs {
    bool is_there;    /* there may be something */
    bool is_snapshot; /* of an object: it may hold others, which have ids of their own */
    bool is_profile;
    bool has_times;   /* shift_ns is to be added to what is known to be a time of the event's clock */
    int64_t shift_ns;
};
enum tm_status tm_json_out_refers(struct tm_json_out *j, const struct tm_event *e, struct tm_json_refs *refs,
                                  struct tm_error *err);

/* ARGS, of E, anew. */
enum tm_status tm_json_out_refs(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_value *args,
                                const struct tm_json_refs *refs, struct tm_error *err);

/* raw.c: true when E's text may have a key with ENDING, two characters. */
bool tm_json_out_may_have(const struct tm_event *e, const char *ending);

/* Scalar VALUE, an id of KIND in E's file, anew; what is no valid id as it is. */
enum tm_status tm_json_out_id(struct tm_json_out *j, const struct tm_event *e, enum tm_json_id_kind kind,
                              const struct tm_json_value *value, struct tm_error *err);

/* The number of ID, an id of KIND in FILE. */
enum tm_status tm_json_out_number(struct tm_json_out *j, uint32_t file, enum tm_json_id_kind kind, uint64_t id,
                                  struct tm_error *err);

#endif
