/* Decides slices, whose begin and end are kept together, and what binds to them. */
#include "select/internal.h"

#include "base/hash.h"
#include "perfetto/named_tracks.h"

/* Returns the row of G that begins or ends a slice. Args may precede it. */
static const struct tm_event *slice_of(const struct tm_select_group *g)
{
    bool is_second = g->rows->kind == TM_KIND_SLICE_ARGS && g->count > 1 && g->rows[1].kind == TM_KIND_SLICE_END;
    return &g->rows[is_second];
}

static struct tm_open_track track_of(const struct tm_select *s, const struct tm_select_group *g)
{
    const uint32_t scope_bits = tm_event_scope_flags((enum tm_scope)15);
    struct tm_event e = *slice_of(g);
    /* The track of a thread also has the events that name just the thread. */
    if (tm_event_scope(e.flags) == TM_SCOPE_TRACK && !(e.flags & TM_EVENT_ASYNC) &&
        tm_track_names_is_thread(&s->tracks, e.file, e.track, &e.tid))
        e.flags = (e.flags & ~scope_bits) | tm_event_scope_flags(TM_SCOPE_THREAD);
    struct tm_open_track track = tm_open_track_of(s->catalog, &e, g->is_json);
    enum tm_scope scope = tm_event_scope(e.flags);
    uint32_t lifetime = scope == TM_SCOPE_PROCESS  ? tm_hidden_tasks_lifetime(&s->tasks, e.machine, e.pid)
                        : scope == TM_SCOPE_THREAD ? tm_hidden_tasks_lifetime(&s->tasks, e.machine, e.tid)
                                                   : 0;
    if (lifetime) /* a reused number is another task's: its slices end no slice of this one */
        track.key.a ^= tm_hash_u64(lifetime) << 1;
    return track;
}

static void labels_of(const struct tm_select *s, const struct tm_event *e, tm_slice_label label[2])
{
    label[0] = label[1] = 0;
    if (tm_event_is_async_marker(e->flags))
        return;
    label[0] = tm_open_slices_label(s->catalog, e, e->name);
    label[1] = tm_open_slices_label(s->catalog, e, e->category);
}

static struct tm_stated_end end_of(const struct tm_select *s, const struct tm_event *e)
{
    struct tm_stated_end end = {.ts = e->time_ns};
    labels_of(s, e, end.label);
    return end;
}

/* Notes that the slice whose begin has NUMBER lasts DUR_NS. Only wanted slices are written; the others read as 0. */
static enum tm_status note_duration(struct tm_select *s, uint64_t number, int64_t dur_ns, struct tm_error *err)
{
    const uint8_t yes = 1;
    if (!tm_select_duration_fits(&s->spec->dur, dur_ns))
        return TM_OK;
    return tm_paged_file_write(&s->learned->durations, number, &yes, sizeof yes, err);
}

/* Removes the slices that ended with a slice around them. At the first reading, notes their durations. Before the
 * wanted time, drops their begins. */
static enum tm_status drop_cut_short(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->open.cut_short_count && st == TM_OK; i++) {
        const struct tm_open_slice *slice = &s->open.cut_short[i];
        if (s->learned)
            st = note_duration(s, (uint64_t)slice->id, slice->dur, err);
        else if (s->is_before_cut && tm_open_slices_fate(slice) == TM_OPEN_PENDING)
            st = tm_pending_groups_drop(&s->pending, tm_open_slices_pending(slice), err);
    }
    s->open.cut_short_count = 0;
    return st;
}

/* Returns the end of SLICE, which has none of its own. PLACE is an event on its track. */
static struct tm_event made_end(const struct tm_event *place, const struct tm_open_slice *slice)
{
    const uint32_t where = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_HAS_CPU |
                           TM_EVENT_ASYNC | tm_event_scope_flags((enum tm_scope)15);
    struct tm_event end = *place;
    end.time_ns = tm_slice_end_ns(slice->ts, slice->dur);
    end.kind = TM_KIND_SLICE_END;
    end.flags = (place->flags & where) | TM_EVENT_DERIVED;
    if (slice->id == TM_OPEN_NO_LENGTH)
        end.flags |= TM_EVENT_NO_LENGTH;
    end.name = end.arg_keys = end.raw_bytes = end.detail_bytes = 0;
    if (!tm_event_is_async_marker(place->flags)) /* the category of a marker is part of its track */
        end.category = slice->label[1] & TM_SLICE_LABEL_HASH ? 0 : (uint32_t)slice->label[1];
    end.category = end.category & TM_STRING_INLINE ? 0 : end.category;
    end.dur_ns = 0;
    end.value = 0;
    return end;
}

