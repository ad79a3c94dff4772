/* Packets that hold compressed packets, expanded piece by piece. */
#ifndef TM_FORMAT_PERFETTO_EXPAND_H
#define TM_FORMAT_PERFETTO_EXPAND_H

#include "format/perfetto/internal.h"

/* Reads the packets inside PACKET, a compressed one (zlib, gzip or zstd by its field and first
 * bytes), as if they stood in its place. TM_E_INPUT, without a place: damaged, cut, nested in
 * another, or more than TM_PROTO_EXPANDED_MAX bytes; what came before has been added. */
enum tm_status tm_proto_expand(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

#endif
