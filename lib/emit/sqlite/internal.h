/* Declarations that the files of the SQLite output share: the database and its statements. Values are always bound,
 * never part of SQL text. */
#ifndef TM_EMIT_SQLITE_INTERNAL_H
#define TM_EMIT_SQLITE_INTERNAL_H

#include "base/intern.h"
#include "emit/emit.h"
#include "emit/out.h"
#include "emit/sqlite/btree.h"
#include "emit/sqlite/row_queue.h"
#include "model/model.h"
#include "os/sqlite.h"

/* Prepared statements. Tables with most rows have none: their rows go into btrees (tm_sqlite_btree). */
enum tm_sqlite_statement {
    TM_SQL_SLICE_END,
    TM_SQL_SLICE_NAME,
    TM_SQL_SLICE_THREAD_END,
    TM_SQL_SLICE_INSTRUCTIONS_END,
    TM_SQL_SCHED_END,
    TM_SQL_THREAD_STATE_REASON,
    TM_SQL_THREAD_STATE_IS,
    TM_SQL_POSTPONE,
    TM_SQL_POSTPONED,
    TM_SQL_ARG_KEY,
    TM_SQL_ARG_KEY_TEXT,
    TM_SQL_SAMPLE_COUNTER,
    TM_SQL_HEAP_DUMP,
    TM_SQL_ALLOCATION,
    TM_SQL_HEAP_GRAPH,
    TM_SQL_HEAP_CLASS,
    TM_SQL_HEAP_DATA,
    TM_SQL_HEAP_PRIMITIVE,
    TM_SQL_CALLSITE,
    TM_SQL_FRAME,
    TM_SQL_SYMBOL,
    TM_SQL_MAPPING,
    TM_SQL_TRACK_SAME,
    TM_SQL_CPU,
    TM_SQL_GPU,
    TM_SQL_CPU_FREQUENCY,
    TM_SQL_MACHINE,
    TM_SQL_FILE,
    TM_SQL_METADATA,
    TM_SQL_METADATA_UPDATE,
    TM_SQL_PACKAGE,
    TM_SQL_STAT,
    TM_SQL_BOUNDS,
    TM_SQL_PLACEMENT,
    TM_SQL_ACCOUNT,
    TM_SQL_COUNT
};

/* The latest rows of slice, sched and thread_state are pending, because most of them end soon. Each table has this many
 * at most, a ring in order of their ids. */
enum { TM_SQLITE_WINDOW = 1 << 15 };

struct tm_sqlite_slices {
    struct tm_sqlite_btree table;
    struct tm_sqlite_slice *rows;
    int64_t first;                /* id of the first row not written yet */
    uint32_t count;
    struct tm_buf text;           /* names and categories of the rows, concatenated */
    size_t text_removed;          /* number of bytes removed from its front, those of rows already written */
};

struct tm_sqlite_scheds {
    struct tm_sqlite_btree table;
    struct tm_sqlite_sched *rows;
    int64_t first;
    uint32_t count;
};

struct tm_sqlite_thread_states {
    struct tm_sqlite_btree table;
    struct tm_sqlite_thread_state *rows;
    int64_t first;
    uint32_t count;
    struct tm_intern texts; /* functions and long states of pending rows */
};

/* A set of args being written: its JSON object without the braces, in the text of all sets. */
struct tm_sqlite_arg_set {
    int64_t id;
    size_t text, len;
    int64_t count; /* number of its args, which is the place of the next */
};

enum { TM_SQLITE_SEARCHED_ARGS_MAX = 1 << 10 }; /* keys are not looked for in longer sets */

/* A member of the object of a set of args. */
struct tm_sqlite_arg_member {
    size_t at, end; /* in the text of all sets */
    int64_t key, place;
    uint8_t type; /* the first letter of its type's name */
};

