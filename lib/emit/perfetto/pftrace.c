/* Output pftrace: one Perfetto trace file on one timeline. doc/pftrace.md describes the design. */
#include "emit/outputs.h"
#include "base/table.h"
#include "emit/perfetto/deferred_choice.h"
#include "emit/perfetto/fast_path.h"
#include "emit/perfetto/internal.h"
#include "emit/perfetto/log_stats.h"
#include "model/binder_rows.h"
#include "kernel/tracks.h"

#include <stdlib.h>

enum { MESSAGE_BYTES_MAX = 16 << 20 /* of split messages */ };

static enum tm_status pftrace_open(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct pftrace *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(err);
    *state = p;
    if (context->options->append && tm_time_part_is_whole(&context->stream->header.part))
        return tm_error_set(err, TM_E_INPUT,
                            "--append: the stream is not a part by time; tm-sort --cut makes such parts");
    p->context = context;
    p->args = tm_catalog_expander(context->catalog);
    p->pending.events.bytes_max = TM_PENDING_BYTES_MAX;
    return TM_OK;
}

static bool has_one_trace(const struct tm_catalog *c)
{
    uint32_t traces = 0;
    for (uint32_t i = 0; i < c->file_count; i++)
        traces += c->files[i].begun && c->files[i].clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
    return traces <= 1;
}

/* True if files of TYPE name threads that files of the kernel or protos may name otherwise. */
static bool is_profile(enum tm_input_type type)
{
    return type == TM_INPUT_GECKO || type == TM_INPUT_INSTRUMENTS || type == TM_INPUT_FUCHSIA ||
           type == TM_INPUT_SIMPLEPERF || type == TM_INPUT_NSIGHT || type == TM_INPUT_XSPACE ||
           type == TM_INPUT_ART_METHOD || type == TM_INPUT_ART_METHOD_V2 || type == TM_INPUT_CPUPROFILE;
}

/* True if files that are no protos name tasks that other rows may give a name with more or less precedence: Chrome JSON
 * beside any other file, profiles and the like beside files of the kernel or protos, and the process dump of a systrace
 * in HTML, which the scheduler's names in it replace. */
static bool has_names_of_several_sources(const struct tm_catalog *c)
{
    bool json = false, profiles = false, kernel = false, others = false, text = false, no_text = false;
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        const enum tm_input_type type = f->input_type;
        bool is_trace = f->begun && f->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
        json |= f->begun && type == TM_INPUT_JSON;
        others |= is_trace && type != TM_INPUT_JSON;
        kernel |= is_trace && tm_is_of_kernel_or_tracks(type);
        text |= is_trace && type == TM_INPUT_SYSTRACE;
        no_text |= is_trace && type != TM_INPUT_SYSTRACE;
        profiles |= f->begun && is_profile(type);
    }
    return (json && others) || (profiles && kernel) || (text && !no_text);
}

/* Finds out whether some file has samples or lines that may state no process. */
static void look_at_files(struct pftrace *p)
{
    const struct tm_catalog *c = p->context->catalog;
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        p->has_perf_script = p->has_perf_script || f->input_type == TM_INPUT_PERF_SCRIPT;
        p->has_text = p->has_text || (f->input_type == TM_INPUT_SYSTRACE && c->file_count > 1) ||
                      (f->input_type == TM_INPUT_JSON && f->slice_tid_count);
    }
}

