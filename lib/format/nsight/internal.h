/* The state of an export being read, shared by the files of this folder. */
#ifndef TM_FORMAT_NSIGHT_INTERNAL_H
#define TM_FORMAT_NSIGHT_INTERNAL_H

#include "base/map.h"
#include "base/table.h"
#include "base/text.h"
#include "format/nsight/database.h"
#include "format/nsight/nsight.h"
#include "format/nsight/schema.h"

/* What the rows of a table mean. */
enum tm_nsight_table_kind {
    TM_NSIGHT_NO_ROWS, /* names, or rows without a time */
    TM_NSIGHT_NVTX,
    TM_NSIGHT_CALLS,   /* calls of a library, by thread */
    TM_NSIGHT_KERNELS, /* kernels and copies on a stream of a device */
    TM_NSIGHT_COPIES,
    TM_NSIGHT_SETS,
    TM_NSIGHT_SWITCHES, /* switches of threads on CPUs */
    TM_NSIGHT_UNSHOWN
};

struct tm_nsight {
    struct tm_format_context context;
    struct tm_nsight_database database;
    struct tm_nsight_schema schema;
    bool is_unreadable; /* the database is too damaged to be read at all */
    bool has_start;
    int64_t start_ns; /* wall-clock time at time 0 */
    uint32_t next_table;
    bool is_described; /* the description of the export and the names of domains are in the stream */
    /* The table whose rows are read; statement NULL: none. */
    const struct tm_nsight_table *table;
    enum tm_nsight_table_kind table_kind;
    sqlite3_stmt *statement;
    int at[TM_NS_COLUMNS];
    uint32_t category; /* category of all its rows; 0: each row has its own */
    /* Names. */
    sqlite3_stmt *string_by_id, *device_by_id; /* NULL: there is no such table */
    struct tm_map string_of;     /* by StringIds.id: a string of the sink */
    struct tm_table domains;     /* by process, domain, category (none: NO_CATEGORY): a string of the sink */
    struct tm_map threads;       /* globalTids of events; value 1 */
    struct tm_map processes;     /* their pids */
    struct tm_table streams;     /* by device, hash of process and context, stream: its tid */
    struct tm_map devices;       /* defined devices; value 1 */
    struct tm_map running;       /* by CPU: the tid that runs on it; 0: none */
    uint64_t cut_count;
    struct tm_buf detail, text, name, definition;
    struct tm_error *err; /* of the current call */
};

/* The parts of a globalTid or globalPid. */
static inline int64_t tm_nsight_pid(int64_t global)
{
    return global >> 24 & 0xffffff;
}

static inline int64_t tm_nsight_tid(int64_t global)
{
    return global & 0xffffff;
}

/* Reads names: domains and categories of NVTX, hosts and versions. TM_OK or an error. */
enum tm_status tm_nsight_names_read(struct tm_nsight *x);

/* Puts the text of StringIds ID into x->text, cut to TM_NSIGHT_TEXT_MAX. TM_OK; TM_END: there is none; or an error. */
enum tm_status tm_nsight_text(struct tm_nsight *x, int64_t id);

/* Sets *STRING to the string of the sink for StringIds ID. TM_OK; TM_END: there is none; or an error. */
enum tm_status tm_nsight_string(struct tm_nsight *x, int64_t id, uint32_t *string);

/* Returns the text of the statement's result COLUMN, cut to TM_NSIGHT_TEXT_MAX. Valid until its next step. */
struct tm_text tm_nsight_column_text(struct tm_nsight *x, sqlite3_stmt *statement, int column);

/* Returns the name of a category of DOMAIN in process PID, or with CATEGORY 0 the name of the domain. 0: it has
 * none. */
uint32_t tm_nsight_domain(const struct tm_nsight *x, int64_t pid, int64_t domain, int64_t category);

/* Defines thread TID of process PID, without a name. TM_OK or an error. */
enum tm_status tm_nsight_define_thread(struct tm_nsight *x, int64_t pid, int64_t tid);

/* Defines the threads and processes that have events, with their names. TM_OK or an error. */
enum tm_status tm_nsight_define_tasks(struct tm_nsight *x);

/* A stream of a device, in a context of process PID. */
struct tm_nsight_stream {
    int64_t device, pid, context, stream;
};
/* Sets pid and tid of ROW to the process of the device and the thread of STREAM, and defines them the first time. TM_OK
 * or an error. */
enum tm_status tm_nsight_stream(struct tm_nsight *x, const struct tm_nsight_stream *stream, struct tm_event *row);

/* Returns the columns that rows of KIND use, a bit for each. */
uint64_t tm_nsight_columns(enum tm_nsight_table_kind kind);

/* Returns what the rows of TABLE mean. */
enum tm_nsight_table_kind tm_nsight_kind(const struct tm_nsight_table *table);

/* Adds the events of the current row of x->statement. TM_OK or an error. */
enum tm_status tm_nsight_row(struct tm_nsight *x);

#endif
