/* Packets of the network: slices on a track for each interface and direction. Rules and names:
 * importers/proto/network_trace_module.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_NETWORK_H
#define TM_FORMAT_PERFETTO_NETWORK_H

#include "format/perfetto/packet_rows.h"

/* Adds the rows of such a packet after its own row. TM_OK or an error. */
enum tm_status tm_proto_network_add(struct tm_proto_packet_rows *android);

#endif