/* Buffered sets of args. */
struct tm_sqlite_args {
    struct tm_sqlite_btree table, real_table;
    struct tm_sqlite_arg_set *sets; /* the last one may be incomplete */
    uint32_t count;
    struct tm_sqlite_arg_real *reals; /* of the sets, in order of their ids */
    uint32_t real_count, real_cap;
    struct tm_out text;
    struct tm_intern keys; /* number k is keys_removed + k in tm_arg_key */
    int64_t keys_removed;
    uint32_t *followers; /* by the number of a key in KEYS, plus 1: that of the key after it in its last set */
    uint32_t last_key;   /* of the open set; 0: it has none yet */
    struct tm_buf flat_key;
    int64_t *holders;     /* by some bits of a key's number: the last set with such a key, plus 1 */
    struct tm_buf member; /* a member that replaces another, or a set that is read again */
    bool joins;           /* the open set gets more args */
    struct tm_buf array;  /* joins: the key of the last array that got elements, without their index */
    uint64_t array_count; /* that many elements it had before */
    struct tm_buf element; /* the key of an element with its new index */
};

/* Heap graphs: the ids of their next rows. */
struct tm_sqlite_heap {
    struct tm_sqlite_btree objects, references;
    int64_t next_graph, next_object, next_reference, next_class, next_data, next_primitive;
};

struct tm_sqlite {
    const struct tm_emit_context *context;
    sqlite3 *db;
    sqlite3_stmt *statements[TM_SQL_COUNT];
    struct tm_sqlite_pages pages;   /* after the pages of SQLite */
    struct tm_sqlite_record record; /* the row being written */
    struct tm_rows rows;            /* what they use belongs to the queue's thread until the queue is drained */
    struct tm_row_queue queue;      /* from the model to the rows */
    struct tm_model model;
    struct tm_sqlite_slices slices;
    struct tm_sqlite_scheds scheds;
    struct tm_sqlite_thread_states thread_states;
    struct tm_sqlite_btree counters, ftrace_events, flows, wakeups, samples, logs;
    struct tm_sqlite_btree threads, processes, tracks, clocks;
    struct tm_sqlite_heap heap;
    struct tm_sqlite_args args;
    struct tm_buf text; /* made valid UTF-8 */
    struct tm_table metadata_rows; /* from name and owner to the row */
    int64_t next_metadata;
    int64_t obfuscation_count; /* mappings of obfuscated names */
    bool has_same_track; /* the temporary table tm_same_track has rows */
    int64_t next_counter, next_ftrace_event;
    int64_t next_flow, next_symbol, next_frequency, next_sample, next_log, next_clock, next_heap_dump, next_allocation;
};

/* sqlite.c: the functions of struct tm_emit. The database is at context.path. */
enum tm_status tm_sqlite_open(const struct tm_emit_context *context, void **state, struct tm_error *err);
enum tm_status tm_sqlite_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                               struct tm_error *err);
enum tm_status tm_sqlite_finish(void *state, struct tm_error *err);
void tm_sqlite_close(void *state);

/* schema.c: makes the tables and, once all rows are written, the indices and views. */
enum tm_status tm_sqlite_create(struct tm_sqlite *s, struct tm_error *err);
enum tm_status tm_sqlite_prepare(struct tm_sqlite *s, struct tm_error *err);
enum tm_status tm_sqlite_complete(struct tm_sqlite *s, struct tm_error *err);

/* slice_views.c: makes the views of slices with their tracks, and of the slices around and within a slice. They need
 * the views of tracks. */
extern const char tm_sqlite_slice_views[];

/* frame_views.c: makes the views of slices whose columns are args: frames of Android's compositor, work of GPUs. */
extern const char tm_sqlite_frame_views[];

/* module_views.c: makes the views that the reference has in modules: times in states, counters of cpus, interrupts. */
extern const char tm_sqlite_module_views[];

/* samples.c: tm_rows.sample, and the views of samples by source and of their contexts. */
enum tm_status tm_sqlite_sample(void *self, const struct tm_sample_row *row, struct tm_error *err);

/* Writes that the sample that was written last states COUNT, a value of the counter TRACK. */
enum tm_status tm_sqlite_sample_counter(struct tm_sqlite *s, int64_t track, double count, struct tm_error *err);
extern const char tm_sqlite_sample_views[];

/* bind.c: COLUMN counts from 1. Text that is not UTF-8 is made valid: each byte that is part of no sequence becomes
 * U+FFFD. So does NUL, because most readers end the text there. */
