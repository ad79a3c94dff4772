#include "format/ftrace/ftrace_text.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/time_units.h"
#include "format/ftrace/atrace_mark.h"
#include "format/ftrace/internal.h"
#include "stream/clock_id.h"

#include <stdlib.h>

enum { TASKS = 1 << 14 };

/* The latest facts of a tid. Two tids can share an entry. Then each replaces the facts of the other, and they are
 * written again. */
struct tm_ftrace_task {
    uint32_t tid;
    uint32_t process;
    bool has_process; /* process is that of the latest line or marker */
    uint64_t name;    /* hash */
    uint64_t epoch;   /* the name is still valid if this equals the epoch of the text */
};

/* "trace_event_clock_sync: parent_ts=12.345" (seconds of MONOTONIC) or "realtime_ts=123456" (ms). */
static enum tm_status put_hint(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    struct tm_text value;
    int64_t ns;
    bool parent = tm_ftrace_arg(args, "parent_ts", &value);
    if (!w->text->hints || (!parent && !tm_ftrace_arg(args, "realtime_ts", &value)))
        return TM_OK;
    if (tm_decimal_scale(tm_text_chars(value), value.len, parent ? 9 : 6, &ns) != TM_OK)
        return TM_OK;
    hint.file = w->text->sink->file;
    hint.from_ns = w->line->time_ns;
    hint.clock = parent ? TM_CLOCK_MONOTONIC : TM_CLOCK_REALTIME;
    hint.value_ns = ns;
    const char *source = parent ? "trace_event_clock_sync: parent_ts" : "trace_event_clock_sync: realtime_ts";
    hint.source = (ProtobufCBinaryData){strlen(source), (uint8_t *)(uintptr_t)source};
    return tm_event_sink_message(w->text->sink, TM_FRAME_CLOCK_HINT, &hint.base, w->err);
}

/* Handles a write to trace_marker: a marker of atrace, or a hint about clocks. */
static enum tm_status on_mark(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_atrace_mark mark;
    struct tm_text rest = args, writer;
    enum tm_status st = tm_atrace_mark_parse(tm_text_chars(args), args.len, &mark);
    /* trace-cmd report puts the writing function first: "print: tracing_mark_write: B|1|x". */
    if (st == TM_E_INPUT && tm_text_cut(&rest, ": ", &writer) && !memchr(writer.data, ' ', writer.len)) {
        args = rest;
        st = tm_atrace_mark_parse(tm_text_chars(args), args.len, &mark);
    }
    if (st == TM_END)
        st = put_hint(w, args);
    else if (st == TM_OK)
        return tm_atrace_mark_fill(&mark, w->text->sink, w->event, &w->text->detail, w->err);
    else
        w->text->malformed_count++;
    return st == TM_E_SYSTEM ? st : TM_END;
}

static const char workqueue[] = "workqueue";

/* "work struct 0xffff: function name" */
static enum tm_status on_workqueue_start(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_text head;
    if (!tm_text_cut(&args, "function ", &head))
        return TM_END;
    w->event->kind = TM_KIND_SLICE_BEGIN;
    w->event->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    enum tm_status st = tm_ftrace_row_builder_string(w, tm_text_str(workqueue), &w->event->category);
    return st < 0 ? st : tm_ftrace_row_builder_string(w, args, &w->event->name);
}

static enum tm_status on_workqueue_end(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    (void)args;
    w->event->kind = TM_KIND_SLICE_END;
    w->event->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    return tm_ftrace_row_builder_string(w, tm_text_str(workqueue), &w->event->category);
}

struct handler {
    const char *name;
    tm_ftrace_handler handler;
};

