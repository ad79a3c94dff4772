#include "model/slices.h"

#include "base/table.h"

#include <stdlib.h>

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

/* Writes the ends of slices that are cut short at END_NS, the innermost first. */
static enum tm_status cut_short(void *self, const struct tm_open_slice *cut, uint32_t count, int64_t end_ns,
                                struct tm_error *err)
{
    struct tm_slices *slices = self;
    slices->cut_short++;
    for (uint32_t i = count; slices->rows && i-- > 0;) {
        const struct tm_open_slice *s = &cut[i];
        enum tm_status st = slices->rows->slice_end(slices->rows->self, s->id, end_ns - s->ts, s->value, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

static enum tm_status settle(struct tm_slices *slices, struct tm_slice_stack *stack, int64_t ts, int64_t dur,
                             struct tm_error *err)
{
    return tm_slice_stack_settle(stack, ts, dur, &(struct tm_slice_cut){slices, cut_short}, err);
}

enum tm_status tm_slices_predict(const struct tm_slices *slices, uint32_t track, int64_t ts,
                                 const struct tm_slice_cut *cut, struct tm_error *err)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    return stack ? tm_slice_stack_predict(stack, ts, cut, err) : TM_OK;
}

static enum tm_status push(struct tm_slices *slices, struct tm_slice_stack *stack, const struct tm_open_slice *slice,
                           struct tm_error *err)
{
    uint32_t before = stack->cap;
    if (stack->depth == stack->cap && slices->slots + before >= TM_SLICES_SLOTS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d slices are open at one time (TM_SLICES_SLOTS_MAX)",
                            TM_SLICES_SLOTS_MAX);
    enum tm_status st = tm_slice_stack_push(stack, slice, err);
    slices->slots += stack->cap - before;
    return st;
}

enum tm_status tm_slices_begin(struct tm_slices *slices, struct tm_slice_row *row, const tm_slice_label label[2],
                               bool *crosses, struct tm_error *err)
{
    struct tm_slice_stack *stack;
    enum tm_status st = stack_get(slices, row->track, &stack, err);
    *crosses = false;
    if (st < 0 || (st = settle(slices, stack, row->ts, row->dur, err)) < 0)
        return st;
    if (st == TM_END) {
        *crosses = true;
        return TM_END;
    }
    if (stack->depth >= TM_SLICES_DEPTH_MAX) {
        slices->too_deep++;
        return TM_END;
    }
    row->id = slices->next_id;
    row->depth = stack->depth;
    row->parent = stack->depth ? stack->slices[stack->depth - 1].id : TM_NO_ID;
    const struct tm_open_slice slice = {row->ts, row->dur, {label[0], label[1]}, row->id, row->arg_set};
    if ((st = push(slices, stack, &slice, err)) < 0)
        return st;
    slices->next_id++;
    return slices->rows ? slices->rows->slice(slices->rows->self, row, err) : TM_OK;
}

bool tm_slices_has_any(const struct tm_slices *slices, uint32_t track)
{
    const struct tm_slice_stack *stack = stack_find(slices, track);
    return stack && stack->depth;
}

enum tm_status tm_slices_end(struct tm_slices *slices, uint32_t track, const struct tm_stated_end *end,
                             struct tm_open_slice *ended, struct tm_error *err)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    const struct tm_slice_cut cut = {slices, cut_short};
    enum tm_status st = stack ? tm_slice_stack_close(stack, end, &cut, ended, err) : TM_END;
    slices->unmatched_ends += st == TM_END;
    return st;
}

enum tm_status tm_slices_find_ended(struct tm_slices *slices, uint32_t track, const struct tm_stated_end *end,
                                    int64_t *id, struct tm_error *err)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    enum tm_status st = stack ? settle(slices, stack, end->ts, -1, err) : TM_OK;
    const struct tm_open_slice *s = stack && st >= 0 ? tm_slice_stack_ended(stack, end->label) : NULL;
    *id = s ? s->id : TM_NO_ID;
    return st < 0 ? st : TM_OK;
}

int64_t *tm_slices_args(struct tm_slices *slices, uint32_t track, const tm_slice_label label[2], int64_t *id)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    struct tm_open_slice *s = stack ? tm_slice_stack_ended(stack, label) : NULL;
    if (s == NULL)
        return NULL;
    *id = s->id;
    return &s->value;
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
    const struct tm_open_slice *s = &stack->slices[i];
    *view = (struct tm_slice_view){s->id, s->ts, s->dur < 0};
    return true;
}

void tm_slices_remove(struct tm_slices *slices, uint32_t track, int64_t id)
{
    struct tm_slice_stack *stack = stack_find(slices, track);
    if (stack)
        tm_slice_stack_remove(stack, id);
}

void tm_slices_release(struct tm_slices *slices)
{
    for (uint32_t i = 0; i < slices->stack_count; i++)
        tm_slice_stack_release(&slices->stacks[i]);
    free(slices->stacks);
    *slices = (struct tm_slices){0};
}