enum tm_status tm_sqlite_bind_text(struct tm_sqlite *s, sqlite3_stmt *stmt, int column, struct tm_text text,
                                   struct tm_error *err);
/* Makes TEXT valid as tm_sqlite_bind_text does. The result lies in memory of S that the next call reuses. */
enum tm_status tm_sqlite_make_valid(struct tm_sqlite *s, struct tm_text *text, struct tm_error *err);
void tm_sqlite_bind_maybe(sqlite3_stmt *stmt, int column, bool has, int64_t value); /* NULL unless HAS */
void tm_sqlite_bind_id(sqlite3_stmt *stmt, int column, int64_t id);                 /* TM_NO_ID is NULL */
void tm_sqlite_bind_word(sqlite3_stmt *stmt, int column, const char *word);         /* a constant, or NULL */
/* Puts TEXT into the record of S, made valid as by tm_sqlite_bind_text. */
void tm_sqlite_put_text(struct tm_sqlite *s, struct tm_text text);
void tm_sqlite_put_word(struct tm_sqlite *s, const char *word); /* a constant, or NULL */
/* Runs a statement without result rows and resets it for the next use. */
enum tm_status tm_sqlite_run(struct tm_sqlite *s, sqlite3_stmt *stmt, struct tm_error *err);
enum tm_status tm_sqlite_exec(struct tm_sqlite *s, const char *sql, struct tm_error *err);
/* Makes an error of the database's message. */
enum tm_status tm_sqlite_fail(struct tm_sqlite *s, struct tm_error *err);

/* rows.c: the rows of the model. */
void tm_sqlite_rows_init(struct tm_sqlite *s);
enum tm_status tm_sqlite_rows_flush(struct tm_sqlite *s, struct tm_error *err);
void tm_sqlite_rows_release(struct tm_sqlite *s);

/* slices.c, scheds.c: tm_rows.slice and .slice_end, .sched and .sched_end. The flush functions write the oldest pending
 * rows until KEEP are left. */
enum tm_status tm_sqlite_slice(void *self, const struct tm_slice_row *row, struct tm_error *err);
enum tm_status tm_sqlite_slice_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err);
enum tm_status tm_sqlite_slice_name(void *self, int64_t id, struct tm_text name, struct tm_error *err);
enum tm_status tm_sqlite_slice_thread_begin(void *self, int64_t id, const struct tm_thread_reading *reading,
                                            struct tm_error *err);
enum tm_status tm_sqlite_slice_thread_end(void *self, int64_t id, const struct tm_thread_reading *reading,
                                          struct tm_error *err);
enum tm_status tm_sqlite_slices_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err);
enum tm_status tm_sqlite_sched(void *self, const struct tm_sched_row *row, struct tm_error *err);
enum tm_status tm_sqlite_sched_end(void *self, int64_t id, int64_t dur, struct tm_text end_state,
                                   struct tm_error *err);
enum tm_status tm_sqlite_scheds_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err);

/* thread_states.c: tm_rows.thread_state and what follows it. */
enum tm_status tm_sqlite_thread_state(void *self, const struct tm_thread_state_row *row, struct tm_error *err);
enum tm_status tm_sqlite_thread_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err);
enum tm_status tm_sqlite_thread_state_is(void *self, int64_t id, struct tm_text state, struct tm_error *err);
enum tm_status tm_sqlite_thread_state_reason(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                             struct tm_error *err);
enum tm_status tm_sqlite_wakeup(void *self, const struct tm_wakeup_row *row, struct tm_error *err);
void tm_sqlite_thread_states_init(struct tm_sqlite *s);
enum tm_status tm_sqlite_thread_states_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err);

/* heap_profile.c: tm_rows.heap_dump and .allocation. */
enum tm_status tm_sqlite_heap_dump(void *self, const struct tm_heap_dump_row *row, struct tm_error *err);
enum tm_status tm_sqlite_allocation(void *self, const struct tm_allocation_row *row, struct tm_error *err);

/* heap_graph.c: tm_rows.heap_graph. */
enum tm_status tm_sqlite_heap_graph(void *self, const struct tm_heap_graph *graph, int64_t upid, struct tm_error *err);

