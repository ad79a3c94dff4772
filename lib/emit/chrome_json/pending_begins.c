#include "emit/chrome_json/pending_begins.h"

#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t tm_json_begins_find(const struct tm_json_begins *begins, uint64_t key)
{
    uint32_t number;
    return tm_map_find(&begins->by_key, key, &number) ? number : 0;
}

uint32_t tm_json_begins_get(struct tm_json_begins *begins, uint64_t key)
{
    uint32_t number = tm_json_begins_find(begins, key);
    if (number)
        return number;
    if (tm_array_grow(&begins->stacks, &begins->cap, begins->count, sizeof *begins->stacks, NULL) < 0 ||
        tm_map_set(&begins->by_key, key, begins->count + 1) != TM_OK)
        return 0;
    begins->stacks[begins->count] = (struct tm_json_begin_stack){0};
    return ++begins->count;
}

/* Returns the stack with NUMBER; NULL: 0. */
static struct tm_json_begin_stack *stack_of(const struct tm_json_begins *begins, uint32_t number)
{
    return number ? &begins->stacks[number - 1] : NULL;
}

/* Called when a slice begins at TS_NS. Marks the innermost open slices of STACK that began at the same time as crossed
 * (pending_begins.h). Stops at one that is marked already, since those around it are marked too. */
static void mark_crossed(struct tm_json_begin_stack *stack, int64_t ts_ns)
{
    for (uint32_t i = stack->depth; i > stack->begun && stack->begins[i - 1].ts_ns == ts_ns; i--) {
        if (stack->begins[i - 1].is_crossed)
            break;
        stack->begins[i - 1].is_crossed = true;
    }
}

/* Returns the stack of AT, on its lane from TS_NS on, or on its last lane if IS_BOUND. NULL: out of memory. */
static struct tm_json_begin_stack *use_lane(struct tm_json_begins *begins, const struct tm_json_begin_at *at,
                                            int64_t ts_ns, bool is_bound)
{
    struct tm_json_begin_stack *stack = stack_of(begins, at->stack);
    if (stack == NULL || tm_json_lanes_join(begins->lanes, &stack->holder, &at->owner) < 0 ||
        (is_bound ? tm_json_lanes_take_last(begins->lanes, &stack->holder)
                  : tm_json_lanes_take(begins->lanes, &stack->holder, ts_ns)) < 0)
        return NULL;
    return stack;
}

/* Reserves the lane for STACK while a slice is open or a flow awaits the next one. */
static void note_open(struct tm_json_begins *begins, const struct tm_json_begin_stack *stack)
{
    tm_json_lanes_set_open(begins->lanes, &stack->holder, stack->depth || stack->awaits);
}

/* Returns the bytes of BEGIN's texts. */
static size_t bytes_of(const struct tm_json_begin *begin)
{
    return (size_t)begin->category_bytes + begin->name_bytes + begin->detail_bytes;
}

enum tm_status tm_json_begins_open(struct tm_json_begins *begins, const struct tm_json_begin_at *at,
                                   const struct tm_json_begin_view *view, const tm_slice_label labels[2], bool *is_full)
{
    struct tm_json_begin_stack *stack = use_lane(begins, at, view->ts_ns, false);
    if (stack == NULL || tm_array_grow(&stack->begins, &stack->cap, stack->depth, sizeof *stack->begins, NULL) < 0 ||
        tm_buf_add(&stack->bytes, view->category.data, view->category.len) != TM_OK ||
        tm_buf_add(&stack->bytes, view->name.data, view->name.len) != TM_OK ||
        tm_buf_add(&stack->bytes, view->detail.data, view->detail.len) != TM_OK)
        return TM_E_SYSTEM;
    mark_crossed(stack, view->ts_ns);
    tm_json_lanes_use(begins->lanes, &stack->holder, view->ts_ns, view->ts_ns);
    *is_full = stack->begun && stack->begun == stack->depth && stack->begins[stack->depth - 1].ts_ns == view->ts_ns;
    stack->begins[stack->depth++] = (struct tm_json_begin){.ts_ns = view->ts_ns,
                                                           .pid = at->owner.pid,
                                                           .order = begins->order++,
                                                           .label = {labels[0], labels[1]},
                                                           .category_bytes = (uint32_t)view->category.len,
                                                           .name_bytes = (uint32_t)view->name.len,
                                                           .detail_bytes = (uint32_t)view->detail.len,
                                                           .has_category = view->category.data != NULL};
    stack->awaits = false;
    note_open(begins, stack);
    begins->bytes += bytes_of(&stack->begins[stack->depth - 1]) + sizeof *stack->begins;
    *is_full |= begins->bytes > TM_JSON_BEGIN_BYTES_MAX;
    return TM_OK;
}

