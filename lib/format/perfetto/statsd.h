/* Atoms of statsd: instants with the fields of their message, whose names are not known here, by number. Rules:
 * importers/proto/statsd_module.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_STATSD_H
#define TM_FORMAT_PERFETTO_STATSD_H

#include "format/perfetto/packet_rows.h"

/* Adds the rows of such a packet after its own row. TM_OK or an error. */
enum tm_status tm_proto_statsd_add(struct tm_proto_packet_rows *android);

#endif
