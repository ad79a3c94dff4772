/* Finds files that a command line names twice: an output that is an input, and an input that is given twice. */
#ifndef TM_UNPACK_SAME_FILES_H
#define TM_UNPACK_SAME_FILES_H

#include "base/status.h"

/* Examines the COUNT files and directories of PATHS; "-", or no path, is standard input. TM_OK; TM_E_USAGE: standard
 * input is given twice, or one of OUTS (NULL ends the list) is one of the regular files among them; TM_E_SYSTEM. WARN
 * (NULL: no warnings) is called for files that are given twice. Files that cannot be examined are left to the code that
 * opens them. */
enum tm_status tm_same_files_check(char *const *paths, size_t count, const char *const *outs,
                                   void (*warn)(const char *text), struct tm_error *err);

#endif
