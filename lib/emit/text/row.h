/* A row of text, CSV and JSON lines: a slice, a run of a task on a CPU, or an event that is neither. */
#ifndef TM_EMIT_TEXT_ROW_H
#define TM_EMIT_TEXT_ROW_H

#include "emit/task_names.h"
#include "emit/text/arg_tree.h"
#include "emit/text/unfinished_rows.h"

/* Texts are valid during the call. */
struct tm_row {
    const char *kind; /* NULL: a kind unknown to this version, event->kind */
    const struct tm_event *event; /* the event that begins it */
    struct tm_text name, category;
    struct tm_text machine; /* data NULL: unknown */
    int64_t machine_id;
    struct tm_text track, file; /* the track's name, and the file's path */
    bool has_depth;
    uint32_t depth;
    struct tm_event_task place;
    bool has_other;
    int64_t other_tid; /* the waker, the parent, the next task */
};

/* The names of a row's columns in CSV, in their order, and of its members in JSON lines. NULL-terminated. */
extern const char *const tm_row_columns[];

/* True if a column has NAME. An arg with a column of its own then needs another name. */
bool tm_row_has_column(struct tm_text name);

/* The writer of rows of an output. The duration and the args of a row may be known later than the rest. */
struct tm_row_form {
    /* Write the part before the duration, the part from there to the args, and the duration itself (DUR in ns). */
    void (*before)(void *self, struct tm_out *out, const struct tm_row *row);
    void (*after)(void *self, struct tm_out *out, const struct tm_row *row);
    void (*duration)(struct tm_out *out, enum tm_unfinished_end end, int64_t dur);
    /* Writes the args and the end of the row. */
    void (*args)(void *self, struct tm_out *out, const struct tm_arg_tree *args);
};

#endif
