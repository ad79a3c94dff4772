/* Members of JSON objects by their names, whichever way a writer spells them: endTimeUnixNano, end_time_unix_nano. */
#ifndef TM_FORMAT_SPANS_MEMBERS_H
#define TM_FORMAT_SPANS_MEMBERS_H

#include "json/scan.h"

/* The place of KEY in NAMES (COUNT lower-case words), compared without case and underscores; COUNT: it is none. */
size_t tm_spans_find(const char *const *names, size_t count, const struct tm_json_value *key);

/* True when KEY is NAME, compared likewise. */
static inline bool tm_spans_is(const struct tm_json_value *key, const char *name)
{
    return tm_spans_find(&name, 1, key) == 0;
}

/* The members of OBJECT, valid JSON, that are in NAMES into VALUES; of one that is there twice the last. Others have
 * data NULL, and so has null. All have where VALUE is no object. */
void tm_spans_members(const struct tm_json_value *object, const char *const *names, size_t count,
                      struct tm_json_value *values);

/* The next member, or element, of the object or array that SCAN is in, which is valid JSON. False at its end. */
bool tm_spans_next_member(struct tm_json_scan *scan, struct tm_json_value *key, struct tm_json_value *value);
bool tm_spans_next_element(struct tm_json_scan *scan, struct tm_json_value *value);

/* A scan behind the opening bracket of VALUE, an object or array of TYPE; of any other value one that has ended. */
struct tm_json_scan tm_spans_inside(const struct tm_json_value *value, enum tm_json_type type);

#endif
