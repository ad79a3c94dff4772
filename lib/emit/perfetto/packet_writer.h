/* TracePackets on their way into one Perfetto trace file.
 *
 * Knows what every packet of the output shares: the output's own sequence numbers (one for each
 * generation of an input sequence, so that state is never overtaken by time order), the machine ids
 * packets carry, and how ids of different files are kept apart. doc/pftrace.md tells why. */
#ifndef TM_EMIT_PERFETTO_PACKET_WRITER_H
#define TM_EMIT_PERFETTO_PACKET_WRITER_H

#include "base/map.h"
#include "base/pb.h"
#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/placeholders.h"
#include "emit/track_owners.h"
#include "emit/unsupported_counts.h"
#include "model/catalog.h"
#include "perfetto/packet_fields.h"
#include "stream/event.h"

#include <sys/uio.h>

/* True for fields of a recorded packet that are written anew, or are true of the recorded sequence only. */
static inline bool tm_packet_is_of_record(uint32_t id)
{
    switch (id) {
    case TM_PACKET_TIMESTAMP:
    case TM_PACKET_TIMESTAMP_CLOCK_ID:
    case TM_PACKET_SEQUENCE_ID:
    case TM_PACKET_SEQUENCE_FLAGS:
    case TM_PACKET_INCREMENTAL_STATE_CLEARED:
    case TM_PACKET_PREVIOUS_PACKET_DROPPED:
    case TM_PACKET_FIRST_ON_SEQUENCE:
    case TM_PACKET_MACHINE_ID:
        return true;
    default:
        return false;
    }
}

/* True when EVENT, a row with a raw packet, says what its sequence lost (doc/events.md). */
static inline bool tm_packet_is_loss(const struct tm_event *event)
{
    return event->kind == TM_KIND_METADATA && event->generation == 0 && event->sequence != 0;
}

/* What a merged trace says of its file N is the attribute with this key, N after it. */
#define TM_PROVENANCE_FILE "tracemerge.file."

enum { TM_SEQUENCE_CLEARED = 1, TM_SEQUENCE_NEEDS_STATE = 2 }; /* TracePacket.SequenceFlags */

struct tm_packet_writer {
    const struct tm_catalog *catalog; /* borrowed */
    int fd;                           /* borrowed */
    const char *name;                 /* of the output, for messages; NULL: standard output */
    struct tm_buf out;
    uint32_t first_proto;   /* file whose ids stay; those of others are made their own. UINT32_MAX: there is none */
    uint32_t *machine_ids;  /* packet's machine_id of each Machine.id; 0: none */
    uint32_t machine_count;
    uint32_t *sequences;    /* output sequence of a generation, 0 not yet */
    uint32_t sequence_count;
    struct tm_map plain;    /* output sequences of packets without a generation, by file, machine and sequence */
    struct tm_map first;    /* likewise the output sequence that was given first of all to the packets of a sequence */
    uint32_t next_sequence;
    struct tm_track_owners owners;
    uint64_t descriptor_uuid; /* stands in for that of the track descriptor being retimed; 0: its own */
    size_t mark;            /* of the packet being written */
    struct tm_buf inner_times; /* a packet whose inner times were rewritten */
    bool has_own_uuid; /* of several traces: theirs are among what the merged one says of its files */
    bool has_input_events; /* some packet may hold key or motion events */
    const struct tm_clock_rows *clocks; /* borrowed: what times inside packets are readings of; NULL: of trace time */
    struct tm_trace_stats *trace_stats;   /* borrowed; NULL: such packets stay as they are */
    struct tm_unsupported_counts *unsupported; /* borrowed; notes what could not be said */
    struct tm_placeholders held;          /* what comes before out and is not decided */
    struct tm_buf aside;         /* out while packets are written aside */
    bool is_aside;
    bool joins_flows; /* flow ids are of no file (default false) */
};

/* The catalog must be complete but for strings: call at the first batch. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_writer_init(struct tm_packet_writer *writer, const struct tm_catalog *catalog, int fd,
                                     struct tm_error *err);

/* The id that packets of MACHINE (Machine.id) carry; 0: none. */
static inline uint32_t tm_packet_machine(const struct tm_packet_writer *writer, uint32_t machine)
{
    return machine < writer->machine_count ? writer->machine_ids[machine] : 0;
}

/* Each writes one of the fields that packets begin with at P, where up to TM_PB_FIELD_MAX bytes may be overwritten, and
 * returns the byte after it. A machine or sequence of 0 is not written. */
static inline uint8_t *tm_packet_put_machine(uint8_t *p, uint32_t machine_id)
{
    if (machine_id == 0)
        return p;
    p = tm_varint_put(p, TM_PACKET_MACHINE_ID << 3 | TM_PB_VARINT);
    return tm_varint_put(p, machine_id);
}

