#include "emit/track_writer.h"

#include "base/hash.h"

#include <stdlib.h>

enum {
    TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4, TYPE_NONE = 0,
    NAMES_MAX = 1 << 16, NAME_BYTES_MAX = 4 << 20, NAME_INTERNED_MAX = 512,
    LANES_A_THREAD_MAX = 1024
};

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

/* --- packets */

static enum tm_status sequence_of(struct tm_track_writer *w, uint32_t machine, struct tm_track_sequence **sequence,
                                  struct tm_error *err)
{
    if (machine >= w->sequence_count) {
        struct tm_track_sequence *s = realloc(w->sequences, ((size_t)machine + 1) * sizeof *s);
        if (s == NULL)
            return tm_error_nomem(err);
        for (uint32_t i = w->sequence_count; i <= machine; i++) {
            s[i] = (struct tm_track_sequence){0};
            tm_intern_init(&s[i].names, NAMES_MAX, NAME_BYTES_MAX);
            tm_intern_init(&s[i].categories, NAMES_MAX, NAME_BYTES_MAX);
        }
        w->sequences = s;
        w->sequence_count = machine + 1;
    }
    *sequence = &w->sequences[machine];
    return TM_OK;
}

/* Head of a packet: machine, time, sequence. */
static enum tm_status begin_packet(struct tm_track_writer *w, uint32_t machine, const int64_t *time_ns,
                                   struct tm_error *err)
{
    struct tm_track_sequence *s = NULL;
    struct tm_buf *out = &w->packets->out;
    uint64_t flags = TM_SEQUENCE_NEEDS_STATE;
    enum tm_status st = sequence_of(w, machine, &s, err);
    if (st == TM_OK)
        st = tm_packet_begin(w->packets, machine, err);
    if (st < 0)
        return st;
    if (s->id == 0) {
        s->id = tm_packet_new_sequence(w->packets);
        flags |= TM_SEQUENCE_CLEARED;
    }
    if ((time_ns && tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)*time_ns) != TM_OK) ||
        tm_pb_put_varint(out, TM_PACKET_SEQUENCE_ID, s->id) != TM_OK ||
        tm_pb_put_varint(out, TM_PACKET_SEQUENCE_FLAGS, flags) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

/* String STRING of E by number if the table takes it, else as text: FIELD_IID or FIELD_TEXT of a
 * track event in w->body; a new number's entry goes to w->interned. */
static bool put_string(struct tm_track_writer *w, const struct tm_event *e, uint32_t string, bool is_name)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, string, e);
    struct tm_track_sequence *s = &w->sequences[e->machine];
    uint32_t id;
    bool is_new = false;
    size_t mark;
    if (text.data == NULL)
        return true;
    enum tm_status st = text.len > NAME_INTERNED_MAX
                            ? TM_END
                            : tm_intern_add(is_name ? &s->names : &s->categories, text.data, text.len, &id, &is_new);
    if (st < 0)
        return false;
    if (st == TM_END)
        return tm_pb_put_bytes(&w->body, is_name ? 23 : 22, text.data, text.len) == TM_OK;
    if (is_new && (tm_pb_begin(&w->interned, is_name ? 2 : 1, &mark) != TM_OK ||
                   tm_pb_put_varint(&w->interned, 1, (uint64_t)id + 1) != TM_OK ||
                   tm_pb_put_bytes(&w->interned, 2, text.data, text.len) != TM_OK ||
                   tm_pb_end(&w->interned, mark) != TM_OK))
        return false;
    return tm_pb_put_varint(&w->body, is_name ? 10 : 3, (uint64_t)id + 1) == TM_OK;
}

/* One Arg of the detail as a DebugAnnotation; the key loses the "args." that Chrome JSON has. */
static bool put_arg(struct tm_buf *out, const struct tm_pb_field *arg)
{
    enum { KEY = 1, INT = 2, UINT = 3, DOUBLE = 4, STRING = 5, BOOL = 6, POINTER = 7, JSON = 8 };
    struct tm_pb pb = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f;
    size_t mark;
    bool good = tm_pb_begin(out, 4, &mark) == TM_OK;
    while (good && tm_pb_next(&pb, &f) == TM_OK) {
        size_t skip = f.id == KEY && f.len > 5 && memcmp(f.data, "args.", 5) == 0 ? 5 : 0;
        switch (f.id) {
        case KEY:
            good = tm_pb_put_bytes(out, 10, f.data + skip, f.len - skip) == TM_OK;
            break;
        case INT:
            good = tm_pb_put_varint(out, 4, (uint64_t)tm_unzigzag(f.value)) == TM_OK;
            break;
        case UINT:
            good = tm_pb_put_varint(out, 3, f.value) == TM_OK;
            break;
        case DOUBLE:
            good = tm_pb_put_i64(out, 5, f.value) == TM_OK;
            break;
        case STRING:
            good = tm_pb_put_bytes(out, 6, f.data, f.len) == TM_OK;
            break;
        case BOOL:
            good = tm_pb_put_varint(out, 2, f.value) == TM_OK;
            break;
        case POINTER:
            good = tm_pb_put_varint(out, 7, f.value) == TM_OK;
            break;
        case JSON:
            good = tm_pb_put_bytes(out, 9, f.data, f.len) == TM_OK;
            break;
        default:
            break;
        }
    }
    return good && tm_pb_end(out, mark) == TM_OK;
}

