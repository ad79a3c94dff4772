/* Samples with their stacks as PerfSample packets: functions, mappings, frames and whole stacks
 * interned on one sequence a machine, which begins anew when its tables are full. */
#ifndef TM_EMIT_PERFETTO_SAMPLE_WRITER_H
#define TM_EMIT_PERFETTO_SAMPLE_WRITER_H

#include "base/intern.h"
#include "emit/perfetto/packet_writer.h"

/* Zero-initialise, with .packets set. */
struct tm_sample_writer {
    struct tm_packet_writer *packets; /* borrowed */
    /* private */
    struct tm_sample_sequence {
        uint32_t id; /* output sequence, 0 not started */
        struct tm_intern functions, paths, frames, stacks;
    } *sequences; /* one a machine */
    uint32_t sequence_count;
    struct tm_buf interned, stack;
};

/* EVENT is a SAMPLE on trace time. TM_OK; TM_E_INPUT when its detail is damaged; TM_E_SYSTEM. */
enum tm_status tm_sample_write(struct tm_sample_writer *writer, const struct tm_event *event, struct tm_error *err);

void tm_sample_writer_release(struct tm_sample_writer *writer);

#endif
