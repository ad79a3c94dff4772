#include "emit/chrome_json/spans.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static struct tm_json_span_stack *find(const struct tm_json_spans *spans, uint64_t key)
{
    uint32_t number;
    return tm_map_find(&spans->by_key, key, &number) ? &spans->stacks[number - 1] : NULL;
}

static struct tm_json_span_stack *get(struct tm_json_spans *spans, uint64_t key)
{
    struct tm_json_span_stack *stack = find(spans, key);
    if (stack)
        return stack;
    if (tm_array_grow(&spans->stacks, &spans->cap, spans->count, sizeof *spans->stacks, NULL) < 0)
        return NULL;
    if (tm_map_set(&spans->by_key, key, spans->count + 1) != TM_OK)
        return NULL;
    spans->stacks[spans->count] = (struct tm_json_span_stack){0};
    return &spans->stacks[spans->count++];
}

/* A slice begins at TS_NS. Marks the innermost open slices of STACK that began at the same time as crossed (spans.h).
 * Stops at one that is marked already, since those around it are marked too. */
static void cross(struct tm_json_span_stack *stack, int64_t ts_ns)
{
    for (uint32_t i = stack->depth; i > stack->begun && stack->spans[i - 1].ts_ns == ts_ns; i--) {
        if (stack->spans[i - 1].is_crossed)
            break;
        stack->spans[i - 1].is_crossed = true;
    }
}

/* The stack of AT, on its lane at TS_NS, or NULL. */
static struct tm_json_span_stack *take(struct tm_json_spans *spans, const struct tm_json_span_at *at, int64_t ts_ns,
                                       bool is_bound)
{
    struct tm_json_span_stack *stack = get(spans, at->stack);
    if (stack == NULL ||
        tm_json_lanes_join(spans->lanes, &stack->holder, &at->owner) < 0 ||
        (is_bound ? tm_json_lanes_take_bare(spans->lanes, &stack->holder)
                  : tm_json_lanes_take(spans->lanes, &stack->holder, ts_ns)) < 0)
        return NULL;
    return stack;
}

/* Notes what keeps other stacks from STACK's lane. */
static void hold(struct tm_json_spans *spans, const struct tm_json_span_stack *stack)
{
    tm_json_lanes_hold(spans->lanes, &stack->holder, stack->depth || stack->awaits);
}

enum tm_status tm_json_spans_open(struct tm_json_spans *spans, const struct tm_json_span_at *at,
                                  const struct tm_json_span_view *view, const tm_slice_label labels[2], bool *is_full)
{
    struct tm_json_span_stack *stack = take(spans, at, view->ts_ns, false);
    if (stack == NULL ||
        tm_array_grow(&stack->spans, &stack->cap, stack->depth, sizeof *stack->spans, NULL) < 0 ||
        tm_buf_add(&stack->bytes, view->text, view->text_len) != TM_OK ||
        tm_buf_add(&stack->bytes, view->detail, view->detail_len) != TM_OK)
        return TM_E_SYSTEM;
    cross(stack, view->ts_ns);
    tm_json_lanes_use(spans->lanes, &stack->holder, view->ts_ns, view->ts_ns);
    *is_full = stack->begun && stack->begun == stack->depth && stack->spans[stack->depth - 1].ts_ns == view->ts_ns;
    stack->spans[stack->depth++] = (struct tm_json_span){.ts_ns = view->ts_ns,
                                                         .pid = at->owner.pid,
                                                         .order = spans->order++,
                                                         .label = {labels[0], labels[1]},
                                                         .text_len = (uint32_t)view->text_len,
                                                         .detail_len = (uint32_t)view->detail_len};
    stack->awaits = false;
    hold(spans, stack);
    spans->bytes += view->text_len + view->detail_len + sizeof *stack->spans;
    *is_full |= spans->bytes > TM_JSON_SPAN_BYTES_MAX;
    return TM_OK;
}

enum tm_status tm_json_spans_complete(struct tm_json_spans *spans, const struct tm_json_span_at *at, int64_t end_ns,
                                      struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = take(spans, at, view->ts_ns, false);
    if (stack == NULL)
        return TM_E_SYSTEM;
    cross(stack, view->ts_ns);
    tm_json_lanes_use(spans->lanes, &stack->holder, view->ts_ns, end_ns);
    stack->awaits = false;
    hold(spans, stack);
    view->thread = stack->holder.thread - 1;
    view->lane = stack->holder.lane;
    return TM_OK;
}

enum tm_status tm_json_spans_touch(struct tm_json_spans *spans, const struct tm_json_span_at *at, int64_t ts_ns,
                                   enum tm_json_span_touch touch, struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = take(spans, at, ts_ns, touch == TM_JSON_SPAN_BOUND);
    if (stack == NULL)
        return TM_E_SYSTEM;
    tm_json_lanes_use(spans->lanes, &stack->holder, ts_ns, ts_ns);
    stack->awaits = touch == TM_JSON_SPAN_AWAITS || (stack->awaits && touch == TM_JSON_SPAN_BOUND);
    hold(spans, stack);
    view->thread = stack->holder.thread - 1;
    view->lane = stack->holder.lane;
    return TM_OK;
}

