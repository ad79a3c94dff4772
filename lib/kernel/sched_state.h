/* The state a task is in when the scheduler takes it off a cpu (sched_switch's prev_state).
 *
 * Kernels record it as a bit mask whose upper bits changed their meaning over time, text traces as
 * letters. The letters are turned into the flags below, which belong to no kernel version; column
 * value of a SCHED_SWITCH row holds either such flags (bit TM_SCHED_STATE_FLAGS set) or a kernel's
 * mask as it was recorded. Source: include/linux/sched.h and include/trace/events/sched.h of Linux
 * 4.4, 4.8, 4.14 and 6.1. */
#ifndef TM_KERNEL_SCHED_STATE_H
#define TM_KERNEL_SCHED_STATE_H

#include <stddef.h>
#include <stdint.h>

#define TM_SCHED_STATE_FLAGS UINT32_C(0x80000000) /* the bits below, not a kernel's mask */

/* No flag: running or runnable, "R". */
enum tm_sched_state_flag {
    TM_SCHED_STATE_SLEEPING = 1 << 0,        /* S */
    TM_SCHED_STATE_UNINTERRUPTIBLE = 1 << 1, /* D */
    TM_SCHED_STATE_STOPPED = 1 << 2,         /* T */
    TM_SCHED_STATE_TRACED = 1 << 3,          /* t */
    TM_SCHED_STATE_EXIT_DEAD = 1 << 4,       /* X */
    TM_SCHED_STATE_EXIT_ZOMBIE = 1 << 5,     /* Z */
    TM_SCHED_STATE_PARKED = 1 << 6,          /* P */
    TM_SCHED_STATE_DEAD = 1 << 7,            /* x */
    TM_SCHED_STATE_WAKEKILL = 1 << 8,        /* K */
    TM_SCHED_STATE_WAKING = 1 << 9,          /* W */
    TM_SCHED_STATE_NOLOAD = 1 << 10,         /* N */
    TM_SCHED_STATE_IDLE = 1 << 11,           /* I */
    TM_SCHED_STATE_PREEMPTED = 1 << 12,      /* R+ */
    TM_SCHED_STATE_UNKNOWN = 1 << 13         /* text or mask that says nothing we know */
};

/* A kernel version as one number; 0 stands for a kernel that is not known and is read as 4.4, as
 * the reference importer does. */
#define TM_KERNEL_VERSION(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))

/* The version at the start of a release string ("6.1.0-13-amd64"), or 0. */
uint32_t tm_kernel_version_parse(const char *release, size_t len);

/* The letters of sched_switch in text: "R", "R+", "S", "D|K", …; with TM_SCHED_STATE_FLAGS. */
uint32_t tm_sched_state_parse(const char *text, size_t len);

/* The flags that STATE, bits 0 to 31 of a SCHED_SWITCH row's value, stands for: itself when it has
 * TM_SCHED_STATE_FLAGS, else what kernel VERSION meant by the mask. */
uint32_t tm_sched_state_decode(uint32_t state, uint32_t version);

/* The mask by which kernel VERSION would have recorded STATE (any state decode takes). Flags that
 * kernel does not report are left out. */
uint32_t tm_sched_state_encode(uint32_t state, uint32_t version);

/* Writes the letters of STATE (any state decode takes, decoded by VERSION), one after another or
 * with SEPARATOR between them where it is not 0, and a NUL; returns the length. "?" if unknown. */
enum { TM_SCHED_STATE_TEXT_MAX = 32 };
size_t tm_sched_state_text(uint32_t state, uint32_t version, char separator, char *out);

#endif
