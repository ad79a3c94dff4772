#include "format/gecko/internal.h"

enum { COUNT_TIME = 0, COUNT_DELTA = 8, COUNT_VALUE = 16, COUNT_BYTES = 24 };

static const struct tm_gecko_field count_fields[] = {
    {TM_GP_SAMPLES_TIME, "time", TM_GF_TIME, COUNT_TIME},
    {TM_GP_SAMPLES_DELTAS, "", TM_GF_DELTA, COUNT_DELTA},
    {TM_GP_SAMPLES_COUNT, "count", TM_GF_REAL, COUNT_VALUE},
};
static const struct tm_gecko_table count_table = {count_fields, 3, COUNT_BYTES, TM_GP_SAMPLES_SCHEMA,
                                                  TM_GP_SAMPLES_DATA, true};

/* True for counters of memory and bandwidth, whose values are deltas. Those of other counters are absolute. */
static bool is_sum(const struct tm_buf *category)
{
    return (category->len == 6 && memcmp(category->data, "Memory", 6) == 0) ||
           (category->len == 9 && memcmp(category->data, "Bandwidth", 9) == 0);
}

/* Makes the counter's event for ROW. TM_END: the row has no time or value, and is accounted. */
static enum tm_status fill_count(struct tm_gecko_view *view, const uint8_t *row, double *sum, struct tm_event *e)
{
    uint64_t byte = view->thread->parts.shift;
    int64_t ns;
    double value;
    if (!tm_gecko_number_get(row + COUNT_TIME, &ns) && !tm_gecko_number_get(row + COUNT_DELTA, &ns)) {
        tm_gecko_count(&view->counts->no_time, 1, byte);
        return TM_END;
    }
    if (!tm_gecko_real_get(row + COUNT_VALUE, &value) || !tm_gecko_view_time(view, ns, &e->time_ns)) {
        tm_gecko_count(&view->counts->damaged, 1, byte);
        return TM_END;
    }
    *sum += value;
    e->value = tm_pb_bits(is_sum(&view->thread->category) ? *sum : value);
    return TM_OK;
}

enum tm_status tm_gecko_counter_show(struct tm_gecko_view *view)
{
    const struct tm_gecko_thread *counter = view->thread;
    const struct tm_gecko_source source = tm_gecko_view_source(view);
    uint8_t row[COUNT_BYTES];
    double sum = 0;
    struct tm_event e = tm_gecko_view_event(view, TM_KIND_COUNTER);
    if (!counter->has_pid && view->process->has_pid) {
        e.pid = view->process->pid;
        e.flags |= TM_EVENT_HAS_PID;
    }
    e.flags |= TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE |
               tm_event_scope_flags(e.flags & TM_EVENT_HAS_PID ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL);
    enum tm_status st = tm_gecko_rows_read(&source, &count_table, &view->rows, view->err);
    for (uint32_t i = 0; st == TM_OK && i < view->rows.count; i++) {
        if ((st = tm_gecko_row_get(&view->rows, &count_table, i, row, view->err)) < 0 ||
            (st = fill_count(view, row, &sum, &e)) == TM_END) {
            st = st < 0 ? st : TM_OK;
            continue;
        }
        tm_buf_clear(&view->detail);
        st = tm_event_sink_string(view->sink, tm_text_at(counter->name.data, counter->name.len), &view->detail,
                                  &e.name, view->err);
        e.detail = view->detail.data;
        e.detail_bytes = (uint32_t)view->detail.len;
        if (st == TM_OK)
            st = tm_event_sink_add(view->sink, &e, view->err);
    }
    return st;
}
