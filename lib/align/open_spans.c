#include "align/open_spans.h"

#include <stdlib.h>

struct tm_align_open_span {
    struct tm_event event;
    size_t payload_at;
};

struct tm_open_span_track {
    uint32_t depth, lost, cap;
    struct tm_align_open_span *slices;
    struct tm_buf payload;
};

static struct tm_key key_of(const struct tm_event *e)
{
    enum tm_scope scope = tm_event_scope(e->flags);
    uint64_t lane = scope == TM_SCOPE_TRACK || e->flags & TM_EVENT_ASYNC ? e->track
                    : scope == TM_SCOPE_CPU                              ? e->cpu
                                                                         : (uint64_t)e->tid;
    /* a file has 22 bits (sort/file_order.h), and a machine 17 (clocks/machine_table.h) */
    return (struct tm_key){(uint64_t)e->file << 40 | (uint64_t)e->machine << 8 | (uint64_t)scope << 1 |
                               !!(e->flags & TM_EVENT_ASYNC),
                           (uint64_t)e->pid, lane};
}

static struct tm_open_span_track *track_of(struct tm_open_spans *open, const struct tm_event *e, bool make,
                                           struct tm_error *err)
{
    const struct tm_key key = key_of(e);
    int64_t at = tm_table_find(&open->index, &key);
    if (at != TM_TABLE_NONE)
        return &open->tracks[at];
    if (!make || open->count >= TM_OPEN_SPANS_TRACKS_MAX ||
        tm_array_grow(&open->tracks, &open->cap, open->count, sizeof *open->tracks, err) < 0 ||
        tm_table_set(&open->index, &key, open->count, err) < 0)
        return NULL;
    open->tracks[open->count] = (struct tm_open_span_track){.depth = 0};
    return &open->tracks[open->count++];
}

enum tm_status tm_open_spans_begin(struct tm_open_spans *open, const struct tm_event *begin, struct tm_error *err)
{
    struct tm_open_span_track *track = track_of(open, begin, true, err);
    if (track == NULL)
        return err->status;
    if (track->lost > 0 || track->depth == TM_OPEN_SPANS_DEPTH_MAX) {
        track->lost++;
        return TM_OK;
    }
    if (tm_array_grow(&track->slices, &track->cap, track->depth, sizeof *track->slices, err) < 0)
        return err->status;
    struct tm_align_open_span *slice = &track->slices[track->depth++];
    *slice = (struct tm_align_open_span){*begin, track->payload.len};
    slice->event.raw = NULL;
    slice->event.raw_bytes = 0;
    return tm_buf_add(&track->payload, begin->detail, begin->detail_bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
}

bool tm_open_spans_end(struct tm_open_spans *open, const struct tm_event *end, struct tm_event *begin)
{
    struct tm_open_span_track *track = track_of(open, end, false, NULL);
    if (track == NULL || track->depth == 0)
        return false;
    if (track->lost > 0) {
        track->lost--;
        return false;
    }
    const struct tm_align_open_span *slice = &track->slices[--track->depth];
    *begin = slice->event;
    begin->detail = track->payload.data + slice->payload_at;
    track->payload.len = slice->payload_at;
    return true;
}

void tm_open_spans_release(struct tm_open_spans *open)
{
    for (uint32_t i = 0; i < open->count; i++) {
        free(open->tracks[i].slices);
        tm_buf_release(&open->tracks[i].payload);
    }
    free(open->tracks);
    tm_table_release(&open->index);
    *open = (struct tm_open_spans){0};
}
