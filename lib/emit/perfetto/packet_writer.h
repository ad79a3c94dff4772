/* Writes TracePackets into one Perfetto trace file.
 *
 * It has what all packets of the output share: sequence numbers, machine ids, and the way in which ids of different
 * files are made distinct. Each generation of an input sequence gets a sequence number of its own, so the order of time
 * never separates events from their state. doc/pftrace.md gives the reasons. */
#ifndef TM_EMIT_PERFETTO_PACKET_WRITER_H
#define TM_EMIT_PERFETTO_PACKET_WRITER_H

#include "base/hash.h"
#include "base/map.h"
#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/default_owners.h"
#include "emit/perfetto/packet_encoder.h"
#include "emit/perfetto/sequence_threads.h"
#include "emit/track_owners.h"
#include "emit/unsupported_counts.h"
#include "model/catalog.h"
#include "perfetto/packet_fields.h"
#include "stream/event.h"

#include <sys/uio.h>

/* True if EVENT, a row with a raw packet, states losses of its sequence (doc/events.md), or is a thread descriptor that
 * readers skip because of such a loss. */
static inline bool tm_packet_is_loss(const struct tm_event *event)
{
    return event->kind == TM_KIND_METADATA && event->generation == 0 && event->sequence != 0;
}

/* Returns the number of process PID in packets, whose pids have 32 bits. One with more bits gets another number, as a
 * pid that is a string does. */
static inline uint64_t tm_packet_pid(int64_t pid)
{
    return (uint64_t)(pid >= INT32_MIN && pid <= UINT32_MAX ? pid : tm_text_pid_hashed(tm_hash_u64((uint64_t)pid)));
}

/* The key of an attribute about file N of a merged trace is this text followed by N. */
#define TM_PROVENANCE_FILE "tracemerge.file."

/* What changes in the track descriptor that is retimed, beside ids and times. Zero: nothing. */
struct tm_descriptor_changes {
    const struct tm_track_owner *owner; /* the track of another file that it goes to; NULL: it describes its own */
    uint64_t merge_key; /* readers merge the track with those of this key alone; 0: it gets no key */
    bool merges_not;    /* readers merge OWNER's track with no other */
    bool loses_name;    /* the name that it states is not one of OWNER's track */
};

struct tm_packet_writer {
    const struct tm_catalog *catalog; /* borrowed */
    struct tm_packet_sink sink;   /* private; it is the encoder's as long as there is one */
    struct tm_buf out;      /* bytes that are not in the sink yet */
    struct tm_packet_drafts drafts; /* private: packets that the encoder puts between them */
    struct tm_packet_encoder *encoder; /* private; NULL: packets are encoded at once */
    bool has_encoder;                  /* private: its start was tried */
    struct tm_event_scratch scratch;   /* private */
    struct tm_event_draft draft;       /* private: of an event that is encoded at once */
    uint32_t first_proto;   /* the file whose ids of tracks stay; those of others are renumbered. UINT32_MAX: none */
    uint32_t *machine_ids;  /* by Machine.id: the packet's machine_id; 0: none */
    uint32_t machine_count;
    uint32_t *sequences;    /* by generation: output sequence; 0: none so far */
    uint32_t sequence_count;
    struct tm_map plain;    /* output sequences of packets without a generation, by file, machine and sequence */
    struct tm_map first;    /* the first output sequence of each recorded sequence, by file, machine and sequence */
    uint32_t next_sequence;
    bool is_part; /* the output is one of several parts that are joined: see tm_packet_writer_set_part */
    struct tm_track_owners owners;
    struct tm_default_owners defaults;
    const struct tm_sequence_threads *threads; /* borrowed: has tracks of events that name none; NULL: there are none */
    struct tm_descriptor_changes descriptor;
    size_t mark;            /* start of the current packet */
    struct tm_buf inner_times; /* scratch: a packet with its inner times rewritten */
    bool has_own_uuid; /* there are several traces: their uuids are attributes of the files */
    bool has_input_events; /* some packet may hold key or motion events */
    const struct tm_clock_rows *clocks; /* borrowed: the clocks of times inside packets; NULL: trace time */
    struct tm_trace_stats *trace_stats;   /* borrowed; NULL: packets with TraceStats stay unchanged */
    struct tm_v8_isolates *isolates;      /* borrowed; NULL: isolates of V8 stay unchanged */
    struct tm_unsupported_counts *unsupported; /* borrowed; counts what has no form in the output; may be NULL */
    struct tm_buf saved_out; /* has `out' while packets are collected */
    bool is_collecting;
    bool is_discarding;
    size_t discard_mark; /* of out: where the discarded packets begin */
    bool joins_flows; /* flow ids are the same in all files (default false) */
    /* private: some flows become legacy events; readers number these from 1, so flow ids of protos must not be small */
    bool has_counted_flows;
};

