/* Words that outputs write for numbers of the stream. */
#ifndef TM_EMIT_NAMES_H
#define TM_EMIT_NAMES_H

#include "stream/event.h"

/* "global", "thread", "process", "track", "cpu"; NULL for others. */
const char *tm_name_of_scope(enum tm_scope scope);

/* "packet", "ftrace_event", "json", "line", "compact_sched", "compact_message"; NULL for none and others. */
const char *tm_name_of_raw(enum tm_raw raw);

/* Returns the name of the lowest bit in FLAGS, which has no bits of the scope or of the kind of raw payload. NULL: the
 * bit is no flag, or there is none. */
const char *tm_name_of_flag(uint32_t flags);

#endif