/* Sets what the parts of P borrow, and what they do. */
static void connect(struct pftrace *p)
{
    const struct tm_emit_options *options = p->context->options;
    const struct tm_time_part *part = &p->context->stream->header.part;
    p->packets.unsupported = p->context->unsupported;
    p->packets.trace_stats = &p->trace_stats;
    p->packets.threads = &p->threads;
    p->packets.joins_flows = options->join_flows;
    p->packets.sink.undecided.dir = p->untimed.dir = options->temporary_dir;
    p->ftrace.packets = &p->packets;
    p->tracks.packets = &p->packets;
    p->samples.packets = &p->packets;
    p->messages.borrows_names = true;
    p->line_tasks.packets = &p->packets;
    p->line_tasks.ftrace = &p->ftrace;
    p->tracks.is_alone = has_one_trace(p->context->catalog);
    p->packets.isolates = p->tracks.is_alone ? NULL : &p->isolates;
    p->tracks.names.is_enabled = has_names_of_several_sources(p->context->catalog);
    p->appends = p->in_state = p->line_tasks.is_in_state = options->append && part->has_from;
    p->continues = options->append && part->has_to;
    if (options->append)
        tm_packet_writer_set_part(&p->packets);
}

/* Called at the first batch: everything except events is known. Writes the packets before all events, unless a reader
 * has them already. */
static enum tm_status start(struct pftrace *p, struct tm_error *err)
{
    const struct tm_emit_context *context = p->context;
    enum tm_status st =
        tm_packet_writer_init(&p->packets, context->catalog, context->fd, context->options->out_path, err);
    p->started = true;
    if (st < 0)
        return st;
    p->threads.generation_count = p->packets.sequence_count;
    p->marker_files = calloc((size_t)context->catalog->machine_count + 1, sizeof *p->marker_files);
    if (p->marker_files == NULL)
        return tm_error_nomem(err);
    connect(p);
    look_at_files(p);
    if (p->tracks.names.is_enabled && tm_kernel_slices_init(&p->tracks.kernel_slices, context->catalog) < 0)
        return tm_error_nomem(err);
    if (p->appends)
        tm_packet_discard_begin(&p->packets);
    st = tm_pftrace_clocks(p, err);
    if (st == TM_OK)
        st = tm_pftrace_provenance(p, err);
    if (st == TM_OK)
        st = tm_pftrace_machine_names(p, err);
    if (p->appends)
        tm_packet_discard_end(&p->packets);
    return st;
}

static enum tm_status write_pending_packet(struct pftrace *p, struct tm_error *err)
{
    if (!p->has_pending_packet)
        return TM_OK;
    const struct tm_event *e = &p->pending_packet;
    enum tm_status st = tm_packet_retime(&p->packets, e, &p->extras, err);
    p->has_pending_packet = false;
    p->extras.count = 0;
    return st;
}

/* Keeps a copy of E for write_pending_packet. */
static enum tm_status copy_pending_packet(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    struct tm_buf *bytes = &p->pending_packet_bytes;
    bytes->len = 0;
    if (tm_buf_add(bytes, e->raw, e->raw_bytes) != TM_OK || tm_buf_add(bytes, e->detail, e->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    p->pending_packet = *e;
    p->pending_packet.raw = bytes->data;
    p->pending_packet.detail = bytes->data + e->raw_bytes;
    p->has_pending_packet = true;
    return TM_OK;
}

static enum tm_status add_extra(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = e->flags & TM_EVENT_HAS_TRACK ? tm_pftrace_track_due(p, e, err) : TM_OK;
    if (st < 0)
        return st;
    if (tm_array_grow(&p->extras.values, &p->extras.cap, p->extras.count, sizeof *p->extras.values, err) < 0)
        return TM_E_SYSTEM;
    p->extras.values[p->extras.count++] = (struct tm_packet_value){e->value, (e->flags & TM_EVENT_VALUE_DOUBLE) != 0};
    return TM_OK;
}

/* True if E is an event of the tracing service about itself, which is in *FIELD. */
static bool is_service_event(const struct tm_event *e, struct tm_pb_field *field)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    while (tm_pb_next(&pb, field) == TM_OK)
        if (field->id == TM_PACKET_SERVICE_EVENT && field->type == TM_PB_LEN)
            return true;
    return false;
}

/* Writes a service event after all events before it, because a reader may expect these to be complete. */
static enum tm_status write_service_event(struct pftrace *p, const struct tm_event *e, const struct tm_pb_field *field,
                                          struct tm_error *err)
{
    struct tm_event event = *e;
    enum tm_status st = tm_track_writer_flush(&p->tracks, e->time_ns, err);
    if (st < 0 || (st = tm_ftrace_writer_flush(&p->ftrace, e, err)) < 0)
        return st;
    st = tm_ftrace_bounds_service_event(&p->bounds, &event, field, &p->service_event, err);
    return st < 0 ? st : tm_packet_retime(&p->packets, &event, NULL, err);
}

/* True if the reference importer, as of v58, crashes on E's packet: a Winscope shell transition (field 96 of
 * TracePacket) of a machine that it does not take for the host. */
static bool crashes_reader(const struct pftrace *p, const struct tm_event *e)
{
    enum { SHELL_TRANSITION = 96 };
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    if (e->machine == p->clocks.home || (e->kind != TM_KIND_PACKET && e->kind != TM_KIND_METADATA))
        return false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == SHELL_TRANSITION)
            return true;
    return false;
}