/* Call it at the first batch, when the catalog is complete except for strings. FD and NAME are those of
 * tm_block_output_init. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_writer_init(struct tm_packet_writer *writer, const struct tm_catalog *catalog, int fd,
                                     const char *name, struct tm_error *err);

/* Returns the id in packets of MACHINE (Machine.id); 0: none. */
static inline uint32_t tm_packet_machine(const struct tm_packet_writer *writer, uint32_t machine)
{
    return machine < writer->machine_count ? writer->machine_ids[machine] : 0;
}

/* Begins a packet of MACHINE (Machine.id); fields are then appended to writer->out. TM_OK or TM_E_SYSTEM, as all
 * functions below that return a status. */
enum tm_status tm_packet_begin(struct tm_packet_writer *writer, uint32_t machine, struct tm_error *err);

/* Ends the packet; writes full buffers. */
enum tm_status tm_packet_end(struct tm_packet_writer *writer, struct tm_error *err);

/* A packet with one field. */
struct tm_packet_head {
    uint32_t machine;
    uint32_t sequence; /* 0: none */
    uint32_t id;       /* of the field */
};

/* Writes a packet with HEAD and a MESSAGE in two pieces. Nothing is moved to make room for lengths. */
enum tm_status tm_packet_message(struct tm_packet_writer *writer, struct tm_packet_head head,
                                 const struct iovec message[2], struct tm_error *err);

/* Call it after a complete packet was appended to writer->out: writes full buffers. */
enum tm_status tm_packet_flush_full(struct tm_packet_writer *writer, struct tm_error *err);

/* Sets *SEQUENCE to the output sequence for EVENT's packet; 0: it has none. *IS_NEW: nothing was written on it so
 * far. */
enum tm_status tm_packet_sequence(struct tm_packet_writer *writer, const struct tm_event *event, uint32_t *sequence,
                                  bool *is_new, struct tm_error *err);

/* Sets *HEAD to the first fields of EVENT's packet: its machine, time, sequence and, for the first packet of a
 * sequence, a flag. */
enum tm_status tm_packet_draft_head(struct tm_packet_writer *writer, const struct tm_event *event,
                                    struct tm_draft_head *head, struct tm_error *err);

/* Returns the draft of the next event, for tm_packet_put_event, with undefined fields. NULL: no memory. */
struct tm_event_draft *tm_packet_new_event(struct tm_packet_writer *writer, struct tm_error *err);

/* Each writes the packet of DRAFT. A thread may encode it later, from a copy. The draft of an event is the last one of
 * tm_packet_new_event. */
enum tm_status tm_packet_put_event(struct tm_packet_writer *writer, struct tm_event_draft *draft, struct tm_error *err);
enum tm_status tm_packet_put_recorded(struct tm_packet_writer *writer, const struct tm_recorded_draft *draft,
                                      struct tm_error *err);

/* Returns the output sequence that represents recorded SEQUENCE of EVENT's file and machine: the one that lost data, if
 * any, otherwise the first one made of it. 0: no packet of it was written. */
uint32_t tm_packet_sequence_of_statistics(const struct tm_packet_writer *writer, const struct tm_event *event,
                                          uint64_t sequence);

/* Returns the number of a new sequence for packets that the output makes itself. */
uint32_t tm_packet_new_sequence(struct tm_packet_writer *writer);

/* Returns the number of a new sequence for the track events of MACHINE, or for the descriptors of their tracks. */
uint32_t tm_packet_track_sequence(struct tm_packet_writer *writer, uint32_t machine, bool is_of_events);

/* Call it before the first packet of a part. A reader of the joined parts keeps what it knows of a sequence, such as
 * its thread, also when the sequence's state is cleared. So the sequences of the input's generations, and those of
 * track events and of descriptors of each machine, have the same numbers in all parts, and no others have these
 * numbers. */
void tm_packet_writer_set_part(struct tm_packet_writer *writer);

/* True if ids of FILE differ from those in its trace. */
static inline bool tm_packet_mixes_ids(const struct tm_packet_writer *writer, uint32_t file)
{
    return file != writer->first_proto;
}

