/* Spans of distributed tracing as JSON: OTLP (one request, several, or one a line, as collectors write them), answers
 * of Jaeger's query service, and Zipkin v2 lists. A span becomes a slice of the process that its service instance is,
 * on a track of the request that it belongs to; its events become instants, its links and a parent in another process
 * flows. Times are those of REALTIME.
 *
 * One span is in memory at a time. What must be known before a span can be shown, and may come behind it, lets it wait
 * in a paged file. Sources: doc/formats.md, Spans. */
#ifndef TM_FORMAT_SPANS_SPANS_H
#define TM_FORMAT_SPANS_SPANS_H

#include "format/format.h"

/* Limits: service instances (further ones are one without a name), tracks (further ones share a few of their service),
 * processes of a Jaeger trace, links of a span that become flows, labels of a process and their bytes, bytes of spans
 * that are kept to put parents in front of children. */
enum {
    TM_SPANS_SERVICES_MAX = 1 << 12,
    TM_SPANS_TRACKS_MAX = 1 << 16,
    TM_SPANS_TRACKS_SHARED = 64,
    TM_SPANS_PROCESSES_MAX = 1 << 16,
    TM_SPANS_LINKS_MAX = 128,
    TM_SPANS_LABELS_MAX = 32,
    TM_SPANS_LABEL_BYTES = 4096,
    TM_SPANS_WINDOW_BYTES = 8 << 20
};

extern const struct tm_format tm_format_otlp, tm_format_jaeger, tm_format_zipkin;

#endif