static enum tm_status write_packet(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    if (crashes_reader(p, e)) {
        tm_unsupported_counts_event(p->context->unsupported, e);
        return TM_OK;
    }
    struct tm_pb_field service_event;
    if (e->kind == TM_KIND_PACKET && is_service_event(e, &service_event))
        return write_service_event(p, e, &service_event, err);
    bool may_have_extras = tm_packet_may_have_extras(e);
    if (may_have_extras && p->no_values_follow)
        return tm_packet_retime(&p->packets, e, &p->extras, err); /* no row replaces its extra values, if it has any */
    if (!may_have_extras || !tm_packet_has_extras(e))
        return tm_packet_retime(&p->packets, e, NULL, err);
    return copy_pending_packet(p, e, err);
}

/* True if E is a marker of a thread on a machine of this output. Counters do not count, because they do not nest. */
static bool is_thread_marker(const struct pftrace *p, const struct tm_event *e)
{
    return e->kind >= TM_KIND_SLICE_BEGIN && e->kind < TM_KIND_COUNTER && e->machine < p->packets.machine_count &&
           !tm_kernel_track_of(e);
}

/* Notes E. The first file with a marker owns the markers of its machine. */
static enum tm_status note_marker(struct pftrace *p, const struct tm_event *e)
{
    if (!is_thread_marker(p, e))
        return TM_OK;
    if (p->marker_files[e->machine] == 0)
        p->marker_files[e->machine] = e->file + 1;
    return p->has_text ? tm_line_tasks_note_thread(&p->line_tasks, e, true) : TM_OK;
}

/* True if another file owns the markers of E's machine. On the same threads E would nest in slices of that file. */
static bool is_foreign_marker(const struct pftrace *p, const struct tm_event *e)
{
    return is_thread_marker(p, e) && p->marker_files[e->machine] != e->file + 1;
}

/* True if E, a line of text among events of another format, cannot nest with these: it is not a slice and not a counter
 * of a process. */
static bool is_of_kernel_alone(const struct tm_event *e)
{
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
    case TM_KIND_SCHED_WAKING:
    case TM_KIND_TASK_NEW:
    case TM_KIND_TASK_RENAME:
    case TM_KIND_PROCESS_EXIT:
        return true;
    case TM_KIND_FTRACE:
        return !tm_binder_event_of(e);
    case TM_KIND_COUNTER:
        return tm_event_scope(e->flags) == TM_SCOPE_CPU || tm_event_scope(e->flags) == TM_SCOPE_GLOBAL;
    default:
        return false;
    }
}

/* True if E, a kernel event, is from before the data of its file counts. */
static bool is_early(struct pftrace *p, const struct tm_event *e)
{
    if (e->time_ns >= tm_ftrace_bounds_start(&p->bounds, e))
        return false;
    tm_unsupported_counts_add(p->packets.unsupported, e->file, TM_UNSUPPORTED_EARLY, 1);
    return true;
}

