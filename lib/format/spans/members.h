/* Finds members of JSON objects by name in any spelling: endTimeUnixNano, end_time_unix_nano. */
#ifndef TM_FORMAT_SPANS_MEMBERS_H
#define TM_FORMAT_SPANS_MEMBERS_H

#include "json/scan.h"

/* The index of KEY in NAMES (COUNT lower-case words), compared without case and underscores. COUNT: not found. */
size_t tm_spans_find(const char *const *names, size_t count, const struct tm_json_value *key);

/* True if KEY is NAME, compared without case and underscores. */
static inline bool tm_spans_is(const struct tm_json_value *key, const char *name)
{
    return tm_spans_find(&name, 1, key) == 0;
}

/* Sets VALUES to the members of OBJECT, valid JSON, that NAMES lists. A repeated member has its last value. Missing
 * members and null have data NULL. If OBJECT is not an object, all are missing. */
void tm_spans_members(const struct tm_json_value *object, const char *const *names, size_t count,
                      struct tm_json_value *values);

/* Reads the next member or element of the object or array, valid JSON, that SCAN is in. False at its end. */
bool tm_spans_next_member(struct tm_json_scan *scan, struct tm_json_value *key, struct tm_json_value *value);
bool tm_spans_next_element(struct tm_json_scan *scan, struct tm_json_value *value);

/* Returns a scan after the opening bracket of VALUE, an object or array of TYPE. For any other value the scan is at its
 * end. */
struct tm_json_scan tm_spans_inside(const struct tm_json_value *value, enum tm_json_type type);

#endif
