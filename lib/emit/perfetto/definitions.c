#include "emit/perfetto/internal.h"
#include "emit/perfetto/default_descriptors.h"
#include "emit/perfetto/track_tasks.h"

#include "base/hash.h"
#include "stream/detail_fields.h"

/* The content of a track descriptor. */
struct described {
    uint64_t uuid, parent; /* of the output; 0: none */
    bool is_thread, is_process, is_counter;
    bool names_thread, names_process;
    int64_t pid, tid;
    uint64_t child_ordering;        /* 0: none */
    struct tm_pb_field description; /* its data is NULL without one */
    struct tm_text name;            /* of the track; empty: none */
    bool merges_not;                /* of several names of the track the last one counts; else the first */
    bool merges_by_key;
};

/* Reads the TrackDescription in F. TM_OK or TM_E_INPUT. */
static enum tm_status read_track(const struct pftrace *p, const struct tm_event *e, const struct tm_pb_field *f,
                                 struct described *d)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    bool has_pid = false, has_tid = false;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &g)) == TM_OK) {
        switch (g.id) {
        case TM_TRACK_DESCRIPTION_UUID: d->uuid = tm_packet_id(&p->packets, e->file, g.value); break;
        case TM_TRACK_DESCRIPTION_PARENT_UUID: d->parent = tm_packet_id(&p->packets, e->file, g.value); break;
        case TM_TRACK_DESCRIPTION_PID: has_pid = true; d->pid = tm_unzigzag(g.value); break;
        case TM_TRACK_DESCRIPTION_TID: has_tid = true; d->tid = tm_unzigzag(g.value); break;
        case TM_TRACK_DESCRIPTION_CHILD_ORDERING: d->child_ordering = g.value; break;
        case TM_TRACK_DESCRIPTION_DESCRIPTION: d->description = g; break;
        case TM_TRACK_DESCRIPTION_NAME: d->name = tm_text_at(g.data, g.len); break;
        case TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR:
            d->merges_not = g.value == TM_MERGES_NOT;
            d->merges_by_key = g.value == TM_MERGES_BY_KEY;
            break;
        case TM_TRACK_DESCRIPTION_IS_COUNTER: d->is_counter = g.value != 0; break;
        case TM_TRACK_DESCRIPTION_IS_THREAD: d->is_thread = g.value != 0; break;
        case TM_TRACK_DESCRIPTION_IS_PROCESS: d->is_process = g.value != 0; break;
        default: break;
        }
    }
    d->is_thread = d->is_thread && has_tid;
    d->is_process = d->is_process && has_pid;
    return st < 0 ? st : TM_OK;
}

_Static_assert((int)TM_THREAD_DESCRIPTION_NAME == (int)TM_PROCESS_DESCRIPTION_NAME, "a field of both");

/* True if F is a message with number PART, a ThreadDescription or ProcessDescription, and has a name. */
static bool has_name(const struct tm_pb_field *f, uint32_t part)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    while (f->id == part && f->type == TM_PB_LEN && tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == TM_THREAD_DESCRIPTION_NAME && g.type == TM_PB_LEN && g.len > 0)
            return true;
    return false;
}

static enum tm_status read_description(const struct pftrace *p, const struct tm_event *e, struct described *d,
                                       struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    enum tm_status st;
    *d = (struct described){0};
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == TM_DETAIL_TRACK && f.type == TM_PB_LEN && (st = read_track(p, e, &f, d)) < 0)
            break;
        d->names_thread = d->names_thread || has_name(&f, TM_DETAIL_THREAD);
        d->names_process = d->names_process || has_name(&f, TM_DETAIL_PROCESS);
    }
    return st < 0 ? tm_error_set(err, TM_E_INPUT, "event %llu: detail bytes are damaged",
                                 (unsigned long long)e->position)
                  : TM_OK;
}

/* Notes that the process (IS_THREAD: the thread) with NUMBER on E's machine has a name with more precedence than those
 * that are written at the end. */
