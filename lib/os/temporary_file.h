/* A temporary file that grows at its end. It is made in the folder that tm_io_temporary_dir returns when the first
 * bytes come. It has no name: it is gone when it is released, however the program ends. */
#ifndef TM_OS_TEMPORARY_FILE_H
#define TM_OS_TEMPORARY_FILE_H

#include "base/status.h"

/* Zero-initialise, and set dir. */
struct tm_temporary_file {
    const char *dir; /* borrowed; NULL: as tm_io_temporary_dir */
    uint64_t len;    /* bytes that were appended */
    bool is_open;
    int fd;          /* while it is open */
};

/* Makes the file if it is not open. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_temporary_file_open(struct tm_temporary_file *file, struct tm_error *err);

/* Appends LEN bytes, which begin at file->len. TM_OK or TM_E_SYSTEM. len grows in both cases. */
enum tm_status tm_temporary_file_add(struct tm_temporary_file *file, const void *data, size_t len,
                                     struct tm_error *err);

/* Reads the LEN bytes at OFFSET, which have been appended. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_temporary_file_read(const struct tm_temporary_file *file, void *data, size_t len, uint64_t offset,
                                      struct tm_error *err);

/* Closes the file. dir stays; the file may be used again. */
void tm_temporary_file_release(struct tm_temporary_file *file);

#endif
