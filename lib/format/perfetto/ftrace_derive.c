/* Rows that follow from kernel events: counters and instants with the names of the reference importer's tracks and
 * slices, and the reasons for which tasks wait. */
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/system.h"
#include "kernel/rss_members.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>

struct derive {
    struct tm_proto_kernels *kernels;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    const struct tm_event *row;
    const struct tm_pb_field *event;
    struct tm_proto_event_fields fields;
    struct tm_error *err;
};

/* The value of a counter. */
struct number {
    uint64_t value;
    uint32_t flags; /* VALUE_DOUBLE, if an int64 cannot hold it */
};

static struct number of_signed(int64_t value)
{
    return (struct number){(uint64_t)value, 0};
}

static struct number of_unsigned(uint64_t value)
{
    struct number n = {0};
    n.value = tm_proto_unsigned(value, &n.flags);
    return n;
}

static struct tm_event like(const struct derive *d, enum tm_scope scope)
{
    struct tm_event e = tm_proto_derived(d->row, TM_KIND_COUNTER);
    e.flags |= tm_event_scope_flags(scope);
    e.tid = e.pid = 0;
    e.value = 0;
    return e;
}

static enum tm_status add_number(struct derive *d, struct tm_event *e, const char *name, struct number n)
{
    e->flags |= n.flags;
    return tm_proto_counter_add(d->rows, e, name, n.value, d->err);
}

static enum tm_status add_cpu(struct derive *d, const char *name, uint64_t cpu, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_CPU);
    e.flags |= TM_EVENT_HAS_CPU;
    e.cpu = (uint32_t)cpu;
    return add_number(d, &e, name, of_unsigned(value));
}

