/* Counters of a device's power, screen and graphics memory, and triggers of a trace. Rules and names:
 * importers/proto/android_probes_parser.cc, gpu_event_parser.cc and metadata_module.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_POWER_H
#define TM_FORMAT_PERFETTO_POWER_H

#include "format/perfetto/packet_rows.h"

/* Adds the rows of a packet of battery, power_rails, entity_state_residency, initial_display_state,
 * gpu_mem_total_event, generic_kernel_cpu_freq_event, generic_gpu_frequency_event, trigger, clone_snapshot_trigger or
 * chrome_trigger. */
enum tm_status tm_proto_power_read(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                   const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds the row of a reading of a rail or of an entity's state, the body of PACKET, which tm_proto_packet_rows_again has
 * begun. SESSION is that of the rails. */
enum tm_status tm_proto_power_again(struct tm_proto_packet_rows *packet, uint64_t session);

#endif
