/* One event: a row of a batch with its payload. doc/events.md states what the columns hold for each kind. */
#ifndef TM_STREAM_EVENT_H
#define TM_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Kinds of events. Numbers are part of the stream format and never change. */
enum tm_kind {
    TM_KIND_PACKET = 0, /* a timed packet that only the lossless output uses */
    TM_KIND_SLICE_BEGIN = 1,
    TM_KIND_SLICE_END = 2,
    TM_KIND_SLICE_COMPLETE = 3, /* with dur_ns */
    TM_KIND_INSTANT = 4,
    TM_KIND_COUNTER = 5,
    TM_KIND_FLOW_START = 6, /* s */
    TM_KIND_FLOW_STEP = 7,  /* t */
    TM_KIND_FLOW_END = 8,   /* f */
    TM_KIND_ASYNC_STEP = 9, /* T, p: a step inside an open async slice */
    TM_KIND_SAMPLE = 10,
    TM_KIND_SCHED_SWITCH = 11,
    TM_KIND_SCHED_WAKING = 12,
    TM_KIND_TASK_RENAME = 13,
    TM_KIND_TASK_NEW = 14,
    TM_KIND_PROCESS_EXIT = 15,
    TM_KIND_FTRACE = 16,      /* any other ftrace event */
    TM_KIND_PROCESS = 17,     /* detail.process: a process at this time */
    TM_KIND_THREAD = 18,      /* detail.thread: a thread at this time */
    TM_KIND_LOG = 19,         /* a log line */
    TM_KIND_SYNC_MARKER = 20, /* synchronization marker packet; no host data (doc/rules.md 4) */
    TM_KIND_SLICE_ARGS = 21,  /* args of the open slice that an end with this name and category would end */
    TM_KIND_BINDER = 22,      /* of Android's binder; its effect depends on earlier events (model/binder_rows.h) */
    TM_KIND_KERNEL = 23,      /* a kernel event that extends others or changes a state (model/kernel_rows.h) */
    TM_KIND_COMPACT_SCHED =
        24, /* switches and wakings of one cpu in one message; VALUE is their number (perfetto/compact_rows.h) */
    TM_KIND_BLOCKED_REASON = 25, /* DERIVED: why a task waits or waited */
    TM_KIND_THREAD_STATE = 26,   /* DERIVED: a state of a thread, with dur_ns */
    TM_KIND_HEAP_DUMP = 27,      /* a heap profile of a process over the dur_ns before it; name is the heap */
    TM_KIND_ALLOCATION = 28,     /* DERIVED, after HEAP_DUMP: a call stack allocated VALUE bytes, or freed them if VALUE
                                  * is below 0 */
    TM_KIND_HEAP_GRAPH = 29,     /* DERIVED: a part of a graph of a Java heap (model/heap_graph.h) */
    TM_KIND_MEMORY = 30,         /* DERIVED: a COUNTER of an address space whose task is not known in the file yet */
    TM_KIND_TASK_STATE = 31,     /* DERIVED: a task of any kernel is in a state from here on (model/task_states.h) */
    /* Definitions: TM_EVENT_DEFINITION is set. */
    TM_KIND_SEQUENCE_STATE = 32, /* raw: TracePacket with interned data and defaults alone */
    TM_KIND_TRACK = 33,          /* detail.track */
    TM_KIND_SYSTEM_INFO = 34,    /* detail.machine */
    TM_KIND_METADATA = 35        /* anything else that belongs to the whole trace */
};