/* Adds a counter named by text field FIELD and SUFFIX. */
static enum tm_status add_named(struct derive *d, uint32_t field, const char *suffix, struct number n)
{
    struct tm_event e = like(d, TM_SCOPE_GLOBAL);
    struct tm_buf *key = &d->rows->key;
    const char *text = d->fields.text[field] ? (const char *)d->fields.text[field] : "";
    key->len = 0;
    const char *name =
        tm_buf_addf(key, "%.*s %s", (int)d->fields.len[field], text, suffix) == TM_OK ? tm_buf_cstr(key) : NULL;
    return name ? add_number(d, &e, name, n) : tm_error_nomem(d->err);
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

/* Adds a counter of the process to which thread TID belongs. */
static enum tm_status add_of_thread(struct derive *d, const char *name, int64_t tid, struct number n)
{
    struct tm_event e = like(d, TM_SCOPE_PROCESS);
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = tid;
    return add_number(d, &e, name, n);
}

/* Adds the memory of an address space that no event of the file has attributed to a task so far. In order of time such
 * an event may come first, so the row is of kind MEMORY. */
static enum tm_status add_unattributed_rss(struct derive *d, uint32_t member, uint64_t size)
{
    const char *name = member < TM_RSS_MEMBERS ? tm_rss_member_name(member) : "mem.unknown";
    struct tm_event e = like(d, TM_SCOPE_PROCESS);
    e.kind = TM_KIND_MEMORY;
    e.flags |= TM_EVENT_HAS_VALUE | TM_EVENT_HAS_TID;
    e.tid = d->row->tid;
    e.value = size;
    enum tm_status st = tm_proto_string(d->rows, name, strlen(name), &e.name, d->err);
    return st < 0 ? st : tm_proto_add(d->rows, &e, d->err);
}

/* Adds a counter of memory. It belongs to the writing task (curr), or to the last task seen with the address space. */
static enum tm_status add_rss_of(struct derive *d, bool throttled)
{
    const struct tm_proto_event_fields *m = &d->fields;
    uint32_t member = (uint32_t)m->number[throttled ? 2 : 1];
    uint32_t curr = throttled ? 1 : 3, mm = throttled ? 3 : 4;
    int64_t size = (int64_t)m->number[throttled ? 4 : 2];
    int64_t tid = d->row->tid;
    struct tm_proto_map_entry *entry;
    if (size < 0)
        return TM_OK;
    if (throttled || (m->has[curr] && m->has[mm])) {
        bool is_own = m->number[curr] != 0;
        uint64_t space = (uint64_t)(uint32_t)m->number[mm] << 1 | is_own;
        if (tm_pb_put_varint(&d->rows->detail, TM_DETAIL_ADDRESS_SPACE, space) < 0)
            return tm_error_nomem(d->err);
        if (!is_own) {
            entry = tm_proto_map_find(&d->kernels->address_spaces, d->row->machine, m->number[mm]);
            if (entry == NULL)
                return add_unattributed_rss(d, member, (uint64_t)size);
            tid = (int64_t)entry->v1;
        } else {
            enum tm_status st = tm_proto_map_add(&d->kernels->address_spaces, d->row->machine, m->number[mm],
                                                 TM_ADDRESS_SPACES_MAX, &entry);
            if (st == TM_E_SYSTEM)
                return tm_error_nomem(d->err);
            if (st == TM_OK)
                entry->v1 = (uint64_t)tid;
        }
    }
    return add_of_thread(d, member < TM_RSS_MEMBERS ? tm_rss_member_name(member) : "mem.unknown", tid, of_signed(size));
}

/* Adds an instant of thread TID. Field SIGNAL becomes its argument; 0: it has none. */
static enum tm_status add_instant(struct derive *d, const char *name, int64_t tid, uint32_t signal)
{
    struct tm_event e = like(d, TM_SCOPE_THREAD);
    e.kind = TM_KIND_INSTANT;
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = tid;
    enum tm_status st = tm_proto_string(d->rows, name, strlen(name), &e.name, d->err);
    if (st >= 0 && signal &&
        tm_detail_arg_int(&d->rows->detail, "signal.sig", (int32_t)(uint32_t)d->fields.number[signal]) < 0)
        return tm_error_nomem(d->err);
    return st < 0 ? st : tm_proto_add(d->rows, &e, d->err);
}

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static enum tm_status add_global(struct derive *d, const char *name, struct number n)
{
    struct tm_event e = like(d, TM_SCOPE_GLOBAL);
    return add_number(d, &e, name, n);
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
    return add_named(d, 1, "State", of_unsigned(d->fields.number[2]));
}

static enum tm_status add_clock_rate(struct derive *d)
{
    return add_named(d, 1, "Frequency", of_unsigned(d->fields.number[2]));
}

static enum tm_status add_temperature(struct derive *d)
{
    return add_named(d, 4, "Temperature", of_signed(i32(d->fields.number[2])));
}

static enum tm_status add_cooling(struct derive *d)
{
    return add_named(d, 2, "Cooling Device", of_unsigned(d->fields.number[1]));
}

/* Adds the frequency of a GPU. */
static enum tm_status add_gpu_frequency(struct derive *d, uint64_t gpu, uint64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_GLOBAL);
    e.flags |= TM_EVENT_HAS_TRACK;
    e.track = (uint32_t)gpu;
    return tm_proto_counter_add(d->rows, &e, "gpufreq", value, d->err);
}

static enum tm_status add_gpu(struct derive *d)
{
    return add_gpu_frequency(d, d->fields.number[1], (uint32_t)d->fields.number[2]);
}

static enum tm_status add_kgsl_gpu(struct derive *d) /* the event states the frequency divided by 1000 */
{
    return add_gpu_frequency(d, d->fields.number[2], (uint64_t)(uint32_t)d->fields.number[1] * 1000);
}

static enum tm_status add_rss(struct derive *d)
{
    return add_rss_of(d, false);
}

static enum tm_status add_rss_throttled(struct derive *d)
{
    return add_rss_of(d, true);
}

