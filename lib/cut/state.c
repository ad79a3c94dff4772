#include "cut/state.h"

#include "base/hash.h"
#include "perfetto/named_tracks.h"
#include "select/open_slices.h"

#include <stdlib.h>

enum {
    SWITCHES = 9,      /* of a cpu: outputs need several switches in a row to know which thread ran before */
    LIFETIMES_BACK = 8 /* how many lifetimes before that of an end a begin can be that the end is kept with */
};

/* What the keys of the state refer to. */
enum about {
    OF_COUNTER = 1,
    OF_CPU,
    OF_NAME,
    OF_THREAD,
    OF_PROCESS,
    OF_TRACK,
    OF_LIFETIME,
    OF_FIRST_END,
    OF_FIRST_ENDED,
    OF_FIRST,
    OF_FIRST_OVER
};

/* An event and the rows derived from it. It is copied when something refers to it. */
struct tm_cut_unit {
    struct tm_cut_state *state;
    const struct tm_event *rows;
    uint32_t count;
    struct tm_pending_unit *pending;
};

static struct tm_pending_unit *store_unit(struct tm_cut_unit *u)
{
    if (u->pending == NULL && (u->pending = tm_pending_units_add(&u->state->units, u->rows, u->count)) != NULL)
        u->pending->refs++; /* until all rows have been looked at */
    return u->pending;
}

/* True if rows derived from E are kept only together with E; otherwise they are kept alone or not at all. */
static bool is_kept_whole(const struct tm_event *e)
{
    return e->kind == TM_KIND_PACKET || e->kind == TM_KIND_COUNTER || e->kind == TM_KIND_FTRACE;
}

static tm_slice_label label_of(const struct tm_cut_state *state, const struct tm_event *e, uint32_t string)
{
    struct tm_text text = tm_catalog_string(state->catalog, string, e);
    return text.data ? tm_hash64(text.data, text.len) | 1 : 0;
}

static bool is_marker(const struct tm_event *e)
{
    return tm_event_is_async_marker(e->flags) && !tm_named_track_is_of(e);
}

/* Sets LABEL to the name and category by which a slice and its end match. The name of an asynchronous marker is that of
 * its track, so its end fits any. */
static void labels_of(const struct tm_cut_state *s, const struct tm_event *e, tm_slice_label label[2])
{
    label[0] = is_marker(e) ? 0 : label_of(s, e, e->name);
    label[1] = is_marker(e) ? 0 : label_of(s, e, e->category);
}

static uint64_t place_of(const struct tm_event *e)
{
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_TRACK: return e->track;
    case TM_SCOPE_THREAD: return (uint64_t)e->tid;
    case TM_SCOPE_PROCESS: return (uint64_t)e->pid;
    case TM_SCOPE_CPU: return e->cpu;
    default: return 0;
    }
}

/* Returns how often a task of MACHINE whose pid or tid is NUMBER has started or ended. */
static uint64_t lifetime_of(const struct tm_cut_state *s, uint32_t machine, int64_t number)
{
    const struct tm_key key = {machine, (uint64_t)number, 0};
    int64_t lifetime = s->lifetimes.count ? tm_table_find(&s->lifetimes, &key) : TM_TABLE_NONE;
    return lifetime == TM_TABLE_NONE ? 0 : (uint64_t)lifetime;
}

/* Returns the lifetime of the task that E's track belongs to; 0: the first, or the track is of no task by itself. */
static uint64_t lifetime_of_track(const struct tm_cut_state *s, const struct tm_event *e)
{
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_THREAD: return lifetime_of(s, e->machine, e->tid);
    case TM_SCOPE_PROCESS: return lifetime_of(s, e->machine, e->pid);
    default: return 0;
    }
}

/* Returns the key of E's track in LIFETIME. A number that is used again is another task's: its slices end no slice of
 * the task before. */
