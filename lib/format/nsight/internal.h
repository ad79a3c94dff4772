/* What the files of this folder share: the export as far as it has been read. */
#ifndef TM_FORMAT_NSIGHT_INTERNAL_H
#define TM_FORMAT_NSIGHT_INTERNAL_H

#include "base/map.h"
#include "base/table.h"
#include "base/text.h"
#include "format/nsight/database.h"
#include "format/nsight/nsight.h"
#include "format/nsight/schema.h"

/* What the rows of a table are. */
enum tm_nsight_rows {
    TM_NSIGHT_NO_ROWS, /* names, or what has no time */
    TM_NSIGHT_NVTX,
    TM_NSIGHT_CALLS,   /* of a library, by threads */
    TM_NSIGHT_KERNELS, /* on a stream of a device */
    TM_NSIGHT_COPIES,
    TM_NSIGHT_SETS,
    TM_NSIGHT_SWITCHES, /* of threads on cpus */
    TM_NSIGHT_UNSHOWN
};

struct tm_nsight {
    struct tm_format_context context;
    struct tm_nsight_database database;
    struct tm_nsight_schema schema;
    bool is_unreadable; /* so damaged that nothing can be read of it */
    bool has_start;
    int64_t start_ns; /* the wall clock's time that times count from */
    uint32_t next_table;
    bool is_told; /* what the export says of itself, and names of domains */
    /* the table whose rows are read; statement NULL: none is */
    const struct tm_nsight_table *table;
    enum tm_nsight_rows rows;
    sqlite3_stmt *statement;
    int at[TM_NS_COLUMNS];
    uint32_t category; /* of all its rows; 0: by row */
    /* names */
    sqlite3_stmt *string_by_id, *device_by_id; /* NULL: there is no such table */
    struct tm_map string_of;     /* by StringIds.id: a string of the sink */
    struct tm_table domains;     /* by process, domain, category (none: NO_CATEGORY): a string of the sink */
    struct tm_map threads;       /* globalTids that events have; 1 */
    struct tm_map processes;     /* pids of them */
    struct tm_table streams;     /* by device, a hash of process and context, stream: its tid */
    struct tm_map devices;       /* those that are defined; 1 */
    struct tm_map running;       /* by cpu: the tid that came to it and has not left; 0: none */
    uint64_t cut_count;
    struct tm_buf detail, inner, text, name;
    struct tm_error *err; /* of the call that is under way */
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

/* --- names.c */

/* What an export names: domains and categories of NVTX, hosts and versions. */
enum tm_status tm_nsight_names_read(struct tm_nsight *x);

/* The text of StringIds ID into x->text, cut to TM_NSIGHT_TEXT_MAX. TM_OK; TM_END: there is none; or an error. */
enum tm_status tm_nsight_text(struct tm_nsight *x, int64_t id);

/* The string of the sink for StringIds ID. TM_OK; TM_END: there is none; or an error. */
enum tm_status tm_nsight_string(struct tm_nsight *x, int64_t id, uint32_t *string);

/* Text of the statement's result COLUMN, cut to TM_NSIGHT_TEXT_MAX. Valid until its next step. */
struct tm_text tm_nsight_column_text(struct tm_nsight *x, sqlite3_stmt *statement, int column);

/* The name of a category of a DOMAIN in process PID; with CATEGORY 0 of the domain. 0: it has none. */
uint32_t tm_nsight_domain(const struct tm_nsight *x, int64_t pid, int64_t domain, int64_t category);

/* Defines thread TID of process PID, whose name may come later. */
enum tm_status tm_nsight_define_thread(struct tm_nsight *x, int64_t pid, int64_t tid);

/* Defines the threads and processes that events had. */
enum tm_status tm_nsight_define_tasks(struct tm_nsight *x);

/* The process of DEVICE and the thread of a stream on it, defined when they are new. */
struct tm_nsight_stream {
    int64_t device, pid, context, stream;
};
enum tm_status tm_nsight_stream(struct tm_nsight *x, const struct tm_nsight_stream *stream, struct tm_event *row);

/* --- rows.c */

/* The columns that rows of KIND are made of. */
uint64_t tm_nsight_columns(enum tm_nsight_rows kind);

/* What the rows of TABLE are. */
enum tm_nsight_rows tm_nsight_kind(const struct tm_nsight_table *table);

/* The events of the row at which x->statement is. */
enum tm_status tm_nsight_row(struct tm_nsight *x);

#endif
