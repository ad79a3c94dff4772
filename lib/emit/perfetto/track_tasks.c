#include "emit/perfetto/track_tasks.h"

#include "base/hash.h"
#include "base/table.h"
#include "emit/perfetto/track_packet.h"
#include "stream/detail_fields.h"

static int64_t raw_id_of(const struct tm_track_writer *w, const struct tm_event *e)
{
    return w->packets->catalog->machines[e->machine].raw_id;
}

/* Returns the key of E's process or thread. */
static struct tm_track_task task_of(const struct tm_track_writer *w, const struct tm_event *e, bool is_thread)
{
    return tm_track_task_of(&w->packets->owners, raw_id_of(w, e), is_thread, e->flags & TM_EVENT_HAS_PID ? e->pid : 0,
                            e->tid);
}

uint64_t tm_track_key(const struct tm_track_writer *w, const struct tm_event *e, enum tm_track_kind kind, uint64_t more)
{
    const struct tm_catalog *c = w->packets->catalog;
    bool is_of_thread =
        kind == TM_TRACK_KIND_THREAD || kind == TM_TRACK_KIND_LANE || kind == TM_TRACK_KIND_THREAD_TIME;
    uint64_t h = tm_hash_u64((uint64_t)kind);
    h = tm_hash_u64(h ^ (uint64_t)raw_id_of(w, e));
    h = tm_hash_u64(h ^ (e->flags & TM_EVENT_HAS_PID ? (uint64_t)e->pid : UINT64_MAX));
    if (is_of_thread)
        h = tm_hash_u64(h ^ (uint64_t)e->tid);
    if (kind != TM_TRACK_KIND_COUNTER)
        h = tm_hash_u64(h ^ c->files[e->file].processing_order);
    h = tm_hash_u64(h ^ more);
    if (w->packets->owners.lifetimes.count && (is_of_thread || e->flags & TM_EVENT_HAS_PID)) {
        uint32_t life = task_of(w, e, is_of_thread).life;
        h = life ? tm_hash_u64(h + life) : h;
    }
    return h ? h : 1;
}

/* Puts the rank of E's process or thread, if it has one, into w->body. It belongs in the first descriptor. */
static bool put_rank(struct tm_track_writer *w, const struct tm_event *e, bool is_thread)
{
    uint32_t place;
    if (!tm_map_find(&w->ranks, task_of(w, e, is_thread).key, &place))
        return true;
    int64_t rank = w->task_ranks[place].rank;
    return tm_pb_put_varint(&w->body, TM_DESCRIPTOR_SIBLING_RANK, (uint64_t)rank) == TM_OK;
}

/* Describes E's process or thread, which has no track yet, as track UUID. Readers accept no thread without a process.
 * So a thread of unknown process becomes the main thread of a process of its own. */
static enum tm_status describe_task(struct tm_track_writer *w, const struct tm_event *e, bool is_thread, uint64_t uuid,
                                    struct tm_error *err)
{
    size_t mark;
    tm_buf_clear(&w->body);
    const struct tm_track_owner owner = {.uuid = uuid, .file = e->file};
    if (tm_track_owners_set(&w->packets->owners, task_of(w, e, is_thread), owner) != TM_OK ||
        tm_pb_begin(&w->body, is_thread ? TM_DESCRIPTOR_THREAD : TM_DESCRIPTOR_PROCESS, &mark) != TM_OK ||
        tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_PID,
                         tm_packet_pid(e->flags & TM_EVENT_HAS_PID ? e->pid : e->tid)) != TM_OK ||
        (is_thread && tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_TID, (uint64_t)e->tid) != TM_OK) ||
        tm_pb_end(&w->body, mark) != TM_OK || !put_rank(w, e, is_thread))
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, uuid, err);
}

