/* A CompactSched message of an ftrace bundle: switches and wakings of one CPU as columns of packed numbers. Names are
 * indexes into a table. Source: ftrace_event_bundle.proto of Perfetto. */
#ifndef TM_PERFETTO_COMPACT_MESSAGE_H
#define TM_PERFETTO_COMPACT_MESSAGE_H

#include "base/pb.h"

#include <stdbool.h>
#include <stdint.h>

enum tm_compact_field {
    TM_COMPACT_SWITCH_TIME = 1,
    TM_COMPACT_SWITCH_STATE = 2,
    TM_COMPACT_SWITCH_PID = 3,
    TM_COMPACT_SWITCH_PRIO = 4,
    TM_COMPACT_COMMS = 5,
    TM_COMPACT_SWITCH_COMM = 6,
    TM_COMPACT_WAKING_TIME = 7,
    TM_COMPACT_WAKING_PID = 8,
    TM_COMPACT_WAKING_CPU = 9,
    TM_COMPACT_WAKING_PRIO = 10,
    TM_COMPACT_WAKING_COMM = 11,
    TM_COMPACT_WAKING_FLAGS = 12,
    TM_COMPACT_FIELDS = 13
};

/* A reader of one packed column. */
struct tm_compact_column {
    const uint8_t *at, *end;
};

/* A name of the intern table, borrowed from the message. */
struct tm_compact_comm {
    const uint8_t *data;
    size_t len;
    size_t at; /* offset of its length in the message */
};

enum { TM_COMPACT_LANE_COLUMNS = 5, TM_COMPACT_TILE = 128 };

/* The events of one kind in the message, read in order of time. */
struct tm_compact_reader_lane {
    const uint8_t *ids; /* field ids of its columns: time first, name last */
    bool has;           /* there is a next event; time, n and comm are valid */
    uint64_t time;
    const uint64_t *n; /* the numbers of the next event, at a distance of TM_COMPACT_TILE */
    uint32_t comm;
    /* The numbers of up to TM_COMPACT_TILE events are decoded together, column by column. */
    uint32_t at, count;
    bool is_last; /* nothing readable follows NUMBERS */
    uint64_t numbers[TM_COMPACT_LANE_COLUMNS * TM_COMPACT_TILE];
};

/* Zero-initialise; may be opened again and again. */
struct tm_compact_reader {
    struct tm_compact_column columns[TM_COMPACT_FIELDS];
    struct tm_buf comms; /* struct tm_compact_comm */
    uint32_t comm_count;
    bool is_regular; /* each column occurs at most once, and there are no unknown fields */
    bool damaged;    /* columns do not match, or a number is malformed; earlier events are valid */
    struct tm_compact_reader_lane switches, wakings;
};

/* One event of a message. */
struct tm_compact_event {
    bool is_waking;
    uint64_t time;       /* nanoseconds of the bundle's clock */
    uint32_t comm;       /* below comm_count */
    int32_t pid, prio;   /* of the next task of a switch, or of the task woken */
    uint64_t state;      /* prev_state of a switch, common_flags of a waking */
    int32_t target_cpu;  /* of a waking; otherwise 0 */
};

/* A summary of the events of a message. */
struct tm_compact_sum {
    uint32_t count, switches;
    int64_t first_ns, last_ns;
    int32_t pid, prio; /* of the task that runs after the last switch; 0 without switches */
    uint32_t comm;     /* the index of its name in the table */
};

/* Puts READER before the first event of the message of LEN bytes at DATA. The bytes stay the caller's and must outlive
 * the reading. TM_OK; TM_E_INPUT if this is no valid message; TM_E_SYSTEM if out of memory. */
enum tm_status tm_compact_reader_open(struct tm_compact_reader *reader, const uint8_t *data, size_t len);

/* True, with *SUM set, if the message just opened is regular, all its events are valid, and their times are in order.
 * Does not move the reader. */
bool tm_compact_reader_sum(const struct tm_compact_reader *reader, struct tm_compact_sum *sum);

/* Moves to the first event. Call once after open. */
void tm_compact_reader_start(struct tm_compact_reader *reader);

/* Returns the name with index COMM, which must be below comm_count. Valid until the reader is opened again. */
static inline const struct tm_compact_comm *tm_compact_reader_comm(const struct tm_compact_reader *reader,
                                                                   uint32_t comm)
{
    return (const struct tm_compact_comm *)(const void *)reader->comms.data + comm;
}

/* Private to tm_compact_reader_advance: decodes the next numbers of all columns of LANE. */
void tm_compact_reader_fill(struct tm_compact_reader *reader, struct tm_compact_reader_lane *lane);

/* Private to tm_compact_reader_next: moves LANE to its next event. */
static inline void tm_compact_reader_advance(struct tm_compact_reader *reader, struct tm_compact_reader_lane *lane)
{
    if (lane->at == lane->count)
        tm_compact_reader_fill(reader, lane);
    lane->n = lane->numbers + lane->at;
    if (lane->at++ >= lane->count) {
        lane->has = false;
        return;
    }
    uint64_t comm = lane->n[(TM_COMPACT_LANE_COLUMNS - 1) * TM_COMPACT_TILE];
    lane->has = comm < reader->comm_count;
    reader->damaged |= !lane->has;
    lane->comm = (uint32_t)comm;
    lane->time += lane->n[0];
}

/* Reads the next event in order of time. At equal times wakings come first, because the waker is the task that runs
 * until the switch. False at the end and at damage. */
static inline bool tm_compact_reader_next(struct tm_compact_reader *reader, struct tm_compact_event *event)
{
    struct tm_compact_reader_lane *switches = &reader->switches, *wakings = &reader->wakings;
    event->is_waking = wakings->has && (!switches->has || wakings->time <= switches->time);
    struct tm_compact_reader_lane *lane = event->is_waking ? wakings : switches;
    const uint64_t *n = lane->n;
    if (!lane->has)
        return false;
    event->time = lane->time;
    event->comm = lane->comm;
    event->prio = (int32_t)(uint32_t)n[3 * TM_COMPACT_TILE];
    if (event->is_waking) {
        struct tm_compact_column *flags = &reader->columns[TM_COMPACT_WAKING_FLAGS];
        event->pid = (int32_t)(uint32_t)n[TM_COMPACT_TILE];
        event->target_cpu = (int32_t)(uint32_t)n[2 * TM_COMPACT_TILE];
        event->state = 0;
        if (flags->at != flags->end && (flags->at = tm_varint_get(flags->at, flags->end, &event->state)) == NULL)
            flags->at = flags->end;
    } else {
        event->state = n[TM_COMPACT_TILE];
        event->target_cpu = 0;
        event->pid = (int32_t)(uint32_t)n[2 * TM_COMPACT_TILE];
    }
    tm_compact_reader_advance(reader, lane);
    return true;
}

void tm_compact_reader_release(struct tm_compact_reader *reader);

/* Appends the message of LEN bytes at DATA as field ID. Its first event is moved to FIRST_NS, the others by the same
 * distance. TM_OK; TM_E_INPUT if it is no valid message or has no event; TM_E_SYSTEM if out of memory. */
enum tm_status tm_compact_message_put(struct tm_buf *out, uint32_t id, const uint8_t *data, size_t len,
                                      int64_t first_ns);

#endif
