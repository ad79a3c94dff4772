/* Which files of a command line are one file: an output that is one of the inputs, and an input that is given twice. */
#ifndef TM_UNPACK_SAME_FILES_H
#define TM_UNPACK_SAME_FILES_H

#include "base/status.h"

/* Looks at the COUNT files and directories of PATHS. TM_OK; TM_E_USAGE when one of OUTS (ended by NULL) is one of the
 * regular files among them; TM_E_SYSTEM. WARN (NULL: nobody) is told of those that are given twice. What cannot be
 * looked at is left to whoever opens it. */
enum tm_status tm_same_files_check(char *const *paths, size_t count, const char *const *outs,
                                   void (*warn)(const char *text), struct tm_error *err);

#endif
