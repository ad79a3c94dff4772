#include "model/recording_starts.h"

#include "perfetto/recording_rows.h"

#include <stdlib.h>

static uint64_t place_of(const struct tm_event *e)
{
    return (uint64_t)e->file << 32 | e->machine;
}

static enum tm_status row_of(struct tm_recording_starts *s, const struct tm_event *e, struct tm_recording_start **row,
                             struct tm_error *err)
{
    const struct tm_key key = {place_of(e), 0, 0};
    int64_t at = tm_table_find(&s->by_place, &key);
    enum tm_status st = TM_OK;
    if (at == TM_TABLE_NONE) {
        at = s->count;
        if ((st = tm_array_grow(&s->rows, &s->cap, s->count, sizeof *s->rows, err)) < 0 ||
            (st = tm_table_set(&s->by_place, &key, at, err)) < 0)
            return st;
        s->rows[s->count++] = (struct tm_recording_start){0};
    }
    *row = &s->rows[at];
    return st;
}

enum tm_status tm_recording_starts_note(struct tm_recording_starts *s, const struct tm_event *e, struct tm_text name,
                                        struct tm_error *err)
{
    struct tm_recording_start *row;
    const bool is_start = tm_text_is(name, TM_ROW_TRACING_STARTED);
    const bool is_complete = tm_text_is(name, TM_ROW_COMPLETE_SINCE);
    if (!is_start && !is_complete && !tm_text_is(name, TM_ROW_PRESERVES_FTRACE_BUFFER))
        return TM_OK;
    enum tm_status st = row_of(s, e, &row, err);
    if (st < 0)
        return st;
    if (is_start)
        row->start_ns = e->time_ns;
    else if (is_complete && e->time_ns > row->complete_ns)
        row->complete_ns = e->time_ns;
    else if (!is_complete)
        row->preserves_buffer = true;
    if (e->time_ns > s->latest_ns && (is_start || is_complete))
        s->latest_ns = e->time_ns;
    return TM_OK;
}

/* Notes whether the switch E is hidden, and makes other compact scheduling of a cpu state no task if the last switch
 * was. */
static enum tm_status follow_cpu(struct tm_recording_starts *s, struct tm_event *e, bool is_hidden,
                                 struct tm_error *err)
{
    const struct tm_key key = {place_of(e), e->cpu, 0};
    if (tm_event_raw(e->flags) != TM_RAW_COMPACT_SCHED)
        return TM_OK;
    if (is_hidden)
        return e->kind == TM_KIND_SCHED_SWITCH ? tm_table_set(&s->cut_cpus, &key, 1, err) : TM_OK;
    if (tm_table_find(&s->cut_cpus, &key) == TM_TABLE_NONE)
        return TM_OK;
    if (e->kind == TM_KIND_SCHED_SWITCH)
        tm_table_remove(&s->cut_cpus, &key);
    e->flags &= ~(uint32_t)(e->kind == TM_KIND_SCHED_SWITCH ? TM_EVENT_HAS_TID : TM_EVENT_HAS_PID);
    return TM_OK;
}

enum tm_status tm_recording_starts_take(struct tm_recording_starts *s, struct tm_event *e, enum tm_recording_part *part,
                                        struct tm_error *err)
{
    const enum tm_raw raw = tm_event_raw(e->flags);
    const struct tm_key key = {place_of(e), 0, 0};
    *part = TM_RECORDING_SHOWN;
    if (e->flags & TM_EVENT_DERIVED) {
        *part = s->hides ? TM_RECORDING_HIDDEN : TM_RECORDING_SHOWN;
        return TM_OK;
    }
    s->hides = false;
    if (raw != TM_RAW_FTRACE_EVENT && raw != TM_RAW_COMPACT_SCHED)
        return TM_OK;
    const int64_t at = tm_table_find(&s->by_place, &key);
    if (at == TM_TABLE_NONE)
        return TM_OK;
    const struct tm_recording_start *row = &s->rows[at];
    const bool is_hidden = !row->preserves_buffer && e->time_ns < row->start_ns;
    if (is_hidden)
        *part = TM_RECORDING_HIDDEN;
    else if (e->time_ns < row->complete_ns)
        *part = TM_RECORDING_RECORD;
    s->hides = *part != TM_RECORDING_SHOWN;
    return follow_cpu(s, e, is_hidden, err);
}

void tm_recording_starts_release(struct tm_recording_starts *s)
{
    free(s->rows);
    tm_table_release(&s->by_place);
    tm_table_release(&s->cut_cpus);
    *s = (struct tm_recording_starts){0};
}
