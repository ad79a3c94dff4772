/* Packets that hold compressed packets. They are expanded piece by piece. */
#ifndef TM_FORMAT_PERFETTO_EXPAND_H
#define TM_FORMAT_PERFETTO_EXPAND_H

#include "format/perfetto/internal.h"

/* Reads the packets inside PACKET as if they stood in its place. Its field and first bytes state whether it is zlib,
 * gzip or zstd. TM_E_INPUT, with an error text that states no offset: the data is damaged or truncated, nested in
 * another compressed packet, or longer than TM_PROTO_EXPANDED_MAX bytes; or the run has expanded more than it may, and
 * p->is_past_limit is set. The packets before that have been added. */
enum tm_status tm_proto_expand(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

#endif
