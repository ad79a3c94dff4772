/* What --only asks for: which machines, files, categories and names, and from when to when.
 *
 *     machine=phone,watch,cat=gfx*,from=+1.5s,to=+2s
 *
 * Parts are separated by commas; a part without "=" is one more value of the key before it. A comma
 * inside a value is written "\,". Values are compared as they stand, else as shell patterns
 * (fnmatch(3)). Values of one key are alternatives; different keys must all hold. */
#ifndef TM_SELECT_SPEC_H
#define TM_SELECT_SPEC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum tm_select_key { TM_SELECT_MACHINE, TM_SELECT_FILE, TM_SELECT_CATEGORY, TM_SELECT_NAME, TM_SELECT_KEYS };

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

/* Zero-initialise. */
struct tm_select_spec {
    struct tm_select_values values[TM_SELECT_KEYS];
    struct tm_select_time from, to; /* [from, to) */
    struct tm_select_values given;  /* what was added, as it was; none: everything is wanted */
};

/* Adds what one --only says. TM_E_USAGE with the cause where it makes no sense, also together with
 * what was added before; TM_E_SYSTEM. */
enum tm_status tm_select_spec_add(struct tm_select_spec *spec, const char *text, struct tm_error *err);

/* A time: an integer is nanoseconds on the timeline; a decimal has a unit (ns, us, ms, s); "+" before
 * either counts from the first placed event, as hours:minutes:seconds does with or without it. Blanks
 * and underscores between digits are passed over. TM_OK or TM_E_USAGE. */
enum tm_status tm_select_time_parse(struct tm_select_time *time, const char *text);

void tm_select_spec_release(struct tm_select_spec *spec);

#endif
