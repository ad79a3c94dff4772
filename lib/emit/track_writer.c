#include "emit/track_writer.h"

#include "emit/track_packet.h"

#include "base/hash.h"

#include <stdlib.h>

enum { LANES_A_THREAD_MAX = 1024 };

/* What a track is keyed by. */
enum track_kind { TRACK_PROCESS = 1, TRACK_THREAD, TRACK_LANE, TRACK_ASYNC, TRACK_COUNTER, TRACK_GLOBAL, TRACK_DESCRIBED };

static uint64_t track_key(const struct tm_track_writer *w, const struct tm_event *e, enum track_kind kind, uint64_t more)
{
    const struct tm_catalog *c = w->packets->catalog;
    uint64_t h = tm_hash_u64((uint64_t)kind);
    h = tm_hash_u64(h ^ (uint64_t)(e->machine < c->machine_count ? c->machines[e->machine].raw_id : 0));
    h = tm_hash_u64(h ^ (e->flags & TM_EVENT_HAS_PID ? (uint64_t)e->pid : UINT64_MAX));
    if (kind == TRACK_THREAD || kind == TRACK_LANE)
        h = tm_hash_u64(h ^ (uint64_t)e->tid);
    if (kind != TRACK_COUNTER && kind != TRACK_GLOBAL)
        h = tm_hash_u64(h ^ c->files[e->file].processing_order);
    h = tm_hash_u64(h ^ more);
    return h ? h : 1;
}

/* TM_OK: KEY is new and now a member; TM_END: it was one. */
static enum tm_status set_add(struct tm_track_set *set, uint64_t key)
{
    if (set->slots == NULL || set->count >= set->mask / 2) {
        uint32_t n = set->slots ? (set->mask + 1) * 2 : 256;
        uint64_t *slots = calloc(n, sizeof *slots);
        if (slots == NULL)
            return TM_E_SYSTEM;
        for (uint32_t i = 0; set->slots && i <= set->mask; i++) {
            if (set->slots[i] == 0)
                continue;
            uint32_t at = (uint32_t)set->slots[i] & (n - 1);
            while (slots[at])
                at = (at + 1) & (n - 1);
            slots[at] = set->slots[i];
        }
        free(set->slots);
        set->slots = slots;
        set->mask = n - 1;
    }
    uint32_t at = (uint32_t)key & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (set->slots[at] == key)
            return TM_END;
    set->slots[at] = key;
    set->count++;
    return TM_OK;
}

static enum tm_status put_end(struct tm_track_writer *w, const struct tm_open_end *end, struct tm_error *err)
{
    struct tm_event e = {.time_ns = end->end_ns, .machine = end->machine, .file = end->file, .kind = TM_KIND_SLICE_END};
    return tm_track_packet_event(w, &e, TM_TRACK_END, end->uuid, err);
}

/* --- tracks */

/* A descriptor whose fields but the uuid are in w->body. */
static enum tm_status put_descriptor(struct tm_track_writer *w, uint32_t machine, uint64_t uuid, struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    size_t mark;
    enum tm_status st = tm_track_packet_begin(w, machine, NULL, err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_PACKET_TRACK_DESCRIPTOR, &mark) != TM_OK || tm_pb_put_varint(out, 1, uuid) != TM_OK ||
        tm_buf_add(out, w->body.data, w->body.len) != TM_OK || tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w->packets, err);
}

/* Describes E's process or thread, which no track speaks for, by UUID. */
static enum tm_status describe_task(struct tm_track_writer *w, const struct tm_event *e, bool is_thread, uint64_t uuid,
                                    struct tm_error *err)
{
    int64_t raw_id = w->packets->catalog->machines[e->machine].raw_id;
    uint64_t key = tm_track_owner_key(raw_id, is_thread, e->flags & TM_EVENT_HAS_PID ? e->pid : 0, e->tid);
    size_t mark;
    tm_buf_clear(&w->body);
    if (tm_track_owners_add(&w->packets->owners, key, uuid, e->file) != TM_OK ||
        tm_pb_begin(&w->body, is_thread ? 4 : 3, &mark) != TM_OK ||
        (e->flags & TM_EVENT_HAS_PID && tm_pb_put_varint(&w->body, 1, (uint64_t)e->pid) != TM_OK) ||
        (is_thread && tm_pb_put_varint(&w->body, 2, (uint64_t)e->tid) != TM_OK) || tm_pb_end(&w->body, mark) != TM_OK)
        return tm_error_nomem(err);
    return put_descriptor(w, e->machine, uuid, err);
}

/* The track of E's process or, where IS_THREAD, thread: the file's own. The first file to have it
 * describes it; those of others are below that. */
