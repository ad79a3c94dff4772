/* The short names in the history of the battery, and what they stand for. Source: BatteryStats.java of AOSP. */
#ifndef TM_FORMAT_DUMPSTATE_BATTERY_WORDS_H
#define TM_FORMAT_DUMPSTATE_BATTERY_WORDS_H

#include "base/text.h"

enum { TM_BATTERY_EVENTS_MAX = 32 }; /* their numbers are bits */

/* Returns the long name of the event with the short name SHORT_NAME, and sets *NUMBER to its number, less than
 * TM_BATTERY_EVENTS_MAX. NULL: unknown. */
const char *tm_battery_event(struct tm_text short_name, uint32_t *number);

/* A state or a value of the phone that the history follows. */
struct tm_battery_state {
    const char *name;         /* the short one; NULL: the end of a list */
    const char *counter;      /* its counter */
    int64_t scale;            /* a unit of the history in units of the counter */
    const char *const *words; /* what its values stand for: word I is I; NULL: they are numbers */
    bool is_reading;          /* of the battery, which is never only on or off */
};

/* Returns the state with the short name SHORT_NAME, which is on or off or has a value; NULL: unknown. */
const struct tm_battery_state *tm_battery_state(struct tm_text short_name);

/* Sets *VALUE to what TEXT, a value of STATE, stands for: a number or one of its words. False: neither, or too
 * large. */
bool tm_battery_value(const struct tm_battery_state *state, struct tm_text text, int64_t *value);

#endif
