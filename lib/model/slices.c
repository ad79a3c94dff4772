#include "model/slices.h"

#include <stdlib.h>

struct open_slice {
    int64_t id, ts, dur, arg_set;
    tm_slice_label label[2];
};

struct tm_slice_stack {
    struct open_slice *slices;
    uint32_t depth, cap;
};

static enum tm_status no_slice(void *self, const struct tm_slice_row *row, struct tm_error *err)
{
    (void)self, (void)row, (void)err;
    return TM_OK;
}

static enum tm_status no_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    (void)self, (void)id, (void)dur, (void)arg_set, (void)err;
    return TM_OK;
}

const struct tm_rows tm_slices_no_rows = {.slice = no_slice, .slice_end = no_end};

static struct tm_slice_stack *stack_find(const struct tm_slices *slices, uint32_t track)
{
    return track < slices->stack_count ? &slices->stacks[track] : NULL;
}

static enum tm_status stack_get(struct tm_slices *slices, uint32_t track, struct tm_slice_stack **stack,
                                struct tm_error *err)
{
    while (slices->stack_count <= track) {
        enum tm_status st =
            tm_array_grow(&slices->stacks, &slices->stack_cap, slices->stack_count, sizeof *slices->stacks, err);
        if (st < 0)
            return st;
        slices->stacks[slices->stack_count++] = (struct tm_slice_stack){0};
    }
    *stack = &slices->stacks[track];
    return TM_OK;
}

/* The end of a closed slice, limited to INT64_MAX. */
static int64_t end_of(int64_t ts, int64_t dur)
{
    return ts > INT64_MAX - dur ? INT64_MAX : ts + dur;
}

/* Ends the open slices above slice I at the end of I, and removes them. */
static enum tm_status cut_short(struct tm_slices *slices, struct tm_slice_stack *stack, uint32_t i,
                                const struct tm_rows *rows, struct tm_error *err)
{
    int64_t end = end_of(stack->slices[i].ts, stack->slices[i].dur);
    slices->cut_short++;
    while (stack->depth > i + 1) {
        const struct open_slice *s = &stack->slices[--stack->depth];
        enum tm_status st = rows->slice_end(rows->self, s->id, end - s->ts, s->arg_set, err);
        if (st < 0)
            return st;
    }
    stack->depth = i;
    return TM_OK;
}

/* Removes the slices that have ended before an event of duration DUR (-1: unknown) at TS. TM_END: the event would cross
 * a slice. */
static enum tm_status settle(struct tm_slices *slices, struct tm_slice_stack *stack, int64_t ts, int64_t dur,
                             const struct tm_rows *rows, struct tm_error *err)
{
    bool open_above = false;
    for (uint32_t i = stack->depth; i-- > 0;) {
        const struct open_slice *s = &stack->slices[i];
        if (s->dur < 0) {
            open_above = true;
            continue;
        }
        int64_t end = end_of(s->ts, s->dur);
        if (open_above) {
            if (ts <= end)
                continue;
            enum tm_status st = cut_short(slices, stack, i, rows, err);
            if (st < 0)
                return st;
            open_above = false;
        } else if (end < ts || (end == ts && !(s->dur == 0 && dur == 0))) {
            stack->depth--;
        } else if (dur >= 0 && ts < end && end_of(ts, dur) > end) {
            return TM_END;
        }
    }
    return TM_OK;
}

void tm_slices_predict(const struct tm_slices *slices, uint32_t track, int64_t ts,
                       void (*show)(void *self, int64_t id, int64_t dur), void *self)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    uint32_t depth = stack ? stack->depth : 0;
    bool open_above = false;
    for (uint32_t i = depth; i-- > 0;) { /* by the rules of settle */
        const struct open_slice *s = &stack->slices[i];
        if (s->dur < 0) {
            open_above = true;
        } else if (!open_above) {
            depth -= end_of(s->ts, s->dur) <= ts;
        } else if (end_of(s->ts, s->dur) < ts) {
            for (; depth > i + 1; depth--)
                show(self, stack->slices[depth - 1].id, end_of(s->ts, s->dur) - stack->slices[depth - 1].ts);
            depth = i;
            open_above = false;
        }
    }
}

/* Makes room for one more slice of STACK. */
static enum tm_status make_room(struct tm_slices *slices, struct tm_slice_stack *stack, struct tm_error *err)
{
    uint32_t before = stack->cap;
    if (stack->depth == stack->cap && slices->room + before >= TM_SLICES_ROOM_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d slices are open at one time (TM_SLICES_ROOM_MAX)",
                            TM_SLICES_ROOM_MAX);
    enum tm_status st = tm_array_grow(&stack->slices, &stack->cap, stack->depth, sizeof *stack->slices, err);
    slices->room += stack->cap - before;
    return st;
}

