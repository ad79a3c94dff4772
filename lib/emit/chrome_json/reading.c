#include "emit/chrome_json/reading.h"

#include "base/table.h"

#include <stdlib.h>

/* The begins at the latest time, while ends of that time may follow. */
struct begun {
    tm_slice_label label[2];
};

struct tm_json_group {
    int64_t ts_ns;
    struct begun *begun;
    uint32_t count, cap;
};

enum { GROUP_BEGINS_MAX = 2 * TM_SLICES_DEPTH_MAX };

static enum tm_status read_group(struct tm_json_reading *reading, uint32_t thread, struct tm_error *err)
{
    struct tm_json_group *m = &reading->groups[thread];
    enum tm_status st = TM_OK;
    bool crosses;
    for (uint32_t i = 0; i < m->count && st >= 0; i++) {
        struct tm_slice_row row = {.ts = m->ts_ns, .dur = -1, .track = thread, .arg_set = TM_NO_ID};
        st = tm_slices_begin(&reading->slices, &row, m->begun[i].label, &crosses, err);
    }
    m->count = 0;
    return st < 0 ? st : TM_OK;
}

/* Finds the pending begins of THREAD at TS_NS. Those of an earlier time take effect first. */
static enum tm_status group_at(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                struct tm_json_group **group, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (reading->count <= thread) {
        if ((st = tm_array_grow(&reading->groups, &reading->cap, reading->count, sizeof *reading->groups, err)) < 0)
            return st;
        reading->groups[reading->count++] = (struct tm_json_group){0};
    }
    struct tm_json_group *m = *group = &reading->groups[thread];
    if (m->count && m->ts_ns != ts_ns)
        st = read_group(reading, thread, err);
    m->ts_ns = ts_ns;
    return st;
}

enum tm_status tm_json_reading_begin(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                     const tm_slice_label label[2], struct tm_error *err)
{
    struct tm_json_group *m;
    enum tm_status st = group_at(reading, thread, ts_ns, &m, err);
    if (st < 0 || m->count == GROUP_BEGINS_MAX) /* more than can nest */
        return st;
    if ((st = tm_array_grow(&m->begun, &m->cap, m->count, sizeof *m->begun, err)) < 0)
        return st;
    m->begun[m->count++] = (struct begun){{label[0], label[1]}};
    return TM_OK;
}

enum tm_status tm_json_reading_end(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                   const tm_slice_label label[2], struct tm_error *err)
{
    struct tm_json_group *m;
    const struct tm_stated_end stated = {ts_ns, {label[0], label[1]}};
    struct tm_open_slice ended;
    enum tm_status st = group_at(reading, thread, ts_ns, &m, err);
    if (st >= 0) /* it takes effect before the pending begins */
        st = tm_slices_end(&reading->slices, thread, &stated, &ended, err);
    return st < 0 ? st : TM_OK;
}

bool tm_json_reading_is_open(const struct tm_json_reading *reading, uint32_t thread)
{
    return thread < reading->count &&
           (reading->groups[thread].count || tm_slices_is_open(&reading->slices, thread));
}

void tm_json_reading_release(struct tm_json_reading *reading)
{
    for (uint32_t i = 0; i < reading->count; i++)
        free(reading->groups[i].begun);
    free(reading->groups);
    tm_slices_release(&reading->slices);
    *reading = (struct tm_json_reading){0};
}
