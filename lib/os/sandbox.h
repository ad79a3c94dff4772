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
    const char *const *reads; /* files that may be opened for reading, "-" passed over */
    size_t read_count;
    const char *folders[TM_SANDBOX_FOLDERS_MAX]; /* where files may be made, written, renamed, removed; or NULL */
    const char *outer[TM_SANDBOX_FOLDERS_MAX]; /* where empty folders may be removed; or NULL */
    bool makes_folders; /* in those folders: folders, too */
    bool libraries; /* the system's libraries may be read, which a library loads when it is needed */
    bool signals; /* processes that it has started may still be sent signals */
};

/* From now on this process and its children open no files but those of SANDBOX and /dev/null, run no program, make no
 * socket and look into no other process. Open descriptors stay usable. A folder among the reads allows all reading,
 * because links in it may lead anywhere. TM_OK, also if kernel or build lack a sandbox; TM_E_SYSTEM if entering it
 * failed, after which the process must not read traces. */
enum tm_status tm_sandbox_enter(const struct tm_sandbox *sandbox, struct tm_error *err);

#endif
