/* The threads of packet sequences. A thread's descriptor on a sequence holds for the later events of the sequence, up
 * to the next one, also after its state was cleared. The output has one sequence for each generation, so the descriptor
 * is repeated on each of them. */
#ifndef TM_EMIT_PERFETTO_SEQUENCE_THREADS_H
#define TM_EMIT_PERFETTO_SEQUENCE_THREADS_H

#include "base/map.h"
#include "stream/event.h"

/* Zero-initialise, then set GENERATION_COUNT. */
struct tm_sequence_threads {
    uint32_t generation_count; /* generations from here on stand for no sequence; no thread is noted for them */
    struct tm_map by_sequence; /* (file, machine, sequence) to its number in sequences */
    struct tm_map by_thread;   /* the sequence, pid and tid to its number in rows */
    struct tm_sequence_spans {
        struct tm_thread_span {
            uint32_t first_generation; /* of the first events since the state was cleared, or of the descriptor */
            uint32_t generation;       /* of the descriptor */
            uint32_t row;              /* number of its thread in rows */
            uint64_t position;         /* of the descriptor in its file */
        } *spans;                      /* by first_generation, each of which is there once */
        uint32_t count, cap;
    } *sequences;
    uint32_t sequence_count, sequence_cap;
    struct tm_sequence_thread {
        struct tm_event event; /* its last descriptor; its payload is owned */
        uint8_t *bytes;
        bool is_written; /* some descriptor of it is */
        uint64_t own_track; /* of its events that name no track, if another file has the thread's track; 0: that one */
    } *rows;
    uint32_t count, cap;
    uint32_t *written; /* by generation: number plus 1 of the row whose thread was written */
    uint32_t written_cap;
    bool has_own_tracks; /* some row has one */
    struct tm_map stated; /* threads of descriptors that describe no track, to the file that has the first of each */
    struct tm_map by_described; /* (file, machine, pid, tid) of descriptors that describe a track, to its place below */
    uint64_t *described;        /* tracks, as in the output */
    uint32_t described_count, described_cap;
};

/* Notes EVENT, a thread's descriptor on its sequence that will be written later. Of the descriptors between two
 * clearings of a sequence's state the last one of the file holds for all events between these, as in the reference
 * importer (its IncrementalState). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sequence_threads_expect(struct tm_sequence_threads *threads, const struct tm_event *event);

/* Notes EVENT, a thread's descriptor on its sequence that is now written there. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sequence_threads_note(struct tm_sequence_threads *threads, const struct tm_event *event);

/* Returns the descriptor that EVENT's generation needs at EVENT or before, and that does not follow by itself; once for
 * each generation, and again after a descriptor of another thread was noted there. NULL: none. Valid until the next
 * note. */
const struct tm_event *tm_sequence_threads_missing(struct tm_sequence_threads *threads, const struct tm_event *event);

/* True if tm_sequence_threads_missing has nothing for events of GENERATION. */
static inline bool tm_sequence_threads_is_written(const struct tm_sequence_threads *threads, uint32_t generation)
{
    return threads->count == 0 || generation == 0 ||
           (generation < threads->written_cap && threads->written[generation]);
}

/* Events of the sequence of EVENT, a noted descriptor, are on TRACK if they name no track; 0: on the thread's own. */
void tm_sequence_threads_set_own(struct tm_sequence_threads *threads, const struct tm_event *event, uint64_t track);

/* Notes TRACK, which EVENT, a thread's descriptor, describes, unless EVENT's file has described one of that thread
 * before. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sequence_threads_note_track(struct tm_sequence_threads *threads, const struct tm_event *event,
                                              uint64_t track);

/* Returns the noted track of EVENT's thread in EVENT's file; 0: none. */
uint64_t tm_sequence_threads_track(const struct tm_sequence_threads *threads, const struct tm_event *event);

/* Returns the row whose descriptor precedes events of GENERATION, or NULL. */
static inline const struct tm_sequence_thread *tm_sequence_threads_of(const struct tm_sequence_threads *threads,
                                                                      uint32_t generation)
{
    uint32_t number = generation < threads->written_cap ? threads->written[generation] : 0;
    return number ? &threads->rows[number - 1] : NULL;
}

/* Returns the own track of EVENT, a track event that names none; 0: it has none. */
static inline uint64_t tm_sequence_threads_own(const struct tm_sequence_threads *threads, const struct tm_event *event)
{
    const struct tm_sequence_thread *row = tm_sequence_threads_of(threads, event->generation);
    if (row == NULL || row->own_track == 0)
        return 0;
    return row->event.tid == event->tid && row->event.pid == event->pid ? row->own_track : 0;
}

void tm_sequence_threads_release(struct tm_sequence_threads *threads);

#endif