static const struct handler handlers[] = {
    {"sched_switch", tm_ftrace_sched_switch},
    {"sched_waking", tm_ftrace_sched_waking},
    {"tracing_mark_write", on_mark},
    {"print", on_mark},
    {"0", on_mark},
    {"task_rename", tm_ftrace_task_rename},
    {"task_newtask", tm_ftrace_task_newtask},
    {"sched_process_free", tm_ftrace_process_free},
    {"sched_blocked_reason", tm_ftrace_blocked_reason},
    {"cpu_frequency", tm_ftrace_cpu_frequency},
    {"cpu_frequency_limits", tm_ftrace_cpu_frequency_limits},
    {"cpu_idle", tm_ftrace_cpu_idle},
    {"clock_set_rate", tm_ftrace_clock_set_rate},
    {"clock_enable", tm_ftrace_clock_state},
    {"clock_disable", tm_ftrace_clock_state},
    {"thermal_temperature", tm_ftrace_thermal_temperature},
    {"cdev_update", tm_ftrace_cdev_update},
    {"rss_stat", tm_ftrace_rss_stat},
    {"workqueue_execute_start", on_workqueue_start},
    {"workqueue_execute_end", on_workqueue_end},
};

/* Events whose names begin with 'b'. */
static const struct handler binder_handlers[] = {
    {"binder_transaction", tm_ftrace_binder_transaction},
    {"binder_transaction_received", tm_ftrace_binder_received},
    {"binder_transaction_alloc_buf", tm_ftrace_binder_alloc_buf},
    {"binder_command", tm_ftrace_binder_command},
    {"binder_return", tm_ftrace_binder_return},
    {"binder_lock", tm_ftrace_binder_lock},
    {"binder_locked", tm_ftrace_binder_locked},
    {"binder_unlock", tm_ftrace_binder_unlock},
};

static tm_ftrace_handler find_handler(const struct tm_systrace_line *line)
{
    bool is_binder = line->event_len && line->event[0] == 'b';
    const struct handler *table = is_binder ? binder_handlers : handlers;
    size_t count = is_binder ? sizeof binder_handlers / sizeof *binder_handlers : sizeof handlers / sizeof *handlers;
    for (size_t i = 0; i < count; i++)
        if (table[i].name[0] == line->event[0] && strlen(table[i].name) == line->event_len &&
            memcmp(table[i].name, line->event, line->event_len) == 0)
            return table[i].handler;
    return NULL;
}

/* Removes what the columns of EVENT state from its raw payload, the text of LINE (short_lines in
 * stream/raw_choice.h). */
static void shorten(const struct tm_systrace_line *line, struct tm_event *event)
{
    size_t front = (size_t)((const uint8_t *)line->event - event->raw);
    switch (event->kind) {
    case TM_KIND_FTRACE:
        return;
    case TM_KIND_SCHED_SWITCH:
    case TM_KIND_SCHED_WAKING:
    case TM_KIND_TASK_NEW:
    case TM_KIND_TASK_RENAME:
    case TM_KIND_PROCESS_EXIT:
        event->raw_bytes = 0;
        return;
    default:
        event->raw += front;
        event->raw_bytes -= (uint32_t)front;
    }
}

/* Adds the row of the line, and a derived row if its event states two facts. */
static enum tm_status add_rows(struct tm_ftrace_row_builder *w, struct tm_event *event)
{
    struct tm_event plain = *event;
    tm_ftrace_handler handle = find_handler(w->line);
    tm_buf_clear(&w->text->detail);
    enum tm_status st = handle ? handle(w, tm_text_at(w->line->args, w->line->args_len)) : TM_END;
    if (st == TM_END) {
        *event = plain;
        w->has_second = false;
        tm_buf_clear(&w->text->detail);
        st = tm_ftrace_row_builder_string(w, tm_text_at(w->line->event, w->line->event_len), &event->name);
    }
    if (st < 0)
        return st;
    event->detail = w->text->detail.data;
    event->detail_bytes = (uint32_t)w->text->detail.len;
    if (w->text->sink->raw.short_lines)
        shorten(w->line, event);
    st = tm_event_sink_add(w->text->sink, event, w->err);
    if (st < 0 || !w->has_second)
        return st;
    struct tm_event second = *event;
    second.flags = (second.flags & ~tm_event_raw_flags(TM_RAW_LINE)) | TM_EVENT_DERIVED;
    second.raw_bytes = 0;
    second.name = w->second_name;
    second.value = w->second_value;
    if (w->second_kind) {
        second.kind = w->second_kind;
        second.flags = (second.flags & ~(uint32_t)TM_EVENT_HAS_PID) | TM_EVENT_HAS_VALUE |
                       tm_event_scope_flags(TM_SCOPE_THREAD);
        second.tid = w->second_tid;
    }
    return tm_event_sink_add(w->text->sink, &second, w->err);
}

