/* Chrome JSON: the Trace Event Format as written by browsers, Node, clang, Kineto and many others. A file is an object
 * with traceEvents, or the bare array. It is streamed: memory holds one event or one top-level value.
 *
 * A missing ']' at the end of a bare array, a trailing comma, a missing comma between events and {} in place of an
 * event are not damage. Top-level values other than events become METADATA rows, whose raw payload is the text of the
 * member. */
#ifndef TM_FORMAT_CHROME_JSON_CHROME_JSON_H
#define TM_FORMAT_CHROME_JSON_CHROME_JSON_H

#include "format/format.h"

/* Limits in bytes. A larger event is damage. A larger top-level value is skipped and accounted as too_large. */
enum { TM_JSON_EVENT_BYTES_MAX = 64 << 20, TM_JSON_TOP_BYTES_MAX = 16 << 20 };

extern const struct tm_format tm_format_chrome_json;

#endif
