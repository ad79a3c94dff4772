/* A result that appears whole or not at all. It is written as .FILE.tmp.XXXXXX beside FILE and renamed at the end. It
 * is on the disk before it gets its name, so a crash of the machine leaves no empty or partial file in place of the
 * last result. If FILE exists and is no regular file (/dev/null, a pipe), it is written directly.
 * A file that the caller may not write is not replaced. A link is followed, also to a file that does not exist yet:
 * that file is written, and the link stays.
 *
 * A result can be a folder of files, its members. The members get their names when all of them are complete. If one
 * cannot get its name, none has one. Other files in the folder stay as they are. */
#ifndef TM_OS_OUT_FILE_H
#define TM_OS_OUT_FILE_H

#include "base/status.h"

#include <stdbool.h>

/* Zero-initialise with .fd = -1. */
struct tm_out_file {
    char *path;   /* where it will be; owned */
    char *temp;   /* where it is being written; owned; NULL when that is path */
    bool borrowed_temp; /* the caller renames it */
    bool no_sync; /* for the caller to set: close and commit do not wait for the disk */
    bool made_folder; /* open made the folder; abandon removes it */
    /* For the caller to set: the names of the members, NULL-terminated. The caller writes them at tm_out_file_member,
     * and the file that is open for writing is removed. If commit cannot give one its name, it removes those that have
     * theirs, also where they replaced older files. NULL: the result is a file. */
    const char *const *members;
    int fd;       /* open for writing */
    uint64_t written_back; /* private: bytes that start_sync has seen */
};

/* Opens a temporary file beside PATH, or in the folder PATH, with the mode that a new file gets. Makes that folder if
 * it is not there. PART, if not NULL, is a regular file to be written instead. Commit leaves it where it is, for a
 * caller that renames it. If it cannot be opened, it stays as it is. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_open(struct tm_out_file *file, const char *path, const char *part, struct tm_error *err);

/* True if PATH is "-" or another name of standard output. */
bool tm_out_file_is_stdout(const char *path);

/* True if A and B name one file, which need not exist yet. */
bool tm_out_file_is_same(const char *a, const char *b);

/* Returns the folder that PATH is in, to be freed, or NULL if out of memory. */
char *tm_out_file_folder(const char *path);

/* Returns the folder that a result for PATH is written in, to be freed: that of the file PATH or of the file to which a
 * link PATH leads. NULL if out of memory. */
char *tm_out_file_written_folder(const char *path);

/* Returns the folder from which abandon removes the folder that open made, to be freed. NULL if open made none. */
char *tm_out_file_outer(const struct tm_out_file *file);

/* Returns the name under which bytes are written: temp, or path. */
const char *tm_out_file_target(const struct tm_out_file *file);

/* Writes to NAME where MEMBER is written, beside the file TEMP of its folder. TM_OK, or TM_E_SYSTEM if the name is too
 * long. Safe in a signal handler. */
enum tm_status tm_out_file_member(const char *temp, const char *member, char *name, size_t size);

/* True if close and commit will wait for the disk. */
bool tm_out_file_syncs(const struct tm_out_file *file);

/* Has the kernel begin to write to the disk what FILE has grown by, so that close has less to wait for. For calls in
 * short intervals while the file is written, also by another process. Does nothing for members, for less than some
 * megabytes, and if close will not wait. */
void tm_out_file_start_sync(struct tm_out_file *file);

/* Waits until the file is on the disk, and closes it. It stays where it is; commit follows. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_close(struct tm_out_file *file, struct tm_error *err);

/* Closes as tm_out_file_close does, renames the file, and waits for the folder as far as the system can. After an error
 * the temporary file is gone. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_file_commit(struct tm_out_file *file, struct tm_error *err);

/* Closes. Unless the file was committed, removes the temporary file, the files that SQLite puts beside it, and a folder
 * that open made. The folder stays if files of another program are in it. */
void tm_out_file_abandon(struct tm_out_file *file);

/* Removes TEMP and TEMP-journal, -wal, -shm, and the files written for MEMBERS (may be NULL). With WITH_FOLDER it also
 * removes their folder, if nothing else is in it. Safe in a signal handler. Keeps errno. */
void tm_out_file_remove(const char *temp, const char *const *members, bool with_folder);

#endif
