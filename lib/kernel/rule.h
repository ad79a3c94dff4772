/* The rules for rows of kind KERNEL (doc/events.md). Column value holds the rule. */
#ifndef TM_KERNEL_RULE_H
#define TM_KERNEL_RULE_H

#include "stream/event.h"

enum tm_kernel_rule {
    TM_KERNEL_RECEIVED, /* bytes; the counter is in units of 1024 bytes, as is SENT */
    TM_KERNEL_SENT,
    TM_KERNEL_FREED, /* a number */
    TM_KERNEL_WAKE,  /* a wakeup source; others of its name may hold it, too */
    TM_KERNEL_WAKE_DONE,
    TM_KERNEL_GPU_POWER, /* a state that lasts until the next */
    TM_KERNEL_DEVICE,
    TM_KERNEL_DEVICE_IDLE, /* this state has no slice */
    TM_KERNEL_TCP,         /* a state of a stream; track instances are numbered in order of appearance */
    TM_KERNEL_WRITE,       /* a thread begins a write, which lasts until it is done or the thread writes a marker */
    TM_KERNEL_WRITE_DONE,
    TM_KERNEL_SUSPEND, /* suspend begins; if tasks are frozen and thawed before its end, it ends at the thaw */
    TM_KERNEL_SUSPEND_DONE,
    TM_KERNEL_FREEZE,
    TM_KERNEL_THAWED, /* the thaw has ended */
    TM_KERNEL_RULES
};

/* Returns what a row adds to its counter, or the address of its stream. Column dur_ns holds it. */
static inline uint64_t tm_kernel_amount(const struct tm_event *row)
{
    return (uint64_t)row->dur_ns;
}

static inline void tm_kernel_set_amount(struct tm_event *row, uint64_t amount)
{
    row->dur_ns = (int64_t)amount;
}

#endif
