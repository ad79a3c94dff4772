/* What --only selects: which machines, files, processes, threads, categories, names and kinds, how long slices are, and
 * from when to when.
 *
 *     machine=phone,watch,cat=gfx*,dur>=1ms,from=+1.5s,to=+2s
 *
 * Parts are separated by commas; a part without "=" is one more value of the key before it. A comma inside a value is
 * written "\,". A value matches the text that it equals, or any text that it fits as a shell pattern (fnmatch(3)).
 * Values of one key are alternatives; different keys must all hold. */
#ifndef TM_SELECT_SPEC_H
#define TM_SELECT_SPEC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum tm_select_key {
    TM_SELECT_MACHINE,
    TM_SELECT_FILE,
    TM_SELECT_PROCESS,
    TM_SELECT_THREAD,
    TM_SELECT_PID,
    TM_SELECT_TID,
    TM_SELECT_CATEGORY,
    TM_SELECT_NAME,
    TM_SELECT_KIND,
    TM_SELECT_KEYS
};

/* Returns the word of KEY. */
const char *tm_select_key_name(enum tm_select_key key);

struct tm_select_values {
    char **texts; /* owned */
    uint32_t count, cap;
};

enum { TM_SELECT_TIME_TEXT = 128 };

/* An edge of the wanted time. */
struct tm_select_time {
    bool is_set;
    bool is_relative; /* counts from the first placed event */
    bool has_unit;
    int64_t ns;
    char text[TM_SELECT_TIME_TEXT]; /* as it was given, without blanks, underscores and "+" */
};

/* How long wanted slices are. */
struct tm_select_duration {
    bool is_set, has_most;
    int64_t least_ns, most_ns; /* both inclusive */
};

/* Zero-initialise. */
struct tm_select_spec {
    struct tm_select_values values[TM_SELECT_KEYS];
    struct tm_select_duration dur;
    struct tm_select_time from, to; /* [from, to) */
    struct tm_select_values given;  /* the texts that were added; none: everything is wanted */
};

/* Adds the text of one --only. TM_E_USAGE with the cause: it is not valid, alone or together with earlier ones;
 * TM_E_SYSTEM. */
enum tm_status tm_select_spec_add(struct tm_select_spec *spec, const char *text, struct tm_error *err);

/* True if a key names a process or a thread. */
static inline bool tm_select_spec_names_tasks(const struct tm_select_spec *spec)
{
    return spec->values[TM_SELECT_PROCESS].count || spec->values[TM_SELECT_THREAD].count ||
           spec->values[TM_SELECT_PID].count || spec->values[TM_SELECT_TID].count;
}

/* True if the selection depends on later events: names of tasks or ends of slices. The stream is then read twice. */
static inline bool tm_select_spec_looks_ahead(const struct tm_select_spec *spec)
{
    return tm_select_spec_names_tasks(spec) || spec->dur.is_set;
}

/* True if a slice of DUR_NS is wanted. */
static inline bool tm_select_duration_fits(const struct tm_select_duration *dur, int64_t dur_ns)
{
    return dur_ns >= dur->least_ns && !(dur->has_most && dur_ns > dur->most_ns);
}

/* Parses TEXT as a time. An integer is nanoseconds on the timeline. A decimal number needs a unit (ns, us, ms, s). With
 * "+" in front, either counts from the first placed event. hours:minutes:seconds counts from there with or without "+".
 * Blanks and underscores between digits are ignored. TM_OK or TM_E_USAGE. */
enum tm_status tm_select_time_parse(struct tm_select_time *time, const char *text);

void tm_select_spec_release(struct tm_select_spec *spec);

#endif