static inline uint8_t *tm_packet_put_time(uint8_t *p, uint64_t time_ns)
{
    *p++ = TM_PACKET_TIMESTAMP << 3 | TM_PB_VARINT;
    return tm_varint_put_over(p, time_ns);
}

static inline uint8_t *tm_packet_put_sequence(uint8_t *p, uint32_t sequence)
{
    if (sequence == 0)
        return p;
    *p++ = TM_PACKET_SEQUENCE_ID << 3 | TM_PB_VARINT;
    return sequence < 1 << 14 ? tm_varint_put_two(p, sequence) : tm_varint_put(p, sequence);
}

/* Begins a packet of MACHINE (Machine.id); fields are then appended to writer->out. */
enum tm_status tm_packet_begin(struct tm_packet_writer *writer, uint32_t machine, struct tm_error *err);

/* Ends it; sends full buffers. */
enum tm_status tm_packet_end(struct tm_packet_writer *writer, struct tm_error *err);

/* A packet of MACHINE on SEQUENCE (0: none) with one field ID, a MESSAGE in two pieces: nothing is moved to make room
 * for lengths. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_message(struct tm_packet_writer *writer, uint32_t machine, uint32_t sequence, uint32_t id,
                                 const struct iovec message[2], struct tm_error *err);

/* After a packet that was put into writer->out whole: sends full buffers. */
enum tm_status tm_packet_flush_full(struct tm_packet_writer *writer, struct tm_error *err);

/* The output sequence for EVENT's packet; *IS_NEW when nothing was written on it so far. 0 when the
 * packet has no sequence. */
enum tm_status tm_packet_sequence(struct tm_packet_writer *writer, const struct tm_event *event, uint32_t *sequence,
                                  bool *is_new, struct tm_error *err);

/* The output sequence that stands for recorded SEQUENCE of EVENT's file and machine: the one that lost data, if one
 * did, else one of those that it became. 0: no packet of it was written. */
uint32_t tm_packet_spokesman(const struct tm_packet_writer *writer, const struct tm_event *event, uint64_t sequence);

/* Returns the number of a new sequence for packets that the output makes itself. */
uint32_t tm_packet_new_sequence(struct tm_packet_writer *writer);

/* True if ids of FILE differ from those that its trace has. */
static inline bool tm_packet_mixes_ids(const struct tm_packet_writer *writer, uint32_t file)
{
    return file != writer->first_proto;
}

/* The id that the output has for ID, a track uuid of FILE. 0 stays 0. */
uint64_t tm_packet_id(const struct tm_packet_writer *writer, uint32_t file, uint64_t id);

/* The id that the output has for flow ID of FILE. If flows are joined, the id does not change. */
static inline uint64_t tm_packet_flow(const struct tm_packet_writer *writer, uint32_t file, uint64_t id)
{
    return writer->joins_flows ? id : tm_packet_id(writer, file, id);
}

/* Puts the name of FILE into OUT of SIZE bytes: its path in the input. Of an absolute path only the last part is shown,
 * so that the output does not reveal where the file was. */
const char *tm_packet_file_name(const struct tm_catalog *catalog, uint32_t file, char *out, size_t size);

/* Writes a descriptor of track UUID below PARENT on EVENT's machine, with nothing else in it. If EVENT is timed, the
 * descriptor has its time. */
enum tm_status tm_packet_child_track(struct tm_packet_writer *writer, const struct tm_event *event, uint64_t uuid,
                                     uint64_t parent, struct tm_error *err);

/* Collects packets until tm_packet_aside_end. They do not go to the output. */
void tm_packet_aside_begin(struct tm_packet_writer *writer);

/* TEXT, which is empty, becomes what was written aside. */
void tm_packet_aside_end(struct tm_packet_writer *writer, struct tm_buf *text);

/* Opens a placeholder: packets with two versions, one of which is chosen before the last flush. *PLACEHOLDER is its
 * number. Takes VERSIONS over, also if it fails. What follows waits, beyond a few MiB in a temporary file. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_packet_placeholder(struct tm_packet_writer *writer, struct tm_buf versions[2], uint32_t *placeholder,
                                     struct tm_error *err);

/* Replaces PLACEHOLDER by its version WHICH. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_decide(struct tm_packet_writer *writer, uint32_t placeholder, int which, struct tm_error *err);

/* All that no open placeholder holds back. */
enum tm_status tm_packet_writer_flush(struct tm_packet_writer *writer, struct tm_error *err);
void tm_packet_writer_release(struct tm_packet_writer *writer);

#endif