static struct tm_key track_key(const struct tm_cut_state *s, const struct tm_event *e, uint64_t lifetime)
{
    const bool is_json = s->catalog->files[e->file].input_type == TM_INPUT_JSON;
    struct tm_key key = tm_open_track_of(s->catalog, e, is_json).key;
    if (tm_event_scope(e->flags) == TM_SCOPE_CPU)
        key.b ^= tm_hash_u64(e->cpu + UINT64_C(1));
    if (lifetime)
        key.a ^= tm_hash_u64(lifetime) << 1;
    return key;
}

/* Returns E's track, or NULL if memory ran out. */
static struct tm_unit_track *track_of(struct tm_cut_state *s, const struct tm_event *e)
{
    const struct tm_key key = track_key(s, e, lifetime_of_track(s, e));
    return tm_open_units_track(&s->open, &key);
}

/* Makes KEPT the latest unit for KEY. */
static enum tm_status set_last(struct tm_cut_state *s, const struct tm_key *key, struct tm_pending_unit *kept,
                               struct tm_error *err)
{
    int64_t i = tm_table_find(&s->by_key, key);
    enum tm_status st = TM_OK;
    if (kept == NULL)
        return tm_error_nomem(err);
    if (i == TM_TABLE_NONE) {
        i = s->last_count;
        if ((st = tm_array_grow(&s->last, &s->last_cap, s->last_count, sizeof *s->last, err)) < 0 ||
            (st = tm_table_set(&s->by_key, key, i, err)) < 0)
            return st;
        s->last[s->last_count++] = NULL;
    }
    kept->refs++;
    if (s->last[i])
        tm_pending_units_drop(&s->units, s->last[i]);
    s->last[i] = kept;
    return TM_OK;
}

/* Returns the key of a statement of E. ABOUT is the kind of its subject, which WHAT and MORE identify. */
static struct tm_key about_key(const struct tm_event *e, enum about about, uint64_t what, uint64_t more)
{
    return (struct tm_key){(uint64_t)e->file << 32 | e->machine, what,
                           (more & UINT64_MAX >> 4) | (uint64_t)about << 60};
}

/* Returns the key of a statement of E on the task with the pid or tid NUMBER, in its present lifetime. */
static struct tm_key task_key(const struct tm_cut_state *s, const struct tm_event *e, enum about about, int64_t number,
                              uint64_t more)
{
    const uint64_t lifetime = lifetime_of(s, e->machine, number);
    return about_key(e, about, (uint64_t)number ^ (lifetime ? tm_hash_u64(lifetime) : 0), more);
}

/* Makes the current unit the latest for KEY. */
static enum tm_status set_unit(struct tm_cut_unit *u, struct tm_key key, struct tm_error *err)
{
    return set_last(u->state, &key, store_unit(u), err);
}

/* Makes E the latest statement on the task of KEY. The other rows of its unit, such as a slice, are left out. */
static enum tm_status set_task(struct tm_cut_unit *u, const struct tm_event *e, struct tm_key key, struct tm_error *err)
{
    if (e == u->rows || is_kept_whole(u->rows))
        return set_last(u->state, &key, store_unit(u), err);
    struct tm_pending_unit *alone = tm_pending_units_add(&u->state->units, e, 1);
    enum tm_status st = set_last(u->state, &key, alone, err);
    if (st < 0 && alone && alone->refs == 0)
        tm_pending_units_drop(&u->state->units, alone);
    return st;
}

/* A counter value that is derived from a slice or a sample is valid only there, so it is not kept. */
static enum tm_status take_counter(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    if (!is_kept_whole(u->rows))
        return TM_OK;
    const uint64_t name = label_of(u->state, e, e->name) ^ (uint64_t)tm_event_scope(e->flags) << 8;
    const uint64_t lifetime = lifetime_of_track(u->state, e);
    return set_unit(u, about_key(e, OF_COUNTER, place_of(e), lifetime ? name ^ tm_hash_u64(lifetime) : name), err);
}

