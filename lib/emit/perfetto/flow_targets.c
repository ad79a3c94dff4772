#include "emit/perfetto/flow_targets.h"

#include <stdlib.h>

static bool is_open(const struct tm_flow_slice_span *s)
{
    return s->end_ns == INT64_MAX;
}

static enum tm_status stack_of(struct tm_flow_targets *t, uint64_t uuid, struct tm_flow_stack **stack,
                               struct tm_error *err)
{
    uint32_t track;
    if (!tm_track_numbers_find(&t->tracks, uuid, &track)) {
        track = tm_track_numbers_count(&t->tracks);
        if (tm_array_grow(&t->stacks, &t->cap, track, sizeof *t->stacks, err) < 0)
            return TM_E_SYSTEM;
        if (tm_track_numbers_add(&t->tracks, uuid) != TM_OK)
            return tm_error_nomem(err);
    }
    *stack = &t->stacks[track];
    return TM_OK;
}

/* Closes slices at TS_NS. IS_INSTANT: by an event without length, which nests in others of its time. */
static void close_ended(struct tm_flow_stack *s, int64_t ts_ns, bool is_instant)
{
    bool has_open = false;
    for (uint32_t i = s->depth; i > 0; i--) {
        const struct tm_flow_slice_span *span = &s->open[i - 1];
        bool stays = is_instant && span->begin_ns == span->end_ns && span->end_ns == ts_ns;
        if (is_open(span)) {
            has_open = true;
        } else if (has_open ? span->end_ns < ts_ns : span->end_ns <= ts_ns && !stays) {
            s->depth = i - 1;
            has_open = false;
        }
    }
}

enum tm_status tm_flow_targets_begin(struct tm_flow_targets *t, uint64_t uuid, int64_t begin_ns, int64_t end_ns,
                                     struct tm_error *err)
{
    struct tm_flow_stack *s = NULL;
    enum tm_status st = stack_of(t, uuid, &s, err);
    if (st < 0)
        return st;
    close_ended(s, begin_ns, begin_ns == end_ns);
    if (s->depth == TM_FLOW_TARGETS_DEPTH_MAX)
        return TM_OK;
    if ((st = tm_array_grow(&s->open, &s->cap, s->depth, sizeof *s->open, err)) == TM_OK)
        s->open[s->depth++] = (struct tm_flow_slice_span){begin_ns, end_ns};
    return st;
}

enum tm_status tm_flow_targets_cross(struct tm_flow_targets *t, uint64_t uuid, int64_t begin_ns, struct tm_error *err)
{
    struct tm_flow_stack *s = NULL;
    enum tm_status st = stack_of(t, uuid, &s, err);
    if (st == TM_OK)
        close_ended(s, begin_ns, false);
    return st;
}

enum tm_status tm_flow_targets_end(struct tm_flow_targets *t, uint64_t uuid, int64_t ts_ns, struct tm_error *err)
{
    struct tm_flow_stack *s = NULL;
    enum tm_status st = stack_of(t, uuid, &s, err);
    if (st < 0)
        return st;
    close_ended(s, ts_ns, false);
    uint32_t i = s->depth;
    while (i > 0 && !is_open(&s->open[i - 1]))
        i--;
    if (i > 0)
        s->open[i - 1].end_ns = ts_ns;
    s->depth -= i > 0 && i == s->depth;
    return TM_OK;
}

/* Notes that FLOW has an event at NOW_NS. */
static enum tm_status note(struct tm_flow_targets *t, uint64_t flow, int64_t now_ns, struct tm_error *err)
{
    const struct tm_key key = {flow, 0, 0};
    if (t->recent.count >= TM_FLOW_TARGETS_MAX) {
        struct tm_table old = t->before;
        t->before = t->recent;
        tm_table_clear(&old);
        t->recent = old;
    }
    return tm_table_set(&t->recent, &key, now_ns < 0 ? 0 : now_ns, err);
}

static int64_t last_of(const struct tm_flow_targets *t, uint64_t flow)
{
    const struct tm_key key = {flow, 0, 0};
    int64_t ns = tm_table_find(&t->recent, &key);
    return ns != TM_TABLE_NONE ? ns : tm_table_find(&t->before, &key);
}

enum tm_status tm_flow_targets_bind(struct tm_flow_targets *t, uint64_t uuid, uint64_t flow, int64_t *ts_ns,
                                    struct tm_error *err)
{
    struct tm_flow_stack *s = NULL;
    enum tm_status st = stack_of(t, uuid, &s, err);
    if (st < 0 || s->depth == 0) /* without a slice it has no effect on its flow */
        return st;
    if (s->open[s->depth - 1].end_ns <= *ts_ns) {
        const struct tm_flow_slice_span *span = &s->open[s->depth - 1];
        int64_t last_ns = last_of(t, flow), at_ns = last_ns > span->begin_ns ? last_ns : span->begin_ns;
        if (at_ns == span->begin_ns || at_ns < span->end_ns)
            *ts_ns = at_ns;
    }
    return note(t, flow, *ts_ns, err);
}

void tm_flow_targets_release(struct tm_flow_targets *t)
{
    for (uint32_t i = 0; i < tm_track_numbers_count(&t->tracks); i++)
        free(t->stacks[i].open);
    free(t->stacks);
    tm_track_numbers_release(&t->tracks);
    tm_table_release(&t->recent);
    tm_table_release(&t->before);
    *t = (struct tm_flow_targets){0};
}
