/* What calls of the system are called on a machine, by their numbers: libseccomp's names behind "sys_". */
#ifndef TM_KERNEL_SYSCALL_NAMES_H
#define TM_KERNEL_SYSCALL_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Kernels that have numbers of their own. */
enum tm_architecture {
    TM_ARCHITECTURE_UNKNOWN,
    TM_ARCHITECTURE_ARM64,
    TM_ARCHITECTURE_ARM,
    TM_ARCHITECTURE_X86_64,
    TM_ARCHITECTURE_X86,
    TM_ARCHITECTURES
};

enum { TM_SYSCALLS_MAX = 550 }; /* numbers from here on are none, as in the reference */

/* By what uname(2) calls the MACHINE, LEN bytes. */
enum tm_architecture tm_architecture_of(const void *machine, size_t len);

/* Zero-initialise. */
struct tm_syscall_names {
    /* private */
    char *names[TM_ARCHITECTURES][TM_SYSCALLS_MAX];
};

/* The name of call NUMBER, below TM_SYSCALLS_MAX: "sys_" and the number where there is no other. Valid until release;
 * NULL when out of memory. */
const char *tm_syscall_name(struct tm_syscall_names *names, enum tm_architecture architecture, uint32_t number);

void tm_syscall_names_release(struct tm_syscall_names *names);

#endif
