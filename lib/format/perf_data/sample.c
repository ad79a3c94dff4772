#include "format/perf_data/sample.h"

enum { BRANCH_BYTES = 24 };

static void read_thread(struct tm_perf_cursor *c, struct tm_perf_sample *s)
{
    s->pid = (int32_t)tm_perf_u32(c);
    s->tid = (int32_t)tm_perf_u32(c);
    s->has_thread = true;
}

static void read_time(struct tm_perf_cursor *c, struct tm_perf_sample *s)
{
    s->time = tm_perf_u64(c);
    s->has_time = s->time <= INT64_MAX;
}

static void read_cpu(struct tm_perf_cursor *c, struct tm_perf_sample *s)
{
    s->cpu = tm_perf_u32(c);
    s->has_cpu = s->cpu != UINT32_MAX;
    (void)tm_perf_u32(c);
}

/* Skips the branches that the CPU took last. ATTR's sample_type has them. */
static void skip_branches(struct tm_perf_cursor *c, const struct tm_perf_attr *attr)
{
    uint64_t len = tm_perf_u64(c);
    uint64_t each = BRANCH_BYTES + (attr->branch_type & TM_PERF_BRANCH_COUNTERS ? 8u : 0u);
    if (attr->branch_type & TM_PERF_BRANCH_HW_INDEX)
        (void)tm_perf_u64(c);
    (void)tm_perf_take(c, len > UINT16_MAX ? UINT64_MAX : len * each); /* no record has that many bytes */
}

static unsigned bits_of(uint64_t mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* Reads what perf record --call-graph dwarf adds for unwinding: registers and a copy of a part of the stack. A thread
 * of the kernel has neither. */
static void read_user_stack(struct tm_perf_cursor *c, const struct tm_perf_attr *attr, struct tm_perf_sample *s)
{
    if (attr->sample_type & TM_PERF_SAMPLE_BRANCH_STACK)
        skip_branches(c, attr);
    if (attr->sample_type & TM_PERF_SAMPLE_REGS_USER && tm_perf_u64(c) != 0)
        (void)tm_perf_take(c, 8 * bits_of(attr->user_registers));
    if (!(attr->sample_type & TM_PERF_SAMPLE_STACK_USER))
        return;
    uint64_t room = tm_perf_u64(c);
    (void)tm_perf_take(c, room);
    s->has_user_stack = room > 0 && tm_perf_u64(c) > 0;
}

bool tm_perf_sample_read(const struct tm_perf_attr *attr, struct tm_perf_cursor c, struct tm_perf_sample *s)
{
    uint64_t has = attr->sample_type;
    *s = (struct tm_perf_sample){.pid = -1, .tid = -1};
    if (has & TM_PERF_SAMPLE_IDENTIFIER)
        (void)tm_perf_u64(&c);
    if (has & TM_PERF_SAMPLE_IP) {
        s->ip = tm_perf_u64(&c);
        s->has_ip = true;
    }
    if (has & TM_PERF_SAMPLE_TID)
        read_thread(&c, s);
    if (has & TM_PERF_SAMPLE_TIME)
        read_time(&c, s);
    if (has & TM_PERF_SAMPLE_ADDR)
        (void)tm_perf_u64(&c);
    if (has & TM_PERF_SAMPLE_ID)
        (void)tm_perf_u64(&c);
    if (has & TM_PERF_SAMPLE_STREAM_ID)
        (void)tm_perf_u64(&c);
    if (has & TM_PERF_SAMPLE_CPU)
        read_cpu(&c, s);
    if (has & TM_PERF_SAMPLE_PERIOD) {
        s->period = tm_perf_u64(&c);
        s->has_period = true;
    } else if (!attr->has_frequency) {
        s->period = attr->period;
        s->has_period = true;
    }
    if (has & TM_PERF_SAMPLE_READ)
        s->counts = tm_perf_counts_read(&c, attr->read_format);
    if (has & TM_PERF_SAMPLE_CALLCHAIN) {
        s->chain_len = tm_perf_u64(&c);
        s->chain = tm_perf_take(&c, s->chain_len > UINT16_MAX ? UINT64_MAX : s->chain_len * 8);
    }
    if (has & TM_PERF_SAMPLE_RAW) {
        s->raw_len = tm_perf_u32(&c);
        s->raw = tm_perf_take(&c, s->raw_len);
    }
    if (has & TM_PERF_SAMPLE_STACK_USER)
        read_user_stack(&c, attr, s);
    return !c.failed;
}

bool tm_perf_sample_read_end(const struct tm_perf_attr *attr, struct tm_perf_cursor *record, struct tm_perf_sample *s)
{
    static const uint64_t fields[] = {TM_PERF_SAMPLE_TID, TM_PERF_SAMPLE_TIME, TM_PERF_SAMPLE_ID,
                                      TM_PERF_SAMPLE_STREAM_ID, TM_PERF_SAMPLE_CPU, TM_PERF_SAMPLE_IDENTIFIER};
    size_t size = 0;
    *s = (struct tm_perf_sample){.pid = -1, .tid = -1};
    if (attr == NULL || !attr->has_sample_id_all)
        return true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        size += attr->sample_type & fields[i] ? 8 : 0;
    if ((size_t)(record->end - record->p) < size)
        return false;
    struct tm_perf_cursor c = {record->end - size, record->end, record->is_big, false};
    record->end -= size;
    if (attr->sample_type & TM_PERF_SAMPLE_TID)
        read_thread(&c, s);
    if (attr->sample_type & TM_PERF_SAMPLE_TIME)
        read_time(&c, s);
    if (attr->sample_type & TM_PERF_SAMPLE_ID)
        (void)tm_perf_u64(&c);
    if (attr->sample_type & TM_PERF_SAMPLE_STREAM_ID)
        (void)tm_perf_u64(&c);
    if (attr->sample_type & TM_PERF_SAMPLE_CPU)
        read_cpu(&c, s);
    return true;
}
