/* Ids of traces and spans in one form: lower-case hexadecimal digits of full length, as in W3C Trace Context. Jaeger
 * omits leading zeros, Zipkin half of a trace's id, and protobuf's own JSON writes base64. */
#ifndef TM_FORMAT_SPANS_SPAN_ID_H
#define TM_FORMAT_SPANS_SPAN_ID_H

#include "json/scan.h"

enum { TM_TRACE_ID_DIGITS = 32, TM_SPAN_ID_DIGITS = 16, TM_SPAN_ID_MAX = 64 };

struct tm_span_id {
    uint32_t len; /* 0: none */
    char text[TM_SPAN_ID_MAX];
};

/* Reads VALUE, an id of DIGITS digits, into *ID. The id is empty if VALUE is not a string, is all zeros or is longer
 * than TM_SPAN_ID_MAX. A text of another form is taken unchanged. */
void tm_span_id_read(struct tm_span_id *id, const struct tm_json_value *value, uint32_t digits);

/* The flow that starts at span SPAN of TRACE. */
uint64_t tm_span_id_flow(const struct tm_span_id *trace, const struct tm_span_id *span);

#endif