enum tm_event_flag {
    TM_EVENT_UNTIMED = 1 << 0,    /* time_ns has no meaning */
    TM_EVENT_DEFINITION = 1 << 1, /* tm-sort puts it before all events that are no definitions */
    TM_EVENT_DERIVED = 1 << 2,    /* a part of the event before it; not counted, no raw */
    TM_EVENT_HAS_PID = 1 << 3,
    TM_EVENT_HAS_TID = 1 << 4,
    TM_EVENT_HAS_VALUE = 1 << 5,
    TM_EVENT_VALUE_DOUBLE = 1 << 6, /* value holds the bits of a double, else an int64 */
    TM_EVENT_HAS_TRACK = 1 << 7,
    TM_EVENT_ASYNC = 1 << 8,        /* begin/end/instant on an async track */
    TM_EVENT_OPEN_ENDED = 1 << 9,   /* complete slice whose end is unknown */
    TM_EVENT_INNER_TIMES = 1 << 10, /* detail.inner_times is present */
    TM_EVENT_HAS_CPU = 1 << 11,
    TM_EVENT_SCOPE_SHIFT = 12,   /* four bits: enum tm_scope */
    TM_EVENT_RAW_SHIFT = 16,     /* four bits: enum tm_raw; TM_EVENT_RAW_MASK */
    TM_EVENT_CONTEXT = 1 << 20,  /* kept by --only for the names it states; lists do not show it; never in a stream */
    TM_EVENT_RAW_BODY = 1 << 21, /* raw is the packet without the numbers that the columns hold; its track event has no
                                    field of TM_TRACK_EVENT_CHANGES (perfetto/track_event_fields.h), except extra
                                    counter values that are absolute already */
    TM_EVENT_MARKER = 1 << 22,   /* the thread wrote to trace_marker; from a print record of the kernel */
    TM_EVENT_IN_ORDER = 1 << 23, /* an event of Chrome JSON before the first complete event of its file; it keeps its
                                  * place in the file among events of one time that all have this flag */
    TM_EVENT_FIRST_USE = 1 << 24, /* a definition at the time of the first event that needs it; if that is before the
                                   * start of trace time, the definition is at the start */
    TM_EVENT_LATE_THREAD = 1 << 25, /* the event is on the thread of its sequence, which is not stated before it; value
                                     * says since which generation (doc/events.md) */
    TM_EVENT_NO_LENGTH = 1 << 26 /* a begin of Chrome JSON, or the end that --only made for it: the slice ends when it
                                  * begins; never in a stream */
};

/* The bits of the flags that hold an enum tm_raw. */
#define TM_EVENT_RAW_MASK (UINT32_C(15) << TM_EVENT_RAW_SHIFT)

/* What the raw bytes are. */
enum tm_raw {
    TM_RAW_NONE = 0,
    TM_RAW_PACKET = 1,       /* a TracePacket message */
    TM_RAW_FTRACE_EVENT = 2, /* a FtraceEvent message */
    TM_RAW_JSON = 3,         /* a JSON object of traceEvents */
    TM_RAW_LINE = 4,         /* a line of text, without its end */
    TM_RAW_COMPACT_SCHED = 5, /* no bytes: one event of a CompactSched message; the columns hold all of it */
    TM_RAW_COMPACT_MESSAGE = 6 /* a CompactSched message */
};

/* The kind of track that the event is on. */
enum tm_scope {
    TM_SCOPE_GLOBAL = 0,
    TM_SCOPE_THREAD = 1,  /* the track of thread tid (of process pid, where HAS_PID) */
    TM_SCOPE_PROCESS = 2, /* a track of process pid */
    TM_SCOPE_TRACK = 3,   /* the track whose uuid is in column track, within its file */
    TM_SCOPE_CPU = 4      /* the cpu in column cpu */
};

/* Strings in the name, category and arg_keys columns. 0: none. 1 to 2^31-1: an id of the stream's string table. With
 * the top bit set, the low bits are an offset in the event's detail bytes. A length varint and that many bytes are
 * there (a detail.text field). */
#define TM_STRING_INLINE UINT32_C(0x80000000)

/* The value of a FLOW_END that binds to the next slice of its thread. Any other binds to the slice around it. */
enum { TM_FLOW_BINDS_NEXT = 1 };

/* Pids and tids that are strings. TEXT_PID_FIRST plus the string's number in the stream's table; TEXT_PID_HASHED plus
 * its hash if it is in no table. */
