/* Counters and instants that kernel events amount to, named as the reference's tracks and slices. */
#include "format/proto_ftrace_event.h"
#include "format/proto_system.h"

#include <stdio.h>

enum {
    EVENT_CPU_FREQUENCY = 11,
    EVENT_CPU_FREQUENCY_LIMITS = 12,
    EVENT_CPU_IDLE = 13,
    EVENT_CLOCK_ENABLE = 14,
    EVENT_CLOCK_DISABLE = 15,
    EVENT_CLOCK_SET_RATE = 16,
    EVENT_RSS_STAT = 313,
    EVENT_SIGNAL_DELIVER = 324,
    EVENT_SIGNAL_GENERATE = 325,
    EVENT_OOM_SCORE_ADJ = 326,
    EVENT_GPU_FREQUENCY = 332,
    EVENT_MARK_VICTIM = 334,
    EVENT_THERMAL_TEMPERATURE = 341,
    EVENT_CDEV_UPDATE = 342,
    EVENT_RSS_STAT_THROTTLED = 359,
    EVENT_DCVSH_FREQ = 508,
    EVENT_KGSL_GPU_FREQUENCY = 509
};

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
static enum tm_status add_rss(struct derive *d, bool throttled)
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

static enum tm_status add_instant(struct derive *d, const char *name, int64_t tid)
{
    struct tm_event e = like(d, TM_SCOPE_THREAD);
    e.kind = TM_KIND_INSTANT;
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = tid;
    enum tm_status st = tm_proto_string(d->p, name, strlen(name), &e.name, d->err);
    return st < 0 ? st : tm_proto_add(d->p, &e, d->err);
}

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static enum tm_status add(struct derive *d, uint32_t event)
{
    const uint64_t *n = d->fields.number;
    struct tm_event global = like(d, TM_SCOPE_GLOBAL);
    switch (event) {
    case EVENT_CPU_FREQUENCY:
        return add_cpu(d, "cpufreq", n[2], (uint32_t)n[1]);
    case EVENT_CPU_FREQUENCY_LIMITS:
        return add_limits(d);
    case EVENT_CPU_IDLE:
        return add_cpu(d, "cpuidle", n[2], (uint32_t)n[1]);
    case EVENT_CLOCK_ENABLE:
    case EVENT_CLOCK_DISABLE:
        return add_named(d, 1, "State", n[2]);
    case EVENT_CLOCK_SET_RATE:
        return add_named(d, 1, "Frequency", n[2]);
    case EVENT_GPU_FREQUENCY:
        return tm_proto_counter_add(d->p, &global, "gpufreq", (uint32_t)n[2], d->err);
    case EVENT_KGSL_GPU_FREQUENCY: /* recorded in thousands */
        return tm_proto_counter_add(d->p, &global, "gpufreq", (uint64_t)(uint32_t)n[1] * 1000, d->err);
    case EVENT_DCVSH_FREQ:
        return add_cpu(d, "cpufreq_throttle", n[1], n[2]);
    case EVENT_THERMAL_TEMPERATURE:
        return add_named(d, 4, "Temperature", (uint64_t)i32(n[2]));
    case EVENT_CDEV_UPDATE:
        return add_named(d, 2, "Cooling Device", n[1]);
    case EVENT_RSS_STAT:
    case EVENT_RSS_STAT_THROTTLED:
        return add_rss(d, event == EVENT_RSS_STAT_THROTTLED);
    case EVENT_OOM_SCORE_ADJ: /* older recorders cut the sign off above 16 bits */
        return add_of_thread(d, "oom_score_adj", i32(n[3]), (uint64_t)(int64_t)(int16_t)n[2]);
    case EVENT_SIGNAL_GENERATE:
        return add_instant(d, "signal_generate", i32(n[4]));
    case EVENT_SIGNAL_DELIVER:
        return add_instant(d, "signal_deliver", d->row->tid);
    case EVENT_MARK_VICTIM:
        return add_instant(d, "mem.oom_kill", i32(n[1]));
    default:
        return TM_OK;
    }
}

/* What add makes something of; most events are none, and their fields are not read. */
static bool says_more(uint32_t event)
{
    switch (event) {
    case EVENT_CPU_FREQUENCY:
    case EVENT_CPU_FREQUENCY_LIMITS:
    case EVENT_CPU_IDLE:
    case EVENT_CLOCK_ENABLE:
    case EVENT_CLOCK_DISABLE:
    case EVENT_CLOCK_SET_RATE:
    case EVENT_GPU_FREQUENCY:
    case EVENT_KGSL_GPU_FREQUENCY:
    case EVENT_DCVSH_FREQ:
    case EVENT_THERMAL_TEMPERATURE:
    case EVENT_CDEV_UPDATE:
    case EVENT_RSS_STAT:
    case EVENT_RSS_STAT_THROTTLED:
    case EVENT_OOM_SCORE_ADJ:
    case EVENT_SIGNAL_GENERATE:
    case EVENT_SIGNAL_DELIVER:
    case EVENT_MARK_VICTIM:
        return true;
    default:
        return false;
    }
}

enum tm_status tm_proto_ftrace_derive(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *row,
                                      struct tm_error *err)
{
    if (row->kind != TM_KIND_FTRACE || !(row->flags & TM_EVENT_HAS_TID) || !says_more(f->id))
        return TM_OK;
    struct derive d = {.p = p, .row = row, .err = err};
    tm_proto_event_fields_read(&d.fields, f);
    return add(&d, f->id);
}
