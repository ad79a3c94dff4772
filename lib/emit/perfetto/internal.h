/* Output pftrace: one Perfetto trace. The state that its parts share; doc/pftrace.md describes the design. */
#ifndef TM_EMIT_PERFETTO_INTERNAL_H
#define TM_EMIT_PERFETTO_INTERNAL_H

#include "emit/emit.h"
#include "emit/perfetto/default_tracks.h"
#include "emit/perfetto/ftrace_bounds.h"
#include "emit/perfetto/ftrace_writer.h"
#include "emit/perfetto/line_tasks.h"
#include "emit/perfetto/log_writer.h"
#include "emit/perfetto/merge_keys.h"
#include "emit/perfetto/packet_retime.h"
#include "emit/perfetto/pending_definitions.h"
#include "emit/perfetto/sample_writer.h"
#include "emit/perfetto/sequence_threads.h"
#include "emit/perfetto/snapshot_writer.h"
#include "emit/perfetto/loss_attributes.h"
#include "emit/perfetto/stat_attributes.h"
#include "emit/perfetto/trace_stats.h"
#include "emit/perfetto/v8_isolates.h"
#include "emit/perfetto/track_writer.h"
#include "emit/perfetto/untimed_packets.h"
#include "stream/batch.h"

enum { TM_ABSENT_TRACKS = 1024, TM_ABSENT_SEQUENCES = 64 }; /* powers of two */

/* Something of which no definition is pending, as long as ADDITIONS is that of the pending definitions. */
struct tm_absent_need {
    uint64_t number; /* of a track or sequence */
    uint32_t file, machine, additions;
};

struct pftrace {
    const struct tm_emit_context *context;
    struct tm_arg_expander args;
    struct tm_packet_writer packets;
    struct tm_ftrace_writer ftrace;
    struct tm_ftrace_bounds bounds;
    struct tm_track_writer tracks;
    struct tm_sample_writer samples;
    struct tm_line_tasks line_tasks;
    struct tm_pending_definitions pending;
    struct tm_absent_need absent_tracks[TM_ABSENT_TRACKS], absent_sequences[TM_ABSENT_SEQUENCES]; /* caches */
    struct tm_absent_need absent_defaults[TM_ABSENT_SEQUENCES]; /* a cache of all default tracks of a generation */
    struct tm_default_tracks default_tracks;
    struct tm_sequence_threads threads;
    struct tm_merge_keys merge_keys;
    struct tm_untimed_packets untimed;
    struct tm_trace_stats trace_stats;
    struct tm_v8_isolates isolates;
    struct tm_open_messages messages; /* split messages of scheduling whose events name threads */
    int64_t now_ns; /* of the last event */
    int64_t last_ns; /* of the last event of an unsplit message */
    uint32_t *marker_files; /* by machine: the file whose markers are ftrace events, plus 1 */
    bool started;
    bool appends; /* the output continues one that a reader has read */
    bool continues; /* slices that are open at the end of this part continue in the next one */
    bool in_state; /* the current rows are state from before the part */
    struct tm_clock_rows clocks;
    /* A packet whose extra counter values may be in the rows after it, or a line whose task may be named in the next
     * row. */
    struct tm_event pending_packet;
    struct tm_buf pending_packet_bytes; /* its payload */
    struct tm_buf service_event; /* scratch: a packet of the tracing service, changed */
    bool has_pending_packet;
    bool has_perf_script;  /* some file is a perf script, whose samples may have no process */
    bool has_text;         /* lines of ftrace text, in a document or beside other files, may state no process */
    struct tm_extra_values extras;
    bool after_packet;     /* DERIVED rows repeat the packet before them */
    bool no_values_follow; /* the next row is known and is not a value of the current one */
};

/* trace_packets.c: packets about the whole trace, before and after the events */

/* Notes FRAME, a ClockRow. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_pftrace_note_clock(struct pftrace *p, const struct tm_frame *frame, struct tm_error *err);

/* Writes the first packets: the clocks of the trace. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pftrace_clocks(struct pftrace *p, struct tm_error *err);

/* Writes a packet for each machine that has a name. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pftrace_machine_names(struct pftrace *p, struct tm_error *err);

/* provenance.c: attributes that state that the trace is a merge, its files, the version that wrote it, and the
 * manifest's attributes. They follow the attributes of clocks. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pftrace_provenance(struct pftrace *p, struct tm_error *err);

/* trace_packets.c: writes the number of events that have no form in the trace, as an attribute. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_pftrace_unsupported(struct pftrace *p, struct tm_error *err);

/* definitions.c: definitions of processes and threads */

/* True if E is pending until its time. */
bool tm_pftrace_is_due_later(const struct tm_event *e);

/* Makes E pending. tm_pftrace_is_due_later must be true for it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pftrace_add_pending(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* True if no definition must precede E. Uses of E: flags, time_ns, file, sequence, generation, track. */
bool tm_pftrace_none_due(struct pftrace *p, const struct tm_event *e);

/* True if neither a definition nor a packet without a time must precede E. Uses of E what tm_pftrace_none_due uses. */
static inline bool tm_pftrace_is_next(struct pftrace *p, const struct tm_event *e)
{
    return e->time_ns < tm_untimed_packets_next_ns(&p->untimed) &&
           (p->pending.events.count == 0 || tm_pftrace_none_due(p, e));
}

/* True if no description of TRACK, of E's file and machine, is pending. */
bool tm_pftrace_track_is_absent(struct pftrace *p, const struct tm_event *e, uint64_t track);

/* Writes the definitions that must precede E, an event: those that are due, and those of its track and sequence.
 * TM_OK, TM_E_INPUT or TM_E_SYSTEM, as all functions below that return a status and state nothing else. */
enum tm_status tm_pftrace_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* Writes the description of the track of E, an event on a track. */
enum tm_status tm_pftrace_track_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* fast_packet.c: writes the next row of WALK, whose event is E, with the values in the rows after it, if these are
 * plain rows of a recorded track event. Only flags, kind and file of E are set. The row is no definition, is timed and
 * has no inner times. Moves WALK after the rows. TM_OK; TM_END: the rows are others, and nothing was done; TM_E_INPUT
 * or TM_E_SYSTEM. */
enum tm_status tm_pftrace_fast_packet(struct pftrace *p, struct tm_batch_walk *walk, struct tm_event *e,
                                      struct tm_error *err);

/* track_rows.c: writes the next rows of WALK as long as they are events for the track writer, before which nothing else
 * must be written. Moves WALK after them. TM_OK; TM_END: the next row is another one, and nothing was done; TM_E_INPUT
 * or TM_E_SYSTEM. */
enum tm_status tm_pftrace_track_rows(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err);

/* Passes E, which may state a thread's process, to the parts that need it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pftrace_note_task(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* Notes which tasks start and end with E, an event, and which threads it names. */
enum tm_status tm_pftrace_note(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* Writes the definitions that take effect before TO_NS. */
enum tm_status tm_pftrace_due_before(struct pftrace *p, int64_t to_ns, struct tm_error *err);

/* Writes everything that is pending. */
enum tm_status tm_pftrace_rest(struct pftrace *p, struct tm_error *err);

#endif