static enum tm_status know_task(struct tm_track_writer *w, const struct tm_event *e, bool is_thread, uint64_t *uuid,
                                struct tm_error *err)
{
    struct tm_packet_writer *packets = w->packets;
    int64_t raw_id = packets->catalog->machines[e->machine].raw_id;
    uint64_t key = tm_track_owner_key(raw_id, is_thread, e->flags & TM_EVENT_HAS_PID ? e->pid : 0, e->tid);
    const struct tm_track_owner *owner = tm_track_owners_find(&packets->owners, key);
    bool is_line = tm_event_raw(e->flags) == TM_RAW_LINE; /* ftrace events of another file may be on the thread itself */
    if (owner && owner->file == e->file && !is_line) {
        *uuid = owner->uuid;
        return TM_OK;
    }
    *uuid = track_key(w, e, is_thread ? TRACK_THREAD : TRACK_PROCESS, 0);
    if (owner == NULL && is_line) {
        uint64_t own = track_key(w, e, is_thread ? TRACK_THREAD : TRACK_PROCESS, 1);
        enum tm_status st = describe_task(w, e, is_thread, own, err);
        if (st < 0)
            return st;
        owner = tm_track_owners_find(&packets->owners, key);
    }
    if (owner) {
        enum tm_status st = set_add(&w->known, *uuid);
        if (st == TM_END)
            return TM_OK;
        return st < 0 ? tm_error_nomem(err) : tm_packet_child_track(packets, e->machine, *uuid, owner->uuid, err);
    }
    return describe_task(w, e, is_thread, *uuid, err);
}

/* A track that is told by a name, below PARENT (0: none). */
static enum tm_status know_named(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid, uint64_t parent,
                                 bool is_counter, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(w->packets->catalog, e->name, e);
    enum tm_status st = set_add(&w->known, uuid);
    if (st == TM_END)
        return TM_OK;
    tm_buf_clear(&w->body);
    if (st < 0 || (parent && tm_pb_put_varint(&w->body, 5, parent) != TM_OK) ||
        (name.data && tm_pb_put_bytes(&w->body, 2, name.data, name.len) != TM_OK) ||
        (is_counter && tm_pb_put_bytes(&w->body, 8, "", 0) != TM_OK))
        return tm_error_nomem(err);
    return put_descriptor(w, e->machine, uuid, err);
}

/* A track that the file itself describes by a uuid. */
static uint64_t described_uuid(const struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid)
{
    struct tm_event key = {.file = e->file, .machine = e->machine};
    return track_key(w, &key, TRACK_DESCRIBED, uuid);
}

/* Its description: below the track it names, or its thread or process. */
static enum tm_status write_described(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    ProtobufCMessage *m = protobuf_c_message_unpack(&tracemerge__detail__descriptor, NULL, e->detail_bytes, e->detail);
    if (m == NULL)
        return tm_error_set(err, TM_E_INPUT, "event %llu: detail bytes are damaged", (unsigned long long)e->position);
    const Tracemerge__TrackDescription *t = ((Tracemerge__Detail *)m)->track;
    enum tm_status st = TM_OK;
    uint64_t parent = 0;
    if (t == NULL)
        goto out;
    if (t->has_parent_uuid) {
        parent = described_uuid(w, e, t->parent_uuid);
    } else if (t->has_tid || t->has_pid) {
        struct tm_event task = {.file = e->file, .machine = e->machine, .pid = t->pid, .tid = t->tid};
        task.flags = (t->has_pid ? TM_EVENT_HAS_PID : 0u) | (t->has_tid ? TM_EVENT_HAS_TID : 0u);
        st = know_task(w, &task, t->has_tid, &parent, err);
    }
    tm_buf_clear(&w->body);
    if (st == TM_OK && ((parent && tm_pb_put_varint(&w->body, 5, parent) != TM_OK) ||
                        (t->has_name && tm_pb_put_bytes(&w->body, 2, t->name.data, t->name.len) != TM_OK) ||
                        (t->is_counter && tm_pb_put_bytes(&w->body, 8, "", 0) != TM_OK)))
        st = tm_error_nomem(err);
    if (st == TM_OK)
        st = put_descriptor(w, e->machine, described_uuid(w, e, t->uuid), err);
out:
    protobuf_c_message_free_unpacked(m, NULL);
    return st;
}

