#include "format/perf_data/counts.h"

enum { COUNTS_MAX = UINT16_MAX }; /* no record has as many bytes */

struct tm_perf_counts tm_perf_counts_read(struct tm_perf_cursor *c, uint64_t format)
{
    uint32_t times = (format & TM_PERF_READ_ENABLED ? 8u : 0u) + (format & TM_PERF_READ_RUNNING ? 8u : 0u);
    uint32_t id = format & TM_PERF_READ_ID ? 8 : 0, lost = format & TM_PERF_READ_LOST ? 8 : 0;
    struct tm_perf_counts counts = {.len = 1, .stride = 8 + times + id + lost, .id_at = 8 + times};
    if (format & TM_PERF_READ_GROUP) {
        uint64_t len = tm_perf_u64(c);
        (void)tm_perf_take(c, times);
        counts.len = len > COUNTS_MAX ? COUNTS_MAX : (uint32_t)len;
        counts.stride = 8 + id + lost;
        counts.id_at = 8;
    }
    uint64_t size = (uint64_t)counts.len * counts.stride;
    const uint8_t *at = tm_perf_take(c, size);
    if (at == NULL || id == 0)
        return (struct tm_perf_counts){0};
    counts.at = (struct tm_perf_cursor){at, at + size, c->is_big, false};
    return counts;
}

struct tm_perf_count tm_perf_counts_get(const struct tm_perf_counts *counts, uint32_t i)
{
    struct tm_perf_cursor value = counts->at, id;
    value.p += (size_t)i * counts->stride;
    id = value;
    id.p += counts->id_at;
    return (struct tm_perf_count){.value = tm_perf_u64(&value), .id = tm_perf_u64(&id)};
}

enum tm_status tm_perf_last_counts_since(struct tm_perf_last_counts *last, struct tm_perf_count count, int32_t tid,
                                         uint64_t *since, struct tm_error *err)
{
    struct tm_key key = {count.id, (uint32_t)tid, 0};
    int64_t value = (int64_t)(count.value & INT64_MAX), before = tm_table_find(&last->values, &key);
    if (before == TM_TABLE_NONE && last->values.count == TM_PERF_LAST_COUNTS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d counts of events", TM_PERF_LAST_COUNTS_MAX);
    *since = (uint64_t)(before == TM_TABLE_NONE || value < before ? value : value - before);
    return tm_table_set(&last->values, &key, value, err);
}

void tm_perf_last_counts_release(struct tm_perf_last_counts *last)
{
    tm_table_release(&last->values);
}
