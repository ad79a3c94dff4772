/* Chrome JSON: the Trace Event Format as browsers, Node, clang, Kineto and many more write it; an
 * object with traceEvents or the bare array. Streamed: memory is one event or top-level value.
 *
 * A missing ']' at the end of a bare array, a trailing comma, a missing comma between events and
 * {} in place of an event are no damage. Top-level values other than events become METADATA rows
 * whose raw is the member's text. */
#ifndef TM_FORMAT_CHROME_JSON_CHROME_JSON_H
#define TM_FORMAT_CHROME_JSON_CHROME_JSON_H

#include "format/format.h"

/* An event larger than the first is damage; a top-level value larger than the second is skipped and
 * accounted as too_large. */
enum { TM_JSON_EVENT_BYTES_MAX = 64 << 20, TM_JSON_TOP_BYTES_MAX = 16 << 20 };

extern const struct tm_format tm_format_chrome_json;

#endif
