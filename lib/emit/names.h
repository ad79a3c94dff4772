/* Words that outputs write for numbers of the stream. */
#ifndef TM_EMIT_NAMES_H
#define TM_EMIT_NAMES_H

#include "stream/clock_name.h"
#include "stream/event.h"
#include "stream/kind_name.h"

/* "global", "thread", "process", "track", "cpu"; NULL for others. */
const char *tm_name_of_scope(enum tm_scope scope);

/* "packet", "ftrace_event", "json", "line"; NULL for none and others. */
const char *tm_name_of_raw(enum tm_raw raw);

/* Name of the lowest flag in FLAGS (below the scope's bits), or NULL. */
const char *tm_name_of_flag(uint32_t flag);

#endif