/* The track EVENT lies on, described before it is used. */
static enum tm_status track_of(struct tm_track_writer *w, const struct tm_event *e, uint64_t *uuid, struct tm_error *err)
{
    enum tm_scope scope = tm_event_scope(e->flags);
    enum tm_status st = TM_OK;
    uint64_t process = 0, thread = 0;
    struct tm_text name = tm_catalog_string(w->packets->catalog, e->name, e);
    if (e->flags & TM_EVENT_HAS_TID)
        st = know_task(w, e, true, &thread, err);
    if (st == TM_OK && e->flags & TM_EVENT_HAS_PID && (scope == TM_SCOPE_PROCESS || !(e->flags & TM_EVENT_HAS_TID)))
        st = know_task(w, e, false, &process, err);
    if (st < 0)
        return st;
    if (scope == TM_SCOPE_TRACK) {
        *uuid = described_uuid(w, e, e->track);
        return TM_OK;
    }
    if (scope != TM_SCOPE_PROCESS)
        process = 0;
    if (e->kind == TM_KIND_COUNTER) {
        *uuid = track_key(w, e, TRACK_COUNTER, tm_hash64(name.data ? (const void *)name.data : "", name.len));
        return know_named(w, e, *uuid, process, true, err);
    }
    if (e->flags & TM_EVENT_ASYNC) {
        struct tm_event global = *e; /* an id that is not local means the same in every process */
        if (scope != TM_SCOPE_PROCESS)
            global.flags &= ~(uint32_t)TM_EVENT_HAS_PID;
        *uuid = track_key(w, &global, TRACK_ASYNC, e->track);
        return know_named(w, e, *uuid, process, false, err);
    }
    if (scope == TM_SCOPE_THREAD && e->flags & TM_EVENT_HAS_TID) {
        *uuid = thread;
        return TM_OK;
    }
    if (process) {
        *uuid = process;
        return TM_OK;
    }
    struct tm_event global = {.machine = e->machine};
    *uuid = track_key(w, &global, TRACK_GLOBAL, 0);
    return know_named(w, &global, *uuid, 0, false, err);
}

/* --- complete slices */

static enum tm_status write_ends(struct tm_track_writer *w, int64_t up_to_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && w->ends.count > 0 && w->ends.heap[0].end_ns <= up_to_ns) {
        struct tm_open_end end = tm_open_ends_pop(&w->ends);
        st = put_end(w, &end, err);
    }
    return st;
}

static enum tm_status write_complete(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                     struct tm_error *err)
{
    uint64_t thread = uuid;
    int64_t end_ns = e->time_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->time_ns + e->dur_ns;
    if (e->flags & TM_EVENT_OPEN_ENDED)
        end_ns = INT64_MAX;
    enum tm_status st = tm_nesting_add(&w->nesting, uuid, e->time_ns, end_ns);
    for (uint64_t lane = 1; st == TM_END && lane < LANES_A_THREAD_MAX; lane++) {
        uuid = track_key(w, e, TRACK_LANE, lane);
        st = tm_nesting_add(&w->nesting, uuid, e->time_ns, end_ns);
    }
    if (st < 0)
        return tm_error_nomem(err);
    if (uuid != thread)
        st = know_named(w, e, uuid, thread, false, err);
    if (st >= 0)
        st = tm_track_packet_event(w, e, TM_TRACK_BEGIN, uuid, err);
    if (st < 0 || e->flags & TM_EVENT_OPEN_ENDED)
        return st;
    struct tm_open_end end = {end_ns, w->order++, uuid, e->machine, e->file};
    return tm_open_ends_push(&w->ends, end) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* --- one moment at a time */

static enum tm_status write_one(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint64_t uuid;
    enum tm_status st = track_of(w, e, &uuid, err);
    if (st < 0)
        return st;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
        return tm_track_packet_event(w, e, TM_TRACK_BEGIN, uuid, err);
    case TM_KIND_SLICE_END:
        return tm_track_packet_event(w, e, TM_TRACK_END, uuid, err);
    case TM_KIND_SLICE_COMPLETE:
        return write_complete(w, e, uuid, err);
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP:
        return tm_track_packet_event(w, e, TM_TRACK_INSTANT, uuid, err);
    case TM_KIND_COUNTER:
        return tm_track_packet_event(w, e, TM_TRACK_COUNTER, uuid, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return tm_track_packet_event(w, e, TM_TRACK_NONE, uuid, err);
    default:
        w->inexpressible += tm_event_is_counted(e->flags);
        return TM_OK;
    }
}

/* Where E stands among the events of its time (semantics.md section 6, Nesting): as lib/model has it. */
static int64_t rank_of(const struct tm_event *e)
{
    if (tm_event_raw(e->flags) == TM_RAW_LINE)
        return INT64_MAX;
    if (e->kind == TM_KIND_SLICE_END && !(e->flags & TM_EVENT_ASYNC))
        return INT64_MIN;
    return e->kind == TM_KIND_SLICE_COMPLETE && e->dur_ns > 0 ? INT64_MAX - e->dur_ns : INT64_MAX;
}

static enum tm_status write_moment(struct tm_track_writer *w, struct tm_error *err)
{
    struct tm_event event;
    enum tm_status st = write_ends(w, w->moment_ns, err);
    while (tm_moment_take(&w->moment, &event))
        if (st == TM_OK)
            st = write_one(w, &event, err);
    return st;
}

enum tm_status tm_track_writer_flush(struct tm_track_writer *w, int64_t now_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->moment.count && w->moment_ns < now_ns)
        st = write_moment(w, err);
    return st < 0 ? st : write_ends(w, now_ns == INT64_MAX ? now_ns : now_ns - 1, err);
}

