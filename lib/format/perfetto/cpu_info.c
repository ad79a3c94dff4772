#include "format/perfetto/cpu_info.h"

#include "format/perfetto/numbers.h"
#include "format/perfetto/system.h"
#include "stream/detail_arg.h"

#include <stdlib.h>

enum { INFO_CPUS = 1 };
enum { CPU_PROCESSOR = 1, CPU_FREQUENCIES = 2, CPU_CAPACITY = 3, CPU_ARM_IDENTIFIER = 4, CPU_FEATURES = 5 };
enum { NAMED_FEATURES = 2 };

/* Values by which cpus form clusters: cpus with equal values are one cluster. Clusters are numbered by ascending
 * value. */
struct ranks {
    bool has_all; /* every cpu has a value */
    uint32_t count;
    uint32_t values[TM_PROTO_CPU_MAX], sorted[TM_PROTO_CPU_MAX];
};

/* The values of all cpus, which are read before the first cpu is described: capacities and highest frequencies. */
struct clusters {
    struct ranks capacities, frequencies;
};

static void add_value(struct ranks *r, bool has, uint32_t value)
{
    r->has_all = r->has_all && has;
    r->values[r->count] = r->sorted[r->count] = value;
    r->count++;
}

static void read_cpu(struct clusters *c, const struct tm_pb_field *cpu)
{
    struct tm_pb pb = tm_pb_of(cpu->data, cpu->len);
    struct tm_proto_numbers frequencies = {.pb = pb, .id = CPU_FREQUENCIES};
    struct tm_pb_field f;
    uint64_t value;
    uint32_t capacity = 0, highest = 0;
    bool has_capacity = false, has_frequency = false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == CPU_CAPACITY && f.type == TM_PB_VARINT) {
            has_capacity = true;
            capacity = (uint32_t)f.value;
        }
    for (; tm_proto_numbers_next(&frequencies, &value); has_frequency = true)
        highest = (uint32_t)value > highest ? (uint32_t)value : highest;
    add_value(&c->capacities, has_capacity, capacity);
    add_value(&c->frequencies, has_frequency, highest);
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Sorts the values and removes duplicates. */
static void sort(struct ranks *r)
{
    uint32_t kept = 0;
    qsort(r->sorted, r->count, sizeof *r->sorted, compare);
    for (uint32_t i = 0; i < r->count; i++)
        if (kept == 0 || r->sorted[i] != r->sorted[kept - 1])
            r->sorted[kept++] = r->sorted[i];
    r->count = kept;
}

static uint32_t rank_of(const struct ranks *r, uint32_t cpu)
{
    const uint32_t *found = bsearch(&r->values[cpu], r->sorted, r->count, sizeof *r->sorted, compare);
    return found ? (uint32_t)(found - r->sorted) : 0;
}

/* Clusters follow from capacities, or, if a cpu has none, from the highest frequencies. */
static uint32_t cluster_of(const struct clusters *c, uint32_t cpu)
{
    return c->capacities.has_all    ? rank_of(&c->capacities, cpu)
           : c->frequencies.has_all ? rank_of(&c->frequencies, cpu)
                                    : 0;
}

static enum tm_status put_arm_identifier(struct tm_buf *out, const struct tm_pb_field *message)
{
    static const char *const keys[] = {NULL,          "arm_cpu_implementer", "arm_cpu_architecture", "arm_cpu_variant",
                                       "arm_cpu_part", "arm_cpu_revision"};
    uint32_t values[sizeof keys / sizeof *keys] = {0};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < sizeof keys / sizeof *keys && f.type == TM_PB_VARINT)
            values[f.id] = (uint32_t)f.value;
    for (size_t i = 1; st == TM_OK && i < sizeof keys / sizeof *keys; i++)
        st = tm_detail_arg_uint(out, keys[i], values[i]);
    return st;
}

static enum tm_status put_features(struct tm_buf *out, uint64_t features)
{
    static const char *const names[NAMED_FEATURES] = {"cpu_features.mte", "cpu_features.mte3"};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st == TM_OK && i < sizeof names / sizeof *names; i++)
        if (features >> i & 1)
            st = tm_detail_arg_bool(out, names[i], true);
    return st == TM_OK && features ? tm_detail_arg_uint(out, "cpu_features.raw_bitmap", features) : st;
}

