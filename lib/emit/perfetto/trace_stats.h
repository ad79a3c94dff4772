/* TraceStats packets for the merged trace. A tracing service counts by buffer and by writer, which it identifies by its
 * sequence. A reader keeps one number for each buffer of a machine, the last that it read, and adds the losses of the
 * buffer's sequences. So sequences get their numbers in the output, and the buffers of several services on one machine
 * get different numbers. Everything else in a packet is copied. At the end of the output each machine of several files
 * with statistics has one more packet, with the buffers of all of them and the sums of their counts. */
#ifndef TM_EMIT_PERFETTO_TRACE_STATS_H
#define TM_EMIT_PERFETTO_TRACE_STATS_H

#include "emit/perfetto/packet_writer.h"

/* Bytes of buffer_stats that are kept. A file whose buffers exceed them has no share in the last packet, which is
 * counted. */
enum { TM_TRACE_STATS_BYTES_MAX = 4 << 20, TM_TRACE_STATS_SUMS = 15, TM_TRACE_STATS_FILTER_SUMS = 6 };

/* Zero-initialise. */
struct tm_trace_stats {
    /* What a file states about one machine. Numbers of buffers that it has outgrown have an entry without anything. */
    struct tm_trace_stats_file {
        uint32_t next;           /* the next one of the machine, in order of arrival; UINT32_MAX: none */
        uint32_t first, numbers; /* its buffers have the output's numbers FIRST to FIRST + NUMBERS - 1 */
        uint32_t buffer_count;
        struct tm_buf buffers;  /* buffer_stats fields */
        struct tm_buf filtered; /* uint64_t in host order: FilterStats.bytes_discarded_per_buffer */
        bool has_filter;
        uint64_t sums[TM_TRACE_STATS_SUMS];               /* by field, valid if its bit in has is set */
        uint32_t has;                                     /* a bit for each of sums */
        uint64_t filter_sums[TM_TRACE_STATS_FILTER_SUMS]; /* by field of FilterStats */
    } *files;
    uint32_t count, cap;
    struct tm_trace_stats_machine {
        uint32_t machine;
        uint32_t file_count;  /* files that state something about it */
        uint32_t first, last; /* of files */
        uint32_t numbers;     /* of buffers */
        int64_t last_ns;      /* time of the last packet of a file; valid if is_timed */
        bool is_timed;        /* some packet has a time */
    } *machines;
    uint32_t machine_count, machine_cap;
    struct tm_map file_index;    /* of files, by file and machine */
    struct tm_map machine_index; /* of machines, by machine */
    size_t bytes;                /* of all buffers that are kept */
};

/* Appends field TraceStats of EVENT's packet, whose bytes are MESSAGE, to WRITER's packet, changed for the output.
 * TM_OK or TM_E_SYSTEM. Of a damaged message appends the part before the damage. */
enum tm_status tm_trace_stats_write(struct tm_trace_stats *stats, struct tm_packet_writer *writer,
                                    const struct tm_event *event, const struct tm_pb_field *message);

/* Writes the last packets. NOW_NS is the time of the last event. They have no time if no packet of their machine has
 * one. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_trace_stats_finish(const struct tm_trace_stats *stats, struct tm_packet_writer *writer,
                                     int64_t now_ns, struct tm_error *err);

void tm_trace_stats_release(struct tm_trace_stats *stats);

#endif
