/* Output pftrace: one Perfetto trace. What its parts work on; doc/pftrace.md is the design. */
#ifndef TM_EMIT_PERFETTO_INTERNAL_H
#define TM_EMIT_PERFETTO_INTERNAL_H

#include "emit/emit.h"
#include "emit/perfetto/ftrace_bounds.h"
#include "emit/perfetto/ftrace_writer.h"
#include "emit/perfetto/line_tasks.h"
#include "emit/pending_definitions.h"
#include "emit/perfetto/log_writer.h"
#include "emit/perfetto/packet_retime.h"
#include "emit/perfetto/sample_writer.h"
#include "emit/perfetto/sequence_threads.h"
#include "emit/perfetto/snapshot_writer.h"
#include "emit/perfetto/stat_attributes.h"
#include "emit/perfetto/trace_stats.h"
#include "emit/perfetto/track_writer.h"
#include "emit/perfetto/untimed_packets.h"
#include "stream/batch.h"

struct pftrace {
    const struct tm_emit_context *context;
    struct tm_packet_writer packets;
    struct tm_ftrace_writer ftrace;
    struct tm_ftrace_bounds bounds;
    struct tm_track_writer tracks;
    struct tm_sample_writer samples;
    struct tm_line_tasks line_tasks;
    struct tm_pending_definitions late;
    struct tm_sequence_threads threads;
    struct tm_untimed_packets untimed;
    struct tm_trace_stats trace_stats;
    struct tm_open_messages messages; /* of scheduling, where its events name threads */
    int64_t now_ns; /* of the last event */
    int64_t last_ns; /* of the last event of a message that came whole */
    uint32_t *marker_files; /* of each machine: the file whose markers are ftrace events, plus 1 */
    bool started;
    struct tm_clock_rows clocks;
    /* A packet whose extra counter values are in the rows after it. */
    struct tm_event waiting;
    struct tm_buf pending_bytes; /* its payload */
    struct tm_buf service_event; /* a packet of the service's, as it is to be written */
    bool is_waiting;
    struct tm_extra_values extras;
    bool after_packet;     /* DERIVED rows are what a packet before them says */
    bool no_values_follow; /* the row after the one at hand is known and is no value of it */
};

/* ends.c: what stands before and after the events */

/* Keeps what FRAME, a ClockRow, says. */
enum tm_status tm_pftrace_note_clock(struct pftrace *p, const struct tm_frame *frame, struct tm_error *err);

/* The first packets: what the trace says of clocks. */
enum tm_status tm_pftrace_clocks(struct pftrace *p, struct tm_error *err);

enum tm_status tm_pftrace_machine_names(struct pftrace *p, struct tm_error *err);

/* provenance.c: attributes that state that the trace is a merge, of which files, by which version, and the manifest's
 * attributes. They follow the attributes of clocks. */
enum tm_status tm_pftrace_provenance(struct pftrace *p, struct tm_error *err);

/* What the trace does not hold, as an attribute of it. */
enum tm_status tm_pftrace_inexpressible(struct pftrace *p, struct tm_error *err);

/* define.c: definitions that act on processes and threads */

/* True where E is one that is to be kept for its time. */
bool tm_pftrace_waits(const struct tm_event *e);

/* Keeps E, for which tm_pftrace_waits holds. */
enum tm_status tm_pftrace_keep(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* True when no definition must come before E, as far as can be said at once. Of E are looked at: flags, time_ns, file,
 * sequence, generation, track. */
bool tm_pftrace_none_due(const struct pftrace *p, const struct tm_event *e);

/* What must come before E, an event: definitions that are due, and those of its track and sequence. */
enum tm_status tm_pftrace_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* The description of the track of E, an event on one. */
enum tm_status tm_pftrace_track_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* Notes of E, an event, which tasks start and end with it, and which threads it names. */
enum tm_status tm_pftrace_note(struct pftrace *p, const struct tm_event *e, struct tm_error *err);

/* All that waits is written. */
enum tm_status tm_pftrace_rest(struct pftrace *p, struct tm_error *err);

#endif