static enum tm_status put_cpu_field(struct tm_buf *out, const struct tm_pb_field *f)
{
    switch (f->id) {
    case CPU_PROCESSOR:
        return f->type == TM_PB_LEN ? tm_pb_put_bytes(out, TM_CPU_DESCRIPTION_PROCESSOR, f->data, f->len) : TM_OK;
    case CPU_CAPACITY:
        return f->type == TM_PB_VARINT ? tm_pb_put_varint(out, TM_CPU_DESCRIPTION_CAPACITY, (uint32_t)f->value) : TM_OK;
    case CPU_ARM_IDENTIFIER:
        return f->type == TM_PB_LEN ? put_arm_identifier(out, f) : TM_OK;
    case CPU_FEATURES:
        return f->type == TM_PB_VARINT ? put_features(out, f->value) : TM_OK;
    default:
        return TM_OK;
    }
}

static enum tm_status put_cpu(struct tm_buf *out, const struct tm_pb_field *message, uint32_t cpu, uint32_t cluster)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_proto_numbers frequencies = {.pb = pb, .id = CPU_FREQUENCIES};
    struct tm_pb_field f;
    uint64_t frequency;
    size_t mark;
    enum tm_status st = tm_pb_begin(out, TM_MACHINE_DESCRIPTION_CPUS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_varint(out, TM_CPU_DESCRIPTION_CPU, cpu);
    if (st == TM_OK)
        st = tm_pb_put_varint(out, TM_CPU_DESCRIPTION_CLUSTER, cluster);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = put_cpu_field(out, &f);
    while (st == TM_OK && tm_proto_numbers_next(&frequencies, &frequency))
        st = tm_pb_put_varint(out, TM_CPU_DESCRIPTION_FREQUENCY, (uint32_t)frequency);
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

static enum tm_status describe(struct tm_proto_rows *rows, const struct tm_proto_packet *packet)
{
    static const struct ranks none = {.has_all = true};
    struct clusters clusters = {none, none};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len), again = pb;
    struct tm_pb_field f;
    uint32_t cpu = 0;
    size_t mark;
    while (clusters.capacities.count < TM_PROTO_CPU_MAX && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INFO_CPUS && f.type == TM_PB_LEN)
            read_cpu(&clusters, &f);
    uint32_t count = clusters.capacities.count;
    sort(&clusters.capacities);
    sort(&clusters.frequencies);
    enum tm_status st = tm_pb_begin(&rows->detail, TM_DETAIL_MACHINE, &mark);
    while (st == TM_OK && cpu < count && tm_pb_next(&again, &f) == TM_OK) {
        if (f.id != INFO_CPUS || f.type != TM_PB_LEN)
            continue;
        st = put_cpu(&rows->detail, &f, cpu, cluster_of(&clusters, cpu));
        cpu++;
    }
    return st == TM_OK ? tm_pb_end(&rows->detail, mark) : st;
}

/* Counts a packet without cpus, or its cpus with features that have no name here. *HAS_CPUS: it has any. */
static enum tm_status count(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, bool *has_cpus,
                            struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint32_t unnamed = 0;
    *has_cpus = false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INFO_CPUS && f.type == TM_PB_LEN) {
            struct tm_pb cpu = tm_pb_of(f.data, f.len);
            struct tm_pb_field part;
            uint64_t features = 0;
            while (tm_pb_next(&cpu, &part) == TM_OK)
                if (part.id == CPU_FEATURES && part.type == TM_PB_VARINT)
                    features = part.value;
            *has_cpus = true;
            unnamed += features >> NAMED_FEATURES != 0;
        }
    enum tm_status st = TM_OK;
    if (!*has_cpus)
        st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_CPU_INFO_EMPTY, packet->machine, 1, err);
    if (st >= 0 && unnamed)
        st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_CPU_FEATURES_UNKNOWN, packet->machine, unnamed, err);
    return st;
}

enum tm_status tm_proto_cpu_info_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    bool has_cpus;
    enum tm_status st = count(rows, packet, &has_cpus, err);
    if (st < 0)
        return st;
    return has_cpus ? tm_proto_system_part_add(rows, packet, describe, err) : tm_proto_add(rows, &row, err);
}
