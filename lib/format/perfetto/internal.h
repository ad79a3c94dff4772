/* Structures that the readers of Perfetto packets share: the parser's state, a decoded packet, and the state of the
 * packet's sequence. Private to its room.
 *
 * A reader of a packet returns TM_OK; TM_E_INPUT if the packet is damaged or a limit is exceeded; or TM_E_SYSTEM. Its
 * error text states no offset.
 *
 * Field numbers: protos/perfetto/trace of google/perfetto; proto/README says what is read. */
#ifndef TM_FORMAT_PERFETTO_INTERNAL_H
#define TM_FORMAT_PERFETTO_INTERNAL_H

#include "base/pb.h"
#include "format/format.h"
#include "format/perfetto/described_types.h"
#include "format/perfetto/ftrace_adreno.h"
#include "format/perfetto/ftrace_generic.h"
#include "format/perfetto/rows.h"
#include "perfetto/packet_fields.h"
#include "perfetto/compact_message.h"
#include "perfetto/extra_counters.h"
#include "stream/clock_id.h"

/* Limits. A file that exceeds one gets an error that names the limit. */
enum {
    TM_PROTO_SEQUENCES_MAX = 1 << 18,       /* (machine, sequence) pairs */
    TM_PROTO_INTERNED_MAX = 1 << 20,        /* interned messages of one sequence at a time */
    TM_PROTO_INTERNED_BYTES_MAX = 96 << 20, /* bytes of interned data of all sequences */
    /* bytes of interned data that new generations of sequences repeat; 16 times the bytes of the file so far more */
    TM_PROTO_REPEATED_BYTES_FREE = 16 << 20,
    /* values that packets of wakelocks and of users of cpus state; 8 times the bytes of the file so far more */
    TM_PROTO_TOTALS_VALUES_FREE = 2 << 20,
    TM_PROTO_TRACKS_MAX = 1 << 22,          /* counter, thread and process tracks, as many as an output has */
    TM_PROTO_CPUS_MAX = 1 << 16,            /* (machine, cpu) pairs */
    TM_PROTO_COMM_MAX = 64,                 /* bytes of a task's name; kernels have 16 */
    TM_PROTO_CPU_MAX = 1024,                /* a cpu number from here on is damage */
    TM_PROTO_PACKET_BYTES_MAX = 64 << 20,   /* bytes of one packet; memory holds several copies of a text in it */
    TM_PROTO_EXPANDED_MAX = 1 << 30,        /* bytes one compressed packet may hold */
    TM_PROTO_FRAMES_MAX = 1024,             /* of one stack; the innermost ones of a deeper stack are left out */
    TM_PROTO_DEPTH_MAX = 64                 /* nesting of debug annotations and messages */
};

struct tm_v8_profile;

/* One trusted packet sequence of one machine. */
struct tm_proto_sequence {
    uint32_t machine;
    uint32_t id;
    uint32_t generation; /* 0: none assigned in this interval so far */
    uint32_t state;      /* changes with each packet that may change the meaning of later ones */
    bool used;           /* a row of this generation has been written */
    bool seen;           /* a packet of it has been read */
    bool valid;          /* incremental state is complete */
    bool was_skipped, was_taken; /* a packet that needs state was skipped; one was read */
    uint32_t loss_count; /* packets that state a loss before them */
    /* The shadow (sequence_loss.h). is_lossy: the sequence has one. needs_state: a packet that needs state was read.
     * needs_state_shown: the shadow has a packet that states this. */
    bool is_lossy, needs_state, needs_state_shown;
    bool awaits_thread; /* an event of this interval needed the thread before one was stated */
    uint32_t first_generation; /* of this interval; 0: none assigned so far */
    /* The last ThreadDescriptor; survives clearing. */
    bool has_thread;
    int32_t pid;
    int64_t tid;
    /* Reference of delta times and counts; ends with the interval and on loss. */
    bool has_reference;
    int64_t reference_ns, reference_thread_ns, reference_instructions;
    /* TracePacketDefaults. */
    uint32_t default_clock; /* 0: none */
    bool has_default_track;
    uint64_t default_track;
    struct tm_buf defaults; /* the message as recorded */
    struct tm_extra_tracks extra_tracks;
    /* Interned messages: (InternedData field, iid) to offset << 32 | length in `interned`, and to the string number of
     * field 2 (0: not known yet). */
    struct tm_proto_map interned_index;
    struct tm_buf interned; /* InternedData messages since the clearing, concatenated */
    struct tm_proto_map counters; /* (is double, track uuid) to the sum so far */
    struct tm_proto_heap *heap;   /* heap_state.h; NULL: it has no heap profiles */
    uint32_t perf_session; /* of its samples, from 1 on; 0: it has none */
};