/* Writes END, the end of SLICE, if SLICE is kept. Before the wanted time it waits, as the begin of SLICE does. */
static enum tm_status put_end(struct tm_select *s, const struct tm_open_slice *slice, const struct tm_event *end,
                              struct tm_error *err)
{
    const struct tm_event_rows rows = {end, 1, s->order};
    uint32_t id;
    if (!s->is_before_cut)
        return tm_select_put(s, end, 1, err);
    if (tm_open_slices_fate(slice) != TM_OPEN_KEPT)
        return TM_OK;
    return tm_pending_groups_add(&s->pending, TM_PENDING_GROUPS_EXACT, &rows, &id, err);
}

enum tm_status tm_select_cut_short(struct tm_select *s, int64_t now_ns, struct tm_error *err)
{
    struct tm_event place;
    enum tm_status st;
    while ((st = tm_open_slices_cut(&s->open, now_ns, &place, err)) == TM_OK) {
        for (uint32_t i = 0; i < s->open.cut_short_count && st == TM_OK; i++) {
            const struct tm_event end = made_end(&place, &s->open.cut_short[i]);
            st = put_end(s, &s->open.cut_short[i], &end, err);
        }
        if (st < 0 || (st = drop_cut_short(s, err)) < 0)
            return st;
    }
    return st < 0 ? st : TM_OK;
}

/* Sees to it that kept slices of STACK end with those around them, which the selection may lack or end without. E is
 * on their track. */
static enum tm_status watch(struct tm_select *s, struct tm_open_stack *stack, const struct tm_event *e,
                            struct tm_error *err)
{
    const bool is_whole = tm_criteria_takes_all(&s->criteria) && !s->has_to && !s->is_before_cut;
    return is_whole ? TM_OK : tm_open_slices_watch(&s->open, stack, e, err);
}

/* Makes the pending group ID share the fate of SLICE, which is pending too. One follower too many is dropped. */
static enum tm_status follow(struct tm_select *s, const struct tm_open_slice *slice, uint32_t id, struct tm_error *err)
{
    enum tm_status st = tm_pending_groups_follow(&s->pending, tm_open_slices_pending(slice), id);
    return st == TM_END ? tm_pending_groups_drop(&s->pending, id, err) : st;
}

/* Gives flows that waited for the next slice of STACK the fate of SLICE. */
static enum tm_status settle_pending_flows(struct tm_select *s, struct tm_open_stack *stack,
                                           const struct tm_open_slice *slice, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (stack->pending_count > 0 && st == TM_OK) {
        uint32_t pending = stack->pending[--stack->pending_count];
        if (!s->is_before_cut)
            continue; /* it was shown */
        if (tm_open_slices_fate(slice) == TM_OPEN_DROPPED)
            st = tm_pending_groups_drop(&s->pending, pending, err);
        else if (tm_open_slices_fate(slice) == TM_OPEN_PENDING)
            st = follow(s, slice, pending, err);
    }
    return st;
}

/* Pushes SLICE on its track. TM_END if it has no place there. */
static enum tm_status push(struct tm_select *s, const struct tm_select_group *g, struct tm_open_slice *slice,
                           struct tm_error *err)
{
    struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack;
    enum tm_status st = tm_open_slices_get(&s->open, &track, &stack, err);
    if (st < 0)
        return st;
    labels_of(s, &g->rows[tm_select_is_change(g)], slice->label);
    enum tm_status begun = tm_open_slices_begin(&s->open, stack, slice, err);
    if (begun < 0 || (st = drop_cut_short(s, err)) < 0 || (st = settle_pending_flows(s, stack, slice, err)) < 0 ||
        (slice->dur < 0 && !s->learned && (st = watch(s, stack, g->rows, err)) < 0))
        return begun < 0 ? begun : st;
    return begun;
}

