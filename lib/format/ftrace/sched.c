#include "format/ftrace/internal.h"

#include "base/hex.h"
#include "kernel/sched_state.h"

enum { PRIO_MIN = INT16_MIN, PRIO_MAX = INT16_MAX };

/* One side of a switch. */
struct side {
    struct tm_text comm;
    int64_t pid;
    int64_t prio;
};

static bool valid_side(const struct side *s)
{
    return s->pid >= 0 && s->pid <= UINT32_MAX && s->prio >= PRIO_MIN && s->prio <= PRIO_MAX;
}

static void names(struct tm_ftrace_row_builder *w, int64_t tid, struct tm_text comm)
{
    w->named[w->named_count++] = (struct tm_ftrace_named){tid, comm};
}

/* "comm:pid [prio]", the form of trace-cmd report. The comm may contain ':' and blanks. */
static bool parse_report_task(struct tm_text s, struct side *side)
{
    struct tm_text prio, pid;
    size_t at = s.len;
    while (at > 0 && s.data[at - 1] != '[')
        at--;
    if (at < 2 || s.data[s.len - 1] != ']' || s.data[at - 2] != ' ')
        return false;
    prio = tm_text_at(s.data + at, s.len - at - 1);
    s.len = at - 2;
    for (at = s.len; at > 0 && s.data[at - 1] != ':';)
        at--;
    if (at == 0)
        return false;
    pid = tm_text_after(s, at);
    side->comm = tm_text_at(s.data, at - 1);
    return tm_text_int(prio, &side->prio) && tm_text_int(pid, &side->pid) && valid_side(side);
}

/* "prev_comm=… prev_pid=… prev_prio=… prev_state=… ==> next_comm=… next_pid=… next_prio=…" */
static bool parse_switch(struct tm_text rest, struct side *prev, struct side *next, struct tm_text *state)
{
    struct tm_text head, pid, prio;
    if (!tm_text_cut(&rest, "prev_comm=", &head) || head.len)
        return false;
    if (!tm_text_cut(&rest, " prev_pid=", &prev->comm) || !tm_text_cut(&rest, " prev_prio=", &pid) ||
        !tm_text_cut(&rest, " prev_state=", &prio) || !tm_text_cut(&rest, " ==> next_comm=", state) ||
        !tm_text_int(pid, &prev->pid) || !tm_text_int(prio, &prev->prio))
        return false;
    if (!tm_text_cut(&rest, " next_pid=", &next->comm) || !tm_text_cut(&rest, " next_prio=", &pid))
        return false;
    if (!tm_text_cut(&rest, " ", &prio))
        prio = rest;
    return tm_text_int(pid, &next->pid) && tm_text_int(prio, &next->prio) && valid_side(prev) && valid_side(next);
}

/* "comm:pid [prio] state ==> comm:pid [prio]" */
static bool parse_report_switch(struct tm_text rest, struct side *prev, struct side *next, struct tm_text *state)
{
    struct tm_text left;
    if (!tm_text_cut(&rest, " ==> ", &left))
        return false;
    size_t at = left.len;
    while (at > 0 && left.data[at - 1] != ' ')
        at--;
    if (at == 0)
        return false;
    *state = tm_text_after(left, at);
    left.len = at - 1;
    return parse_report_task(left, prev) && parse_report_task(rest, next);
}

enum tm_status tm_ftrace_sched_switch(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct side prev = {0}, next = {0};
    struct tm_text state;
    struct tm_event *e = w->event;
    if (!parse_switch(args, &prev, &next, &state) && !parse_report_switch(args, &prev, &next, &state))
        return TM_END;
    e->kind = TM_KIND_SCHED_SWITCH;
    e->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE;
    e->tid = prev.pid;
    e->pid = next.pid;
    e->value = tm_sched_state_parse(tm_text_chars(state), state.len) | (uint64_t)(uint16_t)next.prio << 32 |
               (uint64_t)(uint16_t)prev.prio << 48;
    names(w, next.pid, next.comm);
    names(w, prev.pid, prev.comm);
    enum tm_status st = tm_ftrace_row_builder_string(w, next.comm, &e->name);
    return st < 0 ? st : tm_ftrace_row_builder_string(w, prev.comm, &e->category);
}

