/* Counters and instants that kernel events amount to, named as the reference's tracks and slices. */
#include "format/proto_arg.h"
#include "format/proto_ftrace_event.h"
#include "format/proto_system.h"

#include <stdio.h>

/* Address spaces remembered, for the sizes of which another task tells. */
enum { ADDRESS_SPACES_MAX = 1 << 17 };

struct derive {
    struct tm_proto *p;
    const struct tm_event *row;
    struct tm_proto_event_fields fields;
    struct tm_error *err;
};

static struct tm_event like(const struct derive *d, enum tm_scope scope)
{
    struct tm_event e = tm_proto_derived(d->row, TM_KIND_COUNTER);
    e.flags |= tm_event_scope_flags(scope);
    e.tid = e.pid = 0;
    e.value = 0;
    return e;
}

static enum tm_status add_cpu(struct derive *d, const char *name, uint64_t cpu, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_CPU);
    e.flags |= TM_EVENT_HAS_CPU;
    e.cpu = (uint32_t)cpu;
    return tm_proto_counter_add(d->p, &e, name, value, d->err);
}

/* A counter named by text field FIELD and SUFFIX. */
static enum tm_status add_named(struct derive *d, uint32_t field, const char *suffix, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_GLOBAL);
    struct tm_buf *key = &d->p->key;
    const char *text = d->fields.text[field] ? (const char *)d->fields.text[field] : "";
    key->len = 0;
    const char *name =
        tm_buf_addf(key, "%.*s %s", (int)d->fields.len[field], text, suffix) == TM_OK ? tm_buf_cstr(key) : NULL;
    return name ? tm_proto_counter_add(d->p, &e, name, value, d->err) : tm_error_nomem(d->err);
}

static enum tm_status add_limits(struct derive *d)
{
    static const char *const names[] = {"Max", "Min"};
    enum tm_status st = TM_OK;
    for (int i = 0; i < 2 && st >= 0; i++) {
        char name[48];
        snprintf(name, sizeof name, "Cpu %u %s Freq Limit", (unsigned)d->fields.number[3], names[i]);
        st = add_cpu(d, name, d->fields.number[3], (uint32_t)d->fields.number[i == 0 ? 2 : 1]);
    }
    return st;
}

/* A counter of the process that has thread TID. */
static enum tm_status add_of_thread(struct derive *d, const char *name, int64_t tid, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_PROCESS);
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = tid;
    return tm_proto_counter_add(d->p, &e, name, value, d->err);
}

/* The memory is the writing task's (curr), or that of the task last seen with the address space. */
static enum tm_status add_rss_of(struct derive *d, bool throttled)
{
    static const char *const names[] = {"mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem",
                                        "mem.unreclaimable"};
    const struct tm_proto_event_fields *m = &d->fields;
    uint32_t member = (uint32_t)m->number[throttled ? 2 : 1];
    uint32_t curr = throttled ? 1 : 3, mm = throttled ? 3 : 4;
    int64_t size = (int64_t)m->number[throttled ? 4 : 2];
    int64_t tid = d->row->tid;
    struct tm_proto_map_entry *entry;
    if (size < 0)
        return TM_OK;
    if (throttled || (m->has[curr] && m->has[mm])) {
        if (m->number[curr] == 0) {
            entry = tm_proto_map_find(&d->p->address_spaces, d->row->machine, m->number[mm]);
            if (entry == NULL)
                return TM_OK;
            tid = (int64_t)entry->v1;
        } else {
            enum tm_status st = tm_proto_map_add(&d->p->address_spaces, d->row->machine, m->number[mm],
                                                 ADDRESS_SPACES_MAX, &entry, NULL);
            if (st == TM_E_SYSTEM)
                return tm_error_nomem(d->err);
            if (st == TM_OK)
                entry->v1 = (uint64_t)tid;
        }
    }
    return add_of_thread(d, member < 5 ? names[member] : "mem.unknown", tid, (uint64_t)size);
}

/* SIGNAL: a field that becomes an argument; 0: none. */
static enum tm_status add_instant(struct derive *d, const char *name, int64_t tid, uint32_t signal)
{
    struct tm_event e = like(d, TM_SCOPE_THREAD);
    e.kind = TM_KIND_INSTANT;
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = tid;
    enum tm_status st = tm_proto_string(d->p, name, strlen(name), &e.name, d->err);
    if (st >= 0 && signal && tm_proto_arg_int(&d->p->detail, "signal.sig", (int32_t)(uint32_t)d->fields.number[signal]) < 0)
        return tm_error_nomem(d->err);
    return st < 0 ? st : tm_proto_add(d->p, &e, d->err);
}

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static enum tm_status add_global(struct derive *d, const char *name, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_GLOBAL);
    return tm_proto_counter_add(d->p, &e, name, value, d->err);
}