/* Decides whether E, a kernel event, is left out, because the data of its file counts later: TM_END. The switch after a
 * left-out one must not state the task before it, which a reader of its file does not know. */
static enum tm_status leave_out(struct pftrace *p, struct tm_event *e, struct tm_error *err)
{
    bool is_cut = is_early(p, e), after_cut = false;
    if (e->kind == TM_KIND_SCHED_SWITCH) {
        enum tm_status st = tm_ftrace_bounds_switch(&p->bounds, e, is_cut, &after_cut, err);
        if (st < 0)
            return st;
    }
    if (after_cut && tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED)
        e->flags &= ~(uint32_t)TM_EVENT_HAS_TID;
    return is_cut ? TM_END : TM_OK;
}

/* Writes E, a CompactSched message. If its events name threads, or may be left out, each is written at its time. */
static enum tm_status write_message(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    int64_t last_ns = tm_compact_rows_last(e->time_ns, e->dur_ns);
    p->last_ns = last_ns > p->last_ns ? last_ns : p->last_ns;
    return p->tracks.names.is_enabled || p->bounds.is_cutting
               ? tm_open_messages_add(&p->messages, e, tm_event_file_order(p->context->catalog, e), err)
               : tm_ftrace_write_message(&p->ftrace, e, err);
}

/* Writes EVENT, which is in no packet, on a track. */
static enum tm_status write_on_track(struct pftrace *p, const struct tm_event *event, struct tm_error *err)
{
    struct tm_event e = *event;
    const bool is_text = p->context->catalog->files[e.file].input_type == TM_INPUT_SYSTRACE ||
                         tm_event_raw(e.flags) == TM_RAW_LINE;
    if (p->has_text && is_text && tm_line_tasks_place(&p->line_tasks, &e) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_write(&p->tracks, &e, err);
}

/* Writes the line of E as an event of ftrace, or on a track if no event of ftrace means the same to a reader. */
static enum tm_status write_line(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_catalog_file *file = &p->context->catalog->files[e->file];
    if (note_marker(p, e) != TM_OK)
        return tm_error_nomem(err);
    if (is_foreign_marker(p, e) ||
        (file->clock_policy != TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK && !is_of_kernel_alone(e)))
        return write_on_track(p, e, err);
    enum tm_status st = tm_ftrace_write_line(&p->ftrace, e, err);
    /* A reader of the line derives counters and binder events itself. */
    p->after_packet = st == TM_OK && (e->kind == TM_KIND_COUNTER || tm_binder_event_of(e));
    return st == TM_END ? write_on_track(p, e, err) : st;
}

/* Writes E, whose raw payload is a packet. */
static enum tm_status write_recorded(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (e->kind == TM_KIND_SYSTEM_INFO)
        st = tm_ftrace_note_kernel(&p->ftrace, e, err);
    return st < 0 ? st : write_packet(p, e, err);
}

/* Writes E, which has no raw payload that a Perfetto trace can contain. OF_PROTO: it comes from a Perfetto trace. */
static enum tm_status write_columns(struct pftrace *p, const struct tm_event *e, bool of_proto, struct tm_error *err)
{
    if (e->kind == TM_KIND_TASK_RENAME && e->flags & TM_EVENT_DERIVED && !of_proto)
        return tm_line_tasks_name(&p->line_tasks, e, err);
    if (of_proto || p->after_packet || e->kind == TM_KIND_SLICE_ARGS || e->kind == TM_KIND_BLOCKED_REASON)
        return TM_OK; /* its primary row has the packet */
    if (e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING)
        return tm_ftrace_write_line(&p->ftrace, e, err);
    return write_on_track(p, e, err);
}

/* Writes E, which is due and of which everything is noted, in the form that its raw payload allows. */
static enum tm_status write_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_raw raw = tm_event_raw(e->flags);
    bool of_proto = p->context->catalog->files[e->file].clock_policy == TRACEMERGE__CLOCK_POLICY__PROTO;
    enum tm_status st;
    if (!(e->flags & TM_EVENT_DERIVED))
        p->after_packet = raw == TM_RAW_PACKET || raw == TM_RAW_FTRACE_EVENT || raw == TM_RAW_COMPACT_SCHED ||
                          raw == TM_RAW_COMPACT_MESSAGE;
    if ((e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING) &&
        tm_line_tasks_may_rename(&p->line_tasks) && (st = tm_line_tasks_rename(&p->line_tasks, e, err)) < 0)
        return st;
    if (e->kind == TM_KIND_SAMPLE && !of_proto && raw != TM_RAW_PACKET && e->flags & TM_EVENT_HAS_TID)
        return tm_sample_write(&p->samples, e, err);
    if (e->kind == TM_KIND_LOG && !of_proto && !p->after_packet)
        return tm_log_write(&p->packets, e, err);
    switch (raw) {
    case TM_RAW_PACKET:
        return write_recorded(p, e, err);
    case TM_RAW_FTRACE_EVENT:
        return note_marker(p, e) == TM_OK ? tm_ftrace_write_raw(&p->ftrace, e, err) : tm_error_nomem(err);
    case TM_RAW_COMPACT_SCHED:
        return tm_ftrace_write_sched(&p->ftrace, e, err);
    case TM_RAW_COMPACT_MESSAGE:
        return write_message(p, e, err);
    case TM_RAW_LINE:
        return write_line(p, e, err);
    default:
        return write_columns(p, e, of_proto, err);
    }
}