/* "comm=… pid=… prio=… target_cpu=…", or in the form of trace-cmd report "comm:pid [prio] CPU:001". */
static bool parse_waking(struct tm_text args, struct side *task, int64_t *cpu)
{
    struct tm_text rest = args, head, value;
    if (tm_text_cut(&rest, "comm=", &head) && head.len == 0) {
        if (!tm_text_cut(&rest, " pid=", &task->comm) ||
            !tm_ftrace_arg_int(args, "prio", PRIO_MIN, PRIO_MAX, &task->prio))
            return false;
        if (!tm_text_cut(&rest, " ", &value))
            value = rest;
        if (!tm_ftrace_arg_int(args, "target_cpu", 0, INT32_MAX, cpu))
            *cpu = 0;
        return tm_text_int(value, &task->pid) && valid_side(task);
    }
    rest = args;
    if (!tm_text_cut(&rest, " CPU:", &head) || !tm_text_int(rest, cpu) || *cpu < 0 || *cpu > INT32_MAX)
        return false;
    while (head.len && head.data[head.len - 1] != ']') /* "success=1" in older kernels */
        head.len--;
    return parse_report_task(head, task);
}

enum tm_status tm_ftrace_sched_waking(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct side task = {0};
    int64_t cpu;
    struct tm_event *e = w->event;
    if (!parse_waking(args, &task, &cpu))
        return TM_END;
    e->kind = TM_KIND_SCHED_WAKING;
    e->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE;
    e->tid = task.pid;
    e->pid = w->line->pid;
    e->value = (uint32_t)task.prio | (uint64_t)cpu << 32;
    names(w, task.pid, task.comm);
    return tm_ftrace_row_builder_string(w, task.comm, &e->name);
}

enum tm_status tm_ftrace_task_rename(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_text name, head;
    int64_t pid;
    if (!tm_ftrace_arg_int(args, "pid", 0, UINT32_MAX, &pid) || !tm_text_cut(&args, " newcomm=", &head))
        return TM_END;
    if (!tm_text_cut(&args, " oom_score_adj=", &name))
        name = args;
    w->event->kind = TM_KIND_TASK_RENAME;
    w->event->tid = pid;
    names(w, pid, name);
    return tm_ftrace_row_builder_string(w, name, &w->event->name);
}

enum tm_status tm_ftrace_task_newtask(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    struct tm_text name, head, flags;
    int64_t pid;
    uint64_t bits = 0;
    if (!tm_ftrace_arg_int(args, "pid", 0, UINT32_MAX, &pid) || !tm_ftrace_arg(args, "clone_flags", &flags) ||
        flags.len > 16 || !tm_text_cut(&args, " comm=", &head) || !tm_text_cut(&args, " clone_flags=", &name))
        return TM_END;
    for (size_t i = 0; i < flags.len; i++) {
        int digit = tm_hex_value_lower(flags.data[i]);
        if (digit < 0)
            return TM_END;
        bits = bits << 4 | (uint64_t)digit;
    }
    w->event->kind = TM_KIND_TASK_NEW;
    w->event->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE;
    w->event->tid = pid;
    w->event->pid = w->line->pid;
    w->event->value = bits;
    return tm_ftrace_row_builder_string(w, name, &w->event->name);
}

enum tm_status tm_ftrace_process_free(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    int64_t pid;
    struct tm_text head;
    while (tm_text_cut(&args, " pid=", &head)) /* the comm before it may contain any text */
        continue;
    if (!tm_text_cut(&args, " ", &head))
        head = args;
    if (!tm_text_int(head, &pid) || pid < 0 || pid > UINT32_MAX)
        return TM_END;
    w->event->kind = TM_KIND_PROCESS_EXIT;
    w->event->tid = pid;
    return TM_OK;
}

/* "pid=… iowait=… caller=FUNCTION" */
enum tm_status tm_ftrace_blocked_reason(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char event[] = "sched_blocked_reason";
    struct tm_text caller;
    int64_t pid, io_wait;
    if (!tm_ftrace_arg_int(args, "pid", 0, UINT32_MAX, &pid) ||
        !tm_ftrace_arg_int(args, "iowait", INT32_MIN, INT32_MAX, &io_wait))
        return TM_END;
    w->has_second = true;
    w->second_kind = TM_KIND_BLOCKED_REASON;
    w->second_tid = pid;
    w->second_value = io_wait != 0;
    enum tm_status st = tm_ftrace_row_builder_string(w, tm_text_at(event, sizeof event - 1), &w->event->name);
    if (st < 0 || !tm_ftrace_arg(args, "caller", &caller))
        return st;
    return tm_ftrace_row_builder_string(w, caller, &w->second_name);
}
