/* Which raw bytes of events are kept. Outputs that rewrite an event's text need them. Other outputs do not, and raw
 * bytes are the largest part of a stream. */
#ifndef TM_STREAM_RAW_CHOICE_H
#define TM_STREAM_RAW_CHOICE_H

#include "stream/event.h"

struct tm_raw_choice {
    uint32_t kinds;   /* bit N: raw bytes of enum tm_raw N */
    bool short_lines; /* lines of ftrace text are shortened: to nothing if the columns hold all, else to the part from
                         the event's name on; events without columns of their own keep all */
};

#define TM_RAW_CHOICE_ALL ((struct tm_raw_choice){.kinds = UINT32_MAX})

static inline bool tm_raw_choice_has(const struct tm_raw_choice *choice, enum tm_raw raw)
{
    return choice->kinds >> raw & 1;
}

/* Parses TEXT, words separated by commas: proto (packets, ftrace events, compact_sched messages), ftrace (ftrace events
 * alone), json, line, short-line, all; or none alone. False if a word is none of these. */
bool tm_raw_choice_parse(const char *text, struct tm_raw_choice *choice);

#endif
