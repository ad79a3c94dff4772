#include "format/ctf/internal.h"

#include "format/ctf/library.h"
#include "kernel/sched_state.h"
#include "stream/detail_arg.h"
#include "stream/task_description.h"

#include <stdlib.h>

/* True if EVENT has the name of a system call after PREFIX. */
static bool is_call(struct tm_text event, const char *prefix)
{
    return event.len > strlen(prefix) && tm_text_begins(event, prefix);
}

/* A field of an event. */
struct arg {
    char letter; /* enum tm_ctf_arg_letter */
    struct tm_text key, value;
};

/* Takes the next field from ARGS. False: there is none. */
static bool next_arg(struct tm_text *args, struct arg *arg)
{
    if (args->len < 3)
        return false;
    arg->letter = args->data[0];
    struct tm_text rest = {args->data + 1, args->len - 1}, *parts[] = {&arg->key, &arg->value};
    for (int i = 0; i < 2; i++) {
        const uint8_t *nul = memchr(rest.data, 0, rest.len);
        if (nul == NULL)
            return false;
        *parts[i] = tm_text_at(rest.data, (size_t)(nul - rest.data));
        rest = tm_text_at(nul + 1, rest.len - parts[i]->len - 1);
    }
    *args = rest;
    return true;
}

static bool find_int(struct tm_text args, const char *key, int64_t *value)
{
    struct arg arg;
    while (next_arg(&args, &arg))
        if (tm_text_is(arg.key, key))
            return tm_text_int(arg.value, value);
    return false;
}

static enum tm_status put_arg(struct tm_ctf *c, const struct arg *arg)
{
    int64_t number;
    bool is_number = arg->letter != TM_CTF_ARG_TEXT && tm_text_int(arg->value, &number);
    tm_buf_clear(&c->key);
    enum tm_status st = tm_buf_add(&c->key, arg->key.data, arg->key.len);
    if (st == TM_OK && is_number)
        return tm_detail_arg_number(&c->detail, &c->key, arg->letter == TM_CTF_ARG_INT ? TM_ARG_INT : TM_ARG_UINT,
                                    (uint64_t)number);
    return st < 0 ? st : tm_detail_arg_bytes(&c->detail, &c->key, TM_ARG_STRING, arg->value.data, arg->value.len);
}

