#include "format/perfetto/descriptor.h"

#include "base/checked.h"
#include "format/perfetto/count.h"
#include "format/perfetto/description.h"

enum { KIND_MASK = 3, INCREMENTAL = 4, CHILD = 8, ORDERS_PROCESSES = 16, ORDERS_THREADS = 32, PID_SHIFT = 32 };

enum { ANCESTORS_MAX = 100 };

/* Returns ENTRY, or the entry of its track's nearest ancestor that states what it is. NULL: none is known. */
static const struct tm_proto_map_entry *find_stated(const struct tm_proto_map *tracks,
                                                    const struct tm_proto_map_entry *entry)
{
    for (int i = 0; entry && entry->v1 & CHILD; i++)
        entry = i < ANCESTORS_MAX ? tm_proto_map_find(tracks, entry->k1, entry->v2) : NULL;
    return entry;
}

struct tm_proto_track tm_proto_track_find(const struct tm_proto_map *tracks, uint32_t machine, uint64_t uuid)
{
    const struct tm_proto_map_entry *own = tm_proto_map_find(tracks, machine, uuid);
    const struct tm_proto_map_entry *entry = find_stated(tracks, own);
    struct tm_proto_track track = {0};
    if (entry == NULL)
        return track;
    track.kind = (enum tm_proto_track_kind)(entry->v1 & KIND_MASK);
    if (track.kind == TM_PROTO_TRACK_COUNTER) {
        if (own->v1 & CHILD)
            return (struct tm_proto_track){0};
        track.is_incremental = (entry->v1 & INCREMENTAL) != 0;
        track.unit_multiplier = (int64_t)entry->v2;
    } else {
        track.pid = (int32_t)(uint32_t)(entry->v1 >> PID_SHIFT);
        track.tid = (int64_t)entry->v2;
    }
    return track;
}

/* Returns the tid that rows have. */
static int64_t tid_of(const struct tm_proto_thread *thread)
{
    return thread->sandboxed ? tm_proto_synthetic_tid(thread->tid, thread->pid) : thread->tid;
}

/* Remembers that TRACK is no counter, thread or process, and its parent, which may be described later. Tracks past the
 * limit are not remembered. */
static enum tm_status remember_plain(struct tm_proto_map *tracks, uint32_t machine,
                                     const struct tm_proto_track_descriptor *track, struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    if (tm_proto_map_find(tracks, machine, track->uuid))
        return TM_OK;
    enum tm_status st = tm_proto_map_add(tracks, machine, track->uuid, TM_PROTO_TRACKS_MAX / 2, &entry);
    if (st < 0)
        return tm_error_nomem(err);
    if (st == TM_OK && track->parent) {
        entry->v1 = CHILD;
        entry->v2 = track->parent;
    }
    return TM_OK;
}

/* Remembers TRACK; the first description of a uuid counts. */
static enum tm_status remember(struct tm_proto_map *tracks, uint32_t machine,
                               const struct tm_proto_track_descriptor *track, struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    if (!track->has_thread && !track->has_process && !track->has_counter)
        return remember_plain(tracks, machine, track, err);
    if (tm_proto_map_find(tracks, machine, track->uuid))
        return TM_OK;
    enum tm_status st = tm_proto_map_add(tracks, machine, track->uuid, TM_PROTO_TRACKS_MAX, &entry);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "more than %d thread, process and counter tracks", TM_PROTO_TRACKS_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    if (track->has_thread) {
        entry->v1 = TM_PROTO_TRACK_THREAD | (uint64_t)(uint32_t)track->thread.pid << PID_SHIFT;
        entry->v2 = (uint64_t)tid_of(&track->thread);
    } else if (track->has_process) {
        entry->v1 = TM_PROTO_TRACK_PROCESS | (uint64_t)(uint32_t)track->process.pid << PID_SHIFT;
    } else {
        entry->v1 = TM_PROTO_TRACK_COUNTER | (track->counter.incremental ? INCREMENTAL : 0);
        entry->v2 = (uint64_t)track->counter.multiplier;
    }
    return TM_OK;
}

/* Remembers whether TRACK, the root, says that ranks count, and finds the sort index of a thread or process. */
static enum tm_status rank_task(struct tm_proto_map *tracks, uint32_t machine, struct tm_proto_track_descriptor *track,
                                struct tm_error *err)
{
    const uint64_t orders = (track->orders_processes ? ORDERS_PROCESSES : 0) |
                            (track->orders_threads ? ORDERS_THREADS : 0);
    struct tm_proto_map_entry *root;
    if (track->uuid == 0 && orders) {
        enum tm_status st = tm_proto_map_add(tracks, machine, 0, TM_PROTO_TRACKS_MAX, &root);
        if (st != TM_OK)
            return st < 0 ? tm_error_nomem(err) : TM_OK;
        root->v1 |= orders;
    }
    if (!track->has_rank || (root = tm_proto_map_find(tracks, machine, 0)) == NULL)
        return TM_OK;
    track->thread.has_sort = root->v1 & ORDERS_THREADS;
    track->process.has_sort = root->v1 & ORDERS_PROCESSES;
    track->thread.sort = track->process.sort = track->rank;
    return TM_OK;
}

/* From here on the sequence's events without a track belong to THREAD, which EVENT describes. So do those before it,
 * since the state was cleared, that had no thread. A reader of packets gives all events since then the last thread. */
static void set_sequence_thread(struct tm_proto_sequence *sequence, const struct tm_proto_thread *thread,
                                struct tm_event *event)
{
    if (sequence->awaits_thread || event->generation != sequence->first_generation) {
        event->flags |= TM_EVENT_HAS_VALUE;
        event->value = event->generation - sequence->first_generation;
    }
    sequence->has_thread = true;
    sequence->pid = (int32_t)thread->pid;
    sequence->tid = tid_of(thread);
    sequence->has_reference = true;
    sequence->reference_ns = tm_us_to_ns_saturate(thread->reference_us);
    sequence->reference_thread_ns = tm_us_to_ns_saturate(thread->reference_thread_us);
    sequence->reference_instructions = thread->reference_instructions;
}

