/* The last stacks of threads. The next stack of a thread mostly has the same outermost frames, or is the same; what was
 * found for these is then used again. */
#ifndef TM_EMIT_PERFETTO_RECENT_STACKS_H
#define TM_EMIT_PERFETTO_RECENT_STACKS_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>

/* number of stacks, and of bytes of a detail that is kept */
enum { TM_RECENT_STACKS = 64, TM_RECENT_STACK_BYTES_MAX = 64 << 10 };

/* A stack, of which the first frames or all are known. */
struct tm_recent_stack {
    uint64_t iid;         /* of the whole stack, if is_known; 0: it has no frames */
    bool is_known;        /* all frames are known and the whole stack is interned */
    struct tm_buf frames; /* fields of a Callstack: the frames that are known */
    /* private */
    struct tm_buf detail; /* of the sample */
    struct tm_recent_frame {
        uint32_t detail_end, frames_end; /* the bytes up to its end */
    } *ends;
    uint32_t count, cap; /* of frames */
    uint32_t sequence;
    int64_t tid;
};

/* Zero-initialise. Memory: TM_RECENT_STACKS details of TM_RECENT_STACK_BYTES_MAX. */
struct tm_recent_stacks {
    struct tm_recent_stack stacks[TM_RECENT_STACKS]; /* private */
};

/* Returns the stack of thread TID of SEQUENCE, cut to what DETAIL, of its next sample, begins with. It is valid until
 * the next call. */
struct tm_recent_stack *tm_recent_stacks_find(struct tm_recent_stacks *stacks, uint32_t sequence, int64_t tid,
                                              struct tm_text detail);

/* Returns the byte of the detail after the frames that are known. */
static inline size_t tm_recent_stack_end(const struct tm_recent_stack *stack)
{
    return stack->count ? stack->ends[stack->count - 1].detail_end : 0;
}

/* Adds frame IID, which ends at byte DETAIL_END of the detail. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_recent_stack_add(struct tm_recent_stack *stack, size_t detail_end, uint64_t iid);

/* Notes that STACK, of a sample with DETAIL, has all frames and is IID. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_recent_stack_complete(struct tm_recent_stack *stack, struct tm_text detail, uint64_t iid);

/* Forgets the stacks of SEQUENCE, whose iids are not valid any more. */
void tm_recent_stacks_forget(struct tm_recent_stacks *stacks, uint32_t sequence);

void tm_recent_stacks_release(struct tm_recent_stacks *stacks);

#endif
