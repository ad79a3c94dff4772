/* Packets of Android's services: system properties, packets of the network, wakelocks of apps, Bluetooth, estimates of
 * energy, atoms of statsd. Rules and names: importers/proto/android_probes_parser.cc, network_trace_module.cc,
 * app_wakelock_module.cc and statsd_module.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_ANDROID_H
#define TM_FORMAT_PERFETTO_ANDROID_H

#include "format/perfetto/packet_rows.h"

/* Adds the rows of such a packet. */
enum tm_status tm_proto_android_read(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                     const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds the rows of an AndroidEnergyEstimationBreakdown, the body of PACKET, which has been begun. */
enum tm_status tm_proto_energy_read(struct tm_proto_packet_rows *packet);

#endif