/* Adds only the packet's row, for a descriptor that states too little or came while the state was not valid. */
static enum tm_status add_incomplete(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     enum tm_proto_stat stat, struct tm_error *err)
{
    struct tm_event event = tm_proto_event(packet, TM_KIND_METADATA);
    event.flags |= TM_EVENT_DEFINITION;
    if (packet->sequence && !packet->sequence->valid)
        event.generation = 0; /* in a generation, whose state is valid, a reader would use the descriptor */
    rows->detail.len = 0;
    enum tm_status st = tm_proto_count_stat(&rows->counts, stat, packet->machine, 1, err);
    return st < 0 ? st : tm_proto_add(rows, &event, err);
}

static enum tm_status read_track(struct tm_proto_map *tracks, struct tm_proto_rows *rows,
                                 const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_track_descriptor track = {0};
    struct tm_event event = tm_proto_event(packet, TM_KIND_TRACK);
    enum tm_status st = tm_proto_count_inner(&rows->counts, packet->machine,
                                             tm_proto_track_descriptor_read(&track, &packet->body), err);
    if (st < 0)
        return st;
    if (!track.has_uuid)
        return add_incomplete(rows, packet, TM_PROTO_STAT_DESCRIPTOR_NO_UUID, err);
    if ((track.has_thread && !(track.thread.has_pid && track.thread.has_tid)) ||
        (!track.has_thread && track.has_process && !track.process.has_pid))
        return add_incomplete(rows, packet, TM_PROTO_STAT_DESCRIPTOR_NO_PID, err);
    if ((st = remember(tracks, packet->machine, &track, err)) < 0 ||
        (st = rank_task(tracks, packet->machine, &track, err)) < 0)
        return st;
    if (track.has_thread && packet->sequence && packet->sequence->valid)
        set_sequence_thread(packet->sequence, &track.thread, &event);
    else if (track.has_thread)
        event.generation = 0; /* in a generation the descriptor would state the thread of its events */
    event.flags |= TM_EVENT_DEFINITION | TM_EVENT_HAS_TRACK;
    event.track = track.uuid;
    st = tm_proto_track_descriptor_put(&rows->detail, &track);
    if (st == TM_OK && track.has_thread)
        st = tm_proto_thread_put(&rows->detail, &track.thread);
    if (st == TM_OK && track.has_process && !track.has_thread)
        st = tm_proto_process_put(&rows->detail, &track.process);
    if (st == TM_OK && track.name.data)
        st = tm_proto_string(rows, track.name.data, track.name.len, &event.name, err);
    if (st < 0)
        return tm_error_nomem(err);
    if (track.has_thread) {
        event.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
        event.pid = track.thread.pid;
        event.tid = tid_of(&track.thread);
    } else if (track.has_process) {
        event.flags |= TM_EVENT_HAS_PID;
        event.pid = track.process.pid;
    } else {
        return tm_proto_add(rows, &event, err);
    }
    return tm_proto_add_with_times(rows, &event, packet->clock, err);
}

static enum tm_status read_thread(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                  struct tm_error *err)
{
    struct tm_proto_thread thread = {0};
    struct tm_event event = tm_proto_event(packet, TM_KIND_THREAD);
    enum tm_status st =
        tm_proto_count_inner(&rows->counts, packet->machine, tm_proto_thread_read(&thread, &packet->body), err);
    if (st < 0)
        return st;
    if (packet->sequence == NULL)
        return add_incomplete(rows, packet, TM_PROTO_STAT_DESCRIPTOR_NO_SEQUENCE, err);
    if (!packet->sequence->valid)
        return add_incomplete(rows, packet, TM_PROTO_STAT_DESCRIPTOR_SKIPPED, err);
    thread.has_pid = thread.has_tid = true; /* a number that is not stated is 0 */
    set_sequence_thread(packet->sequence, &thread, &event);
    if (tm_proto_thread_put(&rows->detail, &thread) != TM_OK)
        return tm_error_nomem(err);
    event.flags |= TM_EVENT_DEFINITION | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    event.pid = thread.pid;
    event.tid = thread.tid;
    return tm_proto_add_with_times(rows, &event, packet->clock, err);
}

static enum tm_status read_process(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                   struct tm_error *err)
{
    struct tm_proto_process process = {0};
    struct tm_event event = tm_proto_event(packet, TM_KIND_PROCESS);
    enum tm_status st =
        tm_proto_count_inner(&rows->counts, packet->machine, tm_proto_process_read(&process, &packet->body), err);
    if (st < 0)
        return st;
    process.has_pid = true; /* a pid that is not stated is 0 */
    if (tm_proto_process_put(&rows->detail, &process) != TM_OK)
        return tm_error_nomem(err);
    event.flags |= TM_EVENT_DEFINITION | TM_EVENT_HAS_PID;
    event.pid = process.pid;
    return tm_proto_add_with_times(rows, &event, packet->clock, err);
}

enum tm_status tm_proto_descriptor_read(struct tm_proto_map *tracks, struct tm_proto_rows *rows,
                                        const struct tm_proto_packet *packet, struct tm_error *err)
{
    if (packet->body.id == TM_PACKET_TRACK_DESCRIPTOR)
        return read_track(tracks, rows, packet, err);
    return packet->body.id == TM_PACKET_THREAD_DESCRIPTOR ? read_thread(rows, packet, err)
                                                          : read_process(rows, packet, err);
}