/* True for an unnamed marker whose cookie is already open. It is ignored. */
static bool is_repeated(const struct tm_select *s, const struct tm_select_group *g)
{
    const struct tm_event *e = g->rows;
    if (!tm_event_is_async_marker(e->flags) || e->category || tm_named_track_is_of(e))
        return false;
    struct tm_open_track track = track_of(s, g);
    const struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    return stack && tm_open_slices_top(stack);
}

/* Marks the begin of G, which is kept, if its slice ends when it begins, with the one around it. In Chrome JSON an end
 * of that time would come before the begin. No end of the file can follow, as it can a begin that is IN_ORDER. */
static void mark_no_length(struct tm_select *s, const struct tm_select_group *g)
{
    struct tm_event *row = &s->rows[g->rows - s->rows];
    const struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    if (g->is_json && !(row->flags & (TM_EVENT_ASYNC | TM_EVENT_IN_ORDER)) && stack &&
        tm_open_slices_has_no_length(stack, row->time_ns))
        row->flags |= TM_EVENT_NO_LENGTH;
}

static enum tm_status begin(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = g->rows;
    struct tm_open_slice slice = {.ts = e->time_ns, .dur = -1};
    uint32_t pending = TM_PENDING_GROUPS_NONE;
    bool wanted, before = s->has_from && e->time_ns < s->from_ns;
    bool repeated = is_repeated(s, g);
    s->begin_count++;
    enum tm_status st = tm_select_wants(s, g, &wanted, err);
    if (st < 0)
        return st;
    if (wanted && (before ? !repeated : tm_select_is_in(s, e->time_ns))) {
        if ((st = tm_select_keep(s, g, &pending, err)) < 0)
            return st;
        slice.id = pending;
        slice.value = before ? TM_OPEN_PENDING : TM_OPEN_KEPT;
    }
    if (repeated)
        return TM_OK;
    st = push(s, g, &slice, err);
    if (st == TM_OK && tm_open_slices_fate(&slice) == TM_OPEN_KEPT && !s->is_before_cut)
        mark_no_length(s, g);
    if (st != TM_END)
        return st;
    /* It is nested too deep to find its end. */
    return tm_open_slices_fate(&slice) == TM_OPEN_PENDING ? tm_pending_groups_drop(&s->pending, pending, err) : TM_OK;
}

static enum tm_status end(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = slice_of(g);
    struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    struct tm_open_slice ended;
    bool wanted;
    const struct tm_stated_end stated = end_of(s, e);
    enum tm_status st = stack ? tm_open_slices_end(&s->open, stack, &stated, &ended, err) : TM_END;
    const bool is_open = st == TM_OK;
    if (st < 0 || (st = drop_cut_short(s, err)) < 0)
        return st;
    if (is_open) {
        if ((st = watch(s, stack, e, err)) < 0 || (st = tm_open_slices_done(&s->open, stack, err)) < 0)
            return st;
        if (tm_open_slices_fate(&ended) == TM_OPEN_PENDING && s->is_before_cut)
            return tm_pending_groups_drop(&s->pending, tm_open_slices_pending(&ended), err);
        return tm_open_slices_fate(&ended) == TM_OPEN_DROPPED ? TM_OK : tm_select_keep(s, g, NULL, err);
    }
    if ((st = tm_select_wants(s, g, &wanted, err)) < 0)
        return st;
    return wanted && tm_select_is_in(s, e->time_ns) ? tm_select_keep(s, g, NULL, err) : TM_OK;
}