static enum tm_status add_oom_score(struct derive *d) /* older recorders write only the lowest 16 bits */
{
    return add_of_thread(d, "oom_score_adj", i32(d->fields.number[3]), of_signed((int16_t)d->fields.number[2]));
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

/* Adds a counter of the thread that ran. */
static enum tm_status add_of_task(struct derive *d, const char *name, int64_t value)
{
    struct tm_event e = like(d, TM_SCOPE_THREAD);
    e.flags |= TM_EVENT_HAS_TID;
    e.tid = d->row->tid;
    return tm_proto_counter_add(d->rows, &e, name, (uint64_t)value, d->err);
}

/* Returns NAME and, after it, the text field FIELD, or ABSENT if the event lacks it. Valid until the next call. NULL if
 * out of memory. */
static const char *name_of(struct derive *d, const char *name, uint32_t field, const char *absent)
{
    struct tm_buf *key = &d->rows->key;
    const char *text = d->fields.has[field] ? (const char *)d->fields.text[field] : absent;
    int len = text == NULL ? 0 : d->fields.has[field] ? (int)d->fields.len[field] : (int)strlen(absent);
    key->len = 0;
    return tm_buf_addf(key, len ? "%s.%.*s" : "%s", name, len, text) == TM_OK ? tm_buf_cstr(key) : NULL;
}

/* Adds the size TOTAL of a heap after CHANGE, and CHANGE as a counter of the thread. */
static enum tm_status add_heap(struct derive *d, const char *const names[2], const char *heap, struct number total,
                               int64_t change)
{
    const char *name = name_of(d, names[0], 1, heap);
    enum tm_status st = name ? add_global(d, name, total) : tm_error_nomem(d->err);
    if (st < 0)
        return st;
    name = name_of(d, names[1], 1, heap);
    return name ? add_of_task(d, name, change) : tm_error_nomem(d->err);
}

static const char *const ion_names[] = {"mem.ion", "mem.ion_change"};

/* The recorded total is the one before the change. */
static enum tm_status add_ion_grow(struct derive *d)
{
    const uint64_t *n = d->fields.number;
    return add_heap(d, ion_names, "unknown", of_signed((int64_t)(n[3] + n[2])), (int64_t)n[2]);
}

static enum tm_status add_ion_shrink(struct derive *d)
{
    const uint64_t *n = d->fields.number;
    return add_heap(d, ion_names, "unknown", of_signed((int64_t)(n[3] - n[2])), (int64_t)(0 - n[2]));
}

static enum tm_status add_ion(struct derive *d)
{
    const uint64_t *n = d->fields.number;
    d->fields.has[1] = false; /* it is the buffer's number and not the heap's name */
    return add_heap(d, ion_names, NULL, of_unsigned(n[3]), (int64_t)n[2]);
}

static enum tm_status add_dma_heap(struct derive *d)
{
    const uint64_t *n = d->fields.number;
    enum tm_status st = add_global(d, "mem.dma_heap", of_unsigned(n[3]));
    if (st >= 0 && tm_detail_arg_uint(&d->rows->detail, "inode", n[1]) < 0)
        return tm_error_nomem(d->err);
    return st < 0 ? st : add_of_task(d, "mem.dma_heap_change", (int64_t)n[2]);
}

static enum tm_status add_fastrpc(struct derive *d)
{
    static const char *const processors[] = {"ASDP", "MDSP", "SDSP", "CDSP"};
    const uint64_t *n = d->fields.number;
    uint32_t id = (uint32_t)n[1];
    char which[16], name[48];
    snprintf(which, sizeof which, "%u", id);
    snprintf(name, sizeof name, "mem.fastrpc[%s]", id < 4 ? processors[id] : which);
    enum tm_status st = add_global(d, name, of_unsigned(n[3]));
    snprintf(name, sizeof name, "mem.fastrpc_change[%s]", id < 4 ? processors[id] : which);
    return st < 0 ? st : add_of_task(d, name, (int64_t)n[2]);
}

static enum tm_status add_mm_event(struct derive *d)
{
    static const char *const types[] = {"min_flt", "maj_flt", "read_io",   "compaction",
                                        "reclaim", "swp_flt", "kern_alloc"};
    static const char *const what[] = {"count", "max_lat", "avg_lat"};
    static const uint8_t fields[] = {2, 3, 1};
    uint64_t type = d->fields.number[4];
    enum tm_status st = TM_OK;
    if (type >= sizeof types / sizeof *types)
        return tm_proto_count_stat(&d->rows->counts, TM_PROTO_STAT_MM_UNKNOWN, d->row->machine, 1, d->err);
    for (int i = 0; i < 3 && st >= 0; i++) {
        char name[48];
        snprintf(name, sizeof name, "mem.mm.%s.%s", types[type], what[i]);
        st = add_of_thread(d, name, d->row->tid, of_unsigned((uint32_t)d->fields.number[fields[i]]));
    }
    return st;
}

static enum tm_status add_utilization(struct derive *d)
{
    static const struct {
        const char *name;
        uint8_t field;
    } counters[] = {{"Util", 6}, {"Cap", 2}, {"Nr Running", 11}};
    enum tm_status st = TM_OK;
    for (int i = 0; i < 3 && st >= 0; i++) {
        char name[48];
        snprintf(name, sizeof name, "Cpu %u %s", (unsigned)d->fields.number[4], counters[i].name);
        st = add_cpu(d, name, d->fields.number[4], d->fields.number[counters[i].field]);
    }
    return st;
}

/* Adds a device's frequency. The counter's name omits an address that precedes the device's name. */
static enum tm_status add_devfreq(struct derive *d)
{
    static const char prefix[] = "devfreq_";
    const char *text = d->fields.text[1] ? (const char *)d->fields.text[1] : "";
    size_t len = d->fields.len[1], n = sizeof prefix - 1, at = 0;
    struct tm_buf *key = &d->rows->key;
    while (at + n <= len && memcmp(text + at, prefix, n) != 0)
        at++;
    key->len = 0;
    enum tm_status st = at + n <= len ? tm_buf_add(key, text + at, len - at)
                                      : tm_buf_addf(key, "%s%.*s", prefix, (int)len, text);
    const char *name = st == TM_OK ? tm_buf_cstr(key) : NULL;
    return name ? add_global(d, name, of_unsigned(d->fields.number[2])) : tm_error_nomem(d->err);
}

/* The kernel can report memory after its process has ended. So the event names a thread, which makes no process. */
static enum tm_status add_gpu_memory(struct derive *d)
{
    struct tm_event e = like(d, d->fields.number[2] ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL);
    if (d->fields.number[2]) {
        e.flags |= TM_EVENT_HAS_TID;
        e.tid = (uint32_t)d->fields.number[2];
    }
    e.value = tm_proto_unsigned(d->fields.number[3], &e.flags);
    return tm_proto_gpu_memory_add(d->rows, (uint32_t)d->fields.number[1], &e, d->err);
}

static enum tm_status add_clock_gating(struct derive *d)
{
    static const uint8_t levels[] = {0, 3, 1, 2}; /* off, on, off requested, on requested */
    uint64_t state = d->fields.number[2];
    return add_global(d, "io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)",
                      of_unsigned(state < sizeof levels ? levels[state] : 0));
}

static enum tm_status add_dmabuf_rss(struct derive *d)
{
    return add_of_thread(d, "mem.dmabuf_rss", d->row->tid, of_unsigned(d->fields.number[1]));
}

static enum tm_status add_mali_power(struct derive *d)
{
    return add_global(d, "mali_gpu_power_state", of_signed(i32(d->fields.number[3])));
}

/* Adds the reason for which the task in field 1 waits or waited. Field 2 is the symbol number of the function that it
 * waits in. */
static enum tm_status add_blocked_reason(struct derive *d)
{
    struct tm_event e = tm_proto_derived(d->row, TM_KIND_BLOCKED_REASON);
    struct tm_pb_field text =
        tm_proto_interned_text(d->packet->sequence, TM_INTERNED_KERNEL_SYMBOLS, d->fields.number[2]);
    e.flags |= TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE | tm_event_scope_flags(TM_SCOPE_THREAD);
    e.tid = i32(d->fields.number[1]);
    e.pid = 0;
    e.value = d->fields.number[3] != 0;
    enum tm_status st = text.data ? tm_proto_string(d->rows, text.data, text.len, &e.name, d->err) : TM_OK;
    return st < 0 ? st : tm_proto_add(d->rows, &e, d->err);
}

/* The counters in an event about a device of f2fs, by field number. */
struct device_counters {
    const char *what;
    uint32_t device; /* the number of the device's field */
    uint32_t count;
    const char *const *names;
};

static const char *const f2fs_names[] = {
    [1] = "write_app_buffered", [2] = "read_app_buffered", [3] = "write_app_direct", [4] = "read_app_direct",
    [5] = "write_app_mapped",   [6] = "read_app_mapped",   [7] = "read_app_total",   [8] = "write_app_total",
    [10] = "read_fs_cdata",     [11] = "write_cp_data",    [12] = "write_cp_meta",   [13] = "write_cp_node",
    [14] = "write_fs_data",     [15] = "other_fs_discard", [16] = "read_fs_data",    [17] = "write_gc_data",
    [18] = "write_gc_node",     [19] = "read_fs_gdata",    [20] = "write_fs_meta",   [21] = "read_fs_meta",
    [22] = "write_fs_node",     [23] = "read_fs_node",
};

static const char *const f2fs_latency_names[] = {
    [1] = "read_data_avg",         [2] = "read_data_cnt",         [3] = "read_data_peak",
    [4] = "write_async_data_avg",  [5] = "write_async_data_cnt",  [6] = "write_async_data_peak",
    [7] = "write_sync_data_avg",   [8] = "write_sync_data_cnt",   [9] = "write_sync_data_peak",
    [11] = "read_meta_avg",        [12] = "read_meta_cnt",        [13] = "read_meta_peak",
    [14] = "write_async_meta_avg", [15] = "write_async_meta_cnt", [16] = "write_async_meta_peak",
    [17] = "write_sync_meta_avg",  [18] = "write_sync_meta_cnt",  [19] = "write_sync_meta_peak",
    [20] = "read_node_avg",        [21] = "read_node_cnt",        [22] = "read_node_peak",
    [23] = "write_async_node_avg", [24] = "write_async_node_cnt", [25] = "write_async_node_peak",
    [26] = "write_sync_node_avg",  [27] = "write_sync_node_cnt",  [28] = "write_sync_node_peak",
};

/* Adds all counters of C. A counter that the event does not state is 0. */
static enum tm_status add_device_counters(struct derive *d, const struct device_counters *c)
{
    uint64_t values[sizeof f2fs_latency_names / sizeof *f2fs_latency_names] = {0};
    struct tm_pb pb = tm_pb_of(d->event->data, d->event->len);
    struct tm_pb_field f;
    struct tm_buf *key = &d->rows->key;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < c->count && f.type == TM_PB_VARINT)
            values[f.id] = f.value;
    const unsigned major = (unsigned)(values[c->device] >> 8 & 0xff), minor = (unsigned)(values[c->device] & 0xff);
    for (uint32_t i = 0; st >= 0 && i < c->count; i++) {
        if (c->names[i] == NULL)
            continue;
        key->len = 0;
        const char *name = tm_buf_addf(key, "%s.[%u:%u].%s", c->what, major, minor, c->names[i]) == TM_OK
                               ? tm_buf_cstr(key)
                               : NULL;
        st = name ? add_global(d, name, of_unsigned(values[i])) : tm_error_nomem(d->err);
    }
    return st;
}

