/* Results that a signal does not leave behind unfinished. SIGINT, SIGTERM, SIGHUP and SIGPIPE remove their temporary
 * files, then the program dies of the signal. A signal that the program was started to ignore stays ignored. For
 * programs that handle these signals in no other way.
 *
 * Life cycle: open, write, commit (os/out_file.h), abandon. */
#ifndef TM_OS_UNFINISHED_H
#define TM_OS_UNFINISHED_H

#include "os/out_file.h"

#include <signal.h>

enum { TM_UNFINISHED_MAX = 8 }; /* results at a time */

/* Opens FILE as tm_out_file_open does. FILE and its members stay where they are until tm_unfinished_abandon. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_unfinished_open(struct tm_out_file *file, const char *path, const char *part, struct tm_error *err);

/* Abandons FILE as tm_out_file_abandon does, so a committed one stays. Does nothing if FILE is not open. */
void tm_unfinished_abandon(struct tm_out_file *file);

/* Writes LEN bytes of DATA to PATH, whole or not at all. If PART is not NULL, writes them to PART, which the caller
 * renames to PATH; errors name PATH. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unfinished_put(const char *path, const char *part, const void *data, size_t len,
                                 struct tm_error *err);

/* Returns where the number of a child process that writes a result is noted (tm_subprocess_run). A signal kills it
 * before the result is removed. 0: there is none. */
volatile sig_atomic_t *tm_unfinished_writer(void);

#endif