/* Decides an event that ends one state and begins another. It is kept if either is wanted. */
static enum tm_status change(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = g->rows;
    struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    struct tm_open_slice ended = {.value = TM_OPEN_DROPPED}, slice = {.ts = e->time_ns, .dur = -1};
    uint32_t pending = TM_PENDING_GROUPS_NONE;
    bool wanted, before = s->has_from && e->time_ns < s->from_ns;
    s->begin_count++;
    const struct tm_stated_end stated = end_of(s, e);
    enum tm_status st = stack ? tm_open_slices_end(&s->open, stack, &stated, &ended, err) : TM_END;
    if (st < 0 || (st = drop_cut_short(s, err)) < 0 || (st = tm_select_wants(s, g, &wanted, err)) < 0)
        return st;
    bool is_shown = tm_open_slices_fate(&ended) == TM_OPEN_KEPT ||
                    (tm_open_slices_fate(&ended) == TM_OPEN_PENDING && !s->is_before_cut);
    if (tm_open_slices_fate(&ended) == TM_OPEN_PENDING && s->is_before_cut &&
        (st = tm_pending_groups_drop(&s->pending, tm_open_slices_pending(&ended), err)) < 0)
        return st;
    wanted = wanted && (before || tm_select_is_in(s, e->time_ns));
    if ((is_shown || wanted) && (st = tm_select_keep(s, g, &pending, err)) < 0)
        return st;
    slice.id = pending;
    if (wanted) /* else the event is kept for what it ends, and the end of what it begins is left out */
        slice.value = before ? TM_OPEN_PENDING : TM_OPEN_KEPT;
    st = push(s, g, &slice, err);
    if (st == TM_END && tm_open_slices_fate(&slice) == TM_OPEN_PENDING)
        return tm_pending_groups_drop(&s->pending, pending, err);
    return st < 0 ? st : TM_OK;
}

static enum tm_status complete(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = g->rows;
    bool is_open = e->flags & TM_EVENT_OPEN_ENDED, wanted;
    int64_t dur = is_open ? INT64_MAX : e->dur_ns < 0 ? 0 : e->dur_ns;
    int64_t end_ns = tm_slice_end_ns(e->time_ns, dur);
    struct tm_open_slice slice = {.ts = e->time_ns, .dur = dur};
    enum tm_status st = tm_select_wants(s, g, &wanted, err);
    if (st < 0)
        return st;
    bool overlaps = !(s->has_to && e->time_ns >= s->to_ns) &&
                    (!s->has_from || e->time_ns >= s->from_ns || end_ns > s->from_ns);
    if (wanted && overlaps) {
        slice.value = TM_OPEN_KEPT;
        if ((st = tm_select_keep(s, g, NULL, err)) < 0)
            return st;
    }
    if (is_open || e->dur_ns < 0)
        return TM_OK;
    st = push(s, g, &slice, err);
    return st < 0 ? st : TM_OK;
}

/* Decides args, which share the fate of their slice. */
static enum tm_status args(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    struct tm_open_track track = track_of(s, g);
    const struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    tm_slice_label label[2];
    uint32_t pending;
    labels_of(s, g->rows, label);
    const struct tm_open_slice *slice = stack ? tm_slice_stack_ended(&stack->slices, label) : NULL;
    if (slice == NULL || tm_open_slices_fate(slice) == TM_OPEN_DROPPED)
        return TM_OK;
    enum tm_status st = tm_select_keep(s, g, &pending, err);
    if (st == TM_OK && tm_open_slices_fate(slice) == TM_OPEN_PENDING && s->is_before_cut &&
        pending != TM_PENDING_GROUPS_NONE)
        st = follow(s, slice, pending, err);
    return st;
}

enum tm_status tm_select_slice(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    if (tm_select_ends(slice_of(g)))
        return tm_select_is_change(g) ? change(s, g, err) : end(s, g, err);
    switch (slice_of(g)->kind) {
    case TM_KIND_SLICE_ARGS:
        return args(s, g, err);
    case TM_KIND_SLICE_BEGIN:
        return begin(s, g, err);
    default:
        return complete(s, g, err);
    }
}

/* Notes the duration of the slice that G ends, if there is one. */
static enum tm_status learn_end(struct tm_select *s, const struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = slice_of(g);
    struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    struct tm_open_slice ended;
    const struct tm_stated_end stated = end_of(s, e);
    enum tm_status st = stack ? tm_open_slices_end(&s->open, stack, &stated, &ended, err) : TM_END;
    if (st == TM_OK)
        st = note_duration(s, (uint64_t)ended.id, e->flags & TM_EVENT_OPEN_ENDED ? 0 : ended.dur, err);
    if (st == TM_OK)
        st = tm_open_slices_done(&s->open, stack, err);
    return st < 0 ? st : drop_cut_short(s, err);
}

