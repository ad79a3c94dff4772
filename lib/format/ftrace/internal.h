/* One line of ftrace text while it becomes rows, and the handlers in the table of ftrace_text.c. A handler fills the
 * row from the event's arguments. It returns TM_OK, or an error, or TM_END if the arguments are not as expected. The
 * line then becomes an FTRACE row. */
#ifndef TM_FORMAT_FTRACE_INTERNAL_H
#define TM_FORMAT_FTRACE_INTERNAL_H

#include "format/ftrace/args.h"
#include "format/ftrace/ftrace_text.h"

struct tm_ftrace_row_builder {
    struct tm_ftrace_text *text;
    const struct tm_systrace_line *line;
    struct tm_event *event; /* time, cpu and tid are set */
    bool has_second;        /* a DERIVED row follows; it equals the first row except for these fields */
    uint32_t second_kind;   /* 0: the kind of the first row */
    int64_t second_tid;     /* used if second_kind is not 0; a task of any process */
    uint32_t second_name;
    uint64_t second_value;
    struct tm_ftrace_named {
        int64_t tid;
        struct tm_text comm;
    } named[2]; /* tasks that the event names */
    size_t named_count;
    struct tm_error *err;
};

typedef enum tm_status (*tm_ftrace_handler)(struct tm_ftrace_row_builder *work, struct tm_text args);

/* Interns S for the row. */
static inline enum tm_status tm_ftrace_row_builder_string(struct tm_ftrace_row_builder *work, struct tm_text s,
                                                          uint32_t *string)
{
    return tm_event_sink_string(work->text->sink, s, &work->text->detail, string, work->err);
}

/* sched.c: the scheduler's events. */
enum tm_status tm_ftrace_sched_switch(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_sched_waking(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_task_rename(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_task_newtask(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_process_free(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_blocked_reason(struct tm_ftrace_row_builder *work, struct tm_text args);

/* counter.c: events with a value, named like the tracks of the reference importer. */
enum tm_status tm_ftrace_cpu_frequency(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_cpu_frequency_limits(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_cpu_idle(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_clock_set_rate(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_clock_state(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_thermal_temperature(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_cdev_update(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_rss_stat(struct tm_ftrace_row_builder *work, struct tm_text args);

/* binder.c: events of Android's binder. */
enum tm_status tm_ftrace_binder_transaction(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_received(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_alloc_buf(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_command(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_return(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_lock(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_locked(struct tm_ftrace_row_builder *work, struct tm_text args);
enum tm_status tm_ftrace_binder_unlock(struct tm_ftrace_row_builder *work, struct tm_text args);

#endif