/* What w->body says of E's process or thread, told on the track that speaks for it. */
static enum tm_status put_task_descriptor(struct tm_track_writer *w, const struct tm_event *e, bool is_thread,
                                          struct tm_error *err)
{
    struct tm_track_owners *owners = &w->packets->owners;
    int64_t raw_id = w->packets->catalog->machines[e->machine].raw_id;
    uint64_t key = tm_track_owner_key(raw_id, is_thread, e->flags & TM_EVENT_HAS_PID ? e->pid : 0, e->tid);
    const struct tm_track_owner *owner = tm_track_owners_find(owners, key);
    uint64_t uuid = owner ? owner->uuid : track_key(w, e, is_thread ? TRACK_THREAD : TRACK_PROCESS, 0);
    if (owner == NULL && tm_track_owners_add(owners, key, uuid, e->file) != TM_OK)
        return tm_error_nomem(err);
    return put_descriptor(w, e->machine, uuid, err);
}

/* Names from a definition: the bytes of detail.process or detail.thread as descriptor fields. */
static enum tm_status write_definition(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool is_thread = e->kind == TM_KIND_THREAD;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes), inner;
    struct tm_pb_field f, g;
    struct tm_event key = {.machine = e->machine, .file = e->file};
    size_t mark;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN || f.id != (is_thread ? 7u : 6u))
            continue;
        bool good = true;
        tm_buf_clear(&w->body);
        good = tm_pb_begin(&w->body, is_thread ? 4 : 3, &mark) == TM_OK;
        inner = tm_pb_of(f.data, f.len);
        while (good && tm_pb_next(&inner, &g) == TM_OK) {
            int64_t number = g.type == TM_PB_VARINT ? tm_unzigzag(g.value) : 0;
            if (g.id == (is_thread ? 2u : 1u)) {
                key.pid = number;
                key.flags |= TM_EVENT_HAS_PID;
                good = tm_pb_put_varint(&w->body, 1, (uint64_t)number) == TM_OK;
            } else if (is_thread && g.id == 1) {
                key.tid = number;
                key.flags |= TM_EVENT_HAS_TID;
                good = tm_pb_put_varint(&w->body, 2, (uint64_t)number) == TM_OK;
            } else if (g.id == 3 && g.type == TM_PB_LEN) {
                good = tm_pb_put_bytes(&w->body, is_thread ? 5 : 6, g.data, g.len) == TM_OK;
            } else if (g.id == 7 && !is_thread) {
                good = tm_pb_put_bytes(&w->body, 8, g.data, g.len) == TM_OK;
            } else if (g.id == (is_thread ? 5u : 8u) && number >= INT32_MIN && number <= INT32_MAX) {
                good = tm_pb_put_varint(&w->body, 3, (uint64_t)number) == TM_OK;
            }
        }
        if (!good || tm_pb_end(&w->body, mark) != TM_OK)
            return tm_error_nomem(err);
        return put_task_descriptor(w, &key, is_thread, err);
    }
    return TM_OK;
}

enum tm_status tm_track_write(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    if (e->machine >= w->packets->catalog->machine_count)
        return tm_error_set(err, TM_E_INPUT, "an event is of machine %u, which the stream does not describe", e->machine);
    if (e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_THREAD)
        return write_definition(w, e, err);
    if (e->kind == TM_KIND_TRACK)
        return write_described(w, e, err);
    if (!tm_event_is_timed(e->flags))
        return TM_OK;
    if (w->moment.count && (w->moment_ns != e->time_ns || tm_moment_full(&w->moment))) {
        enum tm_status st = write_moment(w, err);
        if (st < 0)
            return st;
    }
    w->moment_ns = e->time_ns;
    return tm_moment_add(&w->moment, e, rank_of(e), err);
}

void tm_track_writer_release(struct tm_track_writer *w)
{
    for (uint32_t i = 0; i < w->sequence_count; i++) {
        tm_intern_release(&w->sequences[i].names);
        tm_intern_release(&w->sequences[i].categories);
    }
    free(w->sequences);
    free(w->known.slots);
    tm_open_ends_release(&w->ends);
    tm_nesting_release(&w->nesting);
    tm_moment_release(&w->moment);
    tm_buf_release(&w->interned);
    tm_buf_release(&w->body);
    *w = (struct tm_track_writer){0};
}
