/* Perfetto traces: a Trace message, packet after packet.
 * https://perfetto.dev/docs/reference/trace-packet-proto */
#ifndef TM_FORMAT_PERFETTO_PERFETTO_H
#define TM_FORMAT_PERFETTO_PERFETTO_H

#include "format/format.h"

/* A file whose first packet is valid. It precedes all formats that search for text anywhere in the head. */
extern const struct tm_format tm_format_proto;

/* A file of which only the first byte (0x0a) is that of a trace. It comes after all other formats. */
extern const struct tm_format tm_format_proto_any;

/* A file of module_symbols packets. It precedes tm_format_proto. */
extern const struct tm_format tm_format_symbols;

#endif
