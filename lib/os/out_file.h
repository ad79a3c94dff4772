/* A result that is there whole or not at all: written as .FILE.tmp.XXXXXX beside FILE and renamed
 * at the end. It is on the disk before it gets its name, so that no crash of the machine leaves an
 * empty or a partial file where the last result was. What is there already and is no regular file
 * (/dev/null, a pipe) is written as it stands.
 *
 * A result can be a folder of files, its members, each of which appears like this when all are whole. Other files in
 * the folder stay as they are. */
#ifndef TM_OS_OUT_FILE_H
#define TM_OS_OUT_FILE_H

#include "base/status.h"

#include <stdbool.h>

/* Zero-initialise with .fd = -1. */
struct tm_out_file {
    char *path;   /* where it will be; owned */
    char *temp;   /* where it is being written; owned; NULL when that is path */
    bool borrowed_temp; /* the caller renames it */
    bool no_sync; /* for the caller to set: do not wait for the disk */
    bool made_folder; /* the folder of the members was not there before */
    /* For the caller to set: names of the members, NULL-terminated, which the caller writes at tm_out_file_member. The
     * file that is open for writing does not stay then. NULL: the result is a file. */
    const char *const *members;
    int fd;       /* open for writing */
};

/* Makes the temporary file beside PATH, or in the folder PATH, with the mode a new file gets. Makes the folder where it
 * is not there. PART, if not NULL, is a file to
 * be written instead, which commit leaves where it is (for a caller that renames). TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_out_file_open(struct tm_out_file *file, const char *path, const char *part, struct tm_error *err);

/* The folder that PATH is in, to be freed; NULL when out of memory. */
char *tm_out_file_folder(const char *path);

/* The folder out of which abandon removes the folder that open made, to be freed; NULL if it made none. */
char *tm_out_file_outer(const struct tm_out_file *file);

/* Where bytes go by name: temp, or path. */
const char *tm_out_file_target(const struct tm_out_file *file);

/* Where MEMBER is written, beside the file TEMP of its folder, in NAME. TM_OK, or TM_E_SYSTEM if that is too long. Safe
 * in a signal handler. */
enum tm_status tm_out_file_member(const char *temp, const char *member, char *name, size_t size);

/* Writes it to the disk, closes, and keeps it where it is. Commit follows. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_close(struct tm_out_file *file, struct tm_error *err);

/* Closes as above, renames, and writes the folder, as far as the system can. After an error the
 * temporary file is gone. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_commit(struct tm_out_file *file, struct tm_error *err);

/* Closes; removes the temporary file, what SQLite puts beside it, and a folder that open made, unless it was committed.
 * Another program's files keep the folder. */
void tm_out_file_abandon(struct tm_out_file *file);

/* Removes TEMP and TEMP-journal, -wal, -shm, and what was written of MEMBERS (may be NULL); with WITH_FOLDER also the
 * folder that they were in, if nothing else is in it. Safe in a signal handler; errno is kept. */
void tm_out_file_remove(const char *temp, const char *const *members, bool with_folder);

/* Writes LEN bytes of DATA to PATH, whole or not at all. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_put(const char *path, const void *data, size_t len, struct tm_error *err);

#endif