/* Writes EVENT, or makes it pending, by its kind and by the form in which it was recorded. */
static enum tm_status write_event(struct pftrace *p, const struct tm_event *event, struct tm_error *err)
{
    struct tm_event copy;
    const struct tm_event *e = event;
    enum tm_raw raw = tm_event_raw(e->flags);
    enum tm_status st;
    if (e->flags & TM_EVENT_DERIVED && p->has_pending_packet && e->kind == TM_KIND_COUNTER)
        return add_extra(p, e, err);
    if ((st = write_pending_packet(p, err)) < 0)
        return st;
    bool is_own = e->flags & TM_EVENT_DEFINITION && raw == TM_RAW_NONE;
    if (e->kind == TM_KIND_METADATA && (e->flags & TM_EVENT_DERIVED || is_own))
        return TM_OK; /* only the bounds and databases need it */
    if ((st = tm_pftrace_note_task(p, e, err)) < 0)
        return st;
    if (e->kind == TM_KIND_SEQUENCE_STATE && (st = tm_default_tracks_note(&p->default_tracks, e, err)) < 0)
        return st;
    if (tm_pftrace_is_due_later(e))
        return tm_pftrace_add_pending(p, e, err);
    if (raw == TM_RAW_PACKET && e->flags & TM_EVENT_UNTIMED && tm_untimed_packets_accept(e))
        return tm_untimed_packets_add(&p->untimed, e, err);
    if (p->bounds.is_cutting && (raw == TM_RAW_FTRACE_EVENT || raw == TM_RAW_COMPACT_SCHED)) {
        copy = *e;
        e = &copy;
        if ((st = leave_out(p, &copy, err)) != TM_OK)
            return st < 0 ? st : TM_OK;
    }
    if (!(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED))) {
        p->now_ns = e->time_ns;
        if (p->pending.events.count || p->threads.count)
            st = tm_pftrace_due(p, e, err);
        if (st < 0 || (st = tm_pftrace_note(p, e, err)) < 0)
            return st;
    }
    return write_due(p, e, err);
}

/* True if E is a packet without a time that precedes all events. The first part of the output has it. */
static bool precedes_events(const struct pftrace *p, const struct tm_event *e)
{
    return p->appends && e->flags & TM_EVENT_UNTIMED && tm_event_raw(e->flags) == TM_RAW_PACKET &&
           (e->kind == TM_KIND_METADATA || e->kind == TM_KIND_SYSTEM_INFO || e->kind == TM_KIND_PACKET ||
            e->kind == TM_KIND_SAMPLE) &&
           !tm_untimed_packets_accept(e);
}