/* Keeps the current unit as long as the slice of TRACK that an end with LABEL would end. There is one. */
static enum tm_status attach(struct tm_cut_unit *u, struct tm_unit_track *track, const tm_slice_label label[2],
                             struct tm_error *err)
{
    if (store_unit(u) == NULL || tm_open_units_attach(&u->state->open, track, u->pending, label) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status take_begin(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    struct tm_cut_state *s = u->state;
    struct tm_unit_track *track = track_of(s, e);
    const bool is_begin = e->kind == TM_KIND_SLICE_BEGIN, is_complete = e->kind == TM_KIND_SLICE_COMPLETE;
    const bool is_open = is_begin || (is_complete && e->flags & TM_EVENT_OPEN_ENDED);
    struct tm_open_span span = {.begin_ns = e->time_ns,
                                .end_ns = INT64_MAX,
                                .is_no_slice = is_complete && (is_open || e->dur_ns < 0)};
    labels_of(s, e, span.label);
    const bool is_unnested = is_begin && is_marker(e) && label_of(s, e, e->category) == 0; /* its track has its name */
    if (is_unnested && track && tm_open_units_find(track, span.label))
        return attach(u, track, span.label, err); /* it adds an argument to the slice that is open on its track */
    if (!is_open) /* an end beyond int64 is INT64_MAX too: it is to come */
        span.end_ns = tm_slice_end_ns(e->time_ns, is_complete && e->dur_ns > 0 ? e->dur_ns : 0);
    span.is_target = !is_open && s->has_flows && tm_event_scope(e->flags) == TM_SCOPE_THREAD;
    struct tm_pending_unit *kept = track ? store_unit(u) : NULL;
    if (kept == NULL || tm_open_units_begin(&s->open, track, kept, &span) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

static struct tm_key first_key(const struct tm_cut_state *s, const struct tm_event *e, enum about about)
{
    return task_key(s, e, about, e->tid, e->flags & TM_EVENT_HAS_PID ? (uint64_t)e->pid : 0);
}

/* Returns the first event of E's file on its thread, or NULL. */
static const struct tm_pending_unit *find_first(const struct tm_cut_state *s, const struct tm_event *e)
{
    const struct tm_key key = first_key(s, e, OF_FIRST);
    int64_t i = tm_event_scope(e->flags) == TM_SCOPE_THREAD ? tm_table_find(&s->by_key, &key) : TM_TABLE_NONE;
    return i == TM_TABLE_NONE ? NULL : s->last[i];
}

/* Outputs ask whether a file has any begins and ends, so its first end is kept, with the begin of its slice: without
 * that it would end another. */
static enum tm_status take_first_end(struct tm_cut_unit *u, const struct tm_event *e, struct tm_pending_unit *begin,
                                     struct tm_error *err)
{
    const struct tm_key end_key = {e->file, 0, (uint64_t)OF_FIRST_END << 60};
    const struct tm_key begin_key = {e->file, 0, (uint64_t)OF_FIRST_ENDED << 60};
    enum tm_raw raw = tm_event_raw(e->flags);
    if (e->flags & TM_EVENT_ASYNC || raw == TM_RAW_PACKET || raw == TM_RAW_FTRACE_EVENT ||
        tm_table_find(&u->state->by_key, &end_key) != TM_TABLE_NONE)
        return TM_OK;
    enum tm_status st = begin ? set_last(u->state, &begin_key, begin, err) : TM_OK;
    return st == TM_OK ? set_last(u->state, &end_key, store_unit(u), err) : st;
}

/* Takes an end without a begin in the present lifetime of its task. A viewer of Chrome JSON knows no lifetimes and ends
 * the slice of an earlier one, which stays open elsewhere. So the end is kept with that begin. */
static enum tm_status take_late_end(struct tm_cut_unit *u, const struct tm_event *e, const tm_slice_label label[2],
                                    struct tm_error *err)
{
    uint64_t lifetime = lifetime_of_track(u->state, e);
    for (int n = 0; n < LIFETIMES_BACK && lifetime > 0; n++) {
        const struct tm_key key = track_key(u->state, e, --lifetime);
        struct tm_unit_track *track = tm_open_units_known(&u->state->open, &key);
        if (track && tm_open_units_find(track, label))
            return attach(u, track, label, err);
    }
    return TM_OK;
}

/* Takes an end. It is kept as long as its slice decides the lane of others, or if it is the first end of its file, or
 * the end of the first slice of its file on a thread. */
static enum tm_status take_end(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    struct tm_cut_state *s = u->state;
    struct tm_unit_track *track = track_of(s, e);
    tm_slice_label label[2];
    labels_of(s, e, label);
    if (track == NULL)
        return tm_error_nomem(err);
    if (tm_open_units_pass(&s->open, track, e->time_ns) < 0)
        return tm_error_nomem(err);
    struct tm_pending_unit *begin = tm_open_units_find(track, label);
    enum tm_status st = take_first_end(u, e, begin, err);
    if (st == TM_OK && begin == NULL)
        st = take_late_end(u, e, label, err);
    if (st < 0)
        return st;
    const struct tm_pending_unit *opened = find_first(s, e);
    bool was_open = opened && opened->open_count > 0;
    if ((st = tm_open_units_end(&s->open, track, e->time_ns, label)) < 0 ||
        (st == TM_OK && (store_unit(u) == NULL || tm_open_units_keep_end(&s->open, track, u->pending) < 0)))
        return tm_error_nomem(err);
    return was_open && opened->open_count == 0 ? set_unit(u, first_key(s, e, OF_FIRST_OVER), err) : TM_OK;
}

static enum tm_status take_args(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    struct tm_unit_track *track = track_of(u->state, e);
    tm_slice_label label[2];
    labels_of(u->state, e, label);
    if (track == NULL)
        return tm_error_nomem(err);
    return tm_open_units_find(track, label) ? attach(u, track, label, err) : TM_OK;
}

static enum tm_status take_switch(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_key key = about_key(e, OF_CPU, e->cpu, 0);
    int64_t seen = tm_table_find(&u->state->switches, &key);
    uint64_t next = seen == TM_TABLE_NONE ? 0 : ((uint64_t)seen + 1) % SWITCHES;
    enum tm_status st = tm_table_set(&u->state->switches, &key, (int64_t)next, err);
    return st < 0 ? st : set_unit(u, about_key(e, OF_CPU, e->cpu, next), err);
}

/* The first file with an event on a thread owns the thread's track in an output, and other files have tracks below it.
 * So the first event of each file on a thread is kept, with its end if it begins a slice. */
static enum tm_status take_first(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_key key = first_key(u->state, e, OF_FIRST);
    bool is_shown = e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END ||
                    e->kind == TM_KIND_SLICE_COMPLETE || e->kind == TM_KIND_INSTANT;
    if (!is_shown || e != u->rows || tm_event_raw(e->flags) == TM_RAW_PACKET || e->flags & TM_EVENT_ASYNC ||
        tm_event_scope(e->flags) != TM_SCOPE_THREAD || tm_table_find(&u->state->by_key, &key) != TM_TABLE_NONE)
        return TM_OK;
    return set_unit(u, key, err);
}

/* A row that is derived from a line of text names its thread with another precedence than an event of the kernel. One
 * without a name states the thread's process alone. So each is kept beside the others. */
static enum tm_status take_rename(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    const uint64_t source = (uint64_t)(e->name != 0) | (e->flags & TM_EVENT_DERIVED ? 2 : 0);
    return set_task(u, e, task_key(u->state, e, OF_NAME, e->tid, source), err);
}

/* All are kept: a reused number is another task. Number 0 is that of all idle tasks. */
static enum tm_status take_lifetime(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_key key = {e->machine, (uint64_t)e->tid, 0};
    const uint64_t lifetime = lifetime_of(u->state, e->machine, e->tid);
    enum tm_status st = TM_OK;
    if (e->tid != 0)
        st = tm_table_set(&u->state->lifetimes, &key, (int64_t)lifetime + 1, err);
    return st < 0 ? st : set_task(u, e, about_key(e, OF_LIFETIME, e->position, e->kind), err);
}

static enum tm_status take_row(struct tm_cut_unit *u, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = take_first(u, e, err);
    if (st < 0)
        return st;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_COMPLETE:
        return take_begin(u, e, err);
    case TM_KIND_SLICE_END:
        return take_end(u, e, err);
    case TM_KIND_SLICE_ARGS:
        return take_args(u, e, err);
    case TM_KIND_INSTANT: /* it is a slice without length */
        return e->flags & TM_EVENT_ASYNC ? TM_OK : take_begin(u, e, err);
    case TM_KIND_COUNTER:
        return take_counter(u, e, err);
    case TM_KIND_SCHED_SWITCH:
        return take_switch(u, e, err);
    case TM_KIND_PACKET:
        return e->flags & TM_EVENT_HAS_TRACK ? set_unit(u, about_key(e, OF_TRACK, e->track, 0), err) : TM_OK;
    case TM_KIND_TASK_RENAME: return take_rename(u, e, err);
    case TM_KIND_THREAD: return set_task(u, e, task_key(u->state, e, OF_THREAD, e->tid, (uint64_t)e->pid), err);
    case TM_KIND_PROCESS: return set_task(u, e, task_key(u->state, e, OF_PROCESS, e->pid, 0), err);
    case TM_KIND_TASK_NEW:
    case TM_KIND_PROCESS_EXIT: return take_lifetime(u, e, err);
    default:
        return TM_OK;
    }
}

/* Divides COUNT rows into units. Sets *IN_ORDER to false if they do not take effect in this order. */
static enum tm_status make_units(struct tm_cut_state *s, const struct tm_event *rows, uint32_t count, bool *in_order,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (n > 0 && rows[i].flags & TM_EVENT_DERIVED) {
            s->taken[n - 1].count++;
            continue;
        }
        if ((st = tm_array_grow(&s->taken, &s->taken_cap, n, sizeof *s->taken, err)) < 0 ||
            (st = tm_array_grow(&s->ranks, &s->rank_cap, n, sizeof *s->ranks, err)) < 0)
            return st;
        bool is_json = s->catalog->files[rows[i].file].input_type == TM_INPUT_JSON;
        s->taken[n] = (struct tm_cut_unit){.state = s, .rows = &rows[i], .count = 1};
        s->ranks[n] = tm_timestamp_rank(&rows[i], is_json, n);
        *in_order = *in_order && (n == 0 || !tm_timestamp_ranks_differ(&s->ranks[n - 1], &s->ranks[n]));
        n++;
    }
    s->taken_count = n;
    return st;
}

static enum tm_status take_unit(struct tm_cut_unit *u, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < u->count && st == TM_OK; i++)
        st = take_row(u, &u->rows[i], err);
    if (u->pending)
        tm_pending_units_drop(&u->state->units, u->pending);
    return st;
}

enum tm_status tm_cut_state_take(struct tm_cut_state *s, const struct tm_event *rows, uint32_t count,
                                 struct tm_error *err)
{
    bool in_order = true;
    s->open.units = &s->units;
    enum tm_status st = make_units(s, rows, count, &in_order, err);
    if (st == TM_OK && !in_order) {
        for (uint32_t i = 0; i < s->taken_count; i++) /* the state has them in the order of the stream */
            if (store_unit(&s->taken[i]) == NULL)
                return tm_error_nomem(err);
        tm_timestamp_ranks_sort(s->ranks, s->taken_count);
    }
    for (uint32_t i = 0; i < s->taken_count && st == TM_OK; i++)
        st = take_unit(&s->taken[s->ranks[i].index], err);
    return st;
}

void tm_cut_state_drop_ended(struct tm_cut_state *s, int64_t now_ns)
{
    tm_open_units_drop_ended(&s->open, now_ns);
}

void tm_cut_state_release(struct tm_cut_state *s)
{
    tm_open_units_release(&s->open);
    tm_pending_units_release(&s->units);
    free(s->last);
    free(s->taken);
    free(s->ranks);
    tm_table_release(&s->by_key);
    tm_table_release(&s->switches);
    tm_table_release(&s->lifetimes);
    *s = (struct tm_cut_state){0};
}
