/* The counters of /proc and /sys in SysStats packets. */
#include "base/hash.h"
#include "format/perfetto/last_field.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/system.h"
#include "perfetto/sys_names.h"
#include "stream/detail_arg.h"

/* SysStats */
enum {
    STATS_MEMINFO = 1,
    STATS_VMSTAT = 2,
    STATS_CPU = 3,
    STATS_FORKS = 4,
    STATS_IRQ_TOTAL = 5,
    STATS_IRQ = 6,
    STATS_SOFTIRQ_TOTAL = 7,
    STATS_SOFTIRQ = 8,
    STATS_DEVFREQ = 10,
    STATS_CPUFREQ_KHZ = 11,
    STATS_BUDDY = 12,
    STATS_DISK = 13,
    STATS_PSI = 14,
    STATS_THERMAL = 15,
    STATS_CPUIDLE = 16,
    STATS_GPUFREQ_MHZ = 17,
    STATS_SLAB = 18
};
enum { PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { CPU_ID = 1, CPU_USER_NS = 2, CPU_STEAL_NS = 9 };
enum { BUDDY_NODE = 1, BUDDY_ZONE = 2, BUDDY_PAGES = 3 };
enum { DISK_NAME = 1, DISK_FIELDS = 10, DISKS_MAX = 1 << 16 };
enum { THERMAL_TEMP = 2, THERMAL_TYPE = 3 };
enum { IDLE_CPU = 1, IDLE_ENTRIES = 2 };
enum { SLAB_NAME = 1, SLAB_PAGES = 2, SLAB_COUNT = 3 };

struct stats {
    struct tm_proto_kernels *kernels;
    struct tm_proto_rows *rows;
    struct tm_event like;       /* a counter of scope GLOBAL */
    uint32_t cpufreqs;          /* number of frequencies so far, which is the next one's cpu */
    struct tm_error *err;
};

/* Finds field ID of MESSAGE, the last one; id 0: none. */
static struct tm_pb_field find(const struct tm_pb_field *message, uint32_t id, enum tm_pb_type type)
{
    return tm_proto_last_field(tm_pb_of(message->data, message->len), id, type);
}

static uint64_t number(const struct tm_pb_field *message, uint32_t id)
{
    return find(message, id, TM_PB_VARINT).value;
}

/* Finds a text for use in a name. An absent one is empty. */
static struct tm_pb_field text(const struct tm_pb_field *message, uint32_t id)
{
    struct tm_pb_field f = find(message, id, TM_PB_LEN);
    if (f.id == 0)
        f.data = (const uint8_t *)"";
    return f;
}

/* Adds a counter named by rows->key. FORMATTED is the result of making the name. VALUE is an unsigned number or, with
 * flag VALUE_DOUBLE, the bits of a double. */
static enum tm_status add_named(struct stats *s, enum tm_status formatted, const struct tm_event *like, uint64_t value)
{
    const char *name = formatted == TM_OK ? tm_buf_cstr(&s->rows->key) : NULL;
    struct tm_event row = *like;
    if (!(row.flags & TM_EVENT_VALUE_DOUBLE))
        value = tm_proto_unsigned(value, &row.flags);
    return name ? tm_proto_counter_add(s->rows, &row, name, value, s->err) : tm_error_nomem(s->err);
}

static enum tm_status count(struct stats *s, enum tm_proto_stat stat)
{
    return tm_proto_count_stat(&s->rows->counts, stat, s->like.machine, 1, s->err);
}

static struct tm_event on_cpu(const struct stats *s, uint32_t cpu)
{
    struct tm_event like = s->like;
    like.flags |= tm_event_scope_flags(TM_SCOPE_CPU) | TM_EVENT_HAS_CPU;
    like.cpu = cpu;
    return like;
}

static enum tm_status add_cpu(struct stats *s, const struct tm_pb_field *message)
{
    static const char *const names[] = {"user_ns",    "user_nice_ns", "system_mode_ns", "idle_ns",
                                        "io_wait_ns", "irq_ns",       "softirq_ns",     "steal_ns"};
    struct tm_event like = on_cpu(s, (uint32_t)number(message, CPU_ID));
    enum tm_status st = TM_OK;
    if (find(message, CPU_ID, TM_PB_VARINT).id == 0)
        return count(s, TM_PROTO_STAT_CPU_TIMES_INVALID);
    for (uint32_t id = CPU_USER_NS; id <= CPU_STEAL_NS && st >= 0; id++) {
        s->rows->key.len = 0;
        st = add_named(s, tm_buf_addf(&s->rows->key, "cpu.times.%s", names[id - CPU_USER_NS]), &like,
                       number(message, id));
    }
    return st;
}

/* Calls ADD for each number in one occurrence of a repeated field, packed or not. */
static enum tm_status each_number(struct stats *s, const struct tm_pb_field *f,
                                  enum tm_status (*add)(struct stats *s, uint64_t value))
{
    enum tm_status st = TM_OK;
    uint64_t value;
    if (f->type == TM_PB_VARINT)
        return add(s, f->value);
    for (const uint8_t *at = f->data, *end = at ? at + f->len : at; st >= 0 && at && at < end;)
        if ((at = tm_varint_get(at, end, &value)) != NULL)
            st = add(s, value);
    return st;
}

static enum tm_status add_cpufreq(struct stats *s, uint64_t value)
{
    struct tm_event like = on_cpu(s, s->cpufreqs++);
    return tm_proto_counter_add(s->rows, &like, "cpufreq", value, s->err);
}

/* Adds the frequency of a GPU. The reference takes all for that of the first. */
static enum tm_status add_gpufreq(struct stats *s, uint64_t value)
{
    struct tm_event like = s->like;
    like.flags |= TM_EVENT_HAS_TRACK;
    like.track = 0;
    return tm_proto_counter_add(s->rows, &like, "gpufreq", value, s->err);
}

static uint64_t page_size(const struct stats *s)
{
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&s->kernels->page_sizes, s->like.machine, 0);
    return entry && entry->v1 ? entry->v1 : 4096;
}

