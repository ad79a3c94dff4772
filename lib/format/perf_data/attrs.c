#include "format/perf_data/attrs.h"

#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATTR_BYTES_MIN = 64, NAMES_BYTES_MAX = 16 << 20 };
enum { FLAGS_AT = 40, BRANCH_TYPE_AT = 72, USER_REGISTERS_AT = 80, CLOCKID_AT = 92 };
enum { BIT_INHERIT = 1, BIT_FREQ = 10, BIT_SAMPLE_ID_ALL = 18, BIT_CLOCKID = 25, BIT_WRITE_BACKWARD = 27 };

/* Returns bit BIT of a bit field. A big-endian machine counts bits from the highest bit of each byte. */
static bool flag_of(const uint8_t *flags, unsigned bit, bool is_big)
{
    return flags[bit / 8] >> (is_big ? 7 - bit % 8 : bit % 8) & 1;
}

/* Reads the flags of the attr of SIZE bytes at AT, and the fields that later versions of it have. */
static void read_later_fields(struct tm_perf_attr *attr, const uint8_t *at, uint64_t size, bool is_big)
{
    struct tm_perf_cursor branch = {at + BRANCH_TYPE_AT, at + BRANCH_TYPE_AT + 8, is_big, false};
    struct tm_perf_cursor registers = {at + USER_REGISTERS_AT, at + USER_REGISTERS_AT + 8, is_big, false};
    struct tm_perf_cursor clock = {at + CLOCKID_AT, at + CLOCKID_AT + 4, is_big, false};
    const uint8_t *flags = at + FLAGS_AT;
    attr->inherits = flag_of(flags, BIT_INHERIT, is_big);
    attr->has_frequency = flag_of(flags, BIT_FREQ, is_big);
    attr->has_sample_id_all = flag_of(flags, BIT_SAMPLE_ID_ALL, is_big);
    attr->is_backward = flag_of(flags, BIT_WRITE_BACKWARD, is_big);
    if (size >= BRANCH_TYPE_AT + 8)
        attr->branch_type = tm_perf_u64(&branch);
    if (size >= USER_REGISTERS_AT + 8)
        attr->user_registers = tm_perf_u64(&registers);
    if (flag_of(flags, BIT_CLOCKID, is_big) && size >= CLOCKID_AT + 4) {
        attr->has_clockid = true;
        attr->clockid = (int32_t)tm_perf_u32(&clock);
    }
}