static enum tm_status note_named_task(struct pftrace *p, const struct tm_event *e, bool is_thread, int64_t number,
                                      struct tm_error *err)
{
    int64_t raw_id = p->context->catalog->machines[e->machine].raw_id;
    enum tm_status st = tm_pending_names_note(&p->tracks.names, &p->packets.owners, raw_id, is_thread, number);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status note_named(struct pftrace *p, const struct tm_event *e, int64_t tid, struct tm_error *err)
{
    return note_named_task(p, e, true, tid, err);
}

/* Notes the thread of E, a row of a process tree or the descriptor of a thread without a track, if it has a name. */
static enum tm_status note_stated(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (has_name(&f, TM_DETAIL_THREAD))
            return note_named(p, e, e->tid, err);
    return TM_OK;
}

/* Notes the threads that E names. */
static enum tm_status note_names(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        if (e->flags & TM_EVENT_HAS_TID && e->category)
            st = note_named(p, e, e->tid, err);
        return st == TM_OK && e->name && e->flags & TM_EVENT_HAS_PID ? note_named(p, e, e->pid, err) : st;
    case TM_KIND_SCHED_WAKING:
        if (tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED) /* names no thread (doc/model.md) */
            return TM_OK;
        return e->name ? note_named(p, e, e->tid, err) : TM_OK;
    case TM_KIND_TASK_RENAME:
    case TM_KIND_TASK_NEW:
        return e->name ? note_named(p, e, e->tid, err) : TM_OK;
    case TM_KIND_THREAD:
        return e->flags & TM_EVENT_DERIVED && e->flags & TM_EVENT_HAS_TID ? note_stated(p, e, err) : TM_OK;
    default:
        return TM_OK;
    }
}

/* Returns what stands for track D of a machine with RAW_ID among the owners. */
static struct tm_track_task track_key(int64_t raw_id, const struct described *d)
{
    return (struct tm_track_task){tm_hash_u64(d->uuid ^ tm_hash_u64(raw_id)) | 1, 0};
}

/* Makes track D, at its first descriptor, the owner of its process or thread, unless another file's track is. *OWNER is
 * the track that represents the process or thread. */