enum tm_status tm_track_task_owner(struct tm_track_writer *w, const struct tm_event *e,
                                   const struct tm_track_owner **owner, struct tm_error *err)
{
    const struct tm_sequence_threads *threads = w->packets->threads;
    const struct tm_track_task task = task_of(w, e, true);
    uint32_t file;
    *owner = tm_track_owners_find(&w->packets->owners, task);
    if (*owner || threads == NULL || !tm_map_find(&threads->stated, tm_hash_u64(task.key + task.life), &file) ||
        file == e->file)
        return TM_OK;
    struct tm_event first = {.machine = e->machine, .file = file, .time_ns = e->time_ns, .pid = e->pid, .tid = e->tid,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | (e->flags & TM_EVENT_UNTIMED)};
    if (tm_sequence_threads_track(threads, &first)) /* the file's events can name that track */
        return TM_OK;
    struct tm_buf kept = w->body;
    w->body = (struct tm_buf){0};
    enum tm_status st = describe_task(w, &first, true, tm_track_key(w, &first, TM_TRACK_KIND_THREAD, 0), err);
    tm_buf_release(&w->body);
    w->body = kept;
    if (st == TM_OK)
        tm_track_owners_set_made(&w->packets->owners, task);
    *owner = tm_track_owners_find(&w->packets->owners, task);
    return st;
}

/* Finds the owner of the track of E's process or thread as tm_track_task_owner does. */
static enum tm_status find_owner(struct tm_track_writer *w, const struct tm_event *e, bool is_thread,
                                 const struct tm_track_owner **owner, struct tm_error *err)
{
    if (is_thread)
        return tm_track_task_owner(w, e, owner, err);
    *owner = tm_track_owners_find(&w->packets->owners, task_of(w, e, false));
    return TM_OK;
}

/* Describes the track of E's file below PARENT, the track that represents the process or thread. */
static enum tm_status describe_below(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                     uint64_t parent, struct tm_error *err)
{
    if (tm_track_packet_below(w, e, parent) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, uuid, err);
}

/* Returns the pid of E, or 0 if it has none. */
static int64_t pid_of(const struct tm_event *e)
{
    return e->flags & TM_EVENT_HAS_PID ? e->pid : 0;
}

/* Returns the place of E's process or thread in the cache. */
static struct tm_recent_task *recent_place(struct tm_track_writer *w, const struct tm_event *e, bool is_thread)
{
    uint64_t number = (uint64_t)(is_thread ? e->tid : 0) ^ (uint64_t)pid_of(e) << 20 ^ (uint64_t)e->file << 40;
    return &w->recent_tasks[tm_hash_u64(number) % TM_RECENT_TASKS];
}

struct tm_recent_task *tm_track_task_recent(struct tm_track_writer *w, const struct tm_event *e, bool is_thread)
{
    struct tm_recent_task *r = recent_place(w, e, is_thread);
    bool is_same = r->uuid && r->pid == pid_of(e) && r->has_pid == ((e->flags & TM_EVENT_HAS_PID) != 0) &&
                   r->is_thread == is_thread && (!is_thread || r->tid == e->tid) && r->file == e->file &&
                   r->machine == e->machine && r->changes == w->packets->owners.changes;
    return is_same ? r : NULL;
}

/* True if E is a line of text or a part of one: its track depends on other lines. */
static bool is_of_line(const struct tm_event *e)
{
    return e->flags & TM_EVENT_DERIVED || tm_event_raw(e->flags) == TM_RAW_LINE;
}

/* True if E belongs to a JSON document, whose lines and slices nest in each other. */
static bool is_of_document(const struct tm_track_writer *w, const struct tm_event *e)
{
    return w->packets->catalog->files[e->file].input_type == TM_INPUT_JSON;
}

/* True if E is a line of text or a part of one. Ftrace events of another file may be on the thread itself. A part of a
 * line goes where the line went. */
static bool goes_with_line(const struct tm_track_writer *w, const struct tm_event *e)
{
    return e->flags & TM_EVENT_DERIVED ? w->line.file == e->file + 1 && w->line.time_ns == e->time_ns
                                       : tm_event_raw(e->flags) == TM_RAW_LINE;
}