/* A decoded TracePacket. Borrows the bytes of the packet. */
struct tm_proto_packet {
    const uint8_t *data;
    size_t len;
    uint64_t byte; /* offset of the outermost packet in the file, for error texts */
    int64_t time;
    bool has_time;
    bool has_sequence; /* the packet states a sequence; no packet of sequence 0 can need its state */
    bool cleared;
    uint32_t clock; /* after defaults; 0: the file's default */
    uint32_t sequence_id;
    uint32_t machine;
    uint32_t flags; /* sequence_flags */
    uint32_t dropped; /* previous_packet_dropped */
    bool is_loss; /* packets before this one were lost; false for the first packet of a sequence */
    uint32_t generation;
    struct tm_pb_field body;     /* the field of the data oneof, without its end; id 0: none */
    struct tm_pb_field interned; /* interned_data; id 0: none */
    struct tm_pb_field defaults; /* trace_packet_defaults; id 0: none */
    struct tm_proto_sequence *sequence; /* NULL: the packet has no sequence */
    const uint8_t *raw; /* the packet without interned_data and trace_packet_defaults */
    size_t raw_len;
    /* One range of raw with all fields except those in columns of a row. NULL: they are not in one range, or some of
     * them may mean something else in a merged trace. */
    const uint8_t *rest;
    size_t rest_len;
};

enum { TM_PROTO_PACKET_TAG = 0x0a }; /* precedes each packet of a trace and its length */

/* The last switch on a cpu: compact_sched omits these facts from the next one. */
struct tm_proto_cpu {
    bool known;
    bool lost_events; /* loss of events has been counted */
    int32_t pid;
    int32_t prio;
    uint32_t string; /* string number of comm; 0: not interned yet */
    uint32_t comm_len;
    uint8_t comm[TM_PROTO_COMM_MAX];
};

/* Losses by the buffers that sequences were written to: sequence_stats.c. */
struct tm_proto_sequence_stats {
    struct tm_proto_map losses;          /* (machine, sequence and cause) to the number of such packets */
    struct tm_proto_map counted_writers; /* (machine, sequence): trace_stats named its buffer */
};

/* The sequences of all machines: sequence.c. */
struct tm_proto_sequences {
    struct tm_proto_sequence *all;
    uint32_t count, cap;
    uint32_t last;             /* index of the last one looked up */
    struct tm_proto_map index; /* (machine, id) to index */
    size_t bytes;              /* of interned data in memory, of all sequences */
    uint64_t repeated_bytes;   /* of interned data, for new generations */
    struct tm_proto_sequence_stats stats;
    uint32_t perf_sessions; /* of sequences with samples of perf or of stack_sample packets */
};

/* Scheduling: sched.c, compact_sched.c. */
struct tm_proto_sched {
    struct tm_proto_map cpu_index; /* (machine, cpu) to index */
    struct tm_proto_cpu *cpus;
    uint32_t cpu_cap;
    struct tm_compact_reader compact; /* the current compact_sched */
    struct tm_buf comms;              /* uint32_t strings of its intern_table */
};

/* Names of system calls: ftrace_syscall.c. */
struct tm_proto_syscalls {
    struct tm_proto_map architectures; /* (machine, 0) to enum tm_architecture */
    struct tm_syscall_names *names;    /* NULL: not needed so far */
};

/* Frames of applications and displays: frame_timeline.c. */
struct tm_proto_frames {
    struct tm_proto_map cookies;  /* (machine, cookie) to the pid and enum tm_named_track of its frame */
    struct tm_proto_map tokens;   /* (machine, hash of a pid and its token): expected frames */
    struct tm_proto_map surfaces; /* (machine, token of a display's frame) to the number of its surfaces' frames */
};

/* Stages of GPU work: gpu_stage.c. */
struct tm_proto_gpu {
    struct tm_proto_map specified; /* (machine, queue or stage) to the place of its description in texts */
    struct tm_buf texts;
};

/* Counters of GPUs: gpu_counter.c. */
struct tm_proto_gpu_counters {
    struct tm_proto_map ids;    /* (machine, hash of a scope and an id) to the place of its track and whether its values
                                 * hold from their time on */
    struct tm_proto_map tracks; /* (machine, hash of a GPU and a name) to the place in list */
    struct tm_proto_map scopes; /* (machine, hash of an interned descriptor): it has been read */
    struct tm_buf list;         /* struct gpu_counter */
    struct tm_buf texts;
};