static enum tm_status add_buddy(struct stats *s, const struct tm_pb_field *message)
{
    struct tm_pb_field node = text(message, BUDDY_NODE), zone = text(message, BUDDY_ZONE), f;
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    enum tm_status st = TM_OK;
    unsigned order = 0;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        const uint8_t *at = f.data, *end = at ? at + f.len : at;
        uint64_t value = f.value;
        if (f.id != BUDDY_PAGES || (f.type != TM_PB_VARINT && f.type != TM_PB_LEN))
            continue;
        do {
            if (f.type == TM_PB_LEN && (at == end || (at = tm_varint_get(at, end, &value)) == NULL))
                break;
            uint32_t chunk_kb = order < 32 ? (uint32_t)((page_size(s) << order) / 1024) : 0;
            s->rows->key.len = 0;
            st = tm_buf_addf(&s->rows->key, "mem.buddyinfo[%.*s][%.*s][%u kB]", (int)node.len, (const char *)node.data,
                             (int)zone.len, (const char *)zone.data, chunk_kb);
            st = add_named(s, st, &s->like, value);
            order++;
        } while (st >= 0 && at != end);
    }
    return st;
}

struct disk {
    uint64_t key;  /* of field 0; the keys of other fields follow */
    bool is_known; /* all its fields had a sample before, and none is past DISKS_MAX */
    enum tm_status status;
};

/* Returns the change of field I of DISK since the last sample. */
static int64_t disk_change(struct stats *s, struct disk *disk, uint32_t i, uint64_t now)
{
    struct tm_proto_map_entry *entry = tm_proto_map_find(&s->kernels->disks, s->like.machine, disk->key + i);
    disk->is_known &= entry != NULL;
    enum tm_status st = tm_proto_map_add(&s->kernels->disks, s->like.machine, disk->key + i, DISKS_MAX, &entry);
    if (st < 0)
        disk->status = st;
    if (st != TM_OK)
        return 0;
    int64_t change = (int64_t)(now - entry->v1);
    entry->v1 = now;
    return change;
}

