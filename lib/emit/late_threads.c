#include "emit/late_threads.h"

#include "base/pb.h"
#include "base/table.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

/* Returns the generation of the first event of the stretch that E is in. */
static uint64_t start_of(const struct tm_event *e)
{
    return e->generation - e->value;
}

/* Notes E, the descriptor of a thread on its sequence. */
static enum tm_status note(struct tm_late_threads *t, const struct tm_event *e,
                           struct tm_unsupported_counts *unsupported, struct tm_error *err)
{
    uint32_t number = t->count;
    if (!tm_map_find(&t->by_start, start_of(e), &number)) {
        if (number == TM_LATE_THREADS_MAX) {
            tm_unsupported_counts_add(unsupported, e->file, TM_UNSUPPORTED_FACTS, 1);
            return TM_OK;
        }
        if (tm_array_grow(&t->rows, &t->cap, number, sizeof *t->rows, err) < 0)
            return TM_E_SYSTEM;
        if (tm_map_set(&t->by_start, start_of(e), number) < 0)
            return tm_error_nomem(err);
        t->rows[t->count++] = (struct tm_late_thread){.position = e->position};
    }
    if (e->position >= t->rows[number].position)
        t->rows[number] = (struct tm_late_thread){e->pid, e->tid, e->position};
    return TM_OK;
}

enum tm_status tm_late_threads_note(struct tm_late_threads *t, const struct tm_batch *batch,
                                    struct tm_unsupported_counts *unsupported, struct tm_error *err)
{
    const uint32_t stated = TM_EVENT_DEFINITION | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_TID;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < batch->count; i++) {
        const uint32_t flags = tm_batch_u32(batch, TM_COL_FLAGS, i);
        struct tm_event e;
        if (!(flags & TM_EVENT_DEFINITION))
            break; /* definitions come first */
        if ((flags & stated) != stated || tm_event_raw(flags) != TM_RAW_PACKET)
            continue;
        tm_batch_get(batch, i, 0, &e);
        if (e.kind == TM_KIND_TRACK || e.kind == TM_KIND_THREAD)
            st = note(t, &e, unsupported, err);
    }
    return st;
}

bool tm_late_threads_are_in(const struct tm_late_threads *t, const struct tm_batch *batch)
{
    for (uint32_t i = 0; t->count && i < batch->count; i++)
        if (tm_batch_u32(batch, TM_COL_FLAGS, i) & TM_EVENT_LATE_THREAD)
            return true;
    return false;
}

/* Returns the kind of E, a packet that states its legacy phase. */
static uint32_t kind_of_phase(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_LEGACY_PHASE)
            continue;
        switch (f.value) {
        case 'B':
            return TM_KIND_SLICE_BEGIN;
        case 'E':
            return TM_KIND_SLICE_END;
        case 'X':
            return TM_KIND_SLICE_COMPLETE;
        case 'i':
        case 'I':
            return TM_KIND_INSTANT;
        default:
            break;
        }
    }
    return e->kind;
}

void tm_late_threads_place(const struct tm_late_threads *t, struct tm_event *e)
{
    uint32_t number;
    if (!tm_map_find(&t->by_start, start_of(e), &number))
        return;
    const uint32_t all_scopes = UINT32_C(15) << TM_EVENT_SCOPE_SHIFT;
    e->flags &= ~(all_scopes | (uint32_t)TM_EVENT_HAS_TRACK | (uint32_t)TM_EVENT_LATE_THREAD);
    e->flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    e->value = 0;
    if (e->kind == TM_KIND_PACKET)
        e->kind = kind_of_phase(e);
    e->pid = t->rows[number].pid;
    e->tid = t->rows[number].tid;
}

void tm_late_threads_release(struct tm_late_threads *t)
{
    tm_map_release(&t->by_start);
    free(t->rows);
    *t = (struct tm_late_threads){0};
}