/* Args and flows of E's detail. */
static bool put_detail(struct tm_track_writer *w, const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    bool good = true;
    while (good && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == 1 && f.type == TM_PB_LEN)
            good = put_arg(&w->body, &f);
        else if ((f.id == 2 || f.id == 3) && f.type == TM_PB_I64)
            good = tm_pb_put_i64(&w->body, f.id == 2 ? 47 : 48, f.value) == TM_OK;
    }
    return good;
}

static bool put_flow(struct tm_track_writer *w, const struct tm_event *e)
{
    static const char phases[] = {'s', 't', 'f'};
    size_t mark;
    return tm_pb_begin(&w->body, 6, &mark) == TM_OK &&
           tm_pb_put_varint(&w->body, 2, (uint64_t)phases[e->kind - TM_KIND_FLOW_START]) == TM_OK &&
           tm_pb_put_varint(&w->body, 6, e->track) == TM_OK &&
           tm_pb_put_varint(&w->body, 12, e->kind != TM_KIND_FLOW_END || e->value == 0) == TM_OK &&
           tm_pb_end(&w->body, mark) == TM_OK;
}

/* One TrackEvent packet of TYPE on track UUID; only its begin carries the event's own. */
static enum tm_status put_event(struct tm_track_writer *w, const struct tm_event *e, int type, uint64_t uuid,
                                struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    enum tm_status st = begin_packet(w, e->machine, &e->time_ns, err);
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
    bool good = true;
    if (st < 0)
        return st;
    tm_buf_clear(&w->body);
    tm_buf_clear(&w->interned);
    good = (type == TYPE_NONE || tm_pb_put_varint(&w->body, 9, (uint64_t)type) == TM_OK) &&
           tm_pb_put_varint(&w->body, 11, uuid) == TM_OK;
    if (type == TYPE_COUNTER)
        good = good && (e->flags & TM_EVENT_VALUE_DOUBLE ? tm_pb_put_i64(&w->body, 44, e->value)
                                                         : tm_pb_put_varint(&w->body, 30, e->value)) == TM_OK;
    else
        good = good && put_string(w, e, e->category, false) && put_string(w, e, e->name, true) && put_detail(w, e) &&
               (!is_flow || put_flow(w, e));
    if (!good || (w->interned.len &&
                  tm_pb_put_bytes(out, TM_PACKET_INTERNED_DATA, w->interned.data, w->interned.len) != TM_OK) ||
        tm_pb_put_bytes(out, TM_PACKET_TRACK_EVENT, w->body.data, w->body.len) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w->packets, err);
}

static enum tm_status put_end(struct tm_track_writer *w, const struct tm_open_end *end, struct tm_error *err)
{
    struct tm_event e = {.time_ns = end->end_ns, .machine = end->machine, .kind = TM_KIND_SLICE_END};
    return put_event(w, &e, TYPE_END, end->uuid, err);
}

/* --- tracks */

