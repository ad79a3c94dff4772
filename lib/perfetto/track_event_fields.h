/* Field numbers of perfetto/trace/track_event/track_event.proto, and the fields that a merged trace changes. */
#ifndef TM_PERFETTO_TRACK_EVENT_FIELDS_H
#define TM_PERFETTO_TRACK_EVENT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

enum tm_track_event_field {
    TM_TRACK_EVENT_TIME_DELTA_US = 1,
    TM_TRACK_EVENT_THREAD_DELTA_US = 2,
    TM_TRACK_EVENT_CATEGORY_IIDS = 3,
    TM_TRACK_EVENT_ANNOTATIONS = 4,
    TM_TRACK_EVENT_TASK_EXECUTION = 5,
    TM_TRACK_EVENT_LEGACY = 6,
    TM_TRACK_EVENT_INSTRUCTIONS_DELTA = 8,
    TM_TRACK_EVENT_TYPE = 9,
    TM_TRACK_EVENT_NAME_IID = 10,
    TM_TRACK_EVENT_TRACK_UUID = 11,
    TM_TRACK_EVENT_EXTRA_VALUES = 12,
    TM_TRACK_EVENT_TIME_ABSOLUTE_US = 16,
    TM_TRACK_EVENT_THREAD_ABSOLUTE_US = 17,
    TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE = 20,
    TM_TRACK_EVENT_LOG_MESSAGE = 21,
    TM_TRACK_EVENT_CATEGORIES = 22,
    TM_TRACK_EVENT_NAME = 23,
    TM_TRACK_EVENT_HISTOGRAM = 28,
    TM_TRACK_EVENT_COUNTER = 30,
    TM_TRACK_EVENT_EXTRA_TRACKS = 31,
    TM_TRACK_EVENT_SOURCE_LOCATION_IID = 34,
    TM_TRACK_EVENT_FLOWS_OLD = 36,
    TM_TRACK_EVENT_ENDING_FLOWS_OLD = 42,
    TM_TRACK_EVENT_DOUBLE_COUNTER = 44,
    TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS = 45,
    TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES = 46,
    TM_TRACK_EVENT_FLOWS = 47,
    TM_TRACK_EVENT_ENDING_FLOWS = 48,
    TM_TRACK_EVENT_CORRELATION_ID = 52,
    TM_TRACK_EVENT_CORRELATION_STRING = 53,
    TM_TRACK_EVENT_CORRELATION_IID = 54
};

/* True if ID is a field of TrackEvent itself; those from 1000 on are extensions. */
static inline bool tm_track_event_has_field(uint32_t id)
{
    return id < 64 && UINT64_C(0x3f7ffdffff31f7e) >> id & 1;
}

/* TrackEvent.LegacyEvent */
enum tm_legacy_event_field {
    TM_LEGACY_EVENT_NAME_IID = 1,
    TM_LEGACY_EVENT_PHASE = 2,
    TM_LEGACY_EVENT_DURATION_US = 3,
    TM_LEGACY_EVENT_THREAD_DURATION_US = 4,
    TM_LEGACY_EVENT_UNSCOPED_ID = 6,
    TM_LEGACY_EVENT_ID_SCOPE = 7,
    TM_LEGACY_EVENT_BIND_ID = 8,
    TM_LEGACY_EVENT_LOCAL_ID = 10,
    TM_LEGACY_EVENT_GLOBAL_ID = 11,
    TM_LEGACY_EVENT_BIND_TO_ENCLOSING = 12,
    TM_LEGACY_EVENT_FLOW_DIRECTION = 13,
    TM_LEGACY_EVENT_INSTANT_SCOPE = 14,
    TM_LEGACY_EVENT_THREAD_INSTRUCTION_DELTA = 15,
    TM_LEGACY_EVENT_PID = 18,
    TM_LEGACY_EVENT_TID = 19
};

/* LegacyEvent.InstantEventScope */
enum { TM_LEGACY_SCOPE_GLOBAL = 1, TM_LEGACY_SCOPE_PROCESS = 2 };