enum tm_status tm_perf_attrs_add(struct tm_perf_attrs *attrs, struct tm_perf_cursor *c, uint64_t size,
                                 struct tm_error *err)
{
    struct tm_perf_attr attr = {0};
    const uint8_t *at = tm_perf_take(c, size);
    if (at == NULL || size < ATTR_BYTES_MIN)
        return TM_END;
    if (attrs->count == TM_PERF_ATTRS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d events that were counted", TM_PERF_ATTRS_MAX);
    enum tm_status st = tm_array_grow(&attrs->list, &attrs->cap, attrs->count, sizeof *attrs->list, err);
    if (st < 0)
        return st;
    struct tm_perf_cursor f = {at, at + size, c->is_big, false};
    attr.type = tm_perf_u32(&f);
    (void)tm_perf_u32(&f);
    attr.config = tm_perf_u64(&f);
    attr.period = tm_perf_u64(&f);
    attr.sample_type = tm_perf_u64(&f);
    attr.read_format = tm_perf_u64(&f);
    read_later_fields(&attr, at, size, c->is_big);
    attrs->list[attrs->count++] = attr;
    return TM_OK;
}

enum tm_status tm_perf_attrs_id(struct tm_perf_attrs *attrs, uint64_t id, uint32_t attr, struct tm_error *err)
{
    if (attrs->of_id.count == TM_PERF_IDS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d ids of events", TM_PERF_IDS_MAX);
    return tm_map_set(&attrs->of_id, id, attr) == TM_OK ? TM_OK : tm_error_nomem(err);
}

struct tm_perf_attr *tm_perf_attrs_find(const struct tm_perf_attrs *attrs, uint64_t id)
{
    uint32_t at;
    return tm_map_find(&attrs->of_id, id, &at) ? &attrs->list[at] : NULL;
}

static unsigned fields_of(uint64_t sample_type, uint64_t among)
{
    unsigned n = 0;
    for (uint64_t left = sample_type & among; left; left &= left - 1)
        n++;
    return n;
}

/* Sets *AT to the offset of the id in a record of LEN bytes with the fields of ATTR. False: it has none. */
static bool find_id(const struct tm_perf_attr *attr, bool is_sample, size_t len, size_t *at)
{
    const uint64_t before = TM_PERF_SAMPLE_IP | TM_PERF_SAMPLE_TID | TM_PERF_SAMPLE_TIME | TM_PERF_SAMPLE_ADDR;
    const uint64_t after = TM_PERF_SAMPLE_ID | TM_PERF_SAMPLE_STREAM_ID | TM_PERF_SAMPLE_CPU;
    bool is_first = attr->sample_type & TM_PERF_SAMPLE_IDENTIFIER;
    if (!is_first && !(attr->sample_type & TM_PERF_SAMPLE_ID))
        return false;
    if (is_sample) {
        *at = is_first ? 0 : 8 * fields_of(attr->sample_type, before);
        return *at + 8 <= len;
    }
    size_t from_end = is_first ? 8 : 8 * fields_of(attr->sample_type, after);
    *at = len - from_end;
    return attr->has_sample_id_all && from_end <= len;
}

const struct tm_perf_attr *tm_perf_attrs_of(const struct tm_perf_attrs *attrs, const struct tm_perf_cursor *record,
                                            bool is_sample)
{
    struct tm_perf_cursor c = *record;
    size_t at;
    if (attrs->count == 0)
        return NULL;
    if (attrs->count == 1 || !find_id(attrs->list, is_sample, (size_t)(c.end - c.p), &at))
        return attrs->list;
    c.p += at;
    uint64_t id = tm_perf_u64(&c);
    const struct tm_perf_attr *attr = tm_perf_attrs_find(attrs, id);
    return attr || (is_sample && id != 0) ? attr : attrs->list;
}

enum tm_status tm_perf_attrs_name(struct tm_perf_attrs *attrs, struct tm_perf_attr *attr, struct tm_text name,
                                  struct tm_error *err)
{
    if (name.len > TM_PERF_EVENT_NAME_MAX)
        return tm_error_set(err, TM_E_INPUT, "the name of an event exceeds the limit of %d bytes",
                            TM_PERF_EVENT_NAME_MAX);
    if (name.len > NAMES_BYTES_MAX - attrs->names.len)
        return tm_error_set(err, TM_E_INPUT, "names of events exceed the limit of %d bytes", NAMES_BYTES_MAX);
    attr->name_at = attrs->names.len;
    attr->name_len = name.len;
    return tm_buf_add(&attrs->names, name.data, name.len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

struct tm_text tm_perf_attrs_name_of(const struct tm_perf_attrs *attrs, const struct tm_perf_attr *attr,
                                     char room[TM_PERF_NAME_ROOM])
{
    static const char *const hardware[] = {"cycles", "instructions", "cache-references", "cache-misses", "branches",
                                           "branch-misses", "bus-cycles", "stalled-cycles-frontend",
                                           "stalled-cycles-backend", "ref-cycles"};
    static const char *const software[] = {"cpu-clock", "task-clock", "page-faults", "context-switches",
                                           "cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
                                           "emulation-faults", "dummy", "bpf-output", "cgroup-switches"};
    if (attr->name_len)
        return tm_text_at(attrs->names.data + attr->name_at, attr->name_len);
    const char *name = NULL;
    if (attr->type == TM_PERF_TYPE_HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        name = hardware[attr->config];
    if (attr->type == TM_PERF_TYPE_SOFTWARE && attr->config < sizeof software / sizeof *software)
        name = software[attr->config];
    if (name == NULL) {
        snprintf(room, TM_PERF_NAME_ROOM, "type %" PRIu32 " config 0x%" PRIx64, attr->type, attr->config);
        name = room;
    }
    return tm_text_str(name);
}

void tm_perf_attrs_release(struct tm_perf_attrs *attrs)
{
    free(attrs->list);
    tm_map_release(&attrs->of_id);
    tm_buf_release(&attrs->names);
    *attrs = (struct tm_perf_attrs){0};
}