/* A descriptor whose fields but the uuid are in w->body. */
static enum tm_status put_descriptor(struct tm_track_writer *w, uint32_t machine, uint64_t uuid, struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    size_t mark;
    enum tm_status st = begin_packet(w, machine, NULL, err);
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

static bool ends_before(const struct tm_open_end *a, const struct tm_open_end *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

static enum tm_status push_end(struct tm_track_writer *w, struct tm_open_end end)
{
    if (w->end_count == w->end_cap) {
        uint32_t cap = w->end_cap ? w->end_cap * 2 : 256;
        struct tm_open_end *ends = realloc(w->ends, cap * sizeof *ends);
        if (ends == NULL)
            return TM_E_SYSTEM;
        w->ends = ends;
        w->end_cap = cap;
    }
    uint32_t at = w->end_count++;
    for (; at > 0 && ends_before(&end, &w->ends[(at - 1) / 2]); at = (at - 1) / 2)
        w->ends[at] = w->ends[(at - 1) / 2];
    w->ends[at] = end;
    return TM_OK;
}

static struct tm_open_end pop_end(struct tm_track_writer *w)
{
    struct tm_open_end first = w->ends[0], last = w->ends[--w->end_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < w->end_count; at = child) {
        if (child + 1 < w->end_count && ends_before(&w->ends[child + 1], &w->ends[child]))
            child++;
        if (!ends_before(&w->ends[child], &last))
            break;
        w->ends[at] = w->ends[child];
    }
    w->ends[at] = last;
    return first;
}

static enum tm_status write_ends(struct tm_track_writer *w, int64_t up_to_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && w->end_count > 0 && w->ends[0].end_ns <= up_to_ns) {
        struct tm_open_end end = pop_end(w);
        st = put_end(w, &end, err);
    }
    return st;
}

static enum tm_status grow_lanes(struct tm_track_writer *w)
{
    uint32_t n = w->lanes ? (w->lane_mask + 1) * 2 : 64;
    struct tm_track_lane *lanes = calloc(n, sizeof *lanes);
    if (lanes == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; w->lanes && i <= w->lane_mask; i++) {
        if (w->lanes[i].uuid == 0)
            continue;
        uint32_t at = (uint32_t)w->lanes[i].uuid & (n - 1);
        while (lanes[at].uuid)
            at = (at + 1) & (n - 1);
        lanes[at] = w->lanes[i];
    }
    free(w->lanes);
    w->lanes = lanes;
    w->lane_mask = n - 1;
    return TM_OK;
}

/* TM_OK: [START, END) nests on track UUID and is now open there; TM_END: it crosses one that is. */
static enum tm_status lane_add(struct tm_track_writer *w, uint64_t uuid, int64_t start_ns, int64_t end_ns)
{
    if ((w->lanes == NULL || w->lane_count >= w->lane_mask / 2) && grow_lanes(w) != TM_OK)
        return TM_E_SYSTEM;
    uint32_t at = (uint32_t)uuid & w->lane_mask;
    while (w->lanes[at].uuid && w->lanes[at].uuid != uuid)
        at = (at + 1) & w->lane_mask;
    struct tm_track_lane *lane = &w->lanes[at];
    w->lane_count += lane->uuid == 0;
    lane->uuid = uuid;
    while (lane->depth > 0 && lane->open[lane->depth - 1] <= start_ns)
        lane->depth--;
    if (lane->depth > 0 && lane->open[lane->depth - 1] < end_ns)
        return TM_END;
    if (lane->depth == lane->cap) {
        uint32_t cap = lane->cap ? lane->cap * 2 : 16;
        int64_t *open = realloc(lane->open, cap * sizeof *open);
        if (open == NULL)
            return TM_E_SYSTEM;
        lane->open = open;
        lane->cap = cap;
    }
    lane->open[lane->depth++] = end_ns;
    return TM_OK;
}

static enum tm_status write_complete(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                     struct tm_error *err)
{
    uint64_t thread = uuid;
    int64_t end_ns = e->time_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->time_ns + e->dur_ns;
    if (e->flags & TM_EVENT_OPEN_ENDED)
        end_ns = INT64_MAX;
    enum tm_status st = lane_add(w, uuid, e->time_ns, end_ns);
    for (uint64_t lane = 1; st == TM_END && lane < LANES_A_THREAD_MAX; lane++) {
        uuid = track_key(w, e, TRACK_LANE, lane);
        st = lane_add(w, uuid, e->time_ns, end_ns);
    }
    if (st < 0)
        return tm_error_nomem(err);
    if (uuid != thread)
        st = know_named(w, e, uuid, thread, false, err);
    if (st >= 0)
        st = put_event(w, e, TYPE_BEGIN, uuid, err);
    if (st < 0 || e->flags & TM_EVENT_OPEN_ENDED)
        return st;
    struct tm_open_end end = {end_ns, w->order++, uuid, e->machine};
    return push_end(w, end) == TM_OK ? TM_OK : tm_error_nomem(err);
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
        return put_event(w, e, TYPE_BEGIN, uuid, err);
    case TM_KIND_SLICE_END:
        return put_event(w, e, TYPE_END, uuid, err);
    case TM_KIND_SLICE_COMPLETE:
        return write_complete(w, e, uuid, err);
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP:
        return put_event(w, e, TYPE_INSTANT, uuid, err);
    case TM_KIND_COUNTER:
        return put_event(w, e, TYPE_COUNTER, uuid, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return put_event(w, e, TYPE_NONE, uuid, err);
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
    for (uint32_t i = 0; w->lanes && i <= w->lane_mask; i++)
        free(w->lanes[i].open);
    free(w->sequences);
    free(w->known.slots);
    free(w->ends);
    free(w->lanes);
    tm_moment_release(&w->moment);
    tm_buf_release(&w->interned);
    tm_buf_release(&w->body);
    *w = (struct tm_track_writer){0};
}
