/* What a stage may still ask of the system once it has opened its files: traces come from strangers, and a
 * stage that a bug in a parser turns against its user is to find nothing within reach.
 *
 * Of the kernel's: landlock(7) for files and the network, seccomp(2) for running programs, sockets and looking
 * into other processes. Where the kernel or the build (--disable-sandbox, sanitizers) has neither, nothing happens. */
#ifndef TM_OS_SANDBOX_H
#define TM_OS_SANDBOX_H

#include "base/status.h"

#include <stdbool.h>

enum { TM_SANDBOX_FOLDERS_MAX = 8 };

struct tm_sandbox {
    const char *const *reads; /* files that may be opened for reading, "-" passed over */
    size_t read_count;
    const char *folders[TM_SANDBOX_FOLDERS_MAX]; /* where files may be made, written, renamed, removed; or NULL */
    bool signals; /* processes that it has started may still be sent signals */
};

/* From here on, for the rest of the process and all it starts: no file is opened but SANDBOX's and /dev/null,
 * no program run, no socket made, no other process looked into. Descriptors that are open stay as they are. A
 * folder among the reads leaves reading free, as links in it may lead anywhere. TM_OK, also where the kernel or the
 * build has nothing of it; TM_E_SYSTEM where they have and it did not come to be, after which nothing is sure. */
enum tm_status tm_sandbox_enter(const struct tm_sandbox *sandbox, struct tm_error *err);

#endif
