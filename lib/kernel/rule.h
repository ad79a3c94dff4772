/* The rules by which rows of kind KERNEL are settled (doc/events.md); column value has the rule. */
#ifndef TM_KERNEL_RULE_H
#define TM_KERNEL_RULE_H

enum tm_kernel_rule {
    TM_KERNEL_RECEIVED, /* bytes; the counter has 1024s of them, as that of the next */
    TM_KERNEL_SENT,
    TM_KERNEL_FREED, /* a number */
    TM_KERNEL_WAKE,  /* a source that others of its name may hold, too */
    TM_KERNEL_WAKE_DONE,
    TM_KERNEL_GPU_POWER, /* a state, until the next */
    TM_KERNEL_DEVICE,
    TM_KERNEL_DEVICE_IDLE, /* the state has no slice */
    TM_KERNEL_TCP,         /* of a stream; instances of the track are numbered as they come */
    TM_KERNEL_WRITE,       /* a thread begins to write: until it has, or writes a marker */
    TM_KERNEL_WRITE_DONE,
    TM_KERNEL_SUSPEND, /* begins to enter suspend; where tasks are frozen and thawed before that has ended, it ends then
                        */
    TM_KERNEL_SUSPEND_DONE,
    TM_KERNEL_FREEZE,
    TM_KERNEL_THAWED, /* an end */
    TM_KERNEL_RULES
};

#endif