/* How a merged trace changes a field of a track event. */
enum tm_event_change {
    TM_EVENT_CHANGE_NONE,       /* copied */
    TM_EVENT_CHANGE_TIME,       /* omitted: the packet's timestamp replaces it */
    TM_EVENT_CHANGE_ID,         /* varint: the file's track uuid becomes one of the output */
    TM_EVENT_CHANGE_FLOW,       /* varint: the file's flow id becomes one of the output */
    TM_EVENT_CHANGE_FIXED_FLOW, /* fixed64: the file's flow id becomes one of the output */
    TM_EVENT_CHANGE_COUNTER,    /* a relative value becomes absolute */
    TM_EVENT_CHANGE_EXTRA_VALUES, /* relative values of extra counters become absolute */
    TM_EVENT_CHANGE_LEGACY      /* a message: its ids become those of the output */
};

/* The fields that change, and how. This is the only description. The general writer (emit/perfetto/packet_retime) and
 * the one that copies ranges of bytes (packet_splice) ask tm_event_change_of. The parser sets TM_EVENT_RAW_BODY where
 * an event has none of these fields, except extra counter values that are absolute already. The two fastest writers
 * (tm_packet_splice_body, packet_run) take only such events. All numbers are below 63. */
#define TM_EVENT_CHANGES(X)                                                                                            \
    X(TM_TRACK_EVENT_TIME_DELTA_US, TM_EVENT_CHANGE_TIME)                                                              \
    X(TM_TRACK_EVENT_TIME_ABSOLUTE_US, TM_EVENT_CHANGE_TIME)                                                           \
    X(TM_TRACK_EVENT_LEGACY, TM_EVENT_CHANGE_LEGACY)                                                                   \
    X(TM_TRACK_EVENT_TRACK_UUID, TM_EVENT_CHANGE_ID)                                                                   \
    X(TM_TRACK_EVENT_EXTRA_TRACKS, TM_EVENT_CHANGE_ID)                                                                 \
    X(TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS, TM_EVENT_CHANGE_ID)                                                          \
    X(TM_TRACK_EVENT_COUNTER, TM_EVENT_CHANGE_COUNTER)                                                                 \
    X(TM_TRACK_EVENT_DOUBLE_COUNTER, TM_EVENT_CHANGE_COUNTER)                                                          \
    X(TM_TRACK_EVENT_EXTRA_VALUES, TM_EVENT_CHANGE_EXTRA_VALUES)                                                       \
    X(TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES, TM_EVENT_CHANGE_EXTRA_VALUES)                                                \
    X(TM_TRACK_EVENT_FLOWS_OLD, TM_EVENT_CHANGE_FLOW)                                                                  \
    X(TM_TRACK_EVENT_ENDING_FLOWS_OLD, TM_EVENT_CHANGE_FLOW)                                                           \
    X(TM_TRACK_EVENT_FLOWS, TM_EVENT_CHANGE_FIXED_FLOW)                                                                \
    X(TM_TRACK_EVENT_ENDING_FLOWS, TM_EVENT_CHANGE_FIXED_FLOW)

/* A set of fields has bits 1 << field number; one bit stands for all numbers from TM_TRACK_EVENT_OTHERS on. */
enum { TM_TRACK_EVENT_OTHERS = 63 };
#define TM_TRACK_EVENT_BIT(id) (UINT64_C(1) << (id))
/* The fields above as such a set. */
#define TM_EVENT_CHANGE_BIT(field, change) | TM_TRACK_EVENT_BIT(field)
#define TM_TRACK_EVENT_CHANGES (0 TM_EVENT_CHANGES(TM_EVENT_CHANGE_BIT))

static inline enum tm_event_change tm_event_change_of(uint32_t field)
{
#define TM_EVENT_CHANGE_ROW(field, change) [field] = (change),
    static const uint8_t changes[64] = {TM_EVENT_CHANGES(TM_EVENT_CHANGE_ROW)};
    return field < 64 ? (enum tm_event_change)changes[field] : TM_EVENT_CHANGE_NONE;
#undef TM_EVENT_CHANGE_ROW
}

#endif
