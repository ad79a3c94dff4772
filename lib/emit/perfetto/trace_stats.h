/* TraceStats packets for the merged trace. A tracing service counts by buffer and by writer, which it identifies by its
 * sequence. A reader keeps one number for each buffer of a machine, the last that it read, and adds the losses of the
 * buffer's sequences. So sequences get their numbers in the output, and the buffers of several services on one machine
 * get different numbers. Other fields are copied. */
#ifndef TM_EMIT_PERFETTO_TRACE_STATS_H
#define TM_EMIT_PERFETTO_TRACE_STATS_H

#include "emit/perfetto/packet_writer.h"

enum { TM_TRACE_STATS_BYTES_MAX = 64 << 10, TM_TRACE_STATS_SUMS = 15, TM_TRACE_STATS_FILTER_SUMS = 6 };

/* Zero-initialise. */
struct tm_trace_stats {
    struct tm_trace_stats_file {
        uint32_t file, machine;
        uint32_t buffer_count;
        struct tm_buf buffers; /* buffer_stats fields, in order of arrival */
        struct tm_buf filtered; /* uint64_t in host order: FilterStats.bytes_discarded_per_buffer */
        bool has_filter;
        uint64_t sums[TM_TRACE_STATS_SUMS];               /* by field, valid if its bit in has is set */
        uint32_t has;                                     /* a bit for each of sums */
        uint64_t filter_sums[TM_TRACE_STATS_FILTER_SUMS]; /* by field of FilterStats */
    } *files; /* in order of arrival */
    uint32_t count, cap;
};

/* Appends field TraceStats of EVENT's packet, whose bytes are MESSAGE, to WRITER's packet, changed for the output.
 * TM_OK or TM_E_SYSTEM. Of a damaged message appends the part before the damage. */
enum tm_status tm_trace_stats_write(struct tm_trace_stats *stats, struct tm_packet_writer *writer,
                                    const struct tm_event *event, const struct tm_pb_field *message);

void tm_trace_stats_release(struct tm_trace_stats *stats);

#endif
