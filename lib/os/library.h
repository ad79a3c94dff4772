/* Libraries that few runs need. Each is loaded when the first trace or output needs it, because loading all of them at
 * the start of each program takes longer than a small merge. */
#ifndef TM_OS_LIBRARY_H
#define TM_OS_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>

struct tm_library {
    const char *file;           /* its name at run time, as config.h has it: "libsqlite3.so.0" */
    const char *const *symbols; /* names of functions of it, or of libraries that it needs */
    size_t count;
    void *functions; /* COUNT pointers to functions, a struct; set by tm_library_load */
    bool is_loaded;  /* private */
};

/* Loads LIBRARY and sets its pointers, unless that is done already. It stays loaded until the process ends. Threads may
 * call it at the same time. TM_OK, or TM_E_SYSTEM: the library or one of its functions is missing; the next call tries
 * again. */
enum tm_status tm_library_load(struct tm_library *library, struct tm_error *err);

#endif