/* Sets the place of VIEW to that of STACK. */
static void show_place(const struct tm_json_begin_stack *stack, struct tm_json_begin_view *view)
{
    view->thread = stack->holder.thread - 1;
    view->lane = stack->holder.lane;
}

void tm_json_begins_place(const struct tm_json_begins *begins, uint32_t number, struct tm_json_begin_view *view)
{
    show_place(stack_of(begins, number), view);
}

enum tm_status tm_json_begins_complete(struct tm_json_begins *begins, const struct tm_json_begin_at *at, int64_t end_ns,
                                       struct tm_json_begin_view *view)
{
    struct tm_json_begin_stack *stack = use_lane(begins, at, view->ts_ns, false);
    if (stack == NULL)
        return TM_E_SYSTEM;
    mark_crossed(stack, view->ts_ns);
    tm_json_lanes_use(begins->lanes, &stack->holder, view->ts_ns, end_ns);
    stack->awaits = false;
    note_open(begins, stack);
    show_place(stack, view);
    return TM_OK;
}

enum tm_status tm_json_begins_point(struct tm_json_begins *begins, const struct tm_json_begin_at *at, int64_t ts_ns,
                                    enum tm_json_begin_binding binding, struct tm_json_begin_view *view)
{
    struct tm_json_begin_stack *stack = use_lane(begins, at, ts_ns, binding == TM_JSON_BEGIN_BOUND);
    if (stack == NULL)
        return TM_E_SYSTEM;
    tm_json_lanes_use(begins->lanes, &stack->holder, ts_ns, ts_ns);
    stack->awaits = binding == TM_JSON_BEGIN_AWAITS || (stack->awaits && binding == TM_JSON_BEGIN_BOUND);
    note_open(begins, stack);
    show_place(stack, view);
    return TM_OK;
}

/* Reads BEGIN, whose bytes start at AT. */
static void show(const struct tm_json_begin_stack *stack, const struct tm_json_begin *begin, size_t at,
                 struct tm_json_begin_view *view)
{
    static const uint8_t none[1]; /* empty texts need no memory, but they have data */
    const uint8_t *p = stack->bytes.data ? stack->bytes.data + at : none;
    *view = (struct tm_json_begin_view){.ts_ns = begin->ts_ns,
                                        .pid = begin->pid,
                                        .file = stack->holder.file,
                                        .thread = stack->holder.thread - 1,
                                        .lane = stack->holder.lane,
                                        .index = (uint32_t)(begin - stack->begins),
                                        .has_end = begin->has_ended,
                                        .end_ns = stack->ended_ns,
                                        .order = begin->order,
                                        .category = {begin->has_category ? p : NULL, begin->category_bytes},
                                        .name = {p + begin->category_bytes, begin->name_bytes},
                                        .detail = {p + begin->category_bytes + begin->name_bytes, begin->detail_bytes}};
}

/* Finds the index plus 1 in STACK of the open slice that LABELS refer to; 0: none of the innermost TM_SLICES_DEPTH_MAX,
 * as many as the reference importer keeps. */
