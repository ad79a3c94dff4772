/* Numbers that a trace states about its recording: trace_stats and ftrace_stats. The last packet of a file counts.
 * Names: src/trace_processor/storage/stats.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_STATED_H
#define TM_FORMAT_PERFETTO_STATED_H

#include "format/perfetto/internal.h"

static inline bool tm_proto_stated_in(uint32_t body)
{
    return body == TM_PACKET_TRACE_STATS || body == TM_PACKET_FTRACE_STATS;
}

/* Notes the numbers of such a packet. The caller adds the packet's row. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_read(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

/* What the sequences that were written to a buffer have lost. */
enum tm_stated_writer {
    TM_STATED_PACKET_LOSS,       /* how often packets were lost */
    TM_STATED_SEQUENCES_DROPPED, /* sequences of which nothing was read, as their state was never complete */
    TM_STATED_LOSS_OF_CAUSE,     /* and the following: by the bits of DataLossReason from the second on */
    TM_STATED_WRITERS = TM_STATED_LOSS_OF_CAUSE + 8, /* how many sequences they are: not noted */
    TM_STATED_WRITER_COUNT
};

/* Notes VALUE for what the sequences of BUFFER have lost. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_writer(struct tm_proto *p, const struct tm_proto_packet *packet,
                                      enum tm_stated_writer what, uint32_t buffer, uint64_t value,
                                      struct tm_error *err);

/* Writes the Stat frames of all noted numbers, at the end of the file. */
enum tm_status tm_proto_stated_flush(struct tm_proto *p, struct tm_error *err);

#endif