static enum tm_status own_track(struct pftrace *p, const struct tm_event *e, const struct described *d,
                                struct tm_track_owner *owner, struct tm_error *err)
{
    struct tm_track_owners *owners = &p->packets.owners;
    int64_t raw_id = p->context->catalog->machines[e->machine].raw_id;
    struct tm_track_task of_uuid = track_key(raw_id, d);
    struct tm_track_task task = tm_track_task_of(owners, raw_id, d->is_thread, d->pid, d->tid);
    const struct tm_track_owner *described = tm_track_owners_find(owners, of_uuid), *other = NULL;
    if (described) {
        *owner = *described;
        return TM_OK;
    }
    const struct tm_event at = {.machine = e->machine, .file = e->file, .time_ns = e->time_ns, .pid = d->pid,
                                .tid = d->tid, .flags = e->flags | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID};
    if (!d->is_thread)
        other = tm_track_owners_find(owners, task);
    else if (tm_track_task_owner(&p->tracks, &at, &other, err) < 0)
        return err->status;
    if (other && (other->file != e->file || other->is_made)) {
        *owner = *other;
    } else {
        /* A second track of one file for one number: the number was reused. */
        if (other && (tm_track_owners_end(owners, raw_id, d->is_thread, d->is_thread ? d->tid : d->pid) != TM_OK ||
                      (!d->is_thread && tm_track_owners_end(owners, raw_id, true, d->pid) != TM_OK)))
            return tm_error_nomem(err);
        task = tm_track_task_of(owners, raw_id, d->is_thread, d->pid, d->tid);
        if (tm_track_owners_set(owners, task, *owner) != TM_OK)
            return tm_error_nomem(err);
    }
    return tm_track_owners_set(owners, of_uuid, *owner) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Returns the key by which events of MACHINE on track UUID find its pending descriptor. */
static uint64_t track_need(uint32_t machine, uint64_t uuid)
{
    return uuid ? tm_hash_u64(machine ^ tm_hash_u64(uuid)) | 1 : 0;
}

/* Returns that of events of FILE and MACHINE on TRACK, as the file names it; 0 is the default track, which needs its
 * descriptor if several files have one. */
static uint64_t recorded_track_need(const struct pftrace *p, uint32_t file, uint32_t machine, uint64_t track)
{
    if (track)
        return track_need(machine, tm_packet_id(&p->packets, file, track));
    return p->packets.defaults.is_shared ? tm_hash_u64(machine ^ tm_hash_u64(~(uint64_t)file)) | 1 : 0;
}

static enum tm_status write_needed(struct pftrace *p, const struct tm_event *e, uint64_t key, struct tm_error *err);

/* Writes E, a track descriptor, with CHANGES. */
static enum tm_status retime_changed(struct tm_packet_writer *w, const struct tm_event *e,
                                     struct tm_descriptor_changes changes, struct tm_error *err)
{
    w->descriptor = changes;
    enum tm_status st = tm_packet_retime(w, e, NULL, err);
    w->descriptor = (struct tm_descriptor_changes){0};
    return st;
}

/* Writes E, the descriptor D of a default track that belongs to another file, for the own track of E's file, which is
 * merged with no other file's, though most have one name. What E says of the order of processes and threads then
 * describes the machine's default track, unless that has a descriptor. */
static enum tm_status write_own_default(struct pftrace *p, const struct tm_event *e, const struct described *d,
                                        struct tm_error *err)
{
    struct tm_packet_writer *w = &p->packets;
    const struct tm_track_owner owner = {.uuid = tm_packet_own_default(w, e->file), .file = e->file};
    enum tm_status st = tm_default_descriptors_note(w, e, owner.uuid, err);
    if (st < 0)
        return st;
    st = retime_changed(w, e,
                        (struct tm_descriptor_changes){.owner = &owner,
                                                       .merge_key = d->merges_not ? 0 : owner.uuid,
                                                       .merges_not = d->merges_not},
                        err);
    if (st < 0 || (st = tm_default_descriptors_note(w, e, 0, err)) < 0)
        return st;
    return st == TM_OK ? tm_default_descriptors_put_orderings(w, e, err) : TM_OK;
}

/* Writes E, the descriptor D of the default track of a machine that several files have. That of the file that has the
 * machine's default track comes first, because readers keep the first name. */
static enum tm_status write_default(struct pftrace *p, const struct tm_event *e, const struct described *d,
                                    struct tm_error *err)
{
    struct tm_packet_writer *w = &p->packets;
    enum tm_status st;
    if (!tm_default_owners_is_other(&w->defaults, e->machine, e->file)) {
        st = tm_default_descriptors_note(w, e, 0, err);
        return st < 0 ? st : tm_packet_retime(w, e, NULL, err);
    }
    st = write_needed(p, e, recorded_track_need(p, w->defaults.files[e->machine] - 1, e->machine, 0), err);
    return st < 0 ? st : write_own_default(p, e, d, err);
}

/* Writes E, the descriptor D of a process or thread that OWNER, the track of another file, represents: the track is
 * below that. Facts about the process or thread go to OWNER. The name of a process's track is not one of these, as the
 * name of the process is; readers show no name of a thread's track. */
static enum tm_status write_below(struct pftrace *p, const struct tm_event *e, const struct described *d,
                                  const struct tm_track_owner *owner, struct tm_error *err)
{
    struct tm_packet_writer *w = &p->packets;
    const struct tm_track_task key = track_key(p->context->catalog->machines[e->machine].raw_id, d);
    struct tm_child_track child = {.uuid = d->uuid,
                                   .parent = owner->uuid,
                                   .child_ordering = d->child_ordering,
                                   .description = d->description,
                                   .is_named = owner->is_named};
    if (!d->is_thread && (d->merges_not || !owner->is_named))
        child.name = d->name;
    if (child.name.len)
        tm_track_owners_set_named(&w->owners, key);
    enum tm_status st =
        retime_changed(w, e, (struct tm_descriptor_changes){.owner = owner, .loses_name = !d->is_thread}, err);
    if (st == TM_OK && d->is_process && !d->is_thread && p->tracks.names.is_enabled)
        st = tm_track_writer_repeat_name(&p->tracks, e, d->pid, err);
    return st < 0 ? st : tm_packet_child_track(w, e, &child, err);
}

/* Writes a track descriptor. */
static enum tm_status write_track(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    struct tm_packet_writer *w = &p->packets;
    struct described d = {0};
    enum tm_status st = read_description(p, e, &d, err);
    if (st < 0)
        return st;
    if (w->owners.count >= TM_OUTPUT_TRACKS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d descriptions of threads and processes "
                            "(TM_OUTPUT_TRACKS_MAX)", TM_OUTPUT_TRACKS_MAX);
    if (d.uuid == 0 && w->defaults.is_shared)
        return write_default(p, e, &d, err);
    struct tm_track_owner owner = {.uuid = d.uuid, .parent = d.parent, .file = e->file};
    if (d.is_thread || d.is_process)
        st = own_track(p, e, &d, &owner, err);
    if (st == TM_OK && d.is_thread) {
        st = tm_sequence_threads_note(&p->threads, e) == TM_OK ? TM_OK : tm_error_nomem(err);
        tm_sequence_threads_set_own(&p->threads, e, owner.uuid == d.uuid ? 0 : d.uuid);
    }
    if (st == TM_OK && d.is_thread && d.names_thread && p->tracks.names.is_enabled)
        st = note_named(p, e, d.tid, err);
    if (st == TM_OK && d.names_process && d.is_process && p->tracks.names.is_enabled)
        st = note_named_task(p, e, false, d.pid, err);
    if (st < 0 || owner.uuid != d.uuid)
        return st < 0 ? st : write_below(p, e, &d, &owner, err);
    return retime_changed(
        w, e, (struct tm_descriptor_changes){.merge_key = tm_merge_keys_find(&p->merge_keys, d.uuid)}, err);
}

/* Notes E, a descriptor that makes a thread that of its sequence and describes no track. */
static enum tm_status note_thread(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    if (tm_sequence_threads_expect(&p->threads, e) != TM_OK)
        return tm_error_nomem(err);
    if (e->generation == 0 || (e->flags & both) != both || e->machine >= p->packets.machine_count)
        return TM_OK;
    int64_t raw_id = p->context->catalog->machines[e->machine].raw_id;
    struct tm_track_task task = tm_track_task_of(&p->packets.owners, raw_id, true, e->pid, e->tid);
    return tm_map_add(&p->threads.stated, tm_hash_u64(task.key + task.life), e->file) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Finds the track below that of another file on which events of E's file are on thread E if they name no track: the
 * one that the file describes for the thread, which has to be there then, or one of its own. */
static enum tm_status find_track_below(struct pftrace *p, const struct tm_event *e, uint64_t *track,
                                       struct tm_error *err)
{
    *track = tm_sequence_threads_track(&p->threads, e);
    return *track ? write_needed(p, e, track_need(e->machine, *track), err)
                  : tm_track_task(&p->tracks, e, true, track, err);
}

/* Writes E, a noted descriptor that describes no track. If the thread's track belongs to another file, events of the
 * sequence that name no track are on a track below that. */
static enum tm_status write_thread(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    const struct tm_track_owner *owner = NULL;
    struct tm_event at = *e;
    uint64_t uuid;
    enum tm_status st = tm_sequence_threads_note(&p->threads, e) == TM_OK ? TM_OK : tm_error_nomem(err);
    if (st == TM_OK && e->generation && (e->flags & both) == both && e->machine < p->packets.machine_count)
        st = tm_track_task_owner(&p->tracks, e, &owner, err);
    if (st == TM_OK && owner && owner->file != e->file) {
        st = find_track_below(p, e, &uuid, err);
        tm_sequence_threads_set_own(&p->threads, e, uuid);
    }
    if (e->time_ns > 0) /* its name counts from its place in the file on */
        at.flags &= ~(uint32_t)TM_EVENT_UNTIMED;
    if (st == TM_OK && e->machine < p->packets.machine_count && p->tracks.names.is_enabled)
        st = note_stated(p, e, err);
    return st < 0 ? st : tm_packet_retime(&p->packets, &at, NULL, err);
}

/* Returns the key by which events on E's sequence find the pending descriptor of its thread. */
static uint64_t sequence_need(const struct tm_event *e)
{
    const uint64_t sequence = tm_hash_u64((uint64_t)e->file << 32 | e->sequence);
    return e->generation ? tm_hash_u64(tm_hash_u64(e->machine ^ sequence)) | 1 : 0;
}

/* True if E states untimed facts about a process or thread, or mentions one, from a file that is not a proto. */
static bool is_plain_metadata(const struct tm_event *e)
{
    enum tm_raw raw = tm_event_raw(e->flags);
    return (e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_THREAD || tm_track_task_is_mentioned(e)) &&
           (raw == TM_RAW_JSON || raw == TM_RAW_NONE) && !tm_event_is_timed(e->flags) &&
           !(e->flags & TM_EVENT_DERIVED);
}

/* True if E is a packet that makes a thread that of its sequence and describes no track. */
static bool is_thread_packet(const struct tm_event *e)
{
    return e->kind == TM_KIND_THREAD && tm_event_raw(e->flags) == TM_RAW_PACKET;
}

bool tm_pftrace_is_due_later(const struct tm_event *e)
{
    if (!(e->flags & TM_EVENT_DEFINITION))
        return false;
    if (is_plain_metadata(e))
        return true;
    if (e->kind == TM_KIND_TRACK || is_thread_packet(e))
        return tm_event_raw(e->flags) == TM_RAW_PACKET;
    return e->kind != TM_KIND_SEQUENCE_STATE && e->kind != TM_KIND_SYSTEM_INFO && tm_event_is_timed(e->flags) &&
           tm_event_raw(e->flags) != TM_RAW_PACKET;
}

/* Notes the name in D, the descriptor E, if readers would merge its track with those of other files. */
static enum tm_status note_merging(struct pftrace *p, const struct tm_event *e, const struct described *d,
                                   struct tm_error *err)
{
    const bool merges_by_name = d->name.len && !d->merges_not && !d->merges_by_key;
    if (!merges_by_name || d->uuid == 0 || d->parent || d->is_thread || d->is_process || d->is_counter ||
        !tm_packet_mixes_ids(&p->packets, e->file))
        return TM_OK;
    const uint32_t order = p->context->catalog->files[e->file].processing_order;
    return tm_merge_keys_note(&p->merge_keys, d->uuid, order, d->name) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Notes E, the descriptor of a thread and its TRACK. */
static enum tm_status note_thread_track(struct pftrace *p, const struct tm_event *e, uint64_t track,
                                        struct tm_error *err)
{
    return tm_sequence_threads_expect(&p->threads, e) == TM_OK &&
                   tm_sequence_threads_note_track(&p->threads, e, track) == TM_OK
               ? TM_OK
               : tm_error_nomem(err);
}

enum tm_status tm_pftrace_add_pending(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event at = *e;
    struct described d = {.is_thread = is_thread_packet(e)};
    enum tm_status st = d.is_thread                 ? note_thread(p, e, err)
                        : e->kind == TM_KIND_TRACK ? read_description(p, e, &d, err)
                                                   : tm_track_task_note_rank(&p->tracks, e, err);
    if (st == TM_OK && e->kind == TM_KIND_TRACK)
        st = note_merging(p, e, &d, err);
    if (st == TM_OK && e->kind == TM_KIND_TRACK && d.is_thread)
        st = note_thread_track(p, e, d.uuid, err);
    if (st < 0)
        return st;
    if (is_plain_metadata(e))
        at.time_ns = INT64_MIN; /* before all events, and after everything that ranks tasks */
    const uint64_t own_default = e->kind == TM_KIND_TRACK ? recorded_track_need(p, e->file, e->machine, 0) : 0;
    struct tm_pending_needs needs = {d.uuid ? track_need(e->machine, d.uuid) : own_default,
                                     d.is_thread ? sequence_need(e) : 0, track_need(e->machine, d.parent)};
    return tm_pending_definitions_add(&p->pending, &at, needs, err);
}

/* Writes E, which is no track. The parts before this one have what E says of a task before the part: said again, it
 * would replace what came between. */
static enum tm_status write_metadata(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const bool is_task = e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_THREAD;
    const bool is_repeated = p->appends && is_task && e->time_ns < p->context->stream->header.part.from_ns &&
                             !p->packets.is_discarding;
    if (is_repeated)
        tm_packet_discard_begin(&p->packets);
    enum tm_status st = tm_track_write(&p->tracks, e, err);
    if (is_repeated)
        tm_packet_discard_end(&p->packets);
    return st;
}

/* Writes definition E, at NOW_NS if it is needed before its time. */
static enum tm_status write_definition(struct pftrace *p, const struct tm_event *e, int64_t now_ns,
                                       struct tm_error *err)
{
    struct tm_event at = *e;
    if (e->kind != TM_KIND_TRACK)
        return is_thread_packet(e) ? write_thread(p, e, err) : write_metadata(p, e, err);
    if (!tm_event_is_timed(e->flags) && e->time_ns > 0) {
        at.time_ns = e->time_ns < now_ns ? e->time_ns : now_ns;
        at.flags &= ~(uint32_t)TM_EVENT_UNTIMED;
    }
    return write_track(p, &at, err);
}

/* Repeats the thread on an output sequence that does not have it last. */
static enum tm_status repeat_thread(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_event *thread = tm_sequence_threads_missing(&p->threads, e);
    if (thread == NULL)
        return TM_OK;
    struct tm_event at = *thread;
    at.flags &= ~(uint32_t)(TM_EVENT_UNTIMED | TM_EVENT_INNER_TIMES);
    return at.kind == TM_KIND_TRACK ? write_track(p, &at, err) : tm_packet_retime(&p->packets, &at, NULL, err);
}

/* Writes a definition that is due, or that is needed at NOW_NS before its time. */
static enum tm_status write_pending(struct pftrace *p, const struct tm_event *e, int64_t now_ns, struct tm_error *err)
{
    const bool states_thread = e->flags & TM_EVENT_HAS_TID && (e->kind == TM_KIND_TRACK || is_thread_packet(e));
    const struct tm_event at = {.machine = e->machine, .file = e->file, .sequence = e->sequence,
                                .generation = e->generation, .time_ns = e->time_ns < now_ns ? e->time_ns : now_ns};
    enum tm_status st = write_definition(p, e, now_ns, err);
    return st == TM_OK && states_thread ? repeat_thread(p, &at, err) : st;
}

/* Returns the place of NUMBER of E's file in a cache of COUNT places, a power of two. */
static uint32_t absent_place(const struct tm_event *e, uint64_t number, uint32_t count)
{
    return (uint32_t)tm_hash_u64(number ^ (uint64_t)e->file << 40) & (count - 1);
}

static bool is_absent(const struct pftrace *p, const struct tm_absent_need *place, const struct tm_event *e,
                      uint64_t number)
{
    return place->additions == p->pending.additions && place->number == number && place->file == e->file &&
           place->machine == e->machine;
}

/* Returns what a place of a cache states of NUMBER of E's file and machine. */
static struct tm_absent_need absent_of(const struct pftrace *p, const struct tm_event *e, uint64_t number)
{
    return (struct tm_absent_need){number, e->file, e->machine, p->pending.additions};
}

bool tm_pftrace_track_is_absent(struct pftrace *p, const struct tm_event *e, uint64_t track)
{
    struct tm_absent_need *place = &p->absent_tracks[absent_place(e, track, TM_ABSENT_TRACKS)];
    if (is_absent(p, place, e, track))
        return true;
    if (!tm_pending_definitions_none_needed(&p->pending, recorded_track_need(p, e->file, e->machine, track)))
        return false;
    *place = absent_of(p, e, track);
    return true;
}

/* True if no descriptor of the thread of E's sequence is pending. */
static bool sequence_is_absent(struct pftrace *p, const struct tm_event *e)
{
    struct tm_absent_need *place = &p->absent_sequences[absent_place(e, e->sequence, TM_ABSENT_SEQUENCES)];
    if (e->generation == 0 || is_absent(p, place, e, e->sequence))
        return true;
    if (!tm_pending_definitions_none_needed(&p->pending, sequence_need(e)))
        return false;
    *place = absent_of(p, e, e->sequence);
    return true;
}

/* True if no descriptor of a track is pending that the defaults of E's sequence name for extra counter values. */
static bool defaults_are_absent(struct pftrace *p, const struct tm_event *e)
{
    if (p->default_tracks.count == 0 || e->generation == 0 || !tm_packet_may_have_extras(e))
        return true;
    struct tm_absent_need *place = &p->absent_defaults[absent_place(e, e->generation, TM_ABSENT_SEQUENCES)];
    if (is_absent(p, place, e, e->generation))
        return true;
    uint32_t count;
    const uint64_t *tracks = tm_default_tracks_of(&p->default_tracks, e->generation, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!tm_pftrace_track_is_absent(p, e, tracks[i]))
            return false;
    *place = absent_of(p, e, e->generation);
    return true;
}

bool tm_pftrace_none_due(struct pftrace *p, const struct tm_event *e)
{
    return tm_pending_events_none_due(&p->pending.events, e->time_ns) && sequence_is_absent(p, e) &&
           defaults_are_absent(p, e) &&
           (!(e->flags & TM_EVENT_HAS_TRACK) || tm_event_scope(e->flags) != TM_SCOPE_TRACK ||
            tm_pftrace_track_is_absent(p, e, e->track));
}

/* Writes the definitions that are needed by KEY before E. */
static enum tm_status write_needed(struct pftrace *p, const struct tm_event *e, uint64_t key, struct tm_error *err)
{
    const struct tm_event *pending;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (pending = tm_pending_definitions_needed(&p->pending, key)) != NULL)
        st = write_pending(p, pending, e->time_ns, err);
    return st;
}

static enum tm_status track_due(struct pftrace *p, const struct tm_event *e, uint64_t track, struct tm_error *err)
{
    return tm_pftrace_track_is_absent(p, e, track)
               ? TM_OK
               : write_needed(p, e, recorded_track_need(p, e->file, e->machine, track), err);
}

enum tm_status tm_pftrace_track_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    return track_due(p, e, e->track, err);
}

/* Writes the descriptors of the counters of which E, a recorded packet, has extra values. */
static enum tm_status default_tracks_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    uint64_t used[2 * TM_EXTRA_VALUES_MAX];
    uint32_t count = tm_default_tracks_used(&p->default_tracks, e, used);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = track_due(p, e, used[i], err);
    return st;
}