static struct tm_ftrace_task *task_of(struct tm_ftrace_text *text, uint32_t tid)
{
    struct tm_ftrace_task *task = &text->tasks[tm_hash_u64(tid) % TASKS];
    if (task->tid != tid)
        *task = (struct tm_ftrace_task){.tid = tid};
    return task;
}

static uint64_t hash_of(struct tm_text name)
{
    return tm_hash64(name.data, name.len);
}

/* If the event contradicts the facts of a task, the next line of that task writes them again. Returns true if the event
 * names the line's own task. */
static bool note_event(struct tm_ftrace_row_builder *w)
{
    const struct tm_event *e = w->event;
    bool is_own = false;
    for (size_t i = 0; i < w->named_count; i++) {
        struct tm_ftrace_task *task = task_of(w->text, (uint32_t)w->named[i].tid);
        if (task->name != hash_of(w->named[i].comm))
            task->epoch = 0;
        is_own = is_own || w->named[i].tid == w->line->pid;
    }
    bool is_marker = (e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END || e->kind == TM_KIND_INSTANT) &&
                     (e->flags & TM_EVENT_HAS_PID) && !(e->flags & TM_EVENT_ASYNC);
    if (!is_marker)
        return is_own;
    struct tm_ftrace_task *task = task_of(w->text, w->line->pid);
    if (task->has_process && task->process != (uint32_t)e->pid)
        task->epoch = 0;
    task->has_process = true;
    task->process = (uint32_t)e->pid;
    return is_own;
}

/* True if the event gives the line's own task another name than NAME, a hash. It comes after the head of the line. */
static bool renames_own(const struct tm_ftrace_row_builder *w, uint64_t name)
{
    for (size_t i = 0; i < w->named_count; i++)
        if (w->named[i].tid == w->line->pid && hash_of(w->named[i].comm) != name)
            return true;
    return false;
}

/* Adds a TASK_RENAME row after the line's row if the line states something new about its task. */
static enum tm_status add_task(struct tm_ftrace_row_builder *w)
{
    const struct tm_systrace_line *line = w->line;
    struct tm_ftrace_task *task = task_of(w->text, line->pid), before = *task;
    uint64_t name = hash_of(tm_text_at(line->task, line->task_len));
    struct tm_event event = {.time_ns = line->time_ns, .kind = TM_KIND_TASK_RENAME, .tid = line->pid, .cpu = line->cpu,
                             .machine = w->text->machine, .clock = w->text->clock,
                             .flags = TM_EVENT_DERIVED | TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU};
    enum tm_status st = TM_OK;
    bool is_moved = line->has_tgid && !(task->has_process && task->process == line->tgid);
    if (line->has_tgid) {
        event.flags |= TM_EVENT_HAS_PID;
        event.pid = line->tgid;
        task->has_process = true;
        task->process = line->tgid;
    }
    /* A tid that moves to another process loses its name until the next line. */
    bool leaves = is_moved && before.has_process;
    task->epoch = leaves ? 0 : w->text->epoch;
    task->name = name;
    bool is_own = note_event(w);
    if ((before.epoch == w->text->epoch && before.name == name && !is_moved) || (is_own && !line->has_tgid))
        return TM_OK;
    tm_buf_clear(&w->text->detail);
    /* The name is that of the thread that had the tid before, if the tid leaves its process. */
    if ((!is_own || (leaves && !renames_own(w, name))) && (line->task_len != 5 || memcmp(line->task, "<...>", 5) != 0))
        st = tm_ftrace_row_builder_string(w, tm_text_at(line->task, line->task_len), &event.name);
    event.detail = w->text->detail.data;
    event.detail_bytes = (uint32_t)w->text->detail.len;
    return st < 0 ? st : tm_event_sink_add(w->text->sink, &event, w->err);
}