/* Finds or describes the track of E's process or thread without the cache. */
static enum tm_status find_task(struct tm_track_writer *w, const struct tm_event *e, bool is_thread, uint64_t *uuid,
                                struct tm_error *err)
{
    const struct tm_track_owner *owner;
    enum tm_status st = find_owner(w, e, is_thread, &owner, err);
    if (st < 0)
        return st;
    bool has_own_track = (goes_with_line(w, e) && !(is_thread && is_of_document(w, e))) ||
                         (is_thread && tm_kernel_slices_has(&w->kernel_slices, e->machine, e->tid));
    if (owner && owner->file == e->file && !has_own_track) {
        *uuid = owner->uuid;
        return TM_OK;
    }
    *uuid = tm_track_key(w, e, is_thread ? TM_TRACK_KIND_THREAD : TM_TRACK_KIND_PROCESS, 0);
    if (owner == NULL && has_own_track) {
        uint64_t own = tm_track_key(w, e, is_thread ? TM_TRACK_KIND_THREAD : TM_TRACK_KIND_PROCESS, 1);
        if ((st = describe_task(w, e, is_thread, own, err)) < 0)
            return st;
        owner = tm_track_owners_find(&w->packets->owners, task_of(w, e, is_thread));
    }
    if (owner && owner->uuid == *uuid)
        return TM_OK;
    if (owner) {
        st = tm_map_add(&w->known, *uuid, 0);
        if (st == TM_END)
            return TM_OK;
        if (st < 0)
            return tm_error_nomem(err);
        return describe_below(w, e, *uuid, owner->uuid, err);
    }
    return describe_task(w, e, is_thread, *uuid, err);
}

enum tm_status tm_track_task(struct tm_track_writer *w, const struct tm_event *e, bool is_thread, uint64_t *uuid,
                             struct tm_error *err)
{
    const struct tm_recent_task *recent = is_of_line(e) ? NULL : tm_track_task_recent(w, e, is_thread);
    if (recent) {
        *uuid = recent->uuid;
        return TM_OK;
    }
    enum tm_status st = find_task(w, e, is_thread, uuid, err);
    if (st == TM_OK && !is_of_line(e)) {
        *recent_place(w, e, is_thread) = (struct tm_recent_task){.uuid = *uuid,
                                                                 .pid = pid_of(e),
                                                                 .tid = e->tid,
                                                                 .file = e->file,
                                                                 .machine = e->machine,
                                                                 .changes = w->packets->owners.changes,
                                                                 .has_pid = e->flags & TM_EVENT_HAS_PID,
                                                                 .is_thread = is_thread};
    }
    return st;
}

enum tm_status tm_track_task_process(struct tm_track_writer *w, const struct tm_event *e, uint64_t *uuid,
                                     struct tm_error *err)
{
    const struct tm_track_owner *owner = tm_track_owners_find(&w->packets->owners, task_of(w, e, false));
    if (owner == NULL || is_of_line(e))
        return tm_track_task(w, e, false, uuid, err);
    *uuid = owner->uuid;
    return TM_OK;
}

/* Writes the facts in w->body about a process or thread on OWNER, the track that represents it. Readers refuse a
 * descriptor with another parent than the first one. */
static enum tm_status write_on_owner(struct tm_track_writer *w, const struct tm_event *e,
                                     const struct tm_track_owner *owner, struct tm_error *err)
{
    if (owner->parent && tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PARENT, owner->parent) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, owner->uuid, err);
}

/* Writes the facts in w->body about E's process or thread on the track that represents it, and sets *OWN to that. */
static enum tm_status put_task_descriptor(struct tm_track_writer *w, const struct tm_event *e,
                                          struct tm_track_owner *own, struct tm_error *err)
{
    struct tm_track_owners *owners = &w->packets->owners;
    bool is_thread = e->flags & TM_EVENT_HAS_TID;
    const struct tm_track_owner *owner;
    if (find_owner(w, e, is_thread, &owner, err) < 0)
        return err->status;
    bool has_own_track = is_thread && tm_kernel_slices_has(&w->kernel_slices, e->machine, e->tid);
    if (owner) {
        *own = *owner;
    } else {
        *own = (struct tm_track_owner){.file = e->file};
        own->uuid = tm_track_key(w, e, is_thread ? TM_TRACK_KIND_THREAD : TM_TRACK_KIND_PROCESS, has_own_track ? 1 : 0);
        if (tm_track_owners_set(owners, task_of(w, e, is_thread), *own) != TM_OK || !put_rank(w, e, is_thread))
            return tm_error_nomem(err);
    }
    return write_on_owner(w, e, own, err);
}

