/* Compresses an output in a process between the output and its file, on a second core. gzip uses zlib and zstd uses
 * libzstd, at levels that keep pace with the output. */
#ifndef TM_OS_COMPRESSOR_H
#define TM_OS_COMPRESSOR_H

#include "base/status.h"
#include "os/compressor_name.h"

#include <signal.h>
#include <sys/types.h>

struct tm_compressor {
    int fd;    /* write here; -1 when there is none */
    pid_t pid; /* of the compressor; 0 when there is none */
    /* private */
    const char *name;
    struct sigaction on_pipe; /* the caller's handling of SIGPIPE */
};

/* Starts a compressor of KIND that writes to OUT_FD, which stays the caller's. NAME (borrowed) is for messages. TM_OK
 * or TM_E_SYSTEM. SIGPIPE is ignored until finish or abandon: if the compressor has failed, writing gives EPIPE, and
 * finish tells the cause. */
enum tm_status tm_compressor_start(struct tm_compressor *compressor, enum tm_compressor_kind kind, int out_fd,
                                   const char *name, struct tm_error *err);

/* Closes fd and waits until the compressor has written everything. TM_OK or TM_E_SYSTEM. If the compressor died of
 * SIGPIPE because its reader had left, this process dies of SIGPIPE too. */
enum tm_status tm_compressor_finish(struct tm_compressor *compressor, struct tm_error *err);

/* Kills the compressor. Does nothing after finish. */
void tm_compressor_abandon(struct tm_compressor *compressor);

#endif