enum tm_status tm_ftrace_text_add(struct tm_ftrace_text *text, const struct tm_systrace_line *line, const char *raw,
                                  size_t len, struct tm_error *err)
{
    struct tm_event event = {.time_ns = line->time_ns, .kind = TM_KIND_FTRACE, .tid = line->pid, .cpu = line->cpu,
                             .machine = text->machine, .clock = text->clock,
                             .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU | tm_event_raw_flags(TM_RAW_LINE),
                             .raw = (const uint8_t *)raw, .raw_bytes = (uint32_t)len};
    struct tm_ftrace_row_builder work = {.text = text, .line = line, .event = &event, .err = err};
    if (text->tasks == NULL && (text->tasks = calloc(TASKS, sizeof *text->tasks)) == NULL)
        return tm_error_nomem(err);
    if (line->has_tgid) {
        event.flags |= TM_EVENT_HAS_PID;
        event.pid = line->tgid;
    }
    bool goes_back = line->time_ns < text->latest_ns;
    text->epoch += text->epoch == 0 || goes_back;
    text->latest_ns = goes_back ? text->latest_ns : line->time_ns;
    enum tm_status st = add_rows(&work, &event);
    if (st < 0 || (st = add_task(&work)) < 0)
        return st;
    text->epoch += goes_back; /* facts of a line that goes back in time are not valid for the lines after it */
    return TM_OK;
}

enum tm_status tm_ftrace_text_begin(const struct tm_systrace_line *line, struct tm_buf *out)
{
    tm_buf_clear(out);
    uint64_t time_ns = (uint64_t)line->time_ns;
    if (tm_buf_add(out, line->task, line->task_len) != TM_OK || /* names may contain any byte */
        tm_buf_add_byte(out, '-') != TM_OK || tm_buf_add_decimal(out, line->pid, 1) != TM_OK ||
        tm_buf_add_str(out, " [") != TM_OK || tm_buf_add_decimal(out, line->cpu, 3) != TM_OK ||
        tm_buf_add_str(out, "] ") != TM_OK || tm_buf_add_decimal(out, time_ns / TM_NS_PER_S, 1) != TM_OK ||
        tm_buf_add_byte(out, '.') != TM_OK || tm_buf_add_decimal(out, time_ns % TM_NS_PER_S, 9) != TM_OK ||
        tm_buf_add_str(out, ": ") != TM_OK || tm_buf_add(out, line->event, line->event_len) != TM_OK)
        return TM_E_SYSTEM;
    return tm_buf_add_str(out, ": ");
}

enum tm_status tm_ftrace_text_add_made(struct tm_ftrace_text *text, struct tm_systrace_line *line,
                                       const struct tm_buf *out, size_t args_at, struct tm_error *err)
{
    const char *made = (const char *)out->data;
    line->task = made;
    line->event = made + args_at - line->event_len - 2; /* ": " */
    line->args = made + args_at;
    line->args_len = out->len - args_at;
    return tm_ftrace_text_add(text, line, made, out->len, err);
}

void tm_ftrace_text_release(struct tm_ftrace_text *text)
{
    free(text->tasks);
    tm_buf_release(&text->detail);
    *text = (struct tm_ftrace_text){0};
}
