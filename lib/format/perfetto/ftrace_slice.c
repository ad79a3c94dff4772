/* Kernel events that are the begin or end of a slice, or an instant. Rules and names: importers/ftrace/ftrace_parser.cc
 * of perfetto. */
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/sequence.h"
#include "kernel/tracks.h"

#include <inttypes.h>
#include <stdio.h>

/* How the name is made, of field NAME_FIELD unless it is fixed. */
enum name_rule {
    NAME_NONE,
    NAME_FIXED,
    NAME_TEXT,    /* the text itself */
    NAME_IRQ,     /* a text */
    NAME_SYMBOL,  /* a function, given by the number of its symbol */
    NAME_SOFTIRQ, /* its number */
    NAME_SCM,     /* a number */
    NAME_HOTPLUG, /* the step */
    NAME_PORTS    /* from port 6 to port 2 */
};

enum arg_rule {
    ARG_INT32,
    ARG_INT64,
    ARG_UINT,
    ARG_SYMBOL,
    ARG_HANDLED, /* whether the handler handled the interrupt */
    ARG_CPU,     /* the cpu of the event */
    ARG_UINT_CPU /* the cpu of the event, unsigned */
};

struct arg {
    const char *key; /* NULL: no more arguments */
    uint8_t field;
    uint8_t rule;
};

/* The instance of its track. */
enum track_rule { TRACK_OF_MACHINE, TRACK_OF_CPU, TRACK_OF_TASK, TRACK_OF_FIELD };

struct rule {
    uint8_t kind;  /* enum tm_kind; 0: not a slice */
    uint8_t track; /* enum tm_kernel_track; NONE: the thread's own track */
    uint8_t track_rule, track_field;
    uint8_t name_rule, name_field;
    const char *name;
    const char *category;
    const struct arg *args;
};

enum { B = TM_KIND_SLICE_BEGIN, E = TM_KIND_SLICE_END, I = TM_KIND_INSTANT };
enum {
    BY_TYPE = 100,
    BY_START,
    BINDER,
    HISTORY,
    SYSCALL,
    SLEEP
}; /* kinds that depend on the event: on field 2, or on whether field 1 is 0 */

#define ARGS(...) (const struct arg[]){__VA_ARGS__, {NULL, 0, 0}}
#define OF_CPU(which) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_CPU
#define OF_TASK(which) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_TASK
#define OF_FIELD(which, id) .track = TM_KERNEL_TRACK_##which, .track_rule = TRACK_OF_FIELD, .track_field = (id)
#define OF_MACHINE(which) .track = TM_KERNEL_TRACK_##which
#define NAMED(text) .name_rule = NAME_FIXED, .name = (text)
#define NAMED_BY(which, id) .name_rule = NAME_##which, .name_field = (id)

