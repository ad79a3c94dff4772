/* Recognizes files that tracemerge does not read, and says what to do about them. */
#ifndef TM_UNPACK_FOREIGN_TYPE_H
#define TM_UNPACK_FOREIGN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the cause of an error for HEAD (LEN bytes, as for tm_file_type_sniff), which has no type that is read:
 * "compressed by xz, which is not supported: …", or "unknown trace type; supported are: …". Never NULL; static. */
const char *tm_foreign_type_cause(const uint8_t *head, size_t len);

/* Returns the cause for a file of unknown type in an archive or a directory, named PATH, if its place there tells
 * what it is; else NULL. Static. */
const char *tm_foreign_type_place_cause(const char *path);

/* The message about a file with such a cause. */
#define TM_UNKNOWN_MESSAGE "%s (--ignore-unknown leaves it out)"

/* True if HEAD has no type that is read, although it begins like a Perfetto trace, JSON or ftrace text: it is a
 * tracemerge stream, an output of tm-emit, a profile of pprof or a file of pcapng. */
bool tm_foreign_type_is_look_alike(const uint8_t *head, size_t len);

#endif
