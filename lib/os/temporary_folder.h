/* A folder for temporary files that a library opens by name. A separate process removes it when it is closed, and also
 * if this process ends in any other way. */
#ifndef TM_OS_TEMPORARY_FOLDER_H
#define TM_OS_TEMPORARY_FOLDER_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/types.h>

enum { TM_TEMPORARY_PATH_BYTES = 4096 };

/* Zero-initialise. */
struct tm_temporary_folder {
    char path[TM_TEMPORARY_PATH_BYTES];
    /* private */
    pid_t remover; /* 0: the folder is not open */
    int alive;     /* while this is open, the folder stays */
    unsigned count;
};

/* Makes the folder in DIR (NULL: $TMPDIR, else /tmp). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_temporary_folder_open(struct tm_temporary_folder *folder, const char *dir, struct tm_error *err);

/* Makes a file in the folder: "metadata" if IS_METADATA, else one whose name is the next number. *FD is the caller's.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_temporary_folder_add(struct tm_temporary_folder *folder, bool is_metadata, int *fd,
                                       struct tm_error *err);

/* Removes the folder with all files in it. Does nothing if it is not open. */
void tm_temporary_folder_close(struct tm_temporary_folder *folder);

#endif
