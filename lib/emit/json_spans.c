#include "emit/json_spans.h"

#include <stdlib.h>
#include <string.h>

static struct tm_json_span_stack *find(const struct tm_json_spans *spans, uint64_t thread)
{
    uint32_t number;
    return tm_map_find(&spans->by_thread, thread, &number) ? &spans->stacks[number - 1] : NULL;
}

static struct tm_json_span_stack *get(struct tm_json_spans *spans, uint64_t thread)
{
    struct tm_json_span_stack *stack = find(spans, thread);
    if (stack)
        return stack;
    if (spans->count == spans->cap) {
        uint32_t cap = spans->cap ? spans->cap * 2 : 64;
        struct tm_json_span_stack *grown = realloc(spans->stacks, cap * sizeof *grown);
        if (grown == NULL)
            return NULL;
        spans->stacks = grown;
        spans->cap = cap;
    }
    if (tm_map_set(&spans->by_thread, thread, spans->count + 1) != TM_OK)
        return NULL;
    spans->stacks[spans->count] = (struct tm_json_span_stack){0};
    return &spans->stacks[spans->count++];
}

enum tm_status tm_json_spans_open(struct tm_json_spans *spans, uint64_t thread, const struct tm_json_span_view *view,
                                  const uint64_t labels[2], bool *is_full)
{
    struct tm_json_span_stack *stack = get(spans, thread);
    if (stack == NULL)
        return TM_E_SYSTEM;
    if (stack->depth == stack->cap) {
        uint32_t cap = stack->cap ? stack->cap * 2 : 8;
        struct tm_json_span *grown = realloc(stack->spans, cap * sizeof *grown);
        if (grown == NULL)
            return TM_E_SYSTEM;
        stack->spans = grown;
        stack->cap = cap;
    }
    if (tm_buf_add(&stack->bytes, view->text, view->text_len) != TM_OK ||
        tm_buf_add(&stack->bytes, view->detail, view->detail_len) != TM_OK)
        return TM_E_SYSTEM;
    stack->spans[stack->depth++] = (struct tm_json_span){.ts_ns = view->ts_ns,
                                                         .order = spans->order++,
                                                         .category = labels[0],
                                                         .name = labels[1],
                                                         .text_len = (uint32_t)view->text_len,
                                                         .detail_len = (uint32_t)view->detail_len};
    spans->bytes += view->text_len + view->detail_len + sizeof *stack->spans;
    *is_full = spans->bytes > TM_JSON_SPAN_BYTES_MAX;
    return TM_OK;
}

/* SPAN, whose bytes start at AT. */
static void show(const struct tm_json_span_stack *stack, const struct tm_json_span *span, size_t at,
                 struct tm_json_span_view *view)
{
    *view = (struct tm_json_span_view){.ts_ns = span->ts_ns,
                                       .order = span->order,
                                       .text = stack->bytes.data + at,
                                       .detail = stack->bytes.data + at + span->text_len,
                                       .text_len = span->text_len,
                                       .detail_len = span->detail_len};
}

enum tm_json_span_fate tm_json_spans_close(struct tm_json_spans *spans, uint64_t thread, const uint64_t labels[2],
                                           struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = find(spans, thread);
    uint32_t i = stack ? stack->depth : 0;
    for (; i > 0; i--) {
        const struct tm_json_span *s = &stack->spans[i - 1];
        if ((labels[0] == 0 || s->category == 0 || s->category == labels[0]) && (labels[1] == 0 || s->name == labels[1]))
            break;
    }
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
        return TM_JSON_SPAN_BEGUN;
    }
    size_t len = (size_t)span->text_len + span->detail_len;
    stack->bytes.len -= len;
    show(stack, span, stack->bytes.len, view);
    stack->depth--;
    spans->bytes -= len;
    return TM_JSON_SPAN_WHOLE;
}

/* STACK's outermost slice that was not written. */
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

bool tm_json_spans_next_begin(struct tm_json_spans *spans, uint64_t thread, struct tm_json_span_view *view)
{
    struct tm_json_span_stack *stack = find(spans, thread);
    return stack && begin_next(spans, stack, view);
}

bool tm_json_spans_rest(struct tm_json_spans *spans, struct tm_json_span_view *view)
{
    for (; spans->rest < spans->count; spans->rest++)
        if (begin_next(spans, &spans->stacks[spans->rest], view))
            return true;
    return false;
}

void tm_json_spans_release(struct tm_json_spans *spans)
{
    for (uint32_t i = 0; i < spans->count; i++) {
        free(spans->stacks[i].spans);
        tm_buf_release(&spans->stacks[i].bytes);
    }
    free(spans->stacks);
    tm_map_release(&spans->by_thread);
    *spans = (struct tm_json_spans){0};
}
