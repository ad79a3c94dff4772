/* Numbers that a trace states about its recording: trace_stats, ftrace_stats, and those in android_log,
 * journald_event, heap profiles and lists of packages and games. The last packet of a file counts, in logs the last
 * that states the number. Names: src/trace_processor/storage/stats.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_STATED_H
#define TM_FORMAT_PERFETTO_STATED_H

#include "format/perfetto/internal.h"

enum { TM_PROTO_STATED_MAX = 1 << 16 }; /* numbers kept until the end; further ones count as refused */

/* True for the packets that tm_proto_stated_read reads. */
static inline bool tm_proto_stated_in(uint32_t body)
{
    return body == TM_PACKET_TRACE_STATS || body == TM_PACKET_FTRACE_STATS || body == TM_PACKET_ANDROID_LOG ||
           body == TM_PACKET_JOURNALD || body == TM_PACKET_PACKAGES || body == TM_PACKET_GAME_INTERVENTIONS;
}

/* Notes the numbers of such a packet in STATED. The caller adds the packet's row. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_read(struct tm_proto_map *stated, const struct tm_proto_packet *packet,
                                    struct tm_error *err);

/* Losses of the sequences that were written to a buffer. */
enum tm_stated_writer {
    TM_STATED_PACKET_LOSS,       /* number of losses */
    TM_STATED_SEQUENCES_DROPPED, /* sequences of which no packet was read, because their state was never complete */
    TM_STATED_LOSS_OF_CAUSE,     /* losses by cause: bit 1 of DataLossReason; the next numbers: the next bits */
    TM_STATED_WRITERS = TM_STATED_LOSS_OF_CAUSE + 8, /* number of sequences; it is not noted */
    TM_STATED_WRITER_COUNT
};

/* A count of losses of the sequences of a buffer. */
struct tm_stated_loss {
    enum tm_stated_writer what;
    uint32_t buffer;
    uint64_t count;
};

/* Notes LOSS of MACHINE (embedded id). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_note_loss(struct tm_proto_map *stated, uint32_t machine,
                                         const struct tm_stated_loss *loss, struct tm_error *err);

/* What a heap profile states about its process. */
enum tm_stated_heap { TM_STATED_HEAP_ERROR = 1, TM_STATED_HEAP_INTERVAL_CHANGE = 2 };

/* A number in a heap profile. */
struct tm_stated_client {
    enum tm_stated_heap what;
    uint32_t pid;
    int64_t value; /* ClientError; bytes by which the sampling interval differs from the configured one */
};

/* Notes what CLIENT of MACHINE (embedded id) states. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_note_client(struct tm_proto_map *stated, uint32_t machine,
                                           const struct tm_stated_client *client, struct tm_error *err);

/* Writes the Stat frames of all numbers in STATED, at the end of the file, and clears it. */
enum tm_status tm_proto_stated_flush(struct tm_proto_map *stated, struct tm_proto_counts *counts, struct tm_error *err);

#endif
