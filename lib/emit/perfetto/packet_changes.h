/* What a merged trace changes in the fields of a recorded TracePacket. All writers of packets use it. tm_packet_rewrite
 * handles all changes, a draft (recorded_draft.h) the first three. tm_packet_splice copies ranges of bytes for most
 * drafts; rewrite.h handles the others. tm_packet_splice_body and packet_run take bodies (TM_EVENT_RAW_BODY), in which
 * nothing changes. perfetto/track_event_fields.h has the fields of track events. */
#ifndef TM_EMIT_PERFETTO_PACKET_CHANGES_H
#define TM_EMIT_PERFETTO_PACKET_CHANGES_H

#include "perfetto/packet_fields.h"

#include <stdint.h>

enum tm_packet_change {
    TM_PACKET_CHANGE_NONE,         /* copied */
    /* omitted: written before the copied fields, or valid only for the recorded sequence */
    TM_PACKET_CHANGE_OF_RECORD,
    TM_PACKET_CHANGE_EVENT,        /* a track event */
    TM_PACKET_CHANGE_CLOCK,        /* copied; the packet names its clock */
    TM_PACKET_CHANGE_DESCRIPTOR,   /* ids of tracks */
    TM_PACKET_CHANGE_DEFAULTS,     /* no clock; a track event */
    TM_PACKET_CHANGE_BUNDLE,       /* fields about the clock or the buffer are omitted */
    TM_PACKET_CHANGE_ETW,          /* the time of its event */
    TM_PACKET_CHANGE_FRAMES,       /* ids of frames */
    TM_PACKET_CHANGE_ATTRIBUTES,   /* those of an earlier merge become those of the file */
    TM_PACKET_CHANGE_UUID,         /* omitted if the output has its own */
    TM_PACKET_CHANGE_INPUT_EVENTS, /* copied, and noted */
    TM_PACKET_CHANGE_STATS         /* written as statistics of the output (trace_stats.h) */
};

static inline enum tm_packet_change tm_packet_change_of(uint32_t field)
{
    enum { FIELDS = 128 };
    static const uint8_t changes[FIELDS] = {
        [TM_PACKET_TIMESTAMP] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_TIMESTAMP_CLOCK_ID] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_SEQUENCE_ID] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_SEQUENCE_FLAGS] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_INCREMENTAL_STATE_CLEARED] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_PREVIOUS_PACKET_DROPPED] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_FIRST_ON_SEQUENCE] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_MACHINE_ID] = TM_PACKET_CHANGE_OF_RECORD,
        [TM_PACKET_TRACK_EVENT] = TM_PACKET_CHANGE_EVENT,
        [TM_PACKET_CHROME_EVENTS] = TM_PACKET_CHANGE_CLOCK,
        [TM_PACKET_CHROME_METADATA] = TM_PACKET_CHANGE_CLOCK,
        [TM_PACKET_TRACK_DESCRIPTOR] = TM_PACKET_CHANGE_DESCRIPTOR,
        [TM_PACKET_DEFAULTS] = TM_PACKET_CHANGE_DEFAULTS,
        [TM_PACKET_FTRACE_EVENTS] = TM_PACKET_CHANGE_BUNDLE,
        [TM_PACKET_ETW_EVENTS] = TM_PACKET_CHANGE_ETW,
        [TM_PACKET_FRAME_TIMELINE] = TM_PACKET_CHANGE_FRAMES,
        [TM_PACKET_TRACE_ATTRIBUTES] = TM_PACKET_CHANGE_ATTRIBUTES,
        [TM_PACKET_TRACE_UUID] = TM_PACKET_CHANGE_UUID,
        [TM_PACKET_WINSCOPE] = TM_PACKET_CHANGE_INPUT_EVENTS,
        [TM_PACKET_TRACE_STATS] = TM_PACKET_CHANGE_STATS,
    };
    return field < FIELDS ? (enum tm_packet_change)changes[field] : TM_PACKET_CHANGE_NONE;
}

#endif