/* Names and pids have equal field numbers for threads and processes, in descriptions and in descriptors. */
_Static_assert((int)TM_THREAD_DESCRIPTION_NAME == (int)TM_PROCESS_DESCRIPTION_NAME, "a field of both");
_Static_assert((int)TM_THREAD_DESCRIPTOR_PID == (int)TM_PROCESS_DESCRIPTOR_PID, "a field of both");
_Static_assert((int)TM_THREAD_DESCRIPTOR_SORT == (int)TM_PROCESS_DESCRIPTOR_SORT, "a field of both");

static uint32_t sort_index_field(bool is_thread)
{
    return is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_SORT_INDEX : (uint32_t)TM_PROCESS_DESCRIPTION_SORT_INDEX;
}

/* Puts field G of a description into w->body, and a pid or tid into OWNER. */
static bool put_field(struct tm_track_writer *w, const struct tm_pb_field *g, bool is_thread, struct tm_event *owner)
{
    int64_t number = g->type == TM_PB_VARINT ? tm_unzigzag(g->value) : 0;
    if (g->id == (is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_PID : (uint32_t)TM_PROCESS_DESCRIPTION_PID)) {
        owner->pid = number;
        owner->flags |= TM_EVENT_HAS_PID;
        return tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_PID, tm_packet_pid(number)) == TM_OK;
    }
    if (is_thread && g->id == TM_THREAD_DESCRIPTION_TID) {
        owner->tid = number;
        return tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_TID, (uint64_t)number) == TM_OK;
    }
    if (g->id == TM_PROCESS_DESCRIPTION_LABELS && !is_thread)
        return tm_pb_put_bytes(&w->body, TM_PROCESS_DESCRIPTOR_LABELS, g->data, g->len) == TM_OK;
    if (g->id == sort_index_field(is_thread) && number >= INT32_MIN && number <= INT32_MAX)
        return tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_SORT, (uint64_t)number) == TM_OK;
    return true;
}

static bool put_name(struct tm_track_writer *w, bool is_thread, const uint8_t *text, size_t len)
{
    uint32_t name = is_thread ? (uint32_t)TM_THREAD_DESCRIPTOR_NAME : (uint32_t)TM_PROCESS_DESCRIPTOR_NAME;
    return tm_pb_put_bytes(&w->body, name, text, len) == TM_OK;
}

/* Makes NAME of OWNER's process or thread pending. Its own track and is_repeated of PENDING are set. */
static enum tm_status add_pending_name(struct tm_track_writer *w, const struct tm_event *owner,
                                       struct tm_pending_name pending, const struct tm_pb_field *name,
                                       struct tm_error *err)
{
    struct tm_track_owners *owners = &w->packets->owners;
    pending.owner = *owner;
    pending.raw_id = raw_id_of(w, owner);
    pending.task = task_of(w, owner, owner->flags & TM_EVENT_HAS_TID);
    enum tm_status st = tm_pending_names_add(&w->names, owners, pending, name->data, name->len);
    if (st == TM_END)
        tm_unsupported_counts_add(w->packets->unsupported, owner->file, TM_UNSUPPORTED_NAMES, 1);
    /* To those that are written at the end, it is a name from another source. */
    if (st >= 0 && pending.is_repeated)
        st = tm_pending_names_note(&w->names, owners, pending.raw_id, false, owner->pid);
    return st >= 0 ? TM_OK : tm_error_nomem(err);
}

