/* Which raw bytes of events come along. Whoever writes an event's text again needs them; to all others they are what is
 * largest in a stream. */
#ifndef TM_STREAM_RAW_CHOICE_H
#define TM_STREAM_RAW_CHOICE_H

#include "stream/event.h"

struct tm_raw_choice {
    uint32_t kinds;   /* bit N: those of enum tm_raw N */
    bool short_lines; /* of lines of ftrace text: none where the columns say all, else what begins with the event's
                       * name; events that have no columns of their own keep all */
};

#define TM_RAW_CHOICE_ALL ((struct tm_raw_choice){.kinds = UINT32_MAX})

static inline bool tm_raw_choice_has(const struct tm_raw_choice *choice, enum tm_raw raw)
{
    return choice->kinds >> raw & 1;
}

/* TEXT, words with commas between them: proto (packets, ftrace events, compact_sched messages), json, line, short-line;
 * or all, or none. False: a word is none of them. */
bool tm_raw_choice_parse(const char *text, struct tm_raw_choice *choice);

#endif
