/* The log of ninja (.ninja_log): the jobs of builds, in milliseconds since their build began, on a private timeline.
 * It states no thread for a job, so jobs that overlap are dealt to workers. Source: build_log.cc of ninja. */
#ifndef TM_FORMAT_NINJA_NINJA_H
#define TM_FORMAT_NINJA_NINJA_H

#include "format/format.h"

enum { TM_NINJA_VERSION_MIN = 4, TM_NINJA_VERSION_MAX = 7 };

/* Longer lines, and logs of more jobs or names, are an error. */
enum { TM_NINJA_LINE_MAX = 1 << 18, TM_NINJA_JOBS_MAX = 1 << 20, TM_NINJA_NAME_BYTES_MAX = 64 << 20 };

extern const struct tm_format tm_format_ninja;

#endif
