/* Reads and writes that go on after signals and short transfers, and temporary files that are gone when the program
 * ends. */
#ifndef TM_OS_IO_H
#define TM_OS_IO_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads up to LEN bytes, at least 1. Restarts after signals. TM_OK; TM_END (*GOT = 0); TM_E_INPUT if FD is a
 * directory; TM_E_SYSTEM. */
enum tm_status tm_io_read(int fd, void *data, size_t len, size_t *got, struct tm_error *err);

/* Writes all LEN bytes. TM_OK or TM_E_SYSTEM. If the disk is full, the error names the folder and how many bytes the
 * file needs at least. */
enum tm_status tm_io_write(int fd, const void *data, size_t len, struct tm_error *err);

/* Writes LEN bytes of a message to FD, a standard error. What cannot be written is lost: the program goes on, also if
 * FD is a pipe that nobody reads any more. */
void tm_io_message(int fd, const void *data, size_t len);

/* Writes all bytes of COUNT pieces, in as few calls as possible. Changes PIECES. Status and errors are those of
 * tm_io_write. */
struct iovec;
enum tm_status tm_io_writev(int fd, struct iovec *pieces, size_t count, struct tm_error *err);

/* Read or write all LEN bytes at OFFSET. TM_OK or TM_E_SYSTEM; tm_io_pread returns TM_END if the file is shorter. */
enum tm_status tm_io_pread(int fd, void *data, size_t len, uint64_t offset, struct tm_error *err);
enum tm_status tm_io_pwrite(int fd, const void *data, size_t len, uint64_t offset, struct tm_error *err);

/* Empties the file FD. A file that is empty already is left alone, because ext4 writes a truncated file to the disk
 * when it is closed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_io_empty(int fd, struct tm_error *err);

/* True if PATH is a folder. "-" is standard input, not a path. */
bool tm_io_is_folder(const char *path);

/* Returns the folder for temporary files: DIR, if that is NULL $TMPDIR, else /tmp. */
const char *tm_io_temporary_dir(const char *dir);

/* Makes a new file in the folder that tm_io_temporary_dir returns for DIR, and removes its name. The system frees the
 * file when *FD is closed, however the program ends. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_io_temporary(const char *dir, int *fd, struct tm_error *err);

#endif