enum tm_status tm_slices_begin(struct tm_slices *slices, struct tm_slice_row *row, const tm_slice_label label[2],
                               bool *crosses, const struct tm_rows *rows, struct tm_error *err)
{
    struct tm_slice_stack *stack;
    enum tm_status st = stack_get(slices, row->track, &stack, err);
    *crosses = false;
    if (st < 0 || (st = settle(slices, stack, row->ts, row->dur, rows, err)) < 0)
        return st;
    if (st == TM_END) {
        *crosses = true;
        return TM_END;
    }
    if (stack->depth >= TM_SLICES_DEPTH_MAX) {
        slices->too_deep++;
        return TM_END;
    }
    if ((st = make_room(slices, stack, err)) < 0)
        return st;
    row->id = slices->next_id++;
    row->depth = stack->depth;
    row->parent = stack->depth ? stack->slices[stack->depth - 1].id : TM_NO_ID;
    stack->slices[stack->depth++] =
        (struct open_slice){row->id, row->ts, row->dur, row->arg_set, {label[0], label[1]}};
    return rows->slice(rows->self, row, err);
}

bool tm_slices_busy(const struct tm_slices *slices, uint32_t track)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    return stack && stack->depth;
}

static bool contradicts(tm_slice_label wanted, tm_slice_label there, bool none_fits)
{
    return wanted && wanted != there && !(none_fits && there == 0);
}

/* The index plus 1 in STACK of the slice that an end with LABEL closes; 0: none. */
static uint32_t ended(const struct tm_slice_stack *stack, const tm_slice_label label[2])
{
    uint32_t i = stack ? stack->depth : 0;
    while (i > 0) {
        const struct open_slice *s = &stack->slices[i - 1];
        if (s->dur < 0 && !contradicts(label[0], s->label[0], true) && !contradicts(label[1], s->label[1], false))
            break;
        i--;
    }
    return i;
}

enum tm_status tm_slices_end(struct tm_slices *slices, uint32_t track, int64_t ts, const tm_slice_label label[2],
                             struct tm_slice_end *end, const struct tm_rows *rows, struct tm_error *err)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    enum tm_status st = stack ? settle(slices, stack, ts, -1, rows, err) : TM_OK;
    if (st < 0)
        return st;
    uint32_t i = ended(stack, label);
    if (stack == NULL || i == 0) {
        slices->unmatched_ends++;
        return TM_END;
    }
    struct open_slice *s = &stack->slices[i - 1];
    *end = (struct tm_slice_end){s->id, ts - s->ts, s->arg_set, {s->label[0], s->label[1]}};
    s->dur = end->dur;
    stack->depth -= i == stack->depth;
    return TM_OK;
}

enum tm_status tm_slices_find_ended(struct tm_slices *slices, uint32_t track, int64_t ts, const tm_slice_label label[2],
                                    int64_t *id, const struct tm_rows *rows, struct tm_error *err)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    enum tm_status st = stack ? settle(slices, stack, ts, -1, rows, err) : TM_OK;
    uint32_t i = st < 0 ? 0 : ended(stack, label);
    *id = stack && i ? stack->slices[i - 1].id : TM_NO_ID;
    return st < 0 ? st : TM_OK;
}

int64_t *tm_slices_args(struct tm_slices *slices, uint32_t track, const tm_slice_label label[2], int64_t *id)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    uint32_t i = ended(stack, label);
    if (i == 0)
        return NULL;
    *id = stack->slices[i - 1].id;
    return &stack->slices[i - 1].arg_set;
}

int64_t tm_slices_top(const struct tm_slices *slices, uint32_t track, int64_t *ts)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    if (stack == NULL || stack->depth == 0)
        return TM_NO_ID;
    *ts = stack->slices[stack->depth - 1].ts;
    return stack->slices[stack->depth - 1].id;
}

bool tm_slices_is_open(const struct tm_slices *slices, uint32_t track)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    for (uint32_t i = stack ? stack->depth : 0; i > 0; i--)
        if (stack->slices[i - 1].dur < 0)
            return true;
    return false;
}

bool tm_slices_at(const struct tm_slices *slices, uint32_t track, uint32_t i, struct tm_slice_view *view)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    if (stack == NULL || i >= stack->depth)
        return false;
    const struct open_slice *s = &stack->slices[i];
    *view = (struct tm_slice_view){s->id, s->ts, s->dur < 0};
    return true;
}

void tm_slices_forget(struct tm_slices *slices, uint32_t track, int64_t id)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    uint32_t kept = 0;
    for (uint32_t i = 0; stack && i < stack->depth; i++) {
        const struct open_slice *s = &stack->slices[i], *below = kept ? &stack->slices[kept - 1] : NULL;
        if (s->id == id)
            continue;
        /* A slice that had ended before S began stayed only because of the slice above it, which is removed now. */
        kept -= below && below->dur >= 0 && end_of(below->ts, below->dur) <= s->ts && (below->dur || s->dur);
        stack->slices[kept++] = *s;
    }
    if (stack)
        stack->depth = kept;
}

uint64_t tm_slices_open_count(const struct tm_slices *slices)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < slices->stack_count; i++)
        for (uint32_t j = 0; j < slices->stacks[i].depth; j++)
            count += slices->stacks[i].slices[j].dur < 0;
    return count;
}

void tm_slices_release(struct tm_slices *slices)
{
    for (uint32_t i = 0; i < slices->stack_count; i++)
        free(slices->stacks[i].slices);
    free(slices->stacks);
    *slices = (struct tm_slices){0};
}
