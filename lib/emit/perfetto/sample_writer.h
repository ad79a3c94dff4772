/* Samples with their stacks as PerfSample packets. Functions, mappings, frames and whole stacks are interned on a
 * sequence; when its tables are full, a new sequence begins. Each machine and counted event has one sequence, since a
 * sequence states what its samples count; samples that count nothing have one for each machine. */
#ifndef TM_EMIT_PERFETTO_SAMPLE_WRITER_H
#define TM_EMIT_PERFETTO_SAMPLE_WRITER_H

#include "base/intern.h"
#include "base/map.h"
#include "base/table.h"
#include "emit/perfetto/packet_writer.h"
#include "emit/perfetto/recent_stacks.h"

enum {
    /* counted events with sequences of their own; samples of further events count nothing */
    TM_SAMPLE_EVENTS_MAX = 256,
    TM_SAMPLE_COUNTS_MAX = 1 << 16 /* (event, cpu) pairs whose counts are added up; further ones count nothing */
};

/* Zero-initialise, with .packets set. */
struct tm_sample_writer {
    struct tm_packet_writer *packets; /* borrowed */
    /* private */
    struct tm_sample_sequence {
        uint32_t id; /* output sequence; 0: not started */
        uint32_t number;
        struct tm_intern functions, paths, files, build_ids, mappings, frames, stacks;
        struct tm_intern recorded_frames; /* frames as the details have them; none are added when it is full */
        uint32_t *iids;                   /* of these */
        uint32_t iid_cap;
    } * sequences;
    uint32_t sequence_count, sequence_cap;
    struct tm_intern names;   /* of counted events */
    struct tm_map by_machine; /* machine << 32 | (number of the name plus 1, or 0) to the index of the sequence */
    struct tm_table counts;   /* (sequence, cpu) to its count so far */
    struct tm_buf interned;
    struct tm_recent_stacks recent;
    struct tm_map processes; /* machine << 32 | tid to the last known process */
};

/* Notes the process of the thread of EVENT: a definition, the creation of a task, or an event that states both. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_sample_note_task(struct tm_sample_writer *writer, const struct tm_event *event);

/* Writes EVENT, a SAMPLE of a thread, on trace time. If it has no process, it gets the noted one, otherwise one with
 * the thread's number, because readers assign samples without a process to process 0. TM_OK; TM_E_INPUT: its stack is
 * too large; TM_E_SYSTEM. */
enum tm_status tm_sample_write(struct tm_sample_writer *writer, const struct tm_event *event, struct tm_error *err);

void tm_sample_writer_release(struct tm_sample_writer *writer);

#endif