enum { TM_TEXT_PID_FIRST = 0x40000000, TM_TEXT_PID_HASHED = 0x41000000, TM_TEXT_PID_HASHES = 0x3e000000 };

/* Returns the pid or tid for a string that is in no table and has HASH64. */
static inline int64_t tm_text_pid_hashed(uint64_t hash64)
{
    return TM_TEXT_PID_HASHED + (int64_t)(hash64 % TM_TEXT_PID_HASHES);
}

struct tm_event {
    int64_t time_ns;     /* reading of clock; after tm-clocks, trace time */
    int64_t dur_ns;      /* as recorded */
    uint64_t position;   /* counts up within the file */
    uint32_t kind;       /* enum tm_kind */
    uint32_t flags;      /* enum tm_event_flag */
    uint32_t file;       /* File.id */
    uint32_t machine;    /* embedded id, 0 none; after tm-clocks, Machine.id */
    uint32_t clock;      /* clock id, 0: the file's default */
    uint32_t sequence;   /* trusted_packet_sequence_id, 0 none */
    uint32_t generation; /* Sequence.generation, 0 none */
    uint32_t name;       /* string */
    uint32_t category;   /* string */
    /* tid is the thread of the event, and pid the process of that thread, except where a row names two tasks:
     * SCHED_SWITCH has the previous task in tid and the next one in pid, SCHED_WAKING the woken task and its waker,
     * TASK_NEW the new task and its creator. In a marker (print, tracing_mark_write) pid is the process that the text
     * names. Source: doc/events.md. */
    int64_t pid;
    int64_t tid;
    uint64_t track;
    uint64_t value;
    const uint8_t *raw;    /* the bytes of the input; borrowed */
    const uint8_t *detail; /* a Detail message; borrowed */
    uint32_t raw_bytes;
    uint32_t detail_bytes;
    uint32_t cpu;          /* where HAS_CPU */
    uint32_t arg_keys;     /* string: the keys of those args in the detail that state none (stream/arg_keys.h); 0: all
                            * args state their keys */
};

/* These return the value column of a SCHED_SWITCH and of a SCHED_WAKING (doc/events.md). */
static inline uint64_t tm_event_switch_value(uint64_t prev_state, int32_t next_prio, int32_t prev_prio)
{
    return (prev_state & INT32_MAX) | (uint64_t)(uint16_t)next_prio << 32 | (uint64_t)(uint16_t)prev_prio << 48;
}

static inline uint64_t tm_event_waking_value(int32_t prio, int32_t target_cpu)
{
    return (uint64_t)(uint32_t)prio | (uint64_t)(uint32_t)target_cpu << 32;
}

/* Returns the priority of the task that a SCHED_SWITCH switches to. The track column, if there is one, has the whole
 * number; the value column has its lower 16 bits. */
static inline int32_t tm_event_next_priority(const struct tm_event *event)
{
    return event->flags & TM_EVENT_HAS_TRACK ? (int32_t)(uint32_t)event->track : (int16_t)(event->value >> 32);
}

/* Returns the priority of the task that a SCHED_SWITCH switches from. */
static inline int32_t tm_event_prev_priority(const struct tm_event *event)
{
    return (int16_t)(event->value >> 48);
}

/* Returns the priority of the task that a SCHED_WAKING wakes. The priority of a deadline task is negative. */
static inline int32_t tm_event_waking_priority(const struct tm_event *event)
{
    return (int32_t)(uint32_t)event->value;
}

/* Sets the columns of EVENT, a LOG row of systemd's journal, that hold its priority: value, as Android numbers it, and
 * track, without HAS_TRACK: 1 plus the priority as syslog numbers it. A message without a priority counts as info and,
 * as in the reference importer, as 0 of syslog. */
static inline void tm_event_set_journal(struct tm_event *event, bool has_priority, uint32_t priority)
{
    enum { INFO = 4 }; /* as for an Android message without a priority */
    static const uint8_t of_syslog[] = {7, 7, 7, 6, 5, INFO, INFO, 3}; /* from emerg to debug */
    event->value = has_priority && priority < sizeof of_syslog ? of_syslog[priority] : INFO;
    event->track = UINT64_C(1) + (has_priority ? priority : 0);
    event->flags |= TM_EVENT_HAS_VALUE;
}

