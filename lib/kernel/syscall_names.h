/* The names of system calls by number: libseccomp's names with the prefix "sys_". */
#ifndef TM_KERNEL_SYSCALL_NAMES_H
#define TM_KERNEL_SYSCALL_NAMES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Architectures that number system calls in their own way. */
enum tm_architecture {
    TM_ARCHITECTURE_UNKNOWN,
    TM_ARCHITECTURE_ARM64,
    TM_ARCHITECTURE_ARM,
    TM_ARCHITECTURE_X86_64,
    TM_ARCHITECTURE_X86,
    TM_ARCHITECTURES
};

enum { TM_SYSCALLS_MAX = 550 }; /* higher numbers are not system calls, as in the reference importer */

/* Returns the architecture for MACHINE, the LEN bytes of uname(2)'s machine. */
enum tm_architecture tm_architecture_of(const void *machine, size_t len);

/* Must succeed before tm_syscall_name: loads libseccomp. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_syscall_names_load(struct tm_error *err);

/* Zero-initialise. */
struct tm_syscall_names {
    /* private */
    char *names[TM_ARCHITECTURES][TM_SYSCALLS_MAX];
};

/* Returns the name of call NUMBER, which is below TM_SYSCALLS_MAX. A call without a name is "sys_" with its number.
 * Valid until release. NULL if out of memory. */
const char *tm_syscall_name(struct tm_syscall_names *names, enum tm_architecture architecture, uint32_t number);

void tm_syscall_names_release(struct tm_syscall_names *names);

#endif