static enum tm_status add_disk_value(struct stats *s, const struct tm_pb_field *name, const char *what, double value)
{
    struct tm_event like = s->like;
    like.flags |= TM_EVENT_VALUE_DOUBLE;
    s->rows->key.len = 0;
    enum tm_status st =
        tm_buf_addf(&s->rows->key, "diskstat.[%.*s].%s", (int)name->len, (const char *)name->data, what);
    return add_named(s, st, &like, tm_pb_bits(value));
}

/* Adds the counters of a disk. Sectors are 512 bytes in /proc/diskstats. Amounts are in MiB, throughput in MiB/s of the
 * time in use. */
static enum tm_status add_disk(struct stats *s, const struct tm_pb_field *message)
{
    static const char *const amounts[] = {"read_amount", "write_amount", "discard_amount"};
    static const char *const throughputs[] = {"read_throughput", "write_throughput", "discard_throughput"};
    struct tm_pb_field name = text(message, DISK_NAME);
    struct disk disk = {tm_hash64(name.data, name.len) & ~(uint64_t)15, true, TM_OK};
    int64_t change[DISK_FIELDS] = {0};
    for (uint32_t i = 2; i < DISK_FIELDS; i++)
        change[i] = disk_change(s, &disk, i, number(message, i));
    if (disk.status != TM_OK)
        return tm_error_nomem(s->err);
    const bool known = disk.is_known;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; known && st >= 0 && i < 3; i++) {
        double amount = (double)change[2 + 2 * i] / 2048.0;
        int64_t time_ms = change[3 + 2 * i];
        st = add_disk_value(s, &name, amounts[i], amount);
        if (st >= 0)
            st = add_disk_value(s, &name, throughputs[i], time_ms ? amount * 1000.0 / (double)time_ms : 0);
    }
    if (known && st >= 0)
        st = add_disk_value(s, &name, "flush_amount", (double)change[8]);
    if (known && st >= 0)
        st = add_disk_value(s, &name, "flush_time", (double)change[9]);
    return st;
}

static enum tm_status add_cpuidle(struct stats *s, const struct tm_pb_field *message)
{
    uint32_t cpu = (uint32_t)number(message, IDLE_CPU);
    struct tm_event like = on_cpu(s, cpu);
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != IDLE_ENTRIES || f.type != TM_PB_LEN)
            continue;
        struct tm_pb_field state = text(&f, PAIR_KEY);
        s->rows->key.len = 0;
        st = tm_buf_addf(&s->rows->key, "cpuidle%u.%.*s", cpu, (int)state.len, (const char *)state.data);
        st = add_named(s, st, &like, number(&f, PAIR_VALUE));
    }
    return st;
}

static enum tm_status add_slab(struct stats *s, const struct tm_pb_field *message)
{
    struct tm_pb_field name = text(message, SLAB_NAME);
    uint64_t pages = (uint32_t)number(message, SLAB_PAGES), slabs = (uint32_t)number(message, SLAB_COUNT);
    s->rows->key.len = 0;
    enum tm_status st = tm_buf_addf(&s->rows->key, "mem.slab.%.*s", (int)name.len, (const char *)name.data);
    if (st == TM_OK)
        st = tm_detail_arg_uint(&s->rows->detail, "pages_per_slab", pages);
    if (st == TM_OK)
        st = tm_detail_arg_uint(&s->rows->detail, "num_slabs", slabs);
    return add_named(s, st, &s->like, pages * slabs * page_size(s));
}