/* Describes OWNER, whose fields are in PART. If its name must be written later or again, makes that pending. */
static enum tm_status define(struct tm_track_writer *w, struct tm_event *owner, const struct tm_pb_field *part,
                             bool defers_name, struct tm_error *err)
{
    bool is_thread = owner->flags & TM_EVENT_HAS_TID, is_low = is_thread, good;
    struct tm_pb pb = tm_pb_of(part->data, part->len);
    struct tm_pb_field g, name = {0};
    struct tm_pending_name pending = {0};
    size_t mark;
    tm_buf_clear(&w->body);
    good = tm_pb_begin(&w->body, is_thread ? TM_DESCRIPTOR_THREAD : TM_DESCRIPTOR_PROCESS, &mark) == TM_OK;
    while (good && tm_pb_next(&pb, &g) == TM_OK) {
        if (g.id == TM_THREAD_DESCRIPTION_NAME && g.type == TM_PB_LEN)
            name = g;
        else if (!is_thread && g.id == TM_PROCESS_DESCRIPTION_NAME_PRIORITY)
            is_low = g.value < TM_PROCESS_NAME_DESCRIPTOR;
        else
            good = put_field(w, &g, is_thread, owner);
    }
    if (good && is_thread && !(owner->flags & TM_EVENT_HAS_PID))
        good = tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_PID, tm_packet_pid(owner->tid)) == TM_OK;
    if (name.id && !(defers_name && is_low))
        good = good && put_name(w, is_thread, name.data, name.len);
    if (!good || tm_pb_end(&w->body, mark) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = put_task_descriptor(w, owner, &pending.own, err);
    if (st < 0 || name.id == 0 || !defers_name)
        return st;
    pending.is_repeated = !is_low;
    return add_pending_name(w, owner, pending, &name, err);
}

/* States that ranks count on E's machine, once, on the machine's root, which otherwise has no descriptor. */
static enum tm_status write_ordering(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    static const char name[] = TM_DEFAULT_TRACK_NAME;
    enum tm_status st = tm_map_add(&w->ranked, e->machine, 0);
    if (st == TM_END)
        return TM_OK;
    tm_buf_clear(&w->body);
    if (st < 0 || tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_NAME, name, sizeof name - 1) != TM_OK ||
        tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PROCESS_ORDERING, TM_ORDERING_EXPLICIT) != TM_OK ||
        tm_pb_put_varint(&w->body, TM_DESCRIPTOR_THREAD_ORDERING, TM_ORDERING_EXPLICIT) != TM_OK)
        return tm_error_nomem(err);
    struct tm_event root = {.machine = e->machine, .file = e->file, .flags = TM_EVENT_UNTIMED};
    return tm_track_packet_describe(w, &root, 0, err);
}

/* Notes RANK of the task with KEY, unless it has one from before that time. */
static enum tm_status add_rank(struct tm_track_writer *w, uint64_t key, struct tm_task_rank rank, struct tm_error *err)
{
    uint32_t place;
    if (tm_map_find(&w->ranks, key, &place)) {
        if (rank.time_ns < w->task_ranks[place].time_ns)
            w->task_ranks[place] = rank;
        return TM_OK;
    }
    place = w->task_rank_count;
    if (tm_array_grow(&w->task_ranks, &w->task_rank_cap, place, sizeof *w->task_ranks, err) < 0)
        return err->status;
    if (tm_map_set(&w->ranks, key, place) != TM_OK)
        return tm_error_nomem(err);
    w->task_ranks[w->task_rank_count++] = rank;
    return TM_OK;
}

enum tm_status tm_track_task_note_rank(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool is_thread = e->kind == TM_KIND_THREAD, has_rank = false;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes), within;
    struct tm_event owner = {.machine = e->machine, .file = e->file};
    struct tm_pb_field f, g;
    int64_t rank = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN || f.id != (is_thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS))
            continue;
        within = tm_pb_of(f.data, f.len);
        while (tm_pb_next(&within, &g) == TM_OK) {
            int64_t number = g.type == TM_PB_VARINT ? tm_unzigzag(g.value) : 0;
            if (g.id == (is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_PID : (uint32_t)TM_PROCESS_DESCRIPTION_PID)) {
                owner.pid = number;
                owner.flags |= TM_EVENT_HAS_PID;
            } else if (is_thread && g.id == TM_THREAD_DESCRIPTION_TID) {
                owner.tid = number;
            } else if (g.id == sort_index_field(is_thread)) {
                rank = number;
                has_rank = rank >= INT32_MIN && rank <= INT32_MAX;
            }
        }
    }
    if (!has_rank)
        return TM_OK;
    struct tm_task_rank noted = {tm_event_is_timed(e->flags) ? e->time_ns : INT64_MIN, (int32_t)rank};
    enum tm_status st = add_rank(w, task_of(w, &owner, is_thread).key, noted, err);
    return st < 0 ? st : write_ordering(w, e, err);
}

