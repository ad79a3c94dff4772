/* Perfetto traces: a Trace message, packet after packet.
 * https://perfetto.dev/docs/reference/trace-packet-proto */
#ifndef TM_FORMAT_PERFETTO_PERFETTO_H
#define TM_FORMAT_PERFETTO_PERFETTO_H

#include "format/format.h"

/* A first packet that can be one: before all formats that look for text anywhere in the head. */
extern const struct tm_format tm_format_proto;

/* The same for a file that only starts like one (0x0a); after all other formats. */
extern const struct tm_format tm_format_proto_any;

/* A file of module_symbols packets; before proto. */
extern const struct tm_format tm_format_symbols;

#endif
