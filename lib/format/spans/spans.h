/* Spans of distributed tracing as JSON: OTLP (one request, several, or one on each line, as collectors write them),
 * answers of Jaeger's query service, and Zipkin v2 lists. A service instance becomes a process. A span becomes a slice
 * of that process, on a track of the request that it belongs to. Its events become instants; its links, and a parent in
 * another process, become flows. Times are on REALTIME.
 *
 * Memory contains one span at a time. A span is pending in a paged file while the facts that it needs come after it.
 * Sources: doc/formats.md, Spans. */
#ifndef TM_FORMAT_SPANS_SPANS_H
#define TM_FORMAT_SPANS_SPANS_H

#include "format/format.h"

/* Limits of a file. */
enum {
    TM_SPANS_SERVICES_MAX = 1 << 12,   /* service instances; further ones share one without a name */
    TM_SPANS_TRACKS_MAX = 1 << 16,     /* tracks; further ones share a few of their service */
    TM_SPANS_TRACKS_SHARED = 64,       /* shared tracks of a service */
    TM_SPANS_PROCESSES_MAX = 1 << 16,  /* processes of a Jaeger trace; spans of others have no service */
    TM_SPANS_LINKS_MAX = 128,          /* links of a span that become flows */
    TM_SPANS_LABELS_MAX = 32,          /* labels of a process */
    TM_SPANS_LABEL_BYTES = 4096,       /* bytes of the labels of a process */
    TM_SPANS_WINDOW_BYTES = 8 << 20    /* bytes of spans that are pending so that parents precede children */
};

extern const struct tm_format tm_format_otlp, tm_format_jaeger, tm_format_zipkin;

#endif