static enum tm_status learn_begin(struct tm_select *s, const struct tm_select_group *g, struct tm_error *err)
{
    struct tm_open_slice slice = {
        .ts = g->rows->time_ns, .dur = -1, .id = (int64_t)s->begin_count++, .value = TM_OPEN_PENDING};
    enum tm_status st = !tm_select_is_change(g) && is_repeated(s, g) ? TM_OK : push(s, g, &slice, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_select_learn_slice(struct tm_select *s, const struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = slice_of(g);
    struct tm_open_slice slice = {.ts = e->time_ns, .dur = e->dur_ns};
    enum tm_status st = TM_OK;
    if (tm_select_ends(e)) {
        st = learn_end(s, g, err);
        return st == TM_OK && tm_select_is_change(g) ? learn_begin(s, g, err) : st;
    }
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
        return learn_begin(s, g, err);
    case TM_KIND_SLICE_COMPLETE:
        st = e->flags & TM_EVENT_OPEN_ENDED || e->dur_ns < 0 ? TM_OK : push(s, g, &slice, err);
        return st < 0 ? st : TM_OK;
    default:
        return TM_OK;
    }
}

enum tm_status tm_select_learn_open(struct tm_select *s, struct tm_error *err)
{
    const struct tm_open_slice *slice;
    uint32_t stack = 0, depth = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && !s->spec->dur.has_most && (slice = tm_open_slices_next(&s->open, &stack, &depth)) != NULL)
        st = note_duration(s, (uint64_t)slice->id, s->group_ns - slice->ts, err);
    return st;
}

/* Decides the end of a flow that binds to the next slice. */
static enum tm_status flow_to_next(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    bool wanted;
    uint32_t id;
    struct tm_open_track track = track_of(s, g);
    struct tm_open_stack *stack;
    enum tm_status st;
    if (s->is_before_cut && g->rows->time_ns < s->from_ns) {
        if ((st = tm_open_slices_get(&s->open, &track, &stack, err)) < 0 || (st = tm_select_keep(s, g, &id, err)) < 0)
            return st;
        st = tm_open_slices_wait(stack, id, err);
        return st == TM_END ? tm_pending_groups_drop(&s->pending, id, err) : st;
    }
    if ((st = tm_select_wants(s, g, &wanted, err)) < 0)
        return st;
    return wanted && tm_select_is_in(s, g->rows->time_ns) ? tm_select_keep(s, g, NULL, err) : TM_OK;
}

enum tm_status tm_select_flow(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    struct tm_open_track track = track_of(s, g);
    const struct tm_open_stack *stack;
    bool wanted = true;
    uint32_t id;
    enum tm_status st;
    if (g->rows->kind == TM_KIND_FLOW_END && g->rows->value == TM_FLOW_BINDS_NEXT)
        return flow_to_next(s, g, err);
    stack = tm_open_slices_find(&s->open, &track);
    const struct tm_open_slice *top = stack ? tm_open_slices_top(stack) : NULL;
    if (top && tm_open_slices_fate(top) != TM_OPEN_DROPPED) {
        if ((st = tm_select_keep(s, g, &id, err)) < 0 || !s->is_before_cut ||
            tm_open_slices_fate(top) != TM_OPEN_PENDING)
            return st;
        return follow(s, top, id, err);
    }
    if (top)
        wanted = tm_criteria_takes_all(&s->criteria);
    else if ((st = tm_select_wants(s, g, &wanted, err)) < 0)
        return st;
    return wanted && tm_select_is_in(s, g->rows->time_ns) ? tm_select_keep(s, g, NULL, err) : TM_OK;
}

enum tm_status tm_select_step(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    struct tm_open_track track = track_of(s, g);
    const struct tm_open_stack *stack = tm_open_slices_find(&s->open, &track);
    const struct tm_open_slice *top = stack ? tm_open_slices_top(stack) : NULL;
    bool wanted = top && tm_open_slices_fate(top) != TM_OPEN_DROPPED;
    enum tm_status st = wanted ? TM_OK : tm_select_wants(s, g, &wanted, err);
    if (st < 0 || !wanted || !tm_select_is_in(s, g->rows->time_ns))
        return st;
    return tm_select_keep(s, g, NULL, err);
}
