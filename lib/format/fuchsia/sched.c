#include "format/fuchsia/internal.h"
#include "kernel/sched_state.h"

enum { LEGACY_SWITCH = 0, SWITCH = 1, WAKEUP = 2 };

/* An idle CPU runs an idle thread: one of weight IDLE_WEIGHT, or in the legacy record one without a process and with
 * priority 0. */
#define IDLE_WEIGHT INT32_MIN

/* A switch of a CPU from one thread to another. */
struct change {
    int64_t time_ns;
    uint32_t cpu, state;
    struct tm_fxt_thread from, to;
    int32_t from_weight, to_weight;
    bool from_idle, to_idle;
};

/* Converts ZX_THREAD_STATE_… to state flags of Linux. */
static uint32_t state_flags(uint32_t state)
{
    static const uint32_t flags[] = {0, 0, TM_SCHED_STATE_STOPPED, TM_SCHED_STATE_SLEEPING,
                                     TM_SCHED_STATE_EXIT_ZOMBIE, TM_SCHED_STATE_EXIT_DEAD};
    bool is_known = state < sizeof flags / sizeof flags[0];
    return TM_SCHED_STATE_FLAGS | (is_known ? flags[state] : (uint32_t)TM_SCHED_STATE_UNKNOWN);
}

static enum tm_status add_switch(struct tm_fxt *x, const struct change *c)
{
    if (c->from_idle && c->to_idle)
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    int32_t weight = c->to_idle ? 0 : c->to_weight;
    struct tm_event row = {.kind = TM_KIND_SCHED_SWITCH,
                           .time_ns = c->time_ns,
                           .cpu = c->cpu,
                           .tid = c->from_idle ? 0 : c->from.tid,
                           .pid = c->to_idle ? 0 : c->to.tid,
                           .track = (uint32_t)weight,
                           .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_TRACK |
                                    (c->to_idle ? 0u : TM_EVENT_HAS_PID) | tm_event_scope_flags(TM_SCOPE_CPU)};
    row.value = state_flags(c->state) | (uint64_t)(uint16_t)weight << 32 |
                (uint64_t)(uint16_t)c->from_weight << 48;
    tm_buf_clear(&x->detail);
    return tm_fxt_add(x, &row);
}

/* Reads the Int32 argument NAME; 0 if it is absent. False: it has another type. */
static bool weight_of(const struct tm_fxt_args *args, const char *name, int32_t *weight)
{
    const struct tm_fxt_arg *a = tm_fxt_args_find(args, name);
    *weight = a ? (int32_t)(int64_t)a->bits : 0;
    return a == NULL || a->type == TM_FXT_INT32;
}

static enum tm_status read_switch(struct tm_fxt *x, struct tm_fxt_record *r, struct change *c)
{
    uint64_t from, to;
    c->cpu = (uint32_t)tm_fxt_bits(r->header, 20, 35);
    c->state = (uint32_t)tm_fxt_bits(r->header, 36, 39);
    if (!tm_fxt_word(&r->rest, &from) || !tm_fxt_word(&r->rest, &to))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    c->from.tid = (int64_t)from;
    c->to.tid = (int64_t)to;
    enum tm_fxt_read read =
        tm_fxt_args_read(&x->tables, &r->rest, (uint32_t)tm_fxt_bits(r->header, 16, 19), &x->args);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    if (!weight_of(&x->args, "incoming_weight", &c->to_weight) ||
        !weight_of(&x->args, "outgoing_weight", &c->from_weight))
        return tm_fxt_lose(x, TM_FXT_LOSS_TYPE);
    c->to_idle = c->to_weight == IDLE_WEIGHT;
    c->from_idle = c->from_weight == IDLE_WEIGHT;
    return add_switch(x, c);
}

static enum tm_status read_legacy_switch(struct tm_fxt *x, struct tm_fxt_record *r, struct change *c)
{
    c->cpu = (uint32_t)tm_fxt_bits(r->header, 16, 23);
    c->state = (uint32_t)tm_fxt_bits(r->header, 24, 27);
    enum tm_fxt_read read = tm_fxt_thread_ref(&x->tables, &r->rest, tm_fxt_bits(r->header, 28, 35), &c->from);
    if (read == TM_FXT_READ_OK)
        read = tm_fxt_thread_ref(&x->tables, &r->rest, tm_fxt_bits(r->header, 36, 43), &c->to);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    c->from_weight = (int32_t)tm_fxt_bits(r->header, 44, 51);
    c->to_weight = (int32_t)tm_fxt_bits(r->header, 52, 59);
    c->from_idle = c->from.pid == 0 && c->from_weight == 0;
    c->to_idle = c->to.pid == 0 && c->to_weight == 0;
    return add_switch(x, c);
}

static enum tm_status read_wakeup(struct tm_fxt *x, struct tm_fxt_record *r, int64_t time_ns)
{
    uint64_t tid, cpu = tm_fxt_bits(r->header, 20, 35);
    int32_t weight;
    if (!tm_fxt_word(&r->rest, &tid))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    enum tm_fxt_read read =
        tm_fxt_args_read(&x->tables, &r->rest, (uint32_t)tm_fxt_bits(r->header, 16, 19), &x->args);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    const struct tm_fxt_arg *waker = tm_fxt_args_find(&x->args, "waker");
    if (!weight_of(&x->args, "weight", &weight) || (waker && waker->type != TM_FXT_KOID))
        return tm_fxt_lose(x, TM_FXT_LOSS_TYPE);
    if (weight == IDLE_WEIGHT)
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    struct tm_event row = {.kind = TM_KIND_SCHED_WAKING,
                           .time_ns = time_ns,
                           .cpu = (uint32_t)cpu,
                           .tid = (int64_t)tid,
                           .pid = (int64_t)(waker ? waker->bits : tid), /* it wakes itself, as by a timer */
                           .value = (uint32_t)weight | cpu << 32,
                           .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_PID |
                                    tm_event_scope_flags(TM_SCOPE_CPU)};
    tm_buf_clear(&x->detail);
    return tm_fxt_add(x, &row);
}

enum tm_status tm_fxt_scheduling(struct tm_fxt *x, struct tm_fxt_record *r)
{
    struct change c = {0};
    uint64_t type = tm_fxt_bits(r->header, 60, 63);
    if (type > WAKEUP)
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    if (!tm_fxt_time(x, &r->rest, &c.time_ns))
        return TM_OK;
    return type == WAKEUP          ? read_wakeup(x, r, c.time_ns)
           : type == LEGACY_SWITCH ? read_legacy_switch(x, r, &c)
                                   : read_switch(x, r, &c);
}