/* Updates the state of the writers by EVENT, which is from before the part. Nothing is written except definitions that
 * its sequence needs. */
static enum tm_status pass_state(struct pftrace *p, const struct tm_event *event, struct tm_error *err)
{
    struct tm_event e = *event;
    tm_packet_discard_begin(&p->packets);
    enum tm_status st = tm_track_writer_flush(&p->tracks, e.time_ns, err);
    tm_packet_discard_end(&p->packets);
    if (st == TM_OK && (p->pending.events.count || p->threads.count))
        st = tm_pftrace_due(p, &e, err);
    e.flags |= TM_EVENT_CONTEXT;
    if (st == TM_OK && tm_event_raw(e.flags) == TM_RAW_PACKET) {
        p->after_packet = true;
        st = tm_pftrace_note_task(p, &e, err);
        return st < 0 ? st : tm_pftrace_note(p, &e, err);
    }
    tm_packet_discard_begin(&p->packets);
    if (st == TM_OK)
        st = write_event(p, &e, err);
    tm_packet_discard_end(&p->packets);
    return st;
}

/* Called before the first event of the part: ends the events before it, whose packets a reader has. */
static enum tm_status end_state(struct pftrace *p, struct tm_error *err)
{
    p->in_state = false;
    tm_packet_discard_begin(&p->packets);
    enum tm_status st = tm_track_writer_flush(&p->tracks, p->context->stream->header.part.from_ns, err);
    if (st == TM_OK)
        st = tm_deferred_choice_decide(&p->tracks, err);
    if (st == TM_OK)
        st = tm_ftrace_writer_flush(&p->ftrace, NULL, err);
    tm_packet_discard_end(&p->packets);
    p->line_tasks.is_in_state = false;
    tm_track_writer_restart(&p->tracks);
    tm_ftrace_writer_restart(&p->ftrace);
    return st;
}

/* True if A comes before B in the stream. */
static bool comes_before(const struct pftrace *p, const struct tm_event *a, const struct tm_event *b)
{
    const struct tm_catalog *c = p->context->catalog;
    return tm_event_comes_before(a, tm_event_file_order(c, a), b, tm_event_file_order(c, b));
}

/* Writes the untimed packets that take effect before E, each at its time; NULL: all. */
static enum tm_status write_untimed(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && p->untimed.has_next && (e == NULL || comes_before(p, &p->untimed.next, e))) {
        struct tm_event at = p->untimed.next;
        at.flags &= ~(uint32_t)(TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
        const struct tm_time_part *part = &p->context->stream->header.part;
        bool is_elsewhere = (p->appends && at.time_ns < part->from_ns) || (p->continues && at.time_ns >= part->to_ns);
        st = write_pending_packet(p, err);
        if (st == TM_OK && !is_elsewhere)
            st = write_packet(p, &at, err);
        if (st == TM_OK)
            st = tm_untimed_packets_pop(&p->untimed, err);
    }
    return st;
}

/* Writes the events of split messages that come before UNTIL; NULL: all. */
static enum tm_status write_messages(struct pftrace *p, const struct tm_event *until, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (p->messages.bytes > MESSAGE_BYTES_MAX) /* too many overlap for the memory: the rest is not in order */
        until = NULL;
    const uint32_t order = until ? tm_event_file_order(p->context->catalog, until) : 0;
    while (st == TM_OK && !tm_open_messages_is_empty(&p->messages) &&
           (until == NULL || tm_open_messages_are_due(&p->messages, until, order))) {
        st = write_event(p, tm_open_messages_first(&p->messages), err);
        if (st == TM_OK)
            st = tm_open_messages_pop(&p->messages, err);
    }
    return st;
}

