/* What stack_sample packets count: the quantity on which the samples are taken (the primary one), and others that are
 * read with it (the followers). Rules: plugins/stack_sample_importer/module.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_STACK_COUNTS_H
#define TM_FORMAT_PERFETTO_STACK_COUNTS_H

#include "format/perfetto/internal.h"

/* Adds the counts of the stack_sample PACKET after ROW, its sample, as DERIVED counters. The packet, interned data or
 * the defaults of the sequence describe them. A count of each cpu is left out if ROW has no cpu. SESSION is the number
 * of the sequence among those with samples. TM_OK or an error. */
enum tm_status tm_proto_stack_counts_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         const struct tm_event *row, uint64_t session, struct tm_error *err);

/* Returns the message in which the defaults of PACKET's sequence describe stack_sample packets; id 0: none. */
struct tm_pb_field tm_proto_stack_defaults(const struct tm_proto_packet *packet);

/* Returns the source of the samples of PACKET's sequence. Its data is NULL if DEFAULTS, those of stack_sample packets,
 * do not state one. */
struct tm_text tm_proto_stack_source(const struct tm_pb_field *defaults);

#endif