enum tm_status tm_track_task_define(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool is_thread = e->kind == TM_KIND_THREAD;
    enum tm_input_type type = w->packets->catalog->files[e->file].input_type;
    bool defers_name = w->names.is_enabled && type != TM_INPUT_PROTO;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    struct tm_event owner = {.machine = e->machine, .file = e->file, .time_ns = e->time_ns};
    owner.flags = (e->flags & TM_EVENT_UNTIMED) | (is_thread ? TM_EVENT_HAS_TID : 0u);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && f.id == (is_thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS))
            return define(w, &owner, &f, defers_name, err);
    return TM_OK;
}

enum tm_status tm_track_task_mention(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool has_own_track = tm_kernel_slices_has(&w->kernel_slices, e->machine, e->tid);
    if (tm_track_owners_find(&w->packets->owners, task_of(w, e, true)))
        return TM_OK;
    return describe_task(w, e, true, tm_track_key(w, e, TM_TRACK_KIND_THREAD, has_own_track), err);
}

/* Writes NAME on its track at E's time. */
static enum tm_status write_name(struct tm_track_writer *w, const struct tm_pending_name *name,
                                 const struct tm_event *e, struct tm_error *err)
{
    const bool is_thread = name->owner.flags & TM_EVENT_HAS_TID;
    const int64_t pid = name->owner.flags & TM_EVENT_HAS_PID ? name->owner.pid : name->owner.tid;
    size_t mark, len;
    const uint8_t *text = tm_pending_names_text(&w->names, name, &len);
    tm_buf_clear(&w->body);
    if (tm_pb_begin(&w->body, is_thread ? TM_DESCRIPTOR_THREAD : TM_DESCRIPTOR_PROCESS, &mark) != TM_OK ||
        tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_PID, tm_packet_pid(pid)) != TM_OK ||
        (is_thread && tm_pb_put_varint(&w->body, TM_THREAD_DESCRIPTOR_TID, (uint64_t)name->owner.tid) != TM_OK) ||
        !put_name(w, is_thread, text, len) || tm_pb_end(&w->body, mark) != TM_OK)
        return tm_error_nomem(err);
    return write_on_owner(w, e, &name->own, err);
}

enum tm_status tm_track_writer_write_names(struct tm_track_writer *w, int64_t now_ns, struct tm_error *err)
{
    const struct tm_pending_name *name;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (name = tm_pending_names_next(&w->names)) != NULL) {
        struct tm_event at = name->owner;
        if (task_of(w, &at, at.flags & TM_EVENT_HAS_TID).life == name->task.life) {
            at.flags &= ~(uint32_t)TM_EVENT_UNTIMED;
            at.time_ns = now_ns;
        } else if (!tm_event_is_timed(at.flags)) { /* at the beginning of its lifetime */
            at.flags &= ~(uint32_t)TM_EVENT_UNTIMED;
            at.time_ns = 0;
        }
        st = write_name(w, name, &at, err);
    }
    return st;
}

enum tm_status tm_track_writer_repeat_name(struct tm_track_writer *w, const struct tm_event *e, int64_t pid,
                                           struct tm_error *err)
{
    struct tm_event process = {.machine = e->machine, .pid = pid, .flags = TM_EVENT_HAS_PID};
    const struct tm_pending_name *name = tm_pending_names_process(&w->names, task_of(w, &process, false));
    return name ? write_name(w, name, e, err) : TM_OK;
}
