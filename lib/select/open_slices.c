#include "select/open_slices.h"

#include "base/hash.h"
#include "kernel/tracks.h"

#include <stdlib.h>

uint64_t tm_open_label(const struct tm_catalog *catalog, const struct tm_event *e, uint32_t string)
{
    if (!(string & TM_STRING_INLINE))
        return string;
    struct tm_text text = tm_catalog_string(catalog, string, e);
    return text.data ? tm_hash64(text.data, text.len) | UINT64_C(1) << 63 : 0;
}

/* Kinds of tracks, in the key. */
enum { OF_THREAD = 1, OF_TRACK, OF_ASYNC, OF_MARKER, OF_PROCESS, OF_KERNEL, OF_OTHER };

struct tm_open_track tm_open_track_of(const struct tm_catalog *catalog, const struct tm_event *e, bool is_json)
{
    const uint64_t kind_shift = 56;
    enum tm_raw raw = tm_event_raw(e->flags);
    enum tm_scope scope = tm_event_scope(e->flags);
    uint64_t pid = scope == TM_SCOPE_PROCESS ? (uint64_t)e->pid : 0;
    struct tm_open_track track = {.key = {.a = (uint64_t)e->file << 32 | e->machine}};
    if (tm_kernel_track_of(e)) {
        track.lasts = true;
        track.key.b = e->track;
        track.key.c = (uint64_t)OF_KERNEL << kind_shift;
    } else if (e->flags & TM_EVENT_ASYNC && (raw == TM_RAW_LINE || raw == TM_RAW_FTRACE_EVENT)) {
        track.key.b = e->track ^ tm_hash_u64(tm_open_label(catalog, e, e->category ? e->category : e->name));
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
        track.key.c = (uint64_t)OF_THREAD << kind_shift ^
                      (is_json && e->flags & TM_EVENT_HAS_PID ? (uint64_t)e->pid : 0);
    } else {
        track.lasts = true;
        track.key.b = pid;
        track.key.c = (uint64_t)(scope == TM_SCOPE_PROCESS ? OF_PROCESS : OF_OTHER) << kind_shift;
    }
    return track;
}

struct tm_open_stack *tm_open_find(const struct tm_open_slices *open, const struct tm_open_track *track)
{
    int64_t i = tm_table_find(&open->by_key, &track->key);
    return i == TM_TABLE_NONE ? NULL : &open->stacks[i];
}

enum tm_status tm_open_need(struct tm_open_slices *open, const struct tm_open_track *track,
                            struct tm_open_stack **stack, struct tm_error *err)
{
    uint32_t i;
    enum tm_status st;
    if ((*stack = tm_open_find(open, track)) != NULL)
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
    return TM_OK;
}

static int64_t end_of(int64_t ts, int64_t dur)
{
    return ts > INT64_MAX - dur ? INT64_MAX : ts + dur;
}

/* Ends slice I and the open slices above it. */
static enum tm_status cut_short(struct tm_open_slices *open, struct tm_open_stack *stack, uint32_t i,
                                struct tm_error *err)
{
    for (; stack->depth > i + 1; stack->depth--) {
        const struct tm_open_slice *s = &stack->slices[stack->depth - 1];
        if (s->fate != TM_OPEN_PENDING || s->dur >= 0)
            continue;
        enum tm_status st = tm_array_grow(&open->cut_short, &open->cut_short_cap, open->cut_short_count,
                                          sizeof *open->cut_short, err);
        if (st < 0)
            return st;
        open->cut_short[open->cut_short_count] = *s;
        open->cut_short[open->cut_short_count++].dur = end_of(stack->slices[i].ts, stack->slices[i].dur) - s->ts;
    }
    stack->depth = i;
    return TM_OK;
}

/* Removes slices that have ended when a slice of duration DUR (-1: unknown) begins at TS. TM_END if it would cross a
 * slice. */