static uint32_t find_ended(const struct tm_json_begin_stack *stack, const tm_slice_label labels[2])
{
    const uint32_t depth = stack ? stack->depth : 0;
    const uint32_t outer = depth > TM_SLICES_DEPTH_MAX ? depth - TM_SLICES_DEPTH_MAX : 0; /* not searched */
    for (uint32_t i = depth; i > outer; i--)
        if (!stack->begins[i - 1].has_ended && tm_slice_label_fits(stack->begins[i - 1].label, labels))
            return i;
    return 0;
}

/* Returns the bytes of the texts of the slices within slice I, an index plus 1, of STACK. */
static size_t bytes_within(const struct tm_json_begin_stack *stack, uint32_t i)
{
    size_t len = 0;
    for (; i < stack->depth; i++)
        len += bytes_of(&stack->begins[i]);
    return len;
}

/* Adds DETAIL to slice I, an index plus 1, of STACK. TM_OK or TM_E_SYSTEM. */
static enum tm_status add_detail(struct tm_json_begins *begins, struct tm_json_begin_stack *stack, uint32_t i,
                                 struct tm_text detail)
{
    const size_t inner_len = bytes_within(stack, i);
    if (tm_buf_add(&stack->bytes, detail.data, detail.len) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *at = stack->bytes.data + stack->bytes.len - detail.len - inner_len;
    memmove(at + detail.len, at, inner_len);
    if (detail.len)
        memcpy(at, detail.data, detail.len);
    stack->begins[i - 1].detail_bytes += (uint32_t)detail.len;
    begins->bytes += detail.len;
    return TM_OK;
}

enum tm_status tm_json_begins_add(struct tm_json_begins *begins, uint32_t number, const tm_slice_label labels[2],
                                  const uint8_t *detail, size_t len)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    uint32_t i = find_ended(stack, labels);
    if (i == 0 || i <= stack->begun)
        return i ? TM_OK : TM_END;
    return add_detail(begins, stack, i, (struct tm_text){detail, len});
}

/* Removes the innermost slice of STACK, which ends at TS_NS. */
static void pop(struct tm_json_begins *begins, struct tm_json_begin_stack *stack, int64_t ts_ns,
                struct tm_json_begin_view *view)
{
    struct tm_json_begin *begin = &stack->begins[stack->depth - 1];
    size_t len = bytes_of(begin);
    stack->bytes.len -= len;
    show(stack, begin, stack->bytes.len, view);
    stack->depth--;
    begins->bytes -= len + sizeof *begin;
    tm_json_lanes_use(begins->lanes, &stack->holder, INT64_MIN, ts_ns);
    note_open(begins, stack);
}

bool tm_json_begins_take_ended(struct tm_json_begins *begins, uint32_t number, int64_t ts_ns,
                               struct tm_json_begin_view *view)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    if (stack == NULL || stack->ended == 0 ||
        (ts_ns <= stack->ended_ns && !stack->begins[stack->depth - 1].has_ended))
        return false;
    pop(begins, stack, stack->ended_ns, view);
    view->has_end = true;
    if (stack->depth < stack->ended) {
        stack->ended = 0;
        begins->ended_count--;
    }
    return true;
}

/* Removes slice I, an index plus 1, of STACK, which was written as a begin and ends at TS_NS. */
static void remove_begun(struct tm_json_begins *begins, struct tm_json_begin_stack *stack, uint32_t i, int64_t ts_ns)
{
    struct tm_json_begin *begin = &stack->begins[i - 1];
    memmove(begin, begin + 1, (stack->depth - i) * sizeof *begin);
    begins->bytes -= sizeof *begin;
    stack->depth--;
    stack->begun--;
    stack->ended -= stack->ended > 0; /* those that have ended are within it */
    tm_json_lanes_use(begins->lanes, &stack->holder, INT64_MIN, ts_ns);
    note_open(begins, stack);
}

