#include "stream/slice_stack.h"

#include "base/hash.h"
#include "base/table.h"
#include "stream/event.h"

#include <stdlib.h>

tm_slice_label tm_slice_label_of(uint32_t string, struct tm_text text)
{
    if (text.data == NULL)
        return 0;
    return string & TM_STRING_INLINE ? tm_hash64(text.data, text.len) | TM_SLICE_LABEL_HASH : string;
}

enum tm_status tm_slice_stack_settle(struct tm_slice_stack *stack, int64_t ts, int64_t dur,
                                     const struct tm_slice_cut *cut, struct tm_error *err)
{
    bool open_above = false;
    for (uint32_t i = stack->depth; i-- > 0;) {
        const struct tm_open_slice *s = &stack->slices[i];
        if (s->dur < 0) {
            open_above = true;
            continue;
        }
        int64_t end = tm_slice_end_ns(s->ts, s->dur);
        if (open_above) {
            if (ts <= end)
                continue;
            enum tm_status st = cut->cut(cut->self, s + 1, stack->depth - i - 1, end, err);
            if (st < 0)
                return st;
            stack->depth = i;
            open_above = false;
        } else if (end < ts || (end == ts && !(s->dur == 0 && dur == 0))) {
            stack->depth--; /* removes the innermost, even if that is not S, as the reference importer does */
        } else if (dur >= 0 && ts < end && tm_slice_end_ns(ts, dur) > end) {
            return TM_END;
        }
    }
    return TM_OK;
}

enum tm_status tm_slice_stack_predict(const struct tm_slice_stack *stack, int64_t ts, const struct tm_slice_cut *cut,
                                      struct tm_error *err)
{
    struct tm_slice_stack copy = *stack; /* settling changes its depth alone */
    return tm_slice_stack_settle(&copy, ts, -1, cut, err);
}

enum tm_status tm_slice_stack_push(struct tm_slice_stack *stack, const struct tm_open_slice *slice,
                                   struct tm_error *err)
{
    if (stack->depth >= TM_SLICES_DEPTH_MAX)
        return TM_END;
    enum tm_status st = tm_array_grow(&stack->slices, &stack->cap, stack->depth, sizeof *stack->slices, err);
    if (st == TM_OK)
        stack->slices[stack->depth++] = *slice;
    return st;
}

struct tm_open_slice *tm_slice_stack_ended(const struct tm_slice_stack *stack, const tm_slice_label label[2])
{
    for (uint32_t i = stack->depth; i-- > 0;) {
        struct tm_open_slice *s = &stack->slices[i];
        if (s->dur < 0 && tm_slice_label_fits(s->label, label))
            return s;
    }
    return NULL;
}

void tm_slice_stack_end(struct tm_slice_stack *stack, struct tm_open_slice *slice, int64_t ts)
{
    slice->dur = ts - slice->ts;
    stack->depth -= slice == &stack->slices[stack->depth - 1];
}

enum tm_status tm_slice_stack_close(struct tm_slice_stack *stack, const struct tm_stated_end *end,
                                    const struct tm_slice_cut *cut, struct tm_open_slice *ended, struct tm_error *err)
{
    enum tm_status st = tm_slice_stack_settle(stack, end->ts, -1, cut, err);
    struct tm_open_slice *slice = st < 0 ? NULL : tm_slice_stack_ended(stack, end->label);
    if (slice == NULL)
        return st < 0 ? st : TM_END;
    tm_slice_stack_end(stack, slice, end->ts);
    *ended = *slice; /* its memory is valid until the next push */
    return TM_OK;
}

void tm_slice_stack_remove(struct tm_slice_stack *stack, int64_t id)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stack->depth; i++) {
        const struct tm_open_slice *s = &stack->slices[i], *below = kept ? &stack->slices[kept - 1] : NULL;
        if (s->id == id)
            continue;
        /* A slice that had ended before S began stayed only because of the slice above it, which is removed now. */
        kept -= below && below->dur >= 0 && tm_slice_end_ns(below->ts, below->dur) <= s->ts && (below->dur || s->dur);
        stack->slices[kept++] = *s;
    }
    stack->depth = kept;
}

void tm_slice_stack_release(struct tm_slice_stack *stack)
{
    free(stack->slices);
    *stack = (struct tm_slice_stack){0};
}
