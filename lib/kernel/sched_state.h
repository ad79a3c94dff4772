/* The state of a task when the scheduler takes it off a CPU (sched_switch's prev_state).
 *
 * Kernels record a bit mask; the meaning of its upper bits depends on the kernel version. Text traces record letters.
 * Letters are converted into the flags below, which are independent of the version. Column value of a SCHED_SWITCH row
 * holds either these flags (bit TM_SCHED_STATE_FLAGS is set) or the kernel's mask as recorded. Windows numbers the
 * states of its threads. Source: include/linux/sched.h and include/trace/events/sched.h of Linux 4.4, 4.8, 4.14 and
 * 6.1. */
#ifndef TM_KERNEL_SCHED_STATE_H
#define TM_KERNEL_SCHED_STATE_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

#define TM_SCHED_STATE_FLAGS UINT32_C(0x80000000) /* set: the bits are those below; clear: a kernel's mask */

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
    TM_SCHED_STATE_UNKNOWN = 1 << 13,        /* unknown text or mask */
    TM_SCHED_STATE_WINDOWS = 1 << 16         /* the lowest byte is a state of kernel/windows_states.h; no other flag */
};

/* A kernel version as one number. 0 is an unknown kernel; it is treated as 4.4, as in the reference importer. */
#define TM_KERNEL_VERSION(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))

/* Returns the version at the start of a release string ("6.1.0-13-amd64"), or 0. */
uint32_t tm_kernel_version_parse(const char *release, size_t len);

/* Converts the letters of a textual sched_switch ("R", "R+", "S", "D|K", …) to flags with TM_SCHED_STATE_FLAGS. */
uint32_t tm_sched_state_parse(const char *text, size_t len);

/* Returns the mask that kernel VERSION records for STATE, bits 0 to 31 of a SCHED_SWITCH row's value: flags with
 * TM_SCHED_STATE_FLAGS, or already a mask of VERSION. Flags that this kernel does not report are left out. */
uint32_t tm_sched_state_encode(uint32_t state, uint32_t version);

/* Writes the letters of STATE, or the name of a state of Windows, and a NUL, and returns the length. STATE is a mask of
 * VERSION or flags, as for encode. A SEPARATOR other than 0 stands between the letters. Writes "?" if the state is
 * unknown. */
enum { TM_SCHED_STATE_TEXT_MAX = 32 };
size_t tm_sched_state_text(uint32_t state, uint32_t version, char separator, char *out);

enum { TM_SCHED_STATES_KNOWN = 1 << 5 };

/* Texts of states that were used before. Zero-initialise. */
struct tm_sched_state_texts {
    struct tm_sched_state_known {
        uint32_t state, version;
        uint8_t len; /* 0: unused */
        char text[TM_SCHED_STATE_TEXT_MAX];
    } known[TM_SCHED_STATES_KNOWN];
};

/* Returns the text of tm_sched_state_text without separators, valid until the next call. */
struct tm_text tm_sched_state_known_text(struct tm_sched_state_texts *texts, uint32_t state, uint32_t version);

#endif
