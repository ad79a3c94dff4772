#include "model/binder_thread.h"

#include <string.h>

/* The state of a pending transaction, for its sender (S) or receiver (R), after one of these events. */
enum state {
    S_COMMAND,  /* BC_TRANSACTION */
    S_SENT,     /* binder_transaction */
    S_COMPLETE, /* BR_TRANSACTION_COMPLETE */
    S_ANSWERED, /* binder_transaction_received, of the reply */
    R_RECEIVED, /* binder_transaction_received */
    R_RETURNED, /* BR_TRANSACTION */
    R_COMMAND,  /* BC_REPLY */
    R_SENT      /* binder_transaction, of the reply */
};

static struct tm_binder_frame *top_of(struct tm_binder_thread *t)
{
    return t->depth ? &t->frames[t->depth - 1] : NULL;
}

static void push(struct tm_binder_thread *t, struct tm_binder_frame frame)
{
    if (t->depth == TM_BINDER_FRAMES_MAX)
        memmove(t->frames, t->frames + 1, --t->depth * sizeof *t->frames);
    t->frames[t->depth++] = frame;
}

void tm_binder_thread_sent(struct tm_binder_thread *t, bool is_one_way, bool is_reply)
{
    struct tm_binder_frame *top = top_of(t);
    if (top == NULL)
        return;
    if (top->state == S_COMMAND || top->state == R_COMMAND)
        *top = (struct tm_binder_frame){top->state == S_COMMAND ? S_SENT : R_SENT, true, is_one_way, is_reply};
    else if (top->state == R_RECEIVED) /* the trace has no commands */
        t->depth--;
}

void tm_binder_thread_received(struct tm_binder_thread *t, bool is_reply)
{
    struct tm_binder_frame *top = top_of(t);
    if (!is_reply)
        push(t, (struct tm_binder_frame){R_RECEIVED, true, false, false});
    else if (top && top->state == S_COMPLETE)
        top->state = S_ANSWERED;
}

/* Commands to the driver and its returns, by number (include/uapi/linux/android/binder.h). */
enum {
    BC_TRANSACTION = 0x40406300,
    BC_REPLY = 0x40406301,
    BC_TRANSACTION_SG = 0x40486311,
    BC_REPLY_SG = 0x40486312,
    BR_DEAD_REPLY = 0x7205,
    BR_TRANSACTION_COMPLETE = 0x7206,
    BR_FAILED_REPLY = 0x7211,
    BR_FROZEN_REPLY = 0x7212,
    BR_ONEWAY_SPAM_SUSPECT = 0x7213,
    BR_TRANSACTION_PENDING_FROZEN = 0x7214
};
#define BR_TRANSACTION_SEC_CTX UINT64_C(0x80487202)
#define BR_TRANSACTION UINT64_C(0x80407202)
#define BR_REPLY UINT64_C(0x80407203)

void tm_binder_thread_command(struct tm_binder_thread *t, uint64_t command)
{
    struct tm_binder_frame *top = top_of(t);
    if (command == BC_TRANSACTION || command == BC_TRANSACTION_SG)
        push(t, (struct tm_binder_frame){.state = S_COMMAND});
    else if ((command == BC_REPLY || command == BC_REPLY_SG) && top && top->state == R_RETURNED)
        top->state = R_COMMAND;
}

/* Notes that a call failed. True if the caller must end its slice. */
static bool note_failure(struct tm_binder_thread *t)
{
    const struct tm_binder_frame *top = top_of(t);
    bool is_call = top && top->is_known && !top->is_one_way && !top->is_reply;
    if (top == NULL || top->state == S_ANSWERED || top->state == R_RECEIVED || top->state == R_RETURNED)
        return false;
    is_call = is_call && top->state != S_COMMAND;
    t->depth--;
    return is_call;
}

static void note_complete(struct tm_binder_thread *t)
{
    struct tm_binder_frame *top = top_of(t);
    if (top == NULL)
        return;
    if (top->state == S_SENT && top->is_known && !top->is_one_way)
        top->state = S_COMPLETE;
    else if (top->state == S_SENT || top->state == S_COMMAND || top->state == R_SENT)
        t->depth--;
}

bool tm_binder_thread_return(struct tm_binder_thread *t, uint64_t command)
{
    struct tm_binder_frame *top = top_of(t);
    switch (command) {
    case BR_DEAD_REPLY:
    case BR_FAILED_REPLY:
    case BR_FROZEN_REPLY:
    case BR_TRANSACTION_PENDING_FROZEN:
        return note_failure(t);
    case BR_TRANSACTION_COMPLETE:
    case BR_ONEWAY_SPAM_SUSPECT:
        note_complete(t);
        return false;
    case BR_REPLY:
        if (top && top->state == S_ANSWERED)
            t->depth--;
        return false;
    case BR_TRANSACTION:
    case BR_TRANSACTION_SEC_CTX:
        if (top && top->state == R_RECEIVED)
            top->state = R_RETURNED;
        return false;
    default:
        return false;
    }
}