/* By field number in FtraceEvent. */
static const struct rule rules[] = {
    /* irq_handler_entry, _exit; local_timer_entry, _exit */
    [36] = {.kind = B, OF_CPU(IRQ), .category = "irq", NAMED_BY(IRQ, 2)},
    [37] = {.kind = E, OF_CPU(IRQ), .category = "irq", .args = ARGS({"ret", 2, ARG_HANDLED})},
    [559] = {.kind = B, OF_CPU(IRQ), .category = "irq", NAMED("IRQ (LocalTimer)")},
    [560] = {.kind = E, OF_CPU(IRQ), .category = "irq"},
    /* softirq_entry, _exit */
    [24] = {.kind = B, OF_CPU(SOFTIRQ), .category = "irq", NAMED_BY(SOFTIRQ, 1)},
    [25] = {.kind = E, OF_CPU(SOFTIRQ), .category = "irq", .args = ARGS({"vec", 1, ARG_INT64})},
    /* hrtimer_expire_entry, _exit */
    [553] = {.kind = B, OF_CPU(HRTIMER), .category = "hrtimer", NAMED_BY(SYMBOL, 3)},
    [554] = {.kind = E, OF_CPU(HRTIMER), .category = "hrtimer"},
    /* napi_gro_receive_entry, _exit */
    [365] = {.kind = B, OF_CPU(NAPI_GRO), .category = "napi_gro", NAMED_BY(TEXT, 10),
             .args = ARGS({"len", 7, ARG_INT64})},
    [366] = {.kind = E, OF_CPU(NAPI_GRO), .category = "napi_gro", .args = ARGS({"ret", 1, ARG_INT32})},
    /* cpuhp_enter, _multi_enter, _exit */
    [345] = {.kind = B, OF_FIELD(HOTPLUG, 1), .category = "cpu", NAMED_BY(HOTPLUG, 3),
             .args = ARGS({"action_cpu", 0, ARG_UINT_CPU}, {"cpuhp_idx", 3, ARG_INT32})},
    [344] = {.kind = B, OF_FIELD(HOTPLUG, 1), .category = "cpu", NAMED_BY(HOTPLUG, 3),
             .args = ARGS({"action_cpu", 0, ARG_UINT_CPU}, {"cpuhp_idx", 3, ARG_INT32})},
    [343] = {.kind = E, OF_FIELD(HOTPLUG, 1)},
    /* workqueue_execute_start, _end */
    [58] = {.kind = B, .category = "workqueue", NAMED_BY(SYMBOL, 2), .args = ARGS({"cpu", 0, ARG_CPU})},
    [57] = {.kind = E, .category = "workqueue"},
    /* funcgraph_entry, _exit */
    [437] = {.kind = B, OF_TASK(FUNCGRAPH), NAMED_BY(SYMBOL, 2)},
    [438] = {.kind = E, OF_TASK(FUNCGRAPH), NAMED_BY(SYMBOL, 3)},
    /* kprobe_event */
    [542] = {.kind = BY_TYPE, NAMED_BY(TEXT, 1)},
    /* mm_vmscan_direct_reclaim_begin, _end; mm_vmscan_memcg_reclaim_begin, _end; mm_shrink_slab_start, _end */
    [46] = {.kind = B, NAMED("mm_vmscan_direct_reclaim"),
            .args = ARGS({"direct_reclaim_order", 1, ARG_INT32}, {"direct_reclaim_may_writepage", 2, ARG_INT32},
                         {"direct_reclaim_gfp_flags", 3, ARG_UINT})},
    [47] = {.kind = E, .args = ARGS({"direct_reclaim_nr_reclaimed", 1, ARG_UINT})},
    [607] = {.kind = B, NAMED("mm_vmscan_memcg_reclaim"),
             .args = ARGS({"memcg_reclaim_order", 1, ARG_INT32}, {"memcg_reclaim_may_writepage", 2, ARG_INT32},
                          {"memcg_reclaim_gfp_flags", 3, ARG_UINT})},
    [608] = {.kind = E, .args = ARGS({"memcg_reclaim_nr_reclaimed", 1, ARG_UINT})},
    [443] = {.kind = B, NAMED("mm_vmscan_shrink_slab"),
             .args = ARGS({"shrink_name", 8, ARG_SYMBOL}, {"total_scan", 9, ARG_UINT}, {"priority", 11, ARG_INT32})},
    [444] = {.kind = E, .args = ARGS({"freed", 2, ARG_INT32})},
    /* scm_call_start, _end */
    [338] = {.kind = B, NAMED_BY(SCM, 2)},
    [339] = {.kind = E},
    /* block_io_start, _done */
    [546] = {.kind = B, OF_FIELD(BLOCK_IO, 1), NAMED("block_io"), .args = ARGS({"sector", 2, ARG_UINT})},
    [547] = {.kind = E, OF_FIELD(BLOCK_IO, 1), NAMED("block_io"), .args = ARGS({"sector", 2, ARG_UINT})},
    /* binder_transaction, _received, _lock, _locked, _unlock, _transaction_alloc_buf, _command, _return */
    [50] = {.kind = BINDER},
    [51] = {.kind = BINDER},
    [53] = {.kind = BINDER},
    [54] = {.kind = BINDER},
    [55] = {.kind = BINDER},
    [323] = {.kind = BINDER},
    [485] = {.kind = BINDER},
    [486] = {.kind = BINDER},
    /* sys_enter, _exit */
    [329] = {.kind = SYSCALL},
    [330] = {.kind = SYSCALL},
    /* suspend_resume; device_pm_callback_start, _end */
    [113] = {.kind = SLEEP},
    [504] = {.kind = SLEEP},
    [505] = {.kind = SLEEP},
    /* netif_receive_skb, net_dev_xmit, inet_sock_set_state, kfree_skb; wakeup_source_activate, _deactivate; rpm_status,
     * gpu_power_state */
    [360] = {.kind = HISTORY},
    [361] = {.kind = HISTORY},
    [362] = {.kind = HISTORY},
    [367] = {.kind = HISTORY},
    [404] = {.kind = HISTORY},
    [405] = {.kind = HISTORY},
    [489] = {.kind = HISTORY},
    [601] = {.kind = HISTORY},
    /* suspend_resume_minimal */
    [481] = {.kind = BY_START, OF_MACHINE(SUSPEND_MINIMAL), NAMED("Suspended")},
    /* tcp_retransmit_skb; google_icc_event, google_irm_event */
    [363] = {.kind = I, OF_MACHINE(TCP_RETRANSMIT), .category = "tcp_event", NAMED_BY(PORTS, 0)},
    [502] = {.kind = I, OF_MACHINE(INTERCONNECT), .category = "google_icc_event", NAMED_BY(TEXT, 1)},
    [503] = {.kind = I, OF_MACHINE(INTERCONNECT), .category = "google_irm_event", NAMED_BY(TEXT, 1)},
};

