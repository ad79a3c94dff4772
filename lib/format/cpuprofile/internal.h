/* What the files of this folder share. cpuprofile.c reads the document, tree.c the tree of its older form, columns.c
 * lists of numbers; thread.c tells who was recorded; rows.c makes rows at the end. */
#ifndef TM_FORMAT_CPUPROFILE_INTERNAL_H
#define TM_FORMAT_CPUPROFILE_INTERNAL_H

#include "format/cpuprofile/cpuprofile.h"
#include "format/v8_nodes.h"
#include "json/cursor.h"

/* A list of numbers. */
struct tm_cpuprofile_column {
    struct tm_paged_file numbers; /* int64_t each; TM_CPUPROFILE_NONE: no number that is valid */
    uint64_t count;
    uint64_t byte; /* of the input, where the list begins */
};

#define TM_CPUPROFILE_NONE INT64_MIN

/* How the times of samples are stated. */
enum tm_cpuprofile_times {
    TM_CPUPROFILE_NO_TIMES,
    TM_CPUPROFILE_DELTAS,   /* each since the sample before it, the first since the start */
    TM_CPUPROFILE_ABSOLUTE, /* the older form */
};

/* A time that was stated. */
struct tm_cpuprofile_time {
    bool has_us, has_s;
    int64_t us_ns, s_ns; /* in nanoseconds, if it counts microseconds, or seconds */
};

/* The thread that was recorded. */
struct tm_cpuprofile_thread {
    int64_t pid, tid;
    char process_name[256], name[32]; /* empty: none */
};

struct tm_cpuprofile {
    struct tm_format_context context;
    bool shows_damaged; /* damage ends the document, and what was read is shown */
    struct tm_json_cursor cursor;
    struct tm_v8_nodes nodes; /* of session 0 */
    bool has_nodes, has_head;
    uint64_t bad_nodes;
    struct tm_cpuprofile_time start, end;
    struct tm_cpuprofile_column samples, times; /* samples: ids of nodes; times: nanoseconds */
    enum tm_cpuprofile_times times_are;
    struct tm_buf detail; /* of the row in work */
};

/* Reads the object of the tree, the next value. TM_OK or an error. */
enum tm_status tm_cpuprofile_tree_read(struct tm_cpuprofile *x, struct tm_error *err);

/* Reads the next value, a list, into COLUMN, in which a list before is forgotten. READ converts an element. Any other
 * value is skipped. TM_OK or an error. */
enum tm_status tm_cpuprofile_column_read(struct tm_json_cursor *cursor, struct tm_cpuprofile_column *column,
                                         int64_t (*read)(const struct tm_json_value *value), struct tm_error *err);

/* Sets *THREAD to what the name of the file in CONTEXT tells of the thread, else to a thread of its own. TM_OK or an
 * error. */
enum tm_status tm_cpuprofile_thread_find(const struct tm_format_context *context, struct tm_cpuprofile_thread *thread,
                                         struct tm_error *err);

/* Adds all rows, accounts and statistics. TM_OK or an error. */
enum tm_status tm_cpuprofile_rows_add(struct tm_cpuprofile *x, struct tm_error *err);

#endif