static enum tm_status add_f2fs(struct derive *d)
{
    static const struct device_counters counters = {"f2fs_iostat", 9, sizeof f2fs_names / sizeof *f2fs_names,
                                                    f2fs_names};
    return add_device_counters(d, &counters);
}

static enum tm_status add_f2fs_latency(struct derive *d)
{
    static const struct device_counters counters = {
        "f2fs_iostat_latency", 10, sizeof f2fs_latency_names / sizeof *f2fs_latency_names, f2fs_latency_names};
    return add_device_counters(d, &counters);
}

/* Adds the number of pending commands: the bits that are set in the doorbell. If there are none, it is 1 unless the
 * event's own command is done. */
static enum tm_status add_ufs_commands(struct derive *d)
{
    enum { DOORBELL = 2, KIND = 10, IS_DONE = 1 };
    uint32_t doorbell = (uint32_t)d->fields.number[DOORBELL], count = 0;
    for (uint32_t bits = doorbell; bits; bits &= bits - 1)
        count++;
    if (doorbell == 0)
        count = d->fields.number[KIND] != IS_DONE;
    return add_global(d, "io.ufs.command.count", of_unsigned(count));
}

/* Adds the counters of a battery current limiter. If it does not throttle, its cause is -1 and the limits are 0. */
static enum tm_status add_battery_limits(struct derive *d)
{
    static const struct {
        const char *name;
        uint8_t field;
        bool is_limit;
    } counters[] = {{"bcl_irq_throttle", 2, false}, {"bcl_irq_cpu0", 3, true},     {"bcl_irq_cpu1", 4, true},
                    {"bcl_irq_cpu2", 5, true},      {"bcl_irq_tpu", 6, true},      {"bcl_irq_gpu", 7, true},
                    {"bcl_irq_voltage", 8, false},  {"bcl_irq_capacity", 9, false}};
    const uint64_t *n = d->fields.number;
    bool is_limited = n[2] != 0;
    enum tm_status st = add_global(d, "bcl_irq_id", of_signed(is_limited ? i32(n[1]) : -1));
    for (size_t i = 0; i < sizeof counters / sizeof *counters && st >= 0; i++)
        st = add_global(d, counters[i].name,
                        of_signed(counters[i].is_limit && !is_limited ? 0 : i32(n[counters[i].field])));
    return st;
}