/* Reads SPAN, whose bytes start at AT. */
static void show(const struct tm_json_span_stack *stack, const struct tm_json_span *span, size_t at,
                 struct tm_json_span_view *view)
{
    *view = (struct tm_json_span_view){.ts_ns = span->ts_ns,
                                       .pid = span->pid,
                                       .file = stack->holder.file,
                                       .thread = stack->holder.thread - 1,
                                       .lane = stack->holder.lane,
                                       .order = span->order,
                                       .text = stack->bytes.data + at,
                                       .detail = stack->bytes.data + at + span->text_len,
                                       .text_len = span->text_len,
                                       .detail_len = span->detail_len};
}

/* The index plus 1 in STACK of the slice that LABELS refer to; 0: none. */
static uint32_t find_ended(const struct tm_json_span_stack *stack, const tm_slice_label labels[2])
{
    uint32_t i = stack ? stack->depth : 0;
    while (i > 0 && !tm_slice_label_fits(stack->spans[i - 1].label, labels))
        i--;
    return i;
}

enum tm_status tm_json_spans_add(struct tm_json_spans *spans, uint64_t key, const tm_slice_label labels[2],
                                 const uint8_t *detail, size_t len)
{
    struct tm_json_span_stack *stack = find(spans, key);
    uint32_t i = find_ended(stack, labels);
    if (i == 0 || i <= stack->begun)
        return i ? TM_OK : TM_END;
    size_t inner_len = 0;
    for (uint32_t k = i; k < stack->depth; k++)
        inner_len += (size_t)stack->spans[k].text_len + stack->spans[k].detail_len;
    if (tm_buf_add(&stack->bytes, detail, len) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *at = stack->bytes.data + stack->bytes.len - len - inner_len;
    memmove(at + len, at, inner_len);
    if (len)
        memcpy(at, detail, len);
    stack->spans[i - 1].detail_len += (uint32_t)len;
    spans->bytes += len;
    return TM_OK;
}

enum tm_json_span_fate tm_json_spans_close(struct tm_json_spans *spans, uint64_t key, int64_t ts_ns,
                                           const tm_slice_label labels[2], struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = find(spans, key);
    uint32_t i = find_ended(stack, labels);
    if (i == 0)
        return TM_JSON_SPAN_NONE;
    if (i > stack->begun && i < stack->depth)
        return TM_JSON_SPAN_INNER;
    struct tm_json_span *span = &stack->spans[i - 1];
    spans->bytes -= sizeof *span;
    if (i <= stack->begun) {
        memmove(span, span + 1, (stack->depth - i) * sizeof *span);
        stack->depth--;
        stack->begun--;
        *view = (struct tm_json_span_view){.thread = stack->holder.thread - 1, .lane = stack->holder.lane};
        tm_json_lanes_use(spans->lanes, &stack->holder, INT64_MIN, ts_ns);
        hold(spans, stack);
        return TM_JSON_SPAN_BEGUN;
    }
    size_t len = (size_t)span->text_len + span->detail_len;
    stack->bytes.len -= len;
    show(stack, span, stack->bytes.len, view);
    stack->depth--;
    spans->bytes -= len;
    tm_json_lanes_use(spans->lanes, &stack->holder, INT64_MIN, ts_ns);
    hold(spans, stack);
    return TM_JSON_SPAN_WHOLE;
}

/* The outermost slice of STACK that was not written. */
static bool begin_next(struct tm_json_spans *spans, struct tm_json_span_stack *stack, struct tm_json_span_view *view)
{
    if (stack->begun == stack->depth)
        return false;
    const struct tm_json_span *span = &stack->spans[stack->begun++];
    size_t len = (size_t)span->text_len + span->detail_len;
    show(stack, span, stack->front, view);
    stack->front += len;
    spans->bytes -= len;
    if (stack->begun == stack->depth)
        stack->front = stack->bytes.len = 0; /* the bytes stay until the next open */
    return true;
}

enum tm_status tm_json_spans_write(struct tm_json_spans *spans, uint64_t key)
{
    struct tm_json_span_stack *stack = find(spans, key);
    bool is_crossed = false;
    if (stack == NULL || stack->begun == stack->depth)
        return TM_OK;
    for (uint32_t i = stack->begun; i < stack->depth; i++)
        is_crossed |= stack->spans[i].is_crossed;
    if (!is_crossed || stack->begun)
        return TM_OK;
    return tm_json_lanes_leave(spans->lanes, &stack->holder, stack->spans[stack->begun].ts_ns);
}

bool tm_json_spans_next_begin(struct tm_json_spans *spans, uint64_t key, struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = find(spans, key);
    return stack && begin_next(spans, stack, view);
}

enum tm_status tm_json_spans_rest(struct tm_json_spans *spans, struct tm_json_span_view *view)
{
    for (; spans->rest < spans->count; spans->rest++) {
        struct tm_json_span_stack *stack = &spans->stacks[spans->rest];
        bool is_crossed = stack->begun < stack->depth && stack->spans[stack->begun].is_crossed;
        if (begin_next(spans, stack, view))
            return tm_json_lanes_endless(spans->lanes, &stack->holder, is_crossed, &view->lane);
    }
    return TM_END;
}

void tm_json_spans_release(struct tm_json_spans *spans)
{
    for (uint32_t i = 0; i < spans->count; i++) {
        free(spans->stacks[i].spans);
        tm_buf_release(&spans->stacks[i].bytes);
    }
    free(spans->stacks);
    tm_map_release(&spans->by_key);
    *spans = (struct tm_json_spans){.lanes = spans->lanes};
}
