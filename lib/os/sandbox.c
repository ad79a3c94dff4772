#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "os/sandbox.h"

#include "config.h"
#include "os/io.h"

#ifdef TM_SANDBOX

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/landlock.h. The headers of some systems lack the newer parts. */
#define FS_TRUNCATE (UINT64_C(1) << 14)       /* ABI 3 */
#define NET_ALL (UINT64_C(1) << 0 | UINT64_C(1) << 1) /* ABI 4: bind and connect TCP */
#define SCOPE_SOCKETS (UINT64_C(1) << 0) /* ABI 6: abstract ones */
#define SCOPE_SIGNALS (UINT64_C(1) << 1)

enum { ABI_TRUNCATE = 3, ABI_NET = 4, ABI_SCOPE = 6 };

struct ruleset_attr {
    uint64_t handled_access_fs, handled_access_net, scoped;
};

#define FS_READ ((uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR))
#define FS_MAKE                                                                                                  \
    ((uint64_t)(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |     \
                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |    \
                LANDLOCK_ACCESS_FS_MAKE_SYM))
#define FS_FOLDER                                                                                                \
    ((uint64_t)(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG) | \
     FS_TRUNCATE | FS_READ)

#define FS_FOLDERS ((uint64_t)(LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR))
#define FS_OF_FILE ((uint64_t)LANDLOCK_ACCESS_FS_READ_FILE)

/* Where the dynamic loader and libraries look for other libraries, beside LD_LIBRARY_PATH. */
static const char *const library_places[] = {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib",
                                             "/etc/ld.so.cache"};

/* Gives rights below PATH. If PATH is missing or forbidden now, it stays forbidden. */
static enum tm_status allow(int ruleset, const char *path, uint64_t rights, struct tm_error *err)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = rights};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
        return tm_error_errno(err, errno, "%s: cannot open", path);
    if (rule.parent_fd < 0)
        return TM_OK;
    bool failed = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0;
    int errnum = errno;
    (void)close(rule.parent_fd);
    /* EBADFD: a pipe or another file of the kernel's own, to which no rule applies. EINVAL: PATH is no folder; that is
     * reported when a file is made in it. */
    if (failed && errnum != EBADFD && errnum != EINVAL)
        return tm_error_errno(err, errnum, "%s: cannot confine itself: landlock", path);
    return TM_OK;
}

static enum tm_status allow_libraries(int ruleset, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < sizeof library_places / sizeof *library_places && st == TM_OK; i++)
        st = allow(ruleset, library_places[i],
                   tm_io_is_folder(library_places[i]) ? FS_READ : FS_READ & FS_OF_FILE, err);
    for (const char *rest = getenv("LD_LIBRARY_PATH"); rest && *rest && st == TM_OK;) {
        char place[PATH_MAX];
        size_t len = strcspn(rest, ":");
        int n = snprintf(place, sizeof place, "%.*s", len < PATH_MAX ? (int)len : 0, rest);
        if (n > 0 && tm_io_is_folder(place))
            st = allow(ruleset, place, FS_READ, err);
        rest += len + (rest[len] == ':');
    }
    return st;
}