/* Adds the delay of a sensor's data. */
static enum tm_status add_sensor(struct derive *d)
{
    const uint64_t *n = d->fields.number;
    char name[48];
    struct tm_buf *detail = &d->rows->detail;
    snprintf(name, sizeof name, "cros_ec.cros_ec_sensorhub_data.%u", (unsigned)n[5]);
    if (tm_detail_arg_int(detail, "ec_num", (uint32_t)n[5]) < 0 ||
        tm_detail_arg_int(detail, "ec_delta", (int64_t)(n[6] - n[2])) < 0 ||
        tm_detail_arg_int(detail, "sample_ts", (int64_t)n[2]) < 0)
        return tm_error_nomem(d->err);
    return add_global(d, name, of_signed((int64_t)(n[1] - n[2])));
}

/* Adds the number of free entries in a queue of a virtual GPU. */
static enum tm_status add_free_room(struct derive *d)
{
    const char *queue = tm_proto_virtio_gpu_queue(&d->fields);
    char name[32];
    if (queue == NULL)
        return TM_OK;
    snprintf(name, sizeof name, "Virtgpu %s Free", queue);
    return add_global(d, name, of_unsigned((uint32_t)d->fields.number[6]));
}

static enum tm_status add_gpu_work(struct derive *d)
{
    return tm_proto_ftrace_gpu_work(d->rows, d->event, d->row, d->err);
}

