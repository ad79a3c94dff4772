/* Rows of a profile: its process and thread, and a sample for each one that has a time and a node. */
#include "format/cpuprofile/internal.h"

#include "base/checked.h"
#include "stream/task_description.h"

/* Samples that are not shown. */
struct losses {
    uint64_t damaged, no_time, cut;
};

/* The time of the current sample. */
struct clock {
    int64_t start_ns, step_ns, step_rest; /* without stated times: of each sample */
    int64_t now_ns;                       /* of the deltas */
    enum tm_cpuprofile_times times_are;
    bool is_even; /* the samples are spread from the start to the end */
};

/* Sets *NS to what TIME says. The tree's form counts seconds. */
static bool time_of(const struct tm_cpuprofile *x, const struct tm_cpuprofile_time *time, int64_t *ns)
{
    const bool in_s = x->has_head && !x->has_nodes;
    *ns = in_s ? time->s_ns : time->us_ns;
    return in_s ? time->has_s : time->has_us;
}

static struct clock clock_of(const struct tm_cpuprofile *x)
{
    struct clock clock = {.times_are = x->times_are};
    int64_t end, span;
    const int64_t count = (int64_t)x->samples.count;
    bool has_start = time_of(x, &x->start, &clock.start_ns);
    clock.now_ns = has_start ? clock.start_ns : 0;
    clock.is_even = x->times_are == TM_CPUPROFILE_NO_TIMES && count > 0 && has_start && time_of(x, &x->end, &end) &&
                    tm_sub_i64(end, clock.start_ns, &span) && span >= 0;
    if (clock.is_even) {
        clock.step_ns = span / count;
        clock.step_rest = span % count;
    }
    return clock;
}

/* Sets *NS to the time of sample NUMBER. TM_OK; TM_END: it has none; TM_E_INPUT (without a text): it cannot be read, or
 * exceeds 64 bits of nanoseconds; TM_E_SYSTEM. */
static enum tm_status time_next(struct tm_cpuprofile *x, struct clock *clock, uint64_t number, int64_t *ns,
                                struct tm_error *err)
{
    int64_t stated, rest;
    const bool has_time = clock->times_are != TM_CPUPROFILE_NO_TIMES && number < x->times.count;
    if (!has_time && !clock->is_even)
        return TM_END;
    if (!has_time) {
        /* Times of samples are below the end, so only the product of the rest can be too large. */
        const int64_t i = (int64_t)number, count = (int64_t)x->samples.count;
        rest = tm_mul_i64(clock->step_rest, i, &rest) ? rest / count : clock->step_rest / count * i;
        *ns = clock->start_ns + clock->step_ns * i + rest;
        return TM_OK;
    }
    enum tm_status st = tm_paged_file_read(&x->times.numbers, number * sizeof stated, &stated, sizeof stated, err);
    if (st < 0)
        return st;
    if (stated == TM_CPUPROFILE_NONE)
        return TM_E_INPUT;
    if (clock->times_are == TM_CPUPROFILE_DELTAS && !tm_add_i64(clock->now_ns, stated, &stated))
        return TM_E_INPUT;
    *ns = clock->now_ns = stated;
    return TM_OK;
}

static enum tm_status define(struct tm_cpuprofile *x, const struct tm_cpuprofile_thread *thread, enum tm_kind kind,
                             struct tm_error *err)
{
    const bool is_thread = kind == TM_KIND_THREAD;
    const char *name = is_thread ? thread->name : thread->process_name;
    struct tm_event row = {.kind = kind, .pid = thread->pid, .tid = is_thread ? thread->tid : 0,
                           .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_PID |
                                    (is_thread ? TM_EVENT_HAS_TID : 0u)};
    tm_buf_clear(&x->detail);
    if (*name == '\0')
        return TM_OK;
    if (tm_task_description_put(&x->detail, &row, tm_text_str(name)) != TM_OK)
        return tm_error_nomem(err);
    row.detail = x->detail.data;
    row.detail_bytes = (uint32_t)x->detail.len;
    return tm_event_sink_add(x->context.sink, &row, err);
}