/* deobfuscation.c: tm_rows.deobfuscation, and the names that follow from it. */
enum tm_status tm_sqlite_deobfuscation(void *self, struct tm_text message, struct tm_error *err);
enum tm_status tm_sqlite_deobfuscate(struct tm_sqlite *s, struct tm_error *err);

/* packages.c: tm_rows.packages. */
enum tm_status tm_sqlite_packages(void *self, struct tm_place place, struct tm_text list, struct tm_error *err);

/* counters.c: tm_rows.counter. */
enum tm_status tm_sqlite_counter(void *self, const struct tm_counter_row *row, struct tm_error *err);

/* ftrace_events.c: tm_rows.ftrace_event. */
enum tm_status tm_sqlite_ftrace_event(void *self, const struct tm_ftrace_row *row, struct tm_error *err);

/* arg_arrays.c */

/* Reads the member that begins at AT of the text of all sets. */
struct tm_sqlite_arg_member tm_sqlite_arg_member_at(const struct tm_buf *text, size_t at);

/* If ROW, which is to be added to the open SET, is an element of an array that SET had before, its key gets an index
 * after those. The key is valid until the next call. Nothing changes if SET is too long to be searched. TM_OK or an
 * error. */
enum tm_status tm_sqlite_arg_renumber(struct tm_sqlite *s, const struct tm_sqlite_arg_set *set, struct tm_arg_row *row,
                                      struct tm_error *err);

/* args.c: tm_rows.args and .arg_copy. */
enum tm_status tm_sqlite_args(void *self, int64_t set, struct tm_text args, struct tm_error *err);
enum tm_status tm_sqlite_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err);
enum tm_status tm_sqlite_args_flush(struct tm_sqlite *s, struct tm_error *err);

void tm_sqlite_args_init(struct tm_sqlite *s);
void tm_sqlite_args_release(struct tm_sqlite *s);

/* btrees.c: the tables whose rows are written without SQLite. */
enum tm_status tm_sqlite_btrees_open(struct tm_sqlite *s, struct tm_error *err);
enum tm_status tm_sqlite_btrees_finish(struct tm_sqlite *s, struct tm_error *err);
void tm_sqlite_btrees_release(struct tm_sqlite *s);
/* True for the name of such a table. */
bool tm_sqlite_is_btree(const char *name);

/* postponed.c: changes to a written row are postponed until SQLite may use the file again. tm_sqlite_postpone returns a
 * statement that stores up to three parameters for STATEMENT; the last is NULL if it is not bound. */
sqlite3_stmt *tm_sqlite_postpone(struct tm_sqlite *s, enum tm_sqlite_statement statement);
enum tm_status tm_sqlite_postponed_run(struct tm_sqlite *s, struct tm_error *err);

/* metadata.c: tm_rows.recording_time, and the rows that the catalog knows. */
enum tm_status tm_sqlite_recording_time(void *self, const struct tm_recording_time *row, struct tm_error *err);
enum tm_status tm_sqlite_put_metadata(struct tm_sqlite *s, struct tm_error *err);

/* model.c: makes args of the dimensions of tracks. All other args must be written already. */
enum tm_status tm_sqlite_put_dimensions(struct tm_sqlite *s, struct tm_error *err);

/* catalog.c, model.c: write a frame's content, the catalog, and the rows that the model keeps until the end. */
enum tm_status tm_sqlite_clock_row(struct tm_sqlite *s, const struct tm_frame *frame, struct tm_error *err);
enum tm_status tm_sqlite_put_catalog(struct tm_sqlite *s, struct tm_error *err);
enum tm_status tm_sqlite_put_model(struct tm_sqlite *s, struct tm_error *err);

/* stat_rows.c: binds source and description of statistic NAME. FROM_TRACE: the source of an unknown name is the
 * trace. */
void tm_sqlite_bind_stat_words(sqlite3_stmt *stmt, struct tm_text name, bool from_trace);

/* stat_rows.c: true if statistic NAME is a time. Of several times the last one counts. */
bool tm_sqlite_stat_is_time(struct tm_text name);

/* stat_rows.c: joins the rows of each statistic that the reference counts for the whole trace, and removes all but the
 * last row of each time. */
enum tm_status tm_sqlite_join_stats(struct tm_sqlite *s, struct tm_error *err);

#endif
