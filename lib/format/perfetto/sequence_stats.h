/* Losses of sequences, by the buffer of the recording that their packets were written to. Names:
 * src/trace_processor/storage/stats.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_SEQUENCE_STATS_H
#define TM_FORMAT_PERFETTO_SEQUENCE_STATS_H

#include "format/perfetto/internal.h"

/* Counts the loss that PACKET states: packets of its sequence before it are missing. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_sequence_stats_note(struct tm_proto_sequence_stats *stats,
                                            const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds up the losses so far by buffer, for the writers that PACKET, a trace_stats, lists. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_sequence_stats_read(struct tm_proto_sequences *sequences, struct tm_proto_map *stated,
                                            const struct tm_proto_packet *packet, struct tm_error *err);

/* Counts losses of sequences whose buffer no trace_stats has named. Call it at the end of the file. */
enum tm_status tm_proto_sequence_stats_flush(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                             struct tm_error *err);

#endif
