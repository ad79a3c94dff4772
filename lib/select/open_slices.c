#include "select/open_slices.h"

#include "base/hash.h"
#include "kernel/tracks.h"
#include "perfetto/named_tracks.h"

#include <stdlib.h>

tm_slice_label tm_open_slices_label(const struct tm_catalog *catalog, const struct tm_event *e, uint32_t string)
{
    return tm_slice_label_of(string, tm_catalog_string(catalog, string, e));
}

/* Kinds of tracks, in the key. */
enum { OF_THREAD = 1, OF_TRACK, OF_ASYNC, OF_MARKER, OF_PROCESS, OF_KERNEL, OF_OTHER };

struct tm_open_track tm_open_track_of(const struct tm_catalog *catalog, const struct tm_event *e, bool is_json)
{
    const uint64_t kind_shift = 56;
    enum tm_scope scope = tm_event_scope(e->flags);
    uint64_t pid = scope == TM_SCOPE_PROCESS ? (uint64_t)e->pid : 0;
    struct tm_open_track track = {.key = {.a = (uint64_t)e->file << 32 | e->machine}};
    if (tm_kernel_track_of(e)) {
        track.lasts = true;
        track.key.b = e->track;
        track.key.c = (uint64_t)OF_KERNEL << kind_shift;
    } else if (e->flags & TM_EVENT_ASYNC && tm_named_track_is_of(e)) {
        track.key.b = e->track;
        track.key.c = (uint64_t)OF_ASYNC << kind_shift ^ pid;
    } else if (tm_event_is_async_marker(e->flags)) {
        track.key.b = e->track ^ tm_hash_u64(tm_open_slices_label(catalog, e, e->category ? e->category : e->name));
        track.key.c = (uint64_t)OF_MARKER << kind_shift ^ pid;
    } else if (e->flags & TM_EVENT_ASYNC) {
        track.key.b = e->track;
        track.key.c = (uint64_t)OF_ASYNC << kind_shift ^ pid;
    } else if (scope == TM_SCOPE_TRACK) {
        track.key.b = e->track;
        track.key.c = (uint64_t)OF_TRACK << kind_shift;
    } else if (scope == TM_SCOPE_THREAD) {
        track.lasts = true;
        track.key.b = (uint64_t)e->tid;
        /* A line of ftrace text in a document names its thread by the tid alone. */
        const bool has_process = is_json && e->flags & TM_EVENT_HAS_PID && tm_event_raw(e->flags) != TM_RAW_LINE;
        track.key.c = (uint64_t)OF_THREAD << kind_shift ^ (has_process ? (uint64_t)e->pid : 0);
    } else {
        track.lasts = true;
        track.key.b = pid;
        track.key.c = (uint64_t)(scope == TM_SCOPE_PROCESS ? OF_PROCESS : OF_OTHER) << kind_shift;
    }
    return track;
}

struct tm_open_stack *tm_open_slices_find(const struct tm_open_slices *open, const struct tm_open_track *track)
{
    int64_t i = tm_table_find(&open->by_key, &track->key);
    return i == TM_TABLE_NONE ? NULL : &open->stacks[i];
}

enum tm_status tm_open_slices_get(struct tm_open_slices *open, const struct tm_open_track *track,
                                  struct tm_open_stack **stack, struct tm_error *err)
{
    uint32_t i;
    enum tm_status st;
    if ((*stack = tm_open_slices_find(open, track)) != NULL)
        return TM_OK;
    if (open->free_count) {
        i = open->free_stacks[open->free_count - 1];
    } else {
        if (open->stack_count >= TM_OPEN_TRACKS_MAX)
            return tm_error_set(err, TM_E_INPUT, "more than %d tracks with open slices (TM_OPEN_TRACKS_MAX)",
                                TM_OPEN_TRACKS_MAX);
        if ((st = tm_array_grow(&open->stacks, &open->stack_cap, open->stack_count, sizeof *open->stacks, err)) < 0)
            return st;
        i = open->stack_count;
    }
    if ((st = tm_table_set(&open->by_key, &track->key, i, err)) < 0)
        return st;
    if (open->free_count)
        open->free_count--;
    else
        open->stack_count++;
    *stack = &open->stacks[i];
    (*stack)->key = track->key;
    (*stack)->lasts = track->lasts;
    (*stack)->is_due = false;
    return TM_OK;
}