static enum tm_status add_adreno(struct derive *d)
{
    return tm_proto_ftrace_adreno(&d->kernels->adreno, d->rows, d->event, d->row, d->err);
}

static enum tm_status add_firmware(struct derive *d)
{
    return tm_proto_ftrace_firmware(d->rows, d->event, d->row, d->err);
}

static enum tm_status add_trusty_result(struct derive *d)
{
    return tm_proto_ftrace_trusty_result(d->rows, d->event, d->row, d->err);
}

/* Functions that add the rows derived from events of kind FTRACE, by field number in FtraceEvent. */
static enum tm_status (*const derivations[])(struct derive *d) = {
    [TM_FTRACE_EVENT_CPU_FREQUENCY] = add_frequency,
    [TM_FTRACE_EVENT_CPU_FREQUENCY_LIMITS] = add_limits,
    [TM_FTRACE_EVENT_CPU_IDLE] = add_idle,
    [TM_FTRACE_EVENT_CLOCK_ENABLE] = add_clock_state,
    [TM_FTRACE_EVENT_CLOCK_DISABLE] = add_clock_state,
    [TM_FTRACE_EVENT_CLOCK_SET_RATE] = add_clock_rate,
    [TM_FTRACE_EVENT_SCHED_BLOCKED_REASON] = add_blocked_reason,
    [TM_FTRACE_EVENT_RSS_STAT] = add_rss,
    [TM_FTRACE_EVENT_ION_HEAP_SHRINK] = add_ion_shrink,
    [TM_FTRACE_EVENT_ION_HEAP_GROW] = add_ion_grow,
    [TM_FTRACE_EVENT_SIGNAL_DELIVER] = add_signal_deliver,
    [TM_FTRACE_EVENT_SIGNAL_GENERATE] = add_signal_generate,
    [TM_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE] = add_oom_score,
    [TM_FTRACE_EVENT_MM_EVENT_RECORD] = add_mm_event,
    [TM_FTRACE_EVENT_GPU_FREQUENCY] = add_gpu,
    [TM_FTRACE_EVENT_MARK_VICTIM] = add_victim,
    [TM_FTRACE_EVENT_GPU_MEM_TOTAL] = add_gpu_memory,
    [TM_FTRACE_EVENT_THERMAL_TEMPERATURE] = add_temperature,
    [TM_FTRACE_EVENT_CDEV_UPDATE] = add_cooling,
    [TM_FTRACE_EVENT_FASTRPC_DMA_STAT] = add_fastrpc,
    [TM_FTRACE_EVENT_RSS_STAT_THROTTLED] = add_rss_throttled,
    [TM_FTRACE_EVENT_CROS_EC_SENSORHUB_DATA] = add_sensor,
    [TM_FTRACE_EVENT_UFSHCD_CLK_GATING] = add_clock_gating,
    [TM_FTRACE_EVENT_F2FS_IOSTAT] = add_f2fs,
    [TM_FTRACE_EVENT_F2FS_IOSTAT_LATENCY] = add_f2fs_latency,
    [TM_FTRACE_EVENT_SCHED_CPU_UTIL_CFS] = add_utilization,
    [TM_FTRACE_EVENT_GPU_WORK_PERIOD] = add_gpu_work,
    [TM_FTRACE_EVENT_DCVSH_FREQ] = add_throttle,
    [TM_FTRACE_EVENT_KGSL_GPU_FREQUENCY] = add_kgsl_gpu,
    [TM_FTRACE_EVENT_BCL_IRQ_TRIGGER] = add_battery_limits,
    [TM_FTRACE_EVENT_ADRENO_BATCH_QUEUED] = add_adreno,
    [TM_FTRACE_EVENT_ADRENO_BATCH_SYNC] = add_adreno,
    [TM_FTRACE_EVENT_ADRENO_BATCH_RETIRED] = add_adreno,
    [TM_FTRACE_EVENT_DEVFREQ_FREQUENCY] = add_devfreq,
    [TM_FTRACE_EVENT_MALI_GPU_POWER_STATE] = add_mali_power,
    [TM_FTRACE_EVENT_DMABUF_RSS_STAT] = add_dmabuf_rss,
    [TM_FTRACE_EVENT_THERMAL_EXYNOS_ACPM_BULK] = add_firmware,
    [TM_FTRACE_EVENT_THERMAL_EXYNOS_ACPM_HIGH_OVERHEAD] = add_firmware,
    [TM_FTRACE_EVENT_PARAM_SET_VALUE_CPM] = add_firmware,
    [TM_FTRACE_EVENT_FWTP_PERFETTO_COUNTER] = add_firmware,
    [TM_FTRACE_EVENT_FWTP_PERFETTO_SLICE] = add_firmware,
};