static enum tm_status add_frequency(struct derive *d)
{
    return add_cpu(d, "cpufreq", d->fields.number[2], (uint32_t)d->fields.number[1]);
}

static enum tm_status add_idle(struct derive *d)
{
    return add_cpu(d, "cpuidle", d->fields.number[2], (uint32_t)d->fields.number[1]);
}

static enum tm_status add_throttle(struct derive *d)
{
    return add_cpu(d, "cpufreq_throttle", d->fields.number[1], d->fields.number[2]);
}

static enum tm_status add_clock_state(struct derive *d)
{
    return add_named(d, 1, "State", d->fields.number[2]);
}

static enum tm_status add_clock_rate(struct derive *d)
{
    return add_named(d, 1, "Frequency", d->fields.number[2]);
}

static enum tm_status add_temperature(struct derive *d)
{
    return add_named(d, 4, "Temperature", (uint64_t)i32(d->fields.number[2]));
}

static enum tm_status add_cooling(struct derive *d)
{
    return add_named(d, 2, "Cooling Device", d->fields.number[1]);
}

static enum tm_status add_gpu(struct derive *d)
{
    return add_global(d, "gpufreq", (uint32_t)d->fields.number[2]);
}

static enum tm_status add_kgsl_gpu(struct derive *d) /* recorded in thousands */
{
    return add_global(d, "gpufreq", (uint64_t)(uint32_t)d->fields.number[1] * 1000);
}

static enum tm_status add_rss(struct derive *d)
{
    return add_rss_of(d, false);
}

static enum tm_status add_rss_throttled(struct derive *d)
{
    return add_rss_of(d, true);
}

static enum tm_status add_oom_score(struct derive *d) /* older recorders cut the sign off above 16 bits */
{
    return add_of_thread(d, "oom_score_adj", i32(d->fields.number[3]), (uint64_t)(int64_t)(int16_t)d->fields.number[2]);
}

static enum tm_status add_signal_generate(struct derive *d)
{
    return add_instant(d, "signal_generate", i32(d->fields.number[4]), 6);
}

static enum tm_status add_signal_deliver(struct derive *d)
{
    return add_instant(d, "signal_deliver", d->row->tid, 3);
}

static enum tm_status add_victim(struct derive *d)
{
    return add_instant(d, "mem.oom_kill", i32(d->fields.number[1]), 0);
}

/* By field number in FtraceEvent. Most events are none of these, and their fields are not read. */
static enum tm_status (*const derivations[])(struct derive *d) = {
    [11] = add_frequency,          /* cpu_frequency */
    [12] = add_limits,             /* cpu_frequency_limits */
    [13] = add_idle,               /* cpu_idle */
    [14] = add_clock_state,        /* clock_enable */
    [15] = add_clock_state,        /* clock_disable */
    [16] = add_clock_rate,         /* clock_set_rate */
    [313] = add_rss,               /* rss_stat */
    [324] = add_signal_deliver,    /* signal_deliver */
    [325] = add_signal_generate,   /* signal_generate */
    [326] = add_oom_score,         /* oom_score_adj_update */
    [332] = add_gpu,               /* gpu_frequency */
    [334] = add_victim,            /* mark_victim */
    [341] = add_temperature,       /* thermal_temperature */
    [342] = add_cooling,           /* cdev_update */
    [359] = add_rss_throttled,     /* rss_stat_throttled */
    [508] = add_throttle,          /* dcvsh_freq */
    [509] = add_kgsl_gpu,          /* kgsl_gpu_frequency */
};

enum tm_status tm_proto_ftrace_derive(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *row,
                                      struct tm_error *err)
{
    if (row->kind != TM_KIND_FTRACE || !(row->flags & TM_EVENT_HAS_TID) ||
        f->id >= sizeof derivations / sizeof *derivations || derivations[f->id] == NULL)
        return TM_OK;
    struct derive d = {.p = p, .row = row, .err = err};
    tm_proto_event_fields_read(&d.fields, f);
    return derivations[f->id](&d);
}