static enum tm_status restrict_files(const struct tm_sandbox *s, struct tm_error *err)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1 && errno != ENOSYS && errno != EOPNOTSUPP && errno != EPERM)
        return tm_error_errno(err, errno, "cannot confine itself: landlock");
    if (abi < 1)
        return TM_OK;
    bool reads_anything = false;
    for (size_t i = 0; i < s->read_count; i++)
        reads_anything = reads_anything || tm_io_is_folder(s->reads[i]);
    struct ruleset_attr attr = {.handled_access_fs = FS_MAKE | FS_FOLDER | LANDLOCK_ACCESS_FS_EXECUTE};
    if (abi < ABI_TRUNCATE)
        attr.handled_access_fs &= ~FS_TRUNCATE;
    if (reads_anything)
        attr.handled_access_fs &= ~FS_READ;
    attr.handled_access_net = abi >= ABI_NET ? NET_ALL : 0;
    attr.scoped = abi < ABI_SCOPE ? 0 : s->signals ? SCOPE_SOCKETS : SCOPE_SOCKETS | SCOPE_SIGNALS;
    size_t size = abi >= ABI_SCOPE ? sizeof attr : abi >= ABI_NET ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (ruleset < 0)
        return tm_error_errno(err, errno, "cannot confine itself: landlock");
    enum tm_status st = allow(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE, err);
    for (size_t i = 0; i < s->read_count && !reads_anything && st == TM_OK; i++)
        if (strcmp(s->reads[i], "-") != 0)
            st = allow(ruleset, s->reads[i], LANDLOCK_ACCESS_FS_READ_FILE, err);
    if (st == TM_OK && s->libraries && !reads_anything)
        st = allow_libraries(ruleset, err);
    uint64_t made = FS_FOLDER | (s->makes_folders ? FS_FOLDERS : 0);
    for (size_t i = 0; i < TM_SANDBOX_FOLDERS_MAX && st == TM_OK; i++)
        if (s->folders[i])
            st = allow(ruleset, s->folders[i], made & attr.handled_access_fs, err);
    for (size_t i = 0; i < TM_SANDBOX_FOLDERS_MAX && st == TM_OK; i++)
        if (s->outer[i])
            st = allow(ruleset, s->outer[i], LANDLOCK_ACCESS_FS_REMOVE_DIR, err);
    /* E2BIG: this process is already inside the largest number of sandboxes. */
    if (st == TM_OK && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0 && errno != E2BIG)
        st = tm_error_errno(err, errno, "cannot confine itself: landlock");
    (void)close(ruleset);
    return st;
}

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCH

enum { X32_CALLS = 0x40000000 }; /* calls of the x32 ABI have numbers from here on */

/* Calls that no stage needs. landlock limits files. */
static const unsigned denied_calls[] = {
    SYS_execve,      SYS_execveat,         SYS_socket,          SYS_socketpair,       SYS_connect,
    SYS_bind,        SYS_listen,           SYS_ptrace,          SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_mount,       SYS_umount2,          SYS_pivot_root,      SYS_chroot,           SYS_unshare,
    SYS_setns,       SYS_bpf,              SYS_perf_event_open, SYS_userfaultfd,      SYS_keyctl,
    SYS_add_key,     SYS_request_key,      SYS_init_module,     SYS_finit_module,     SYS_kexec_load,
    SYS_io_uring_setup, SYS_pidfd_getfd,   SYS_open_by_handle_at, SYS_personality,
};

static enum tm_status restrict_calls(struct tm_error *err)
{
    enum { HEAD = 5, COUNT = sizeof denied_calls / sizeof *denied_calls };
    struct sock_filter filter[HEAD + COUNT + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, COUNT + 1, 0),
    };
    for (unsigned i = 0; i < COUNT; i++)
        filter[HEAD + i] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied_calls[i], (uint8_t)(COUNT - i), 0);
    filter[HEAD + COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[HEAD + COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */);
    struct sock_fprog program = {.len = HEAD + COUNT + 2, .filter = filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0 && errno != EINVAL && errno != EPERM)
        return tm_error_errno(err, errno,
                              "cannot confine itself: seccomp"); /* EINVAL, EPERM: the kernel has no seccomp, or none
                                                                  * for this process */
    return TM_OK;
}

#else

static enum tm_status restrict_calls(struct tm_error *err)
{
    (void)err;
    return TM_OK;
}

#endif

enum tm_status tm_sandbox_enter(const struct tm_sandbox *sandbox, struct tm_error *err)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return TM_OK;
    enum tm_status st = restrict_files(sandbox, err);
    return st < 0 ? st : restrict_calls(err);
}

#else

enum tm_status tm_sandbox_enter(const struct tm_sandbox *sandbox, struct tm_error *err)
{
    (void)sandbox;
    (void)err;
    return TM_OK;
}

#endif