enum tm_status tm_pftrace_due(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_event *pending;
    enum tm_status st = TM_OK;
    while (st == TM_OK && !tm_pending_events_none_due(&p->pending.events, e->time_ns) &&
           (pending = tm_pending_definitions_due(&p->pending, e->time_ns)) != NULL)
        st = write_pending(p, pending, e->time_ns, err);
    if (st == TM_OK && p->pending.events.count && !sequence_is_absent(p, e))
        st = write_needed(p, e, sequence_need(e), err);
    if (st == TM_OK && p->threads.count && tm_event_raw(e->flags) == TM_RAW_PACKET)
        st = repeat_thread(p, e, err);
    if (st < 0 || p->pending.events.count == 0)
        return st;
    if (e->flags & TM_EVENT_HAS_TRACK && tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        st = tm_pftrace_track_due(p, e, err);
    if (st == TM_OK && tm_event_raw(e->flags) == TM_RAW_PACKET && !defaults_are_absent(p, e))
        st = default_tracks_due(p, e, err);
    return st;
}

/* Notes the start or end of a task: its number may belong to another task before and after. */
static enum tm_status note_lifetime(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    if (e->tid == 0)
        return TM_OK;
    int64_t raw_id = p->context->catalog->machines[e->machine].raw_id;
    enum tm_status st = tm_track_writer_flush(&p->tracks, e->time_ns, err);
    if (st < 0)
        return st;
    if (tm_track_owners_end(&p->packets.owners, raw_id, true, e->tid) != TM_OK ||
        (!tm_event_makes_thread(e) && tm_track_owners_end(&p->packets.owners, raw_id, false, e->tid) != TM_OK) ||
        tm_line_tasks_note_lifetime(&p->line_tasks, e) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_pftrace_note(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (e->kind == TM_KIND_TASK_NEW || e->kind == TM_KIND_PROCESS_EXIT)
        st = note_lifetime(p, e, err);
    return st == TM_OK && p->tracks.names.is_enabled ? note_names(p, e, err) : st;
}

/* True if E, which is no definition, states the process of its thread. Markers of the kernel may state another one. */
static bool states_process(const struct tm_event *e)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    return (e->flags & both) == both && ((e->kind <= TM_KIND_SAMPLE && !tm_event_is_of_kernel(e->flags)) ||
                                         (e->kind == TM_KIND_TASK_RENAME && e->flags & TM_EVENT_DERIVED));
}

enum tm_status tm_pftrace_note_task(struct pftrace *p, const struct tm_event *e, struct tm_error *err)
{
    bool is_marker = (e->kind >= TM_KIND_SLICE_BEGIN && e->kind <= TM_KIND_COUNTER) || e->kind == TM_KIND_FTRACE;
    bool is_task = e->kind == TM_KIND_THREAD || e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_TRACK;
    enum tm_status st = TM_OK;
    if (is_task || e->kind == TM_KIND_TASK_NEW || (p->has_perf_script && states_process(e)))
        st = tm_sample_note_task(&p->samples, e);
    bool is_line_task = e->kind == TM_KIND_TASK_RENAME && e->flags & TM_EVENT_DERIVED;
    if (st == TM_OK && p->has_text && (is_task || e->kind == TM_KIND_TASK_NEW || is_line_task))
        st = tm_line_tasks_note_thread(&p->line_tasks, e, false);
    if (st == TM_OK && p->has_text && !is_line_task && tm_event_raw(e->flags) != TM_RAW_LINE && states_process(e))
        st = tm_line_tasks_note_other(&p->line_tasks, e);
    if (st == TM_OK && (is_task || (is_marker && tm_event_raw(e->flags) == TM_RAW_LINE)))
        st = tm_line_tasks_note(&p->line_tasks, e);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_pftrace_due_before(struct pftrace *p, int64_t to_ns, struct tm_error *err)
{
    const struct tm_event *pending;
    enum tm_status st = TM_OK;
    if (to_ns == INT64_MIN) /* nothing is before that */
        return TM_OK;
    while (st == TM_OK && (pending = tm_pending_definitions_due(&p->pending, to_ns - 1)) != NULL)
        st = write_pending(p, pending, to_ns - 1, err);
    return st;
}

enum tm_status tm_pftrace_rest(struct pftrace *p, struct tm_error *err)
{
    const struct tm_event *pending;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (pending = tm_pending_definitions_due(&p->pending, INT64_MAX)) != NULL)
        st = write_pending(p, pending, INT64_MAX, err);
    return st < 0 ? st : tm_track_writer_write_names(&p->tracks, p->now_ns, err);
}
