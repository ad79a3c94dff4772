#include "kernel/syscall_names.h"

#include "config.h"

#include "os/library.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, ARM64_FSTATAT = 79 };

static const struct {
    const char *machine;
    enum tm_architecture architecture;
} machines[] = {{"aarch64", TM_ARCHITECTURE_ARM64},
                {"armv8l", TM_ARCHITECTURE_ARM}, /* a 32-bit process on a 64-bit kernel sees this */
                {"armv7l", TM_ARCHITECTURE_ARM},
                {"x86_64", TM_ARCHITECTURE_X86_64},
                {"i686", TM_ARCHITECTURE_X86}};

static const uint32_t tokens[TM_ARCHITECTURES] = {[TM_ARCHITECTURE_ARM64] = SCMP_ARCH_AARCH64,
                                                  [TM_ARCHITECTURE_ARM] = SCMP_ARCH_ARM,
                                                  [TM_ARCHITECTURE_X86_64] = SCMP_ARCH_X86_64,
                                                  [TM_ARCHITECTURE_X86] = SCMP_ARCH_X86};

enum tm_architecture tm_architecture_of(const void *machine, size_t len)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strlen(machines[i].machine) == len && memcmp(machines[i].machine, machine, len) == 0)
            return machines[i].architecture;
    return TM_ARCHITECTURE_UNKNOWN;
}

static struct {
    __typeof__(seccomp_syscall_resolve_num_arch) *syscall_resolve_num_arch;
} seccomp;

static const char *const functions[] = {"seccomp_syscall_resolve_num_arch"};
static struct tm_library library = {SECCOMP_SONAME, functions, 1, &seccomp, false};

enum tm_status tm_syscall_names_load(struct tm_error *err)
{
    return tm_library_load(&library, err);
}

static char *find_name(enum tm_architecture architecture, uint32_t number)
{
    char text[NAME_MAX_BYTES];
    char *name = architecture == TM_ARCHITECTURE_UNKNOWN
                     ? NULL
                     : seccomp.syscall_resolve_num_arch(tokens[architecture], (int)number);
    if (name == NULL)
        (void)snprintf(text, sizeof text, "sys_%u", (unsigned)number);
    else if (architecture == TM_ARCHITECTURE_ARM64 && number == ARM64_FSTATAT)
        (void)snprintf(text, sizeof text, "sys_fstatat"); /* the name in the kernel's header; libseccomp: newfstatat */
    else
        (void)snprintf(text, sizeof text, "sys_%s", name);
    free(name);
    return strdup(text);
}

const char *tm_syscall_name(struct tm_syscall_names *n, enum tm_architecture architecture, uint32_t number)
{
    char **name = &n->names[architecture][number];
    if (*name == NULL)
        *name = find_name(architecture, number);
    return *name;
}

void tm_syscall_names_release(struct tm_syscall_names *n)
{
    for (size_t i = 0; i < TM_ARCHITECTURES; i++)
        for (size_t k = 0; k < TM_SYSCALLS_MAX; k++)
            free(n->names[i][k]);
    memset(n, 0, sizeof *n);
}