enum tm_json_end_result tm_json_begins_close(struct tm_json_begins *begins, uint32_t number, int64_t ts_ns,
                                             const tm_slice_label labels[2], struct tm_json_begin_view *view)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    uint32_t i = find_ended(stack, labels);
    if (i == 0)
        return TM_JSON_END_NONE;
    if (i <= stack->begun) {
        remove_begun(begins, stack, i, ts_ns);
        *view = (struct tm_json_begin_view){.thread = stack->holder.thread - 1, .lane = stack->holder.lane};
        return TM_JSON_END_WRITTEN;
    }
    if (i < stack->depth) {
        const struct tm_json_begin *begin = &stack->begins[i - 1];
        show(stack, begin, stack->bytes.len - bytes_within(stack, i) - bytes_of(begin), view);
        return TM_JSON_END_OUTER;
    }
    pop(begins, stack, ts_ns, view);
    return TM_JSON_END_COMPLETE;
}

enum tm_status tm_json_begins_end(struct tm_json_begins *begins, uint32_t number, uint32_t index, int64_t ts_ns,
                                  struct tm_text detail)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    assert(stack); /* tm_json_begins_close has found a slice of it */
    stack->begins[index].has_ended = true;
    stack->ended_ns = ts_ns;
    begins->ended_count += stack->ended == 0;
    if (stack->ended == 0 || index < stack->ended)
        stack->ended = index + 1;
    return add_detail(begins, stack, index + 1, detail);
}

/* Takes the outermost slice of STACK that was not written. One that has ended is removed. False: there is none. */
static bool begin_next(struct tm_json_begins *begins, struct tm_json_begin_stack *stack,
                       struct tm_json_begin_view *view)
{
    if (stack->begun == stack->depth)
        return false;
    struct tm_json_begin *begin = &stack->begins[stack->begun];
    size_t len = bytes_of(begin);
    show(stack, begin, stack->front, view);
    stack->front += len;
    begins->bytes -= len;
    if (begin->has_ended) {
        begins->bytes -= sizeof *begin;
        stack->depth--;
        memmove(begin, begin + 1, (stack->depth - stack->begun) * sizeof *begin);
    } else {
        stack->begun++;
    }
    if (stack->begun == stack->depth) {
        stack->front = stack->bytes.len = 0; /* the bytes stay until the next open */
        begins->ended_count -= stack->ended > 0;
        stack->ended = 0;
    }
    return true;
}

enum tm_status tm_json_begins_write_open(struct tm_json_begins *begins, uint32_t number)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    bool is_crossed = false;
    if (stack == NULL || stack->begun == stack->depth)
        return TM_OK;
    for (uint32_t i = stack->begun; i < stack->depth; i++)
        is_crossed |= stack->begins[i].is_crossed;
    if (!is_crossed || stack->begun)
        return TM_OK;
    return tm_json_lanes_leave(begins->lanes, &stack->holder, stack->begins[stack->begun].ts_ns);
}

bool tm_json_begins_next_begin(struct tm_json_begins *begins, uint32_t number, struct tm_json_begin_view *view)
{
    struct tm_json_begin_stack *stack = stack_of(begins, number);
    return stack && begin_next(begins, stack, view);
}

enum tm_status tm_json_begins_rest(struct tm_json_begins *begins, struct tm_json_begin_view *view)
{
    for (; begins->rest < begins->count; begins->rest++) {
        struct tm_json_begin_stack *stack = &begins->stacks[begins->rest];
        bool is_crossed = stack->begun < stack->depth && stack->begins[stack->begun].is_crossed;
        if (begin_next(begins, stack, view))
            return tm_json_lanes_endless(begins->lanes, &stack->holder, is_crossed && !view->has_end, &view->lane);
    }
    return TM_END;
}

void tm_json_begins_release(struct tm_json_begins *begins)
{
    for (uint32_t i = 0; i < begins->count; i++) {
        free(begins->stacks[i].begins);
        tm_buf_release(&begins->stacks[i].bytes);
    }
    free(begins->stacks);
    tm_map_release(&begins->by_key);
    *begins = (struct tm_json_begins){.lanes = begins->lanes};
}