static enum tm_status settle(struct tm_open_slices *open, struct tm_open_stack *stack, int64_t ts, int64_t dur,
                             struct tm_error *err)
{
    bool open_above = false;
    for (uint32_t i = stack->depth; i-- > 0;) {
        const struct tm_open_slice *s = &stack->slices[i];
        if (s->dur < 0) {
            open_above = true;
            continue;
        }
        int64_t end = end_of(s->ts, s->dur);
        if (open_above && ts > end) {
            enum tm_status st = cut_short(open, stack, i, err);
            if (st < 0)
                return st;
            open_above = false;
        } else if (open_above) {
            continue;
        } else if (end < ts || (end == ts && !(s->dur == 0 && dur == 0))) {
            stack->depth = i;
        } else if (dur >= 0 && ts < end && end_of(ts, dur) > end) {
            return TM_END;
        }
    }
    return TM_OK;
}

enum tm_status tm_open_begin(struct tm_open_slices *open, struct tm_open_stack *stack,
                             const struct tm_open_slice *slice, struct tm_error *err)
{
    enum tm_status st = settle(open, stack, slice->ts, slice->dur, err);
    if (st != TM_OK || stack->depth >= TM_OPEN_DEPTH_MAX)
        return st < 0 ? st : TM_END;
    if ((st = tm_array_grow(&stack->slices, &stack->cap, stack->depth, sizeof *stack->slices, err)) < 0)
        return st;
    stack->slices[stack->depth++] = *slice;
    return TM_OK;
}

static bool fits(const struct tm_open_slice *s, const uint64_t label[2])
{
    return s->dur < 0 && !(label[0] && s->label[0] && label[0] != s->label[0]) &&
           !(label[1] && label[1] != s->label[1]);
}

const struct tm_open_slice *tm_open_find_ended(const struct tm_open_stack *stack, const uint64_t label[2])
{
    for (uint32_t i = stack->depth; i-- > 0;)
        if (fits(&stack->slices[i], label))
            return &stack->slices[i];
    return NULL;
}

enum tm_status tm_open_end(struct tm_open_slices *open, struct tm_open_stack *stack, int64_t ts,
                           const uint64_t label[2], struct tm_open_slice *ended, struct tm_error *err)
{
    enum tm_status st = settle(open, stack, ts, -1, err);
    if (st < 0)
        return st;
    for (uint32_t i = stack->depth; i-- > 0;) {
        struct tm_open_slice *s = &stack->slices[i];
        if (!fits(s, label))
            continue;
        *ended = *s;
        s->dur = ts - s->ts;
        if (i == stack->depth - 1)
            stack->depth--;
        return TM_OK;
    }
    return TM_END;
}

enum tm_status tm_open_wait(struct tm_open_stack *stack, uint32_t pending, struct tm_error *err)
{
    if (stack->pending_count >= TM_OPEN_PENDING_MAX)
        return TM_END;
    enum tm_status st =
        tm_array_grow(&stack->pending, &stack->pending_cap, stack->pending_count, sizeof *stack->pending, err);
    if (st == TM_OK)
        stack->pending[stack->pending_count++] = pending;
    return st;
}

enum tm_status tm_open_done(struct tm_open_slices *open, struct tm_open_stack *stack, struct tm_error *err)
{
    if (stack->lasts || stack->depth || stack->pending_count)
        return TM_OK;
    enum tm_status st =
        tm_array_grow(&open->free_stacks, &open->free_cap, open->free_count, sizeof *open->free_stacks, err);
    if (st < 0)
        return st;
    tm_table_remove(&open->by_key, &stack->key);
    open->free_stacks[open->free_count++] = (uint32_t)(stack - open->stacks);
    return TM_OK;
}

const struct tm_open_slice *tm_open_next(const struct tm_open_slices *open, uint32_t *stack, uint32_t *depth)
{
    for (; *stack < open->stack_count; ++*stack, *depth = 0)
        while (*depth < open->stacks[*stack].depth) {
            const struct tm_open_slice *s = &open->stacks[*stack].slices[(*depth)++];
            if (s->dur < 0)
                return s;
        }
    return NULL;
}

void tm_open_release(struct tm_open_slices *open)
{
    for (uint32_t i = 0; i < open->stack_count; i++) {
        free(open->stacks[i].slices);
        free(open->stacks[i].pending);
    }
    free(open->stacks);
    free(open->free_stacks);
    free(open->cut_short);
    tm_table_release(&open->by_key);
    *open = (struct tm_open_slices){0};
}