/* Functions that add the rows derived from events of other kinds, by field number in FtraceEvent. */
static enum tm_status (*const of_slices[])(struct derive *d) = {
    [TM_FTRACE_EVENT_ION_STAT] = add_ion,
    [TM_FTRACE_EVENT_DMA_HEAP_STAT] = add_dma_heap,
    [TM_FTRACE_EVENT_UFSHCD_COMMAND] = add_ufs_commands,
    [446] = add_trusty_result, /* trusty_smc_done */
    [448] = add_trusty_result, /* trusty_std_call32_done */
    [450] = add_trusty_result, /* trusty_share_memory_done */
    [452] = add_trusty_result, /* trusty_reclaim_memory_done */
    [456] = add_trusty_result, /* trusty_ipc_connect_end */
    [457] = add_trusty_result, /* trusty_ipc_write */
    [461] = add_trusty_result, /* trusty_ipc_read_end */
    [468] = add_free_room,     /* virtio_gpu_cmd_queue */
    [469] = add_free_room,     /* virtio_gpu_cmd_response */
};

enum tm_status tm_proto_ftrace_derive(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                      const struct tm_event *row, struct tm_error *err)
{
    enum tm_status (*add)(struct derive *d) = NULL;
    if (f->id >= TM_PROTO_GENERIC_FIRST)
        return row->flags & TM_EVENT_HAS_TID ? tm_proto_ftrace_generic_derive(bundle, f, row, err) : TM_OK;
    if (row->kind == TM_KIND_FTRACE && f->id < sizeof derivations / sizeof *derivations)
        add = derivations[f->id];
    else if (row->kind != TM_KIND_FTRACE && f->id < sizeof of_slices / sizeof *of_slices)
        add = of_slices[f->id];
    if (add == NULL || !(row->flags & TM_EVENT_HAS_TID))
        return TM_OK;
    struct derive d = {.kernels = bundle->kernels,
                       .rows = bundle->rows,
                       .packet = bundle->packet,
                       .row = row,
                       .event = f,
                       .err = err};
    tm_proto_event_fields_read(&d.fields, f);
    return add(&d);
}