/* True if row I is a value of the packet before it; also if I is in a later batch. */
static bool may_be_extra(const struct tm_batch *batch, uint32_t i)
{
    return i >= batch->count || (tm_batch_u32(batch, TM_COL_FLAGS, i) & TM_EVENT_DERIVED &&
                                 tm_batch_u32(batch, TM_COL_KIND, i) == TM_KIND_COUNTER);
}

/* True if row I exists and is not a definition; no values follow it then. */
static bool is_past_definitions(const struct tm_batch *batch, uint32_t i)
{
    return i < batch->count && !(tm_batch_u32(batch, TM_COL_FLAGS, i) & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
}

/* Writes the pending packet if row I shows that it has all its values. */
static enum tm_status write_complete_packet(struct pftrace *p, const struct tm_batch *batch, uint32_t i,
                                            struct tm_error *err)
{
    bool is_complete = p->has_pending_packet && p->bounds.is_settled && !p->in_state && !may_be_extra(batch, i);
    return is_complete ? write_pending_packet(p, err) : TM_OK;
}

/* Writes the times from which kernel data counts, unless a reader has them already. */
static enum tm_status settle_bounds(struct pftrace *p, struct tm_error *err)
{
    if (p->appends)
        tm_packet_discard_begin(&p->packets);
    enum tm_status st = tm_ftrace_bounds_settle(&p->bounds, &p->packets, err);
    if (p->appends)
        tm_packet_discard_end(&p->packets);
    return st;
}

/* Takes E, the next row of the stream: writes it, and before it what comes first, or notes it if it is from before the
 * part. */
static enum tm_status take_event(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const bool is_event = !(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
    enum tm_status st = TM_OK;
    if (!p->bounds.is_settled && (st = tm_ftrace_bounds_note(&p->bounds, &p->packets, e, err)) < 0)
        return st;
    if (is_event && p->in_state) {
        if (e->time_ns < p->context->stream->header.part.from_ns)
            return pass_state(p, e, err);
        if ((st = end_state(p, err)) < 0)
            return st;
    }
    if (precedes_events(p, e))
        return e->kind == TM_KIND_SYSTEM_INFO ? tm_ftrace_note_kernel(&p->ftrace, e, err) : TM_OK;
    if (is_event && !tm_open_messages_is_empty(&p->messages))
        st = write_messages(p, e, err);
    if (st == TM_OK && is_event && e->time_ns >= tm_untimed_packets_next_ns(&p->untimed))
        st = write_untimed(p, e, err);
    return st == TM_OK ? write_event(p, e, err) : st;
}

/* Takes the next row of WALK. TM_END: there is none. */
static enum tm_status take_row(struct pftrace *p, struct tm_batch_walk *walk, struct tm_error *err)
{
    struct tm_event e;
    if (!tm_batch_next(walk, &e))
        return TM_END;
    p->no_values_follow = !may_be_extra(walk->batch, walk->i);
    enum tm_status st = tm_arg_expand(&p->args, &e, err);
    return st < 0 ? st : take_event(p, &e, err);
}

static enum tm_status pftrace_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                    struct tm_error *err)
{
    struct pftrace *p = state;
    struct tm_batch_walk walk = {.batch = batch};
    enum tm_status st = TM_OK;
    if (frame->type == TM_FRAME_CLOCK_ROW)
        return tm_pftrace_note_clock(p, frame, err);
    if (frame->type != TM_FRAME_BATCH)
        return TM_OK;
    if (!p->started)
        st = start(p, err);
    while (st == TM_OK) {
        if (!p->bounds.is_settled && is_past_definitions(batch, walk.i) && (st = settle_bounds(p, err)) < 0)
            break;
        if ((st = write_complete_packet(p, batch, walk.i, err)) < 0)
            break;
        if ((st = tm_pftrace_fast(p, &walk, err)) == TM_END)
            st = take_row(p, &walk, err);
    }
    return st < 0 ? st : TM_OK;
}

/* Writes what the inputs lost: the sums of their statistics, and what has no form in the output or was left out. */
static enum tm_status put_losses(struct pftrace *p, struct tm_error *err)
{
    enum tm_status st = tm_trace_stats_finish(&p->trace_stats, &p->packets, p->now_ns, err);
    if (st == TM_OK)
        st = tm_log_stats_write(&p->packets, err);
    if (st == TM_OK)
        st = tm_pftrace_unsupported(p, err);
    return st == TM_OK ? tm_loss_attributes_write(&p->packets, p->clocks.home, err) : st;
}

/* Writes what is pending before the end of the part. The next part writes the rest. */
static enum tm_status finish_part(struct pftrace *p, struct tm_error *err)
{
    const int64_t to_ns = p->context->stream->header.part.to_ns;
    enum tm_status st = tm_pftrace_due_before(p, to_ns, err);
    if (st == TM_OK)
        st = tm_track_writer_flush(&p->tracks, to_ns, err);
    if (st == TM_OK)
        st = tm_deferred_choice_decide(&p->tracks, err);
    if (st == TM_OK)
        st = tm_ftrace_writer_flush(&p->ftrace, NULL, err);
    if (st == TM_OK)
        st = put_losses(p, err);
    return st < 0 ? st : tm_packet_writer_finish(&p->packets, err);
}

static enum tm_status pftrace_finish(void *state, struct tm_error *err)
{
    struct pftrace *p = state;
    enum tm_status st = p->started ? TM_OK : start(p, err);
    if (st == TM_OK)
        st = write_pending_packet(p, err);
    if (st == TM_OK)
        st = write_messages(p, NULL, err);
    if (st == TM_OK)
        st = write_untimed(p, NULL, err);
    p->now_ns = p->last_ns > p->now_ns ? p->last_ns : p->now_ns;
    if (st == TM_OK && p->in_state)
        st = end_state(p, err);
    if (st == TM_OK && p->continues)
        return finish_part(p, err);
    if (st == TM_OK)
        st = tm_pftrace_rest(p, err);
    if (st == TM_OK)
        st = tm_track_writer_flush(&p->tracks, INT64_MAX, err);
    if (st == TM_OK)
        st = tm_ftrace_writer_flush(&p->ftrace, NULL, err);
    if (st == TM_OK)
        st = tm_snapshots_finish(&p->packets, &p->clocks, err);
    if (st == TM_OK)
        st = put_losses(p, err);
    if (st == TM_OK)
        st = tm_stat_attributes_write(&p->packets, p->clocks.home, err);
    return st < 0 ? st : tm_packet_writer_finish(&p->packets, err);
}

static void pftrace_close(void *state)
{
    struct pftrace *p = state;
    if (p == NULL)
        return;
    tm_buf_release(&p->pending_packet_bytes);
    free(p->extras.values);
    free(p->marker_files);
    tm_buf_release(&p->service_event);
    tm_ftrace_bounds_release(&p->bounds);
    tm_open_messages_release(&p->messages);
    tm_pending_definitions_release(&p->pending);
    tm_untimed_packets_release(&p->untimed);
    tm_sequence_threads_release(&p->threads);
    tm_default_tracks_release(&p->default_tracks);
    tm_merge_keys_release(&p->merge_keys);
    tm_track_writer_release(&p->tracks);
    tm_sample_writer_release(&p->samples);
    tm_line_tasks_release(&p->line_tasks);
    tm_ftrace_writer_release(&p->ftrace);
    tm_clock_rows_release(&p->clocks);
    tm_packet_writer_release(&p->packets);
    tm_trace_stats_release(&p->trace_stats);
    tm_v8_isolates_release(&p->isolates);
    tm_arg_expander_release(&p->args);
    free(p);
}

const struct tm_emit_functions tm_emit_pftrace_functions = {
    .open = pftrace_open,
    .frame = pftrace_frame,
    .finish = pftrace_finish,
    .close = pftrace_close,
};
