/* ProfilePacket: the memory that call stacks of processes have allocated and freed. Source: perfetto/trace/profiling/
 * profile_packet.proto, and the rules of profile_module and profile_packet_sequence_state of the reference importer. */
#ifndef TM_FORMAT_PERFETTO_HEAP_PROFILE_H
#define TM_FORMAT_PERFETTO_HEAP_PROFILE_H

#include "format/perfetto/internal.h"

/* If PACKET is the last of a dump, adds the dump's rows: HEAP_DUMP for each process and heap, then its ALLOCATION rows.
 * Otherwise keeps the packet's facts. Notes in STATED what the packet states about processes. The caller adds the
 * packet's row. */
enum tm_status tm_proto_heap_profile_read(struct tm_proto_sequences *sequences, struct tm_proto_map *stated,
                                          struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err);

/* Adds the HEAP_DUMP rows of a dump whose last packet has not come. Call it before the state of SEQUENCE's heap
 * profiles ends, and at the end of the file. The sizes of the dump's stacks are not known. TM_OK or an error of the
 * sink. */
enum tm_status tm_proto_heap_profile_end(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence,
                                         struct tm_error *err);

#endif