static enum tm_status add_thermal_zone(struct stats *s, const struct tm_pb_field *message)
{
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_THERMAL_ZONE, .has_name = true};
    const struct tm_pb_field type = find(message, THERMAL_TYPE, TM_PB_LEN);
    const struct tm_text zone = tm_text_at(type.data, type.len);
    struct tm_event row = s->like;
    row.kind = TM_KIND_COUNTER;
    row.flags |= TM_EVENT_HAS_VALUE;
    row.value = tm_proto_unsigned(number(message, THERMAL_TEMP), &row.flags);
    enum tm_status st = tm_proto_named_dimension(s->rows, "thermal_zone", zone, s->err);
    if (st >= 0)
        st = tm_proto_named_counter(s->rows, &named, tm_text_given(zone.data, zone.len),
                                    &row, s->err);
    return st < 0 ? st : tm_proto_add(s->rows, &row, s->err);
}

/* Adds a counter whose name comes from a table. */
static enum tm_status add_listed(struct stats *s, const char *prefix, const char *name, uint64_t value)
{
    s->rows->key.len = 0;
    return add_named(s, tm_buf_addf(&s->rows->key, "%s%s", prefix, name), &s->like, value);
}

static enum tm_status add_message(struct stats *s, const struct tm_pb_field *f)
{
    struct tm_pb_field name;
    const char *listed;
    uint64_t key = number(f, PAIR_KEY), value = number(f, PAIR_VALUE);
    s->rows->key.len = 0;
    switch (f->id) {
    case STATS_MEMINFO:
        listed = tm_proto_meminfo_name(key);
        return listed ? add_listed(s, "", listed, value * 1024) : count(s, TM_PROTO_STAT_MEMINFO_UNKNOWN);
    case STATS_VMSTAT:
        listed = tm_proto_vmstat_name(key);
        return listed ? add_listed(s, "", listed, value) : count(s, TM_PROTO_STAT_VMSTAT_UNKNOWN);
    case STATS_PSI:
        listed = tm_proto_psi_name(key);
        return listed ? add_listed(s, "psi.", listed, value) : count(s, TM_PROTO_STAT_PSI_UNKNOWN);
    case STATS_CPU:
        return add_cpu(s, f);
    case STATS_IRQ:
    case STATS_SOFTIRQ:
        return add_named(s,
                         tm_buf_addf(&s->rows->key, f->id == STATS_IRQ ? "num_irq (id: %u)" : "num_softirq (id: %u)",
                                     (unsigned)key),
                         &s->like, value);
    case STATS_DEVFREQ:
        name = text(f, PAIR_KEY);
        return add_named(s, tm_buf_addf(&s->rows->key, "%.*s Frequency", (int)name.len, (const char *)name.data),
                         &s->like, value);
    case STATS_THERMAL:
        return add_thermal_zone(s, f);
    case STATS_BUDDY:
        return add_buddy(s, f);
    case STATS_DISK:
        return add_disk(s, f);
    case STATS_CPUIDLE:
        return add_cpuidle(s, f);
    case STATS_SLAB:
        return add_slab(s, f);
    default:
        return TM_OK;
    }
}

static enum tm_status add_number(struct stats *s, const struct tm_pb_field *f)
{
    switch (f->id) {
    case STATS_FORKS:
        return add_listed(s, "", "num_forks", f->value);
    case STATS_IRQ_TOTAL:
        return add_listed(s, "", "num_irq_total", f->value);
    case STATS_SOFTIRQ_TOTAL:
        return add_listed(s, "", "num_softirq_total", f->value);
    default:
        return TM_OK;
    }
}

enum tm_status tm_proto_sys_stats_add(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *row, struct tm_error *err)
{
    struct stats s = {.kernels = kernels, .rows = rows, .like = tm_proto_derived(row, TM_KIND_COUNTER), .err = err};
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &field) == TM_OK) {
        if (field.id == STATS_CPUFREQ_KHZ)
            st = each_number(&s, &field, add_cpufreq);
        else if (field.id == STATS_GPUFREQ_MHZ)
            st = each_number(&s, &field, add_gpufreq);
        else if (field.type == TM_PB_LEN)
            st = add_message(&s, &field);
        else if (field.type == TM_PB_VARINT)
            st = add_number(&s, &field);
    }
    return st;
}