/* True for a LOG row whose columns tm_event_set_journal has set. */
static inline bool tm_event_is_of_journal(const struct tm_event *event)
{
    return event->kind == TM_KIND_LOG && event->track != 0;
}

/* Returns the priority, as syslog numbers it, of EVENT, for which tm_event_is_of_journal is true. */
static inline uint32_t tm_event_syslog_priority(const struct tm_event *event)
{
    return (uint32_t)(event->track - 1);
}

/* Returns the cpu that a SCHED_WAKING wakes its task on. */
static inline int32_t tm_event_waking_cpu(const struct tm_event *event)
{
    return (int32_t)(uint32_t)(event->value >> 32);
}

/* The name of track 0, on which are the track events that name no track. */
#define TM_DEFAULT_TRACK_NAME "Default Track"

/* Return the scope and the kind of raw payload that FLAGS state, and the flags that state them. */
static inline enum tm_scope tm_event_scope(uint32_t flags)
{
    return (enum tm_scope)(flags >> TM_EVENT_SCOPE_SHIFT & 15);
}

static inline uint32_t tm_event_scope_flags(enum tm_scope scope)
{
    return (uint32_t)scope << TM_EVENT_SCOPE_SHIFT;
}

static inline enum tm_raw tm_event_raw(uint32_t flags)
{
    return (enum tm_raw)(flags >> TM_EVENT_RAW_SHIFT & 15);
}

static inline uint32_t tm_event_raw_flags(enum tm_raw raw)
{
    return (uint32_t)raw << TM_EVENT_RAW_SHIFT;
}

/* True if the kernel recorded the event: a line of text or an ftrace event. What a thread wrote to trace_marker is
 * among these. */
static inline bool tm_event_is_of_kernel(uint32_t flags)
{
    return tm_event_raw(flags) == TM_RAW_LINE || tm_event_raw(flags) == TM_RAW_FTRACE_EVENT;
}

/* True for an asynchronous marker. Its category is the name of its track. */
static inline bool tm_event_is_async_marker(uint32_t flags)
{
    return flags & TM_EVENT_ASYNC && tm_event_is_of_kernel(flags);
}

/* Copies EVENT's payload to ROOM, which has raw_bytes + detail_bytes, and points EVENT there. */
static inline void tm_event_move_payload(struct tm_event *event, uint8_t *room)
{
    if (event->raw_bytes)
        memcpy(room, event->raw, event->raw_bytes);
    if (event->detail_bytes)
        memcpy(room + event->raw_bytes, event->detail, event->detail_bytes);
    event->raw = room;
    event->detail = room + event->raw_bytes;
}

/* The flag of clone(2) in the value of a TASK_NEW: the new task is a thread of its maker's process. */
enum { TM_CLONE_THREAD = 0x10000 };

/* True if EVENT makes a thread. A TASK_NEW that makes none makes a process. */
static inline bool tm_event_makes_thread(const struct tm_event *event)
{
    return event->kind == TM_KIND_TASK_NEW && event->value & TM_CLONE_THREAD;
}

/* Returns how many events a row of KIND with VALUE stands for. */
static inline uint64_t tm_event_count(uint32_t kind, uint64_t value)
{
    return kind == TM_KIND_COMPACT_SCHED ? (uint32_t)value : 1;
}

static inline bool tm_event_is_timed(uint32_t flags)
{
    return !(flags & TM_EVENT_UNTIMED);
}

/* An event is counted by the accounts if it is timed, is no definition, is no part of another event, and was not kept
 * for its names alone. */
enum { TM_EVENT_NOT_COUNTED = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_DERIVED | TM_EVENT_CONTEXT };

static inline bool tm_event_is_counted(uint32_t flags)
{
    return !(flags & TM_EVENT_NOT_COUNTED);
}

#endif