/* Records those of SLICES that are not dropped and have no end. A slice around them ended at END_NS. */
static enum tm_status cut_short(void *self, const struct tm_open_slice *slices, uint32_t count, int64_t end_ns,
                                struct tm_error *err)
{
    struct tm_open_slices *open = self;
    for (uint32_t i = count; i-- > 0;) {
        const struct tm_open_slice *s = &slices[i];
        if (tm_open_slices_fate(s) == TM_OPEN_DROPPED || s->dur >= 0)
            continue;
        enum tm_status st = tm_array_grow(&open->cut_short, &open->cut_short_cap, open->cut_short_count,
                                          sizeof *open->cut_short, err);
        if (st < 0)
            return st;
        open->cut_short[open->cut_short_count] = *s;
        open->cut_short[open->cut_short_count++].dur = end_ns - s->ts;
    }
    return TM_OK;
}

enum tm_status tm_open_slices_begin(struct tm_open_slices *open, struct tm_open_stack *stack,
                                    const struct tm_open_slice *slice, struct tm_error *err)
{
    const struct tm_slice_cut cut = {open, cut_short};
    enum tm_status st = tm_slice_stack_settle(&stack->slices, slice->ts, slice->dur, &cut, err);
    return st == TM_OK ? tm_slice_stack_push(&stack->slices, slice, err) : st;
}

enum tm_status tm_open_slices_end(struct tm_open_slices *open, struct tm_open_stack *stack,
                                  const struct tm_stated_end *end, struct tm_open_slice *ended, struct tm_error *err)
{
    return tm_slice_stack_close(&stack->slices, end, &(struct tm_slice_cut){open, cut_short}, ended, err);
}

/* A time after which slices of a track may be cut short. */
struct due {
    int64_t ns;
    struct tm_key key;
    struct tm_event place;
};

static bool is_due_before(const void *a, const void *b)
{
    return ((const struct due *)a)->ns < ((const struct due *)b)->ns;
}

static const struct tm_heap_order BY_TIME = {sizeof(struct due), is_due_before};

static bool is_kept_open(const struct tm_open_slice *s)
{
    return s->dur < 0 && tm_open_slices_fate(s) != TM_OPEN_DROPPED;
}

/* True with *NS, the earliest end of a slice around one of STACK that is open and not dropped. */
static bool earliest_cut(const struct tm_slice_stack *stack, int64_t *ns)
{
    int64_t first_open = INT64_MAX; /* of those above */
    *ns = INT64_MAX;
    for (uint32_t i = stack->depth; i-- > 0;) {
        const struct tm_open_slice *s = &stack->slices[i];
        const int64_t end = tm_slice_end_ns(s->ts, s->dur);
        if (is_kept_open(s))
            first_open = s->ts;
        else if (s->dur >= 0 && first_open <= end && end < *ns)
            *ns = end;
    }
    return *ns < INT64_MAX;
}

enum tm_status tm_open_slices_watch(struct tm_open_slices *open, struct tm_open_stack *stack,
                                    const struct tm_event *place, struct tm_error *err)
{
    struct due due = {.key = stack->key, .place = *place};
    if (!earliest_cut(&stack->slices, &due.ns) || (stack->is_due && stack->due_ns <= due.ns))
        return TM_OK;
    stack->is_due = true;
    stack->due_ns = due.ns;
    return tm_heap_push(&open->due, &BY_TIME, &due, err);
}