struct slice {
    struct tm_proto *p;
    const struct rule *rule;
    const struct tm_proto_packet *packet;
    struct tm_event *row;
    struct tm_proto_event_fields fields;
    char text[48]; /* a name made of parts */
    struct tm_error *err;
};

static struct tm_text text_field(const struct slice *s, uint32_t field)
{
    const uint8_t *text = s->fields.text[field];
    return (struct tm_text){text ? text : (const uint8_t *)"", text ? s->fields.len[field] : 0};
}

static struct tm_text made(const struct slice *s, int len)
{
    return (struct tm_text){(const uint8_t *)s->text, (size_t)len};
}

/* The function with NUMBER in the trace: its symbol, otherwise the number, which is then its address. */
static struct tm_text symbol(struct slice *s, uint64_t number)
{
    struct tm_pb_field text = tm_proto_interned_text(s->packet->sequence, TM_INTERNED_KERNEL_SYMBOLS, number);
    if (text.data)
        return (struct tm_text){text.data, text.len};
    return made(s, snprintf(s->text, sizeof s->text, "%#" PRIx64, number));
}

static enum tm_status put_name(struct slice *s, struct tm_text name)
{
    return tm_proto_string(s->p, name.data, name.len, &s->row->name, s->err);
}

static enum tm_status put_irq(struct slice *s)
{
    struct tm_text name = text_field(s, s->rule->name_field);
    struct tm_buf *key = &s->p->key;
    key->len = 0;
    if (tm_buf_addf(key, "IRQ (%.*s)", (int)(name.len < 255 ? name.len : 255), (const char *)name.data) != TM_OK)
        return tm_error_nomem(s->err);
    return put_name(s, (struct tm_text){key->data, key->len});
}

