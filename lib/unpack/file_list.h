/* The files that a command line names, and the files in its directories. */
#ifndef TM_UNPACK_FILE_LIST_H
#define TM_UNPACK_FILE_LIST_H

#include "base/buf.h"

#include <stdbool.h>

struct tm_file_list {
    uint32_t count;
    /* private */
    struct tm_buf text;
    struct tm_buf entries;
};

/* Appends PATH: a file, or "-", named as given without leading "./"; or the regular files of a directory that are not
 * hidden, in the order of their names. These are named relative to the directory or, if WITH_DIRECTORY, by their paths
 * without leading "./", because files of several directories may have one name. TM_OK; TM_E_INPUT: it cannot be read or
 * has too many files; TM_E_SYSTEM. */
enum tm_status tm_file_list_add(struct tm_file_list *list, const char *path, bool with_directory, struct tm_error *err);

/* Return the path to open file I and its name among the files; valid until the next add. */
const char *tm_file_list_path(const struct tm_file_list *list, uint32_t i);
const char *tm_file_list_name(const struct tm_file_list *list, uint32_t i);

/* True if file I is in a directory of the command line, false if the command line names the file itself. */
bool tm_file_list_is_in_directory(const struct tm_file_list *list, uint32_t i);

void tm_file_list_release(struct tm_file_list *list);

#endif
