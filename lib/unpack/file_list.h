/* The files that a command line names: as given, and what lies below the directories among them. */
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

/* Appends PATH: a file or "-" named as given less leading "./"; a directory's regular files, those in hidden places
 * left out, in the order of their names. They are named relative to it, or where WITH_DIRECTORY by their paths less
 * leading "./", as files of several directories may have one name. TM_OK; TM_E_INPUT when it cannot be read or holds
 * too much; TM_E_SYSTEM. */
enum tm_status tm_file_list_add(struct tm_file_list *list, const char *path, bool with_directory, struct tm_error *err);

/* The path to open file I and its name among the files; valid until the next add. */
const char *tm_file_list_path(const struct tm_file_list *list, uint32_t i);
const char *tm_file_list_name(const struct tm_file_list *list, uint32_t i);

/* PATH without its leading "./". */
const char *tm_file_list_bare(const char *path);

void tm_file_list_release(struct tm_file_list *list);

#endif
