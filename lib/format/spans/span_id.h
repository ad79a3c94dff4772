/* Ids of traces and of spans in one form, whoever wrote them: lower-case hexadecimal digits of full length, as W3C
 * Trace Context has them. Jaeger leaves zeros in front out, Zipkin half of a trace's, and protobuf's own JSON writes
 * base64. */
#ifndef TM_FORMAT_SPANS_SPAN_ID_H
#define TM_FORMAT_SPANS_SPAN_ID_H

#include "json/scan.h"

enum { TM_TRACE_ID_DIGITS = 32, TM_SPAN_ID_DIGITS = 16, TM_SPAN_ID_MAX = 64 };

struct tm_span_id {
    uint32_t len; /* 0: none */
    char text[TM_SPAN_ID_MAX];
};

/* VALUE, an id of DIGITS digits, into *ID. None where it is no string, all zeros or longer than TM_SPAN_ID_MAX; a text
 * that is no such id is taken as it is. */
void tm_span_id_read(struct tm_span_id *id, const struct tm_json_value *value, uint32_t digits);

/* The flow that starts at span SPAN of TRACE. */
uint64_t tm_span_id_flow(const struct tm_span_id *trace, const struct tm_span_id *span);

#endif