bool tm_open_slices_has_no_length(struct tm_open_stack *stack, int64_t now_ns)
{
    if (!stack->is_due || stack->due_ns != now_ns)
        return false;
    stack->slices.slices[stack->slices.depth - 1].id = TM_OPEN_NO_LENGTH;
    return true;
}

/* Records the slices of STACK that are open though one around them ended at END_NS, and drops them. */
static enum tm_status drop_inner(struct tm_open_slices *open, struct tm_slice_stack *stack, int64_t end_ns,
                                 struct tm_error *err)
{
    uint32_t i = 0;
    while (i < stack->depth &&
           (stack->slices[i].dur < 0 || tm_slice_end_ns(stack->slices[i].ts, stack->slices[i].dur) != end_ns))
        i++;
    const uint32_t first = i;
    enum tm_status st =
        first < stack->depth ? cut_short(open, stack->slices + first, stack->depth - first, end_ns, err) : TM_OK;
    for (; i < stack->depth; i++)
        if (is_kept_open(&stack->slices[i]))
            stack->slices[i].value = TM_OPEN_DROPPED;
    return st;
}

enum tm_status tm_open_slices_cut(struct tm_open_slices *open, int64_t now_ns, struct tm_event *place,
                                  struct tm_error *err)
{
    const struct due *first = open->due.items;
    struct due due;
    if (open->due.count == 0 || first->ns >= now_ns)
        return TM_END;
    tm_heap_pop(&open->due, &BY_TIME, &due);
    *place = due.place;
    const struct tm_open_track track = {.key = due.key};
    struct tm_open_stack *stack = tm_open_slices_find(open, &track);
    if (stack == NULL || !stack->is_due || stack->due_ns != due.ns)
        return TM_OK;
    stack->is_due = false;
    enum tm_status st = drop_inner(open, &stack->slices, due.ns, err);
    return st < 0 ? st : tm_open_slices_watch(open, stack, place, err);
}

const struct tm_open_slice *tm_open_slices_top(const struct tm_open_stack *stack)
{
    return stack->slices.depth ? &stack->slices.slices[stack->slices.depth - 1] : NULL;
}

enum tm_status tm_open_slices_wait(struct tm_open_stack *stack, uint32_t pending, struct tm_error *err)
{
    if (stack->pending_count >= TM_OPEN_PENDING_MAX)
        return TM_END;
    enum tm_status st =
        tm_array_grow(&stack->pending, &stack->pending_cap, stack->pending_count, sizeof *stack->pending, err);
    if (st == TM_OK)
        stack->pending[stack->pending_count++] = pending;
    return st;
}

enum tm_status tm_open_slices_done(struct tm_open_slices *open, struct tm_open_stack *stack, struct tm_error *err)
{
    if (stack->lasts || stack->slices.depth || stack->pending_count)
        return TM_OK;
    enum tm_status st =
        tm_array_grow(&open->free_stacks, &open->free_cap, open->free_count, sizeof *open->free_stacks, err);
    if (st < 0)
        return st;
    tm_table_remove(&open->by_key, &stack->key);
    open->free_stacks[open->free_count++] = (uint32_t)(stack - open->stacks);
    return TM_OK;
}

const struct tm_open_slice *tm_open_slices_next(const struct tm_open_slices *open, uint32_t *stack, uint32_t *depth)
{
    for (; *stack < open->stack_count; ++*stack, *depth = 0)
        while (*depth < open->stacks[*stack].slices.depth) {
            const struct tm_open_slice *s = &open->stacks[*stack].slices.slices[(*depth)++];
            if (s->dur < 0)
                return s;
        }
    return NULL;
}

void tm_open_slices_release(struct tm_open_slices *open)
{
    for (uint32_t i = 0; i < open->stack_count; i++) {
        tm_slice_stack_release(&open->stacks[i].slices);
        free(open->stacks[i].pending);
    }
    free(open->stacks);
    free(open->free_stacks);
    free(open->cut_short);
    tm_table_release(&open->by_key);
    tm_heap_release(&open->due);
    *open = (struct tm_open_slices){0};
}
