/* Samples with their stacks as PerfSample packets: functions, mappings, frames and whole stacks interned on a sequence,
 * which begins anew when its tables are full. There is one a machine and event that was counted, since a sequence says
 * what its samples count; one a machine for samples that count nothing. */
#ifndef TM_EMIT_PERFETTO_SAMPLE_WRITER_H
#define TM_EMIT_PERFETTO_SAMPLE_WRITER_H

#include "base/intern.h"
#include "base/map.h"
#include "base/table.h"
#include "emit/perfetto/packet_writer.h"

enum {
    TM_SAMPLE_EVENTS_MAX = 256,    /* events counted that have sequences of their own; others are as those without */
    TM_SAMPLE_COUNTS_MAX = 1 << 16 /* (event, cpu) whose counts are added up; others count nothing */
};

/* Zero-initialise, with .packets set. */
struct tm_sample_writer {
    struct tm_packet_writer *packets; /* borrowed */
    /* private */
    struct tm_sample_sequence {
        uint32_t id; /* output sequence, 0 not started */
        uint32_t number;
        struct tm_intern functions, paths, files, build_ids, mappings, frames, stacks;
    } * sequences;
    uint32_t sequence_count, sequence_cap;
    struct tm_intern names;   /* of events counted */
    struct tm_map by_machine; /* machine << 32 | number of the name plus 1, or 0, to the number of the sequence */
    struct tm_table counts;   /* (sequence, cpu) to what it has counted so far */
    struct tm_buf interned, stack;
    struct tm_map processes; /* machine << 32 | tid to the process that was said last */
};

/* EVENT may say whose process a thread is. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sample_note_task(struct tm_sample_writer *writer, const struct tm_event *event);

/* EVENT is a SAMPLE of a thread, on trace time. Where it has no process it is of the one that was noted, else of its
 * thread's own: readers take what is of none for process 0's. TM_OK; TM_E_INPUT when its detail is damaged;
 * TM_E_SYSTEM. */
enum tm_status tm_sample_write(struct tm_sample_writer *writer, const struct tm_event *event, struct tm_error *err);

void tm_sample_writer_release(struct tm_sample_writer *writer);

#endif