/* Names of softirqs, by their numbers (include/linux/interrupt.h). */
static const char *const softirqs[] = {"HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                       "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

/* Sets the name. TM_END: there is none. */
static enum tm_status name_it(struct slice *s)
{
    const uint64_t *n = s->fields.number, number = n[s->rule->name_field];
    switch (s->rule->name_rule) {
    case NAME_FIXED:
        return put_name(s, (struct tm_text){(const uint8_t *)s->rule->name, strlen(s->rule->name)});
    case NAME_TEXT:
        return put_name(s, text_field(s, s->rule->name_field));
    case NAME_IRQ:
        return put_irq(s);
    case NAME_SYMBOL:
        return put_name(s, symbol(s, number));
    case NAME_SOFTIRQ:
        if (number >= sizeof softirqs / sizeof *softirqs)
            return TM_END;
        return put_name(s, (struct tm_text){(const uint8_t *)softirqs[number], strlen(softirqs[number])});
    case NAME_SCM:
        return put_name(s, made(s, snprintf(s->text, sizeof s->text, "scm id=%#" PRIx64, number)));
    case NAME_HOTPLUG:
        return put_name(s, made(s, snprintf(s->text, sizeof s->text, "cpuhp(%d)", (int)(uint32_t)number)));
    case NAME_PORTS:
        return put_name(
            s, made(s, snprintf(s->text, sizeof s->text, "sport=%u,dport=%u", (unsigned)n[6], (unsigned)n[2])));
    default:
        return TM_OK;
    }
}

static enum tm_status put_arg(struct slice *s, const struct arg *arg)
{
    struct tm_buf *detail = &s->p->detail;
    uint64_t number = s->fields.number[arg->field];
    switch (arg->rule) {
    case ARG_INT32: return tm_detail_arg_int(detail, arg->key, (int32_t)(uint32_t)number);
    case ARG_INT64: return tm_detail_arg_int(detail, arg->key, (int64_t)number);
    case ARG_UINT: return tm_detail_arg_uint(detail, arg->key, number);
    case ARG_CPU: return tm_detail_arg_int(detail, arg->key, s->row->cpu);
    case ARG_UINT_CPU: return tm_detail_arg_uint(detail, arg->key, s->row->cpu);
    case ARG_HANDLED:
        return number == 1 ? tm_detail_arg_text(detail, arg->key, "handled", 7)
                           : tm_detail_arg_text(detail, arg->key, "unhandled", 9);
    default: {
        struct tm_text name = symbol(s, number);
        return tm_detail_arg_text(detail, arg->key, name.data, name.len);
    }
    }
}

/* The instance. The number of a device is truncated to 32 bits. */
static uint32_t instance_of(const struct slice *s)
{
    uint64_t number = s->fields.number[s->rule->track_field];
    switch (s->rule->track_rule) {
    case TRACK_OF_CPU:
        return s->row->cpu;
    case TRACK_OF_TASK:
        return (uint32_t)s->row->tid;
    case TRACK_OF_FIELD:
        return (uint32_t)(number ^ number >> 32);
    default:
        return 0;
    }
}

static void place(struct slice *s)
{
    static const enum tm_scope scopes[] = {
        [TM_TRACK_GLOBAL] = TM_SCOPE_GLOBAL, [TM_TRACK_THREAD] = TM_SCOPE_THREAD, [TM_TRACK_CPU] = TM_SCOPE_CPU};
    enum tm_kernel_track track = (enum tm_kernel_track)s->rule->track;
    uint32_t instance = instance_of(s);
    if (track == TM_KERNEL_TRACK_FUNCGRAPH && s->row->tid == 0) { /* each cpu has an idle task of its own */
        track = TM_KERNEL_TRACK_IDLE_FUNCGRAPH;
        instance = s->row->cpu;
    }
    if (track == TM_KERNEL_TRACK_NONE) {
        s->row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
        return;
    }
    s->row->flags |= TM_EVENT_HAS_TRACK | tm_event_scope_flags(scopes[tm_kernel_track_scope(track)]);
    s->row->track = tm_kernel_track_number(track, instance);
}

/* Returns the kind of the row; 0: none. */
static uint32_t kind_of(const struct slice *s)
{
    static const uint8_t types[] = {0, B, E, I};
    uint64_t type = s->fields.number[2];
    if (s->rule->kind == BY_START)
        return s->fields.number[1] ? B : E;
    if (s->rule->kind == BY_TYPE)
        return type < sizeof types ? types[type] : 0;
    return s->rule->kind;
}

enum tm_status tm_proto_ftrace_slice(struct tm_proto *p, const struct tm_pb_field *f,
                                     const struct tm_proto_packet *packet, struct tm_event *row, struct tm_error *err)
{
    if (f->id >= sizeof rules / sizeof *rules || rules[f->id].kind == 0)
        return TM_END;
    if (rules[f->id].kind == HISTORY)
        return tm_proto_ftrace_history(p, f, row, err);
    if (rules[f->id].kind == SLEEP)
        return tm_proto_ftrace_sleep(p, f, row, err);
    if (rules[f->id].kind == SYSCALL)
        return tm_proto_ftrace_syscall(p, f, row, err);
    if (rules[f->id].kind == BINDER)
        return tm_proto_ftrace_binder(p, f, row, err);
    struct slice s = {.p = p, .rule = &rules[f->id], .packet = packet, .row = row, .err = err};
    tm_proto_event_fields_read(&s.fields, f);
    uint32_t kind = kind_of(&s);
    enum tm_status st = kind ? name_it(&s) : TM_END;
    if (st != TM_OK)
        return st;
    row->kind = kind;
    place(&s);
    const char *category = s.rule->category;
    if (category)
        st = tm_proto_string(p, category, strlen(category), &row->category, err);
    for (const struct arg *arg = s.rule->args; st >= 0 && arg && arg->key; arg++)
        if (put_arg(&s, arg) != TM_OK)
            return tm_error_nomem(err);
    return st < 0 ? st : TM_OK;
}