/* Names that packets state for numbers: known_texts.c. */
struct tm_proto_known_texts {
    struct tm_proto_map places; /* (machine, hash of a number and its kind) to the places of its texts */
    struct tm_buf bytes;
    struct tm_buf unnamed; /* readings whose names no packet has stated yet: unnamed_readings.c */
};

/* Counters that are stated as differences: totals.c. */
struct tm_proto_totals {
    struct tm_proto_map places;   /* (machine, sequence) to the place of its sums */
    struct tm_proto_map counters; /* (machine, hash of a counter) to the place of its last value */
    struct tm_buf sources, lasts;
    uint32_t entries; /* of all sources */
    size_t text_bytes;
    uint64_t values; /* that packets stated, which may be TM_PROTO_TOTALS_VALUES_FREE and some for each byte */
};

/* Facts about the whole trace: metadata.c. */
struct tm_proto_metadata {
    bool has_uuid;                     /* the trace's identity is known */
    bool is_unflushed;                 /* the configuration writes into a file, and states no period of flushes */
    uint32_t config_machine;           /* embedded id, of the last configuration */
    uint32_t service_major;            /* version of the tracing service; 0: not known */
    uint32_t trigger;                  /* the kind of trigger in the metadata; 0: none */
    struct tm_proto_map chrome_counts; /* (machine, enum chrome_kind) to their number */
};

/* Facts that kernels have stated and later packets need. The first key of each map is the machine's embedded id. */
struct tm_proto_kernels {
    struct tm_proto_sched sched;
    struct tm_proto_syscalls syscalls;
    /* (machine, 0) to the ftrace_timestamp of the last clock pair; for the other keys see ftrace_start.c */
    struct tm_proto_map ftrace_pairs;
    struct tm_proto_map page_sizes;     /* (machine, 0) to SystemInfo.page_size */
    struct tm_proto_map versions;       /* (machine, 0) to the version of its kernel: ftrace_cma.c */
    struct tm_proto_map disks;          /* (machine, disk and field) to its last reading */
    struct tm_proto_map address_spaces; /* (machine, mm_id of rss_stat) to the tid last seen with it */
    struct tm_proto_map migrations;     /* (machine, tid and MOVED_KINDS of ftrace_cma.c) to a number of pages */
    struct tm_proto_adreno adreno;
    struct tm_proto_generics generics;
};

/* A parser. perfetto.c, expand.c and packet.c use all of it. A reader of one kind of packet gets only the rows and the
 * state of its kind. */
struct tm_proto {
    struct tm_input *input; /* borrowed */
    enum tm_on_damage on_damage;
    const struct tm_format *(*sniff)(const uint8_t *head, size_t len);
    struct tm_expansion *expansion; /* NULL: do not count */
    bool is_past_limit; /* expansion has reached its limit, an error that is never skipped */
    struct tm_proto_rows rows;
    struct tm_proto_sequences sequences;
    struct tm_packet_cache *cache; /* packet_cache.h; NULL: none yet */
    struct tm_proto_kernels kernels;
    struct tm_proto_frames frames;
    struct tm_proto_gpu gpu;
    struct tm_proto_gpu_counters gpu_counters;
    struct tm_proto_metadata metadata;
    struct tm_proto_map tracks;      /* from descriptors: (machine, uuid); see descriptor.h */
    struct tm_proto_map clocks;      /* (machine, 0): a snapshot of it sets a default clock */
    struct tm_proto_known_texts known;
    struct tm_proto_totals totals;
    struct tm_described_types types; /* of messages in track events */
    struct tm_v8_profile *v8;        /* NULL until the first profile of V8: v8_samples.c */
    struct tm_proto_map stated;      /* (machine, a number of stated.c) to its last value */
    struct tm_buf raw;               /* scratch: the current packet without its state */
    struct tm_buf expanded;          /* scratch: packets out of a compressed one */
};

/* Returns the column value of a counter with VALUE. Sets VALUE_DOUBLE in *FLAGS if an int64 cannot hold it. */
static inline uint64_t tm_proto_unsigned(uint64_t value, uint32_t *flags)
{
    if (value <= INT64_MAX)
        return value;
    *flags |= TM_EVENT_VALUE_DOUBLE;
    return tm_pb_bits((double)value);
}

#endif