/* Puts the stack of NODE into the detail. */
static enum tm_status put_stack(struct tm_cpuprofile *x, uint32_t node, bool *is_cut, struct tm_error *err)
{
    const size_t max = tm_detail_budget_left(&x->context.sink->budget, TM_PROFILE_STACK_BYTES_MAX);
    tm_buf_clear(&x->detail);
    enum tm_status st = tm_v8_nodes_stack(&x->nodes, 0, node, max, &x->detail);
    *is_cut = st == TM_END;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status add_samples(struct tm_cpuprofile *x, const struct tm_cpuprofile_thread *thread,
                                  struct losses *losses, struct tm_error *err)
{
    struct tm_event row = {.kind = TM_KIND_SAMPLE, .pid = thread->pid, .tid = thread->tid,
                           .flags = tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID};
    struct clock clock = clock_of(x);
    int64_t node, last = TM_CPUPROFILE_NONE;
    bool is_cut = false;
    enum tm_status st = TM_OK;
    for (uint64_t i = 0; i < x->samples.count && st >= 0; i++) {
        struct tm_event e = row;
        st = time_next(x, &clock, i, &e.time_ns, err);
        if (st == TM_OK || st == TM_E_INPUT) {
            enum tm_status got = tm_paged_file_read(&x->samples.numbers, i * sizeof node, &node, sizeof node, err);
            if (got < 0)
                return got;
            if (st == TM_OK && (node == TM_CPUPROFILE_NONE || !tm_v8_nodes_may_have(&x->nodes, 0, (uint32_t)node)))
                st = TM_E_INPUT;
        }
        losses->no_time += st == TM_END;
        losses->damaged += st == TM_E_INPUT;
        if (st == TM_END || st == TM_E_INPUT) {
            st = TM_OK;
            continue;
        }
        if (st == TM_OK && node != last)
            st = put_stack(x, (uint32_t)node, &is_cut, err);
        last = node;
        losses->cut += is_cut;
        e.detail = x->detail.data;
        e.detail_bytes = (uint32_t)x->detail.len;
        if (st == TM_OK)
            st = tm_event_sink_add(x->context.sink, &e, err);
    }
    return st;
}

static enum tm_status put_losses(struct tm_cpuprofile *x, const struct losses *losses, struct tm_error *err)
{
    struct tm_event_sink *sink = x->context.sink;
    const struct tm_loss lost[] = {{TM_DROP_DAMAGED, 0, losses->damaged, x->samples.byte},
                                   {TM_DROP_NO_TIME, 0, losses->no_time, x->samples.byte}};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st == TM_OK && i < sizeof lost / sizeof *lost; i++)
        if (lost[i].count)
            st = tm_event_sink_account(sink, lost[i], err);
    if (st == TM_OK && x->bad_nodes)
        st = tm_event_sink_stat(sink, "legacy_v8_cpu_profile_invalid_callsite", TRACEMERGE__SEVERITY__ERROR,
                                (int64_t)x->bad_nodes, err);
    if (st == TM_OK && x->samples.count == 0)
        st = tm_event_sink_stat(sink, "cpuprofile_without_samples", TRACEMERGE__SEVERITY__ERROR, 1, err);
    sink->left_out += losses->cut;
    return st;
}

enum tm_status tm_cpuprofile_rows_add(struct tm_cpuprofile *x, struct tm_error *err)
{
    struct tm_cpuprofile_thread thread;
    struct losses losses = {0};
    x->bad_nodes += tm_v8_nodes_end(&x->nodes);
    enum tm_status st = tm_cpuprofile_thread_find(&x->context, &thread, err);
    if (st == TM_OK)
        st = define(x, &thread, TM_KIND_PROCESS, err);
    if (st == TM_OK)
        st = define(x, &thread, TM_KIND_THREAD, err);
    if (st == TM_OK)
        st = add_samples(x, &thread, &losses, err);
    return st == TM_OK ? put_losses(x, &losses, err) : st;
}