static enum tm_status put_args(struct tm_ctf *c, struct tm_text args, struct tm_error *err)
{
    struct arg arg;
    while (c->context.sink->want_detail && next_arg(&args, &arg))
        if (put_arg(c, &arg) != TM_OK)
            return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status put_string(struct tm_ctf *c, struct tm_text s, uint32_t *string, struct tm_error *err)
{
    return tm_event_sink_string(c->context.sink, s, &c->detail, string, err);
}

static enum tm_status add(struct tm_ctf *c, struct tm_event *e, struct tm_error *err)
{
    e->detail = c->detail.data;
    e->detail_bytes = (uint32_t)c->detail.len;
    return tm_event_sink_add(c->context.sink, e, err);
}

/* Returns a row with the time, CPU and thread of EVENT. */
static struct tm_event row_of(const struct tm_ctf *c, const struct tm_child_event *event, int64_t tid)
{
    bool is_monotonic = c->policy == TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK;
    struct tm_event e = {.time_ns = is_monotonic ? event->cycles : event->time_ns};
    if (event->cpu >= 0) {
        e.cpu = (uint32_t)event->cpu;
        e.flags |= TM_EVENT_HAS_CPU;
    }
    if (tid >= 0) {
        e.tid = tid;
        e.flags |= TM_EVENT_HAS_TID;
    }
    if (event->pid >= 0 && (tid >= 0 || !c->is_kernel)) {
        e.pid = event->pid;
        e.flags |= TM_EVENT_HAS_PID;
    }
    return e;
}

/* Adds the name of a thread, once. */
static enum tm_status name_thread(struct tm_ctf *c, const struct tm_child_event *event, struct tm_error *err)
{
    const bool has_pid = event->pid >= 0;
    struct tm_event e = {.kind = TM_KIND_THREAD, .tid = event->tid, .pid = has_pid ? event->pid : 0,
                         .flags = TM_EVENT_HAS_TID | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION |
                                  (has_pid ? TM_EVENT_HAS_PID : 0u)};
    uint32_t found;
    if (event->task.len == 0 || event->tid < 0 || (!has_pid && c->is_kernel) ||
        tm_map_find(&c->named, (uint64_t)event->tid, &found))
        return TM_OK;
    if (c->named.count >= TM_CTF_NAMED_MAX) {
        c->context.sink->left_out++;
        return TM_OK;
    }
    tm_buf_clear(&c->detail);
    if (tm_map_set(&c->named, (uint64_t)event->tid, 1) != TM_OK ||
        tm_task_description_put(&c->detail, &e, event->task) != TM_OK)
        return tm_error_nomem(err);
    return add(c, &e, err);
}

/* Adds an event of a program. Its name is "provider:event". */
static enum tm_status add_instant(struct tm_ctf *c, const struct tm_child_event *event, int64_t tid,
                                  struct tm_error *err)
{
    struct tm_event e = row_of(c, event, tid);
    struct tm_text rest = event->event, provider;
    e.kind = TM_KIND_INSTANT;
    const bool has_pid = e.flags & TM_EVENT_HAS_PID;
    e.flags |= tm_event_scope_flags(tid >= 0 ? TM_SCOPE_THREAD : has_pid ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL);
    tm_buf_clear(&c->detail);
    enum tm_status st = put_string(c, event->event, &e.name, err);
    if (st == TM_OK && tm_text_cut(&rest, ":", &provider))
        st = put_string(c, provider, &e.category, err);
    if (st == TM_OK)
        st = put_args(c, event->args, err);
    return st < 0 ? st : add(c, &e, err);
}

/* Returns the part of TEXT after its prefix FRONT. */
static struct tm_text after(struct tm_text text, const char *front)
{
    return tm_text_after(text, strlen(front));
}

struct call {
    enum tm_kind kind; /* a begin or an end */
    struct tm_text name;
};

/* Adds the begin or end of a system call on the running thread: "syscall_entry_openat". */
static enum tm_status add_call(struct tm_ctf *c, const struct tm_child_event *event, int64_t tid, struct call call,
                               struct tm_error *err)
{
    struct tm_event e = row_of(c, event, tid);
    e.kind = call.kind;
    e.flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    tm_buf_clear(&c->detail);
    tm_buf_clear(&c->line);
    if (tm_buf_add_str(&c->line, "sys_") != TM_OK || tm_buf_add(&c->line, call.name.data, call.name.len) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = put_string(c, tm_text_at(c->line.data, c->line.len), &e.name, err);
    if (st == TM_OK)
        st = put_args(c, event->args, err);
    return st < 0 ? st : add(c, &e, err);
}

/* Returns ftrace's name for a field of LTTng; NULL: it is the same. */
static const char *ftrace_key(struct tm_text key)
{
    static const char *const names[][2] = {
        {"prev_tid", "prev_pid"}, {"next_tid", "next_pid"}, {"tid", "pid"}, {"parent_tid", "parent_pid"},
        {"child_tid", "child_pid"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tm_text_is(key, names[i][0]))
            return names[i][1];
    return NULL;
}

/* Appends ARG to the line in the form that ftrace prints for EVENT. */
static enum tm_status put_line_arg(struct tm_ctf *c, struct tm_text event, const struct arg *arg, bool is_first)
{
    char state[TM_SCHED_STATE_TEXT_MAX];
    const char *key = ftrace_key(arg->key);
    struct tm_text name = key ? tm_text_str(key) : arg->key, value = arg->value;
    bool is_switch = tm_text_is(event, "sched_switch");
    int64_t mask;
    if (is_switch && tm_text_is(name, "prev_state") && tm_text_int(value, &mask)) {
        tm_sched_state_text((uint32_t)mask & INT32_MAX, c->kernel_version, '|', state);
        value = tm_text_str(state);
    }
    const char *before = is_switch && tm_text_is(name, "next_comm") ? " ==> " : " ";
    enum tm_status st = is_first ? TM_OK : tm_buf_add_str(&c->line, before);
    if (st == TM_OK)
        st = tm_buf_add(&c->line, name.data, name.len);
    if (st == TM_OK)
        st = tm_buf_add_byte(&c->line, '=');
    return st == TM_OK ? tm_buf_add(&c->line, value.data, value.len) : st;
}

/* Adds a kernel event as the line that ftrace would print. */
static enum tm_status add_line(struct tm_ctf *c, const struct tm_child_event *event, int64_t tid, struct tm_error *err)
{
    struct tm_text args = event->args, task = event->task;
    struct arg arg;
    struct tm_event e = row_of(c, event, tid);
    if (task.len == 0)
        task = tm_text_at("<...>", 5);
    struct tm_systrace_line line = {.task = tm_text_chars(task), .task_len = task.len,
                                    .event = tm_text_chars(event->event), .event_len = event->event.len,
                                    .time_ns = e.time_ns, .pid = (uint32_t)tid,
                                    .tgid = (uint32_t)event->pid, .has_tgid = event->pid >= 0,
                                    .cpu = (uint32_t)event->cpu};
    enum tm_status st = tm_ftrace_text_begin(&line, &c->line);
    size_t front = c->line.len;
    while (st == TM_OK && next_arg(&args, &arg))
        st = put_line_arg(c, event->event, &arg, c->line.len == front);
    for (size_t i = front; i < c->line.len; i++)
        if (c->line.data[i] == '\n' || c->line.data[i] == '\r')
            c->line.data[i] = ' ';
    return st < 0 ? tm_error_nomem(err) : tm_ftrace_text_add_made(&c->ftrace, &line, &c->line, front, err);
}

/* Returns the thread of EVENT: the one that a context states, else the one that was last switched to on its CPU; -1:
 * unknown. */
static int64_t thread_of(struct tm_ctf *c, const struct tm_child_event *event)
{
    uint32_t running;
    if (event->tid >= 0 || event->cpu < 0 || !tm_map_find(&c->running, (uint64_t)event->cpu, &running))
        return event->tid;
    return running;
}

void tm_ctf_count_lost(struct tm_ctf *c, const struct tm_child_event *record)
{
    c->lost_count += record->lost < INT32_MAX ? record->lost : INT32_MAX;
    c->lost_packet_count += record->lost_packets < INT32_MAX ? record->lost_packets : INT32_MAX;
}

enum tm_status tm_ctf_add_event(struct tm_ctf *c, const struct tm_child_event *event, struct tm_error *err)
{
    static const char entry[] = "syscall_entry_", exit[] = "syscall_exit_";
    int64_t next, tid = thread_of(c, event);
    c->event_count++;
    c->cut_count += event->is_cut;
    tm_ctf_count_lost(c, event);
    if (event->time_ns < 0 || event->cycles < 0 || !(c->first.buffer & TM_CTF_CLOCK_IS_THERE))
        return tm_event_sink_account(c->context.sink, (struct tm_loss){TM_DROP_NO_TIME, 0, 1, UINT64_MAX}, err);
    enum tm_status st = name_thread(c, event, err);
    if (st < 0)
        return st;
    if (!c->is_kernel || event->cpu < 0 || event->cpu >= TM_FORMAT_CPU_MAX)
        return add_instant(c, event, tid, err);
    if (tm_text_is(event->event, "sched_switch")) {
        int64_t prev;
        tid = tid < 0 && find_int(event->args, "prev_tid", &prev) && prev >= 0 && prev <= INT32_MAX ? prev : tid;
        if (find_int(event->args, "next_tid", &next) && next >= 0 && next <= INT32_MAX &&
            tm_map_set(&c->running, (uint64_t)event->cpu, (uint32_t)next) != TM_OK)
            return tm_error_nomem(err);
    }
    if (tid < 0)
        return add_instant(c, event, tid, err);
    if (is_call(event->event, entry))
        return add_call(c, event, tid, (struct call){TM_KIND_SLICE_BEGIN, after(event->event, entry)}, err);
    if (is_call(event->event, exit))
        return add_call(c, event, tid, (struct call){TM_KIND_SLICE_END, after(event->event, exit)}, err);
    return add_line(c, event, tid, err);
}
