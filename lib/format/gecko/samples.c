#include "format/gecko/internal.h"

enum { SAMPLE_TIME = 0, SAMPLE_DELTA = 8, SAMPLE_WEIGHT = 16, SAMPLE_STACK = 24, SAMPLE_BYTES = 28 };

static const struct tm_gecko_field sample_fields[] = {
    {TM_GP_SAMPLES_TIME, "time", TM_GF_TIME, SAMPLE_TIME},
    {TM_GP_SAMPLES_DELTAS, "", TM_GF_DELTA, SAMPLE_DELTA},
    {TM_GP_SAMPLES_WEIGHT, "weight", TM_GF_NUMBER, SAMPLE_WEIGHT},
    {TM_GP_SAMPLES_STACK, "stack", TM_GF_INDEX, SAMPLE_STACK},
};
static const struct tm_gecko_table sample_table = {sample_fields, 4, SAMPLE_BYTES, TM_GP_SAMPLES_SCHEMA,
                                                   TM_GP_SAMPLES_DATA, true};

/* Adds the sample in ROW, or accounts for what it lacks. *LAST is the stack whose frames are in view->stack. */
static enum tm_status show(struct tm_gecko_view *view, struct tm_gecko_tables *tables, const uint8_t *row,
                           uint32_t *last)
{
    struct tm_event e = tm_gecko_view_event(view, TM_KIND_SAMPLE);
    uint64_t byte = tm_gecko_view_byte(
        view, tm_gecko_has(&view->thread->parts, TM_GP_SAMPLES_DATA) ? TM_GP_SAMPLES_DATA : TM_GP_SAMPLES_STACK);
    int64_t ns, weight;
    uint32_t stack;
    bool is_cut;
    if (!tm_gecko_number_get(row + SAMPLE_TIME, &ns) && !tm_gecko_number_get(row + SAMPLE_DELTA, &ns)) {
        tm_gecko_count(&view->counts->no_time, 1, byte);
        return TM_OK;
    }
    if (!tm_gecko_index_get(row + SAMPLE_STACK, &stack)) {
        tm_gecko_count(&view->counts->no_stack, 1, byte);
        return TM_OK;
    }
    if (stack != *last) {
        tables->stack_bytes = tm_detail_budget_left(&view->sink->budget, TM_GECKO_STACK_BYTES);
        enum tm_status st = tm_gecko_tables_stack(tables, stack, &view->stack, &is_cut, view->err);
        *last = UINT32_MAX;
        if (st < 0)
            return st;
        if (st == TM_END) {
            tm_gecko_count(&view->counts->damaged, 1, byte);
            return TM_OK;
        }
        view->counts->stacks_cut += is_cut;
        *last = stack;
    }
    if (!tm_gecko_view_time(view, ns, &e.time_ns)) {
        tm_gecko_count(&view->counts->damaged, 1, byte);
        return TM_OK;
    }
    e.flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    if (tm_gecko_number_get(row + SAMPLE_WEIGHT, &weight)) {
        e.flags |= TM_EVENT_HAS_VALUE;
        e.value = (uint64_t)weight;
    }
    e.detail = view->stack.data;
    e.detail_bytes = (uint32_t)view->stack.len;
    enum tm_status st = tm_gecko_define(view, e.time_ns);
    return st < 0 ? st : tm_event_sink_add(view->sink, &e, view->err);
}

enum tm_status tm_gecko_samples_show(struct tm_gecko_view *view, struct tm_gecko_tables *tables)
{
    struct tm_gecko_source source = tm_gecko_view_source(view);
    uint8_t row[SAMPLE_BYTES];
    uint32_t last = UINT32_MAX;
    enum tm_status st = tm_gecko_rows_read(&source, &sample_table, &view->rows, view->err);
    for (uint32_t i = 0; st == TM_OK && i < view->rows.count; i++) {
        st = tm_gecko_row_get(&view->rows, &sample_table, i, row, view->err);
        if (st == TM_OK)
            st = show(view, tables, row, &last);
    }
    return st;
}
