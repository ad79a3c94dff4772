#include "emit/perfetto/recent_stacks.h"

#include "base/hash.h"
#include "base/pb.h"
#include "base/table.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>

/* Keeps the first frames of STACK: those that end before byte END of the detail. */
static void cut(struct tm_recent_stack *stack, size_t end)
{
    uint32_t count = 0;
    while (count < stack->count && stack->ends[count].detail_end <= end)
        count++;
    stack->count = count;
    stack->frames.len = count ? stack->ends[count - 1].frames_end : 0;
    stack->is_known = false;
}

struct tm_recent_stack *tm_recent_stacks_find(struct tm_recent_stacks *stacks, uint32_t sequence, int64_t tid,
                                              struct tm_text detail)
{
    const uint64_t number = (uint64_t)sequence << 32 ^ (uint64_t)tid;
    struct tm_recent_stack *stack = &stacks->stacks[tm_hash_u64(number) % TM_RECENT_STACKS];
    const struct tm_buf *last = &stack->detail;
    size_t equal = 0;
    if (stack->sequence == sequence && stack->tid == tid)
        equal = tm_count_equal(last->data, detail.data, last->len < detail.len ? last->len : detail.len);
    if (!stack->is_known || equal < last->len || equal < detail.len)
        cut(stack, equal);
    stack->sequence = sequence;
    stack->tid = tid;
    return stack;
}

enum tm_status tm_recent_stack_add(struct tm_recent_stack *stack, size_t detail_end, uint64_t iid)
{
    if (tm_pb_put_varint(&stack->frames, TM_CALLSTACK_FRAMES, iid) != TM_OK ||
        tm_array_grow(&stack->ends, &stack->cap, stack->count, sizeof *stack->ends, NULL) < 0)
        return TM_E_SYSTEM;
    stack->ends[stack->count++] = (struct tm_recent_frame){(uint32_t)detail_end, (uint32_t)stack->frames.len};
    return TM_OK;
}

static void forget(struct tm_recent_stack *stack)
{
    tm_buf_release(&stack->frames);
    tm_buf_release(&stack->detail);
    free(stack->ends);
    *stack = (struct tm_recent_stack){.count = 0};
}

enum tm_status tm_recent_stack_complete(struct tm_recent_stack *stack, struct tm_text detail, uint64_t iid)
{
    if (detail.len > TM_RECENT_STACK_BYTES_MAX) {
        forget(stack);
        return TM_OK;
    }
    stack->iid = iid;
    stack->is_known = true;
    tm_buf_clear(&stack->detail);
    return tm_buf_add(&stack->detail, detail.data, detail.len);
}

void tm_recent_stacks_forget(struct tm_recent_stacks *stacks, uint32_t sequence)
{
    for (uint32_t i = 0; i < TM_RECENT_STACKS; i++)
        if (stacks->stacks[i].sequence == sequence)
            forget(&stacks->stacks[i]);
}

void tm_recent_stacks_release(struct tm_recent_stacks *stacks)
{
    for (uint32_t i = 0; i < TM_RECENT_STACKS; i++)
        forget(&stacks->stacks[i]);
}
