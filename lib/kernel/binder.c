#include "kernel/binder.h"

const char *tm_binder_event_name(enum tm_binder_event event)
{
    static const char *const names[TM_BINDER_EVENTS] = {
        [TM_BINDER_TRANSACTION] = "binder_transaction", [TM_BINDER_ASYNC] = "binder_transaction",
        [TM_BINDER_REPLY] = "binder_transaction",       [TM_BINDER_RECEIVED] = "binder_transaction_received",
        [TM_BINDER_COMMAND] = "binder_command",         [TM_BINDER_RETURN] = "binder_return",
        [TM_BINDER_LOCK] = "binder_lock",               [TM_BINDER_LOCKED] = "binder_locked",
        [TM_BINDER_UNLOCK] = "binder_unlock",           [TM_BINDER_ALLOC] = "binder_transaction_alloc_buf",
    };
    return names[event] ? names[event] : "binder";
}

enum tm_binder_event tm_binder_event_of(const struct tm_event *e)
{
    uint64_t event = e->value & TM_BINDER_EVENT_MASK;
    bool may_be = e->kind == TM_KIND_BINDER || e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END ||
                  e->kind == TM_KIND_INSTANT || e->kind == TM_KIND_SLICE_ARGS || e->kind == TM_KIND_FTRACE;
    return may_be && !(e->flags & TM_EVENT_HAS_VALUE) && event < TM_BINDER_EVENTS ? (enum tm_binder_event)event
                                                                                  : TM_BINDER_NONE;
}