/* Returns the output's id for ID, a track uuid of FILE. 0 stays 0. */
uint64_t tm_packet_id(const struct tm_packet_writer *writer, uint32_t file, uint64_t id);

/* Returns the track of events of FILE that name none, if the default track of their machine belongs to another file. */
uint64_t tm_packet_own_default(const struct tm_packet_writer *writer, uint32_t file);

/* True if EVENT, a recorded track event, names no track and the default track of its machine belongs to another
 * file. */
static inline bool tm_packet_has_own_default(const struct tm_packet_writer *writer, const struct tm_event *event)
{
    return writer->defaults.is_shared && tm_is_on_default_track(event->flags, event->kind, event->track) &&
           tm_default_owners_is_other(&writer->defaults, event->machine, event->file);
}

/* Returns how ids of FILE become ids of the output. If flows are joined, they keep their ids. */
struct tm_id_mix tm_packet_mix(const struct tm_packet_writer *writer, uint32_t file);

/* Puts the name of FILE into OUT of SIZE bytes, and returns it: its path in the input. Of an absolute path only the
 * last part is shown, because the output must not reveal where the file was. */
const char *tm_packet_file_name(const struct tm_catalog *catalog, uint32_t file, char *out, size_t size);

/* TrackDescriptor.SiblingMergeBehavior. Unless the descriptor forbids it, readers merge tracks of one name and parent,
 * and then find no slice there for a flow event. */
enum { TM_MERGES_NOT = 2, TM_MERGES_BY_KEY = 3 };

/* Appends to OUT, a track descriptor, that readers merge the track with those of KEY and its parent alone, whatever
 * their names are. Of several names of the track the first counts, as without a key. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_put_merge_key(struct tm_buf *out, uint64_t key);

/* Begins a packet at EVENT's time, on its machine, with the descriptor of track UUID. *MARK is for
 * tm_packet_end_descriptor. */
enum tm_status tm_packet_begin_descriptor(struct tm_packet_writer *writer, const struct tm_event *event, uint64_t uuid,
                                          size_t *mark, struct tm_error *err);
enum tm_status tm_packet_end_descriptor(struct tm_packet_writer *writer, size_t mark, struct tm_error *err);

/* A track of a file below the track of the same process or thread that another file has described. */
struct tm_child_track {
    uint64_t uuid, parent;
    uint64_t child_ordering;        /* as the file states it for the tracks below; 0: it does not */
    struct tm_pb_field description; /* as the file states it, borrowed; its data is NULL without one */
    struct tm_text name;            /* as the file states it, borrowed; empty: it does not */
    bool is_named;                  /* by a name that an earlier descriptor states */
};

/* Writes a descriptor of CHILD on EVENT's machine. It forbids merging. A track that has no name is named by EVENT's
 * file. If EVENT is timed, the descriptor has its time. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_child_track(struct tm_packet_writer *writer, const struct tm_event *event,
                                     const struct tm_child_track *child, struct tm_error *err);

/* Collects packets instead of writing them, until tm_packet_collect_end. */
void tm_packet_collect_begin(struct tm_packet_writer *writer);

/* Sets TEXT, which is empty, to the collected packets. */
void tm_packet_collect_end(struct tm_packet_writer *writer, struct tm_buf *text);

/* Discards packets until tm_packet_discard_end. It is for packets that a reader has already. */
void tm_packet_discard_begin(struct tm_packet_writer *writer);
void tm_packet_discard_end(struct tm_packet_writer *writer);

/* Opens PLACEHOLDER: packets with two versions, one of which is chosen before the end. PLACEHOLDER is its number, which
 * no open one has. Takes VERSIONS over, also if it fails. Later packets are pending; beyond a few MiB they are in a
 * temporary file. */
enum tm_status tm_packet_placeholder(struct tm_packet_writer *writer, uint32_t placeholder, struct tm_buf versions[2],
                                     struct tm_error *err);

/* Replaces PLACEHOLDER by its version WHICH. */
enum tm_status tm_packet_decide(struct tm_packet_writer *writer, uint32_t placeholder, int which, struct tm_error *err);

/* Writes everything that is left, and waits until all is written. */
enum tm_status tm_packet_writer_finish(struct tm_packet_writer *writer, struct tm_error *err);

void tm_packet_writer_release(struct tm_packet_writer *writer);

#endif
