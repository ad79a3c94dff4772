/* Limits what a stage may ask of the system once its files are open. Traces come from strangers; a bug in a parser must
 * not give them the user's files.
 *
 * landlock(7) limits files and the network, seccomp(2) limits running programs, sockets and access to other processes.
 * If the kernel or the build (--disable-sandbox, sanitizers) lacks them, nothing is limited. */
#ifndef TM_OS_SANDBOX_H
#define TM_OS_SANDBOX_H

#include "base/status.h"

#include <stdbool.h>

enum { TM_SANDBOX_FOLDERS_MAX = 16 };

struct tm_sandbox {
    const char *const *reads; /* files that may be opened for reading; "-" is ignored */
    size_t read_count;
    const char *folders[TM_SANDBOX_FOLDERS_MAX]; /* where files may be made, written, renamed, removed; or NULL */
    const char *outer[TM_SANDBOX_FOLDERS_MAX]; /* where empty folders may be removed; or NULL */
    bool makes_folders; /* folders may also be made and removed in them */
    bool libraries; /* the system's libraries may be read: some are loaded later (os/library.h) and load others */
    bool signals; /* it may still send signals to processes that it has started */
};

/* Enters SANDBOX. From now on this process and its children can only open the files of SANDBOX and /dev/null. They
 * cannot run programs, make sockets or look into other processes. Open descriptors stay usable. A folder among the
 * reads allows all reading, because links in it may lead anywhere. TM_OK, even if kernel or build lack a sandbox.
 * TM_E_SYSTEM if entering it failed; the process must then not read traces. */
enum tm_status tm_sandbox_enter(const struct tm_sandbox *sandbox, struct tm_error *err);

#endif
