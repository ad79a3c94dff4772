#include "model/graphics_buffers.h"

#include "base/pb.h"
#include "base/secret.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum phase { NO_PHASE, DRAWING, RENDERING, SHOWING };

/* What is known of a buffer, or of a layer. Times are 0 before the first event. */
struct tm_graphics_buffer {
    int64_t dequeued_ns, queued_ns, acquired_ns, latched_ns;
    enum phase phase;
    bool was_acquired;
    bool is_displayed; /* of a layer: a buffer of it is on the display */
};

/* Sets *BUFFER to that of ROW; NULL beyond the limit. */
static enum tm_status buffer_of(struct tm_graphics_buffers *g, const struct tm_catalog *catalog,
                                const struct tm_event *row, struct tm_graphics_buffer **buffer, struct tm_error *err)
{
    const struct tm_text name = tm_catalog_string(catalog, row->category, row);
    const struct tm_key key = {(uint64_t)row->file << 32 | row->machine,
                               tm_keyed_bytes(tm_secret(), name.data, name.len),
                               row->value == TM_KERNEL_BUFFER_DISPLAYED};
    int64_t i = tm_table_find(&g->by_name, &key);
    enum tm_status st;
    *buffer = NULL;
    if (i == TM_TABLE_NONE) {
        if (g->count == TM_GRAPHICS_BUFFERS_MAX) {
            g->left_out++;
            return TM_OK;
        }
        i = g->count;
        if ((st = tm_array_grow(&g->buffers, &g->cap, g->count, sizeof *g->buffers, err)) < 0 ||
            (st = tm_table_set(&g->by_name, &key, i, err)) < 0)
            return st;
        g->buffers[g->count++] = (struct tm_graphics_buffer){0};
    }
    *buffer = &g->buffers[i];
    return TM_OK;
}

/* Notes the time of the event in ROW. */
static void note_time(struct tm_graphics_buffer *buffer, const struct tm_event *row)
{
    if (row->value == TM_KERNEL_BUFFER_QUEUED) {
        buffer->queued_ns = row->time_ns;
    } else if (row->value == TM_KERNEL_BUFFER_LATCHED) {
        buffer->latched_ns = row->time_ns;
    } else if (row->value == TM_KERNEL_BUFFER_ACQUIRED) {
        buffer->acquired_ns = row->time_ns;
        buffer->was_acquired = true;
    }
}

/* Makes MADE the slice of the event in ROW. Its args state how long the buffer has waited. A wait whose begin is not
 * known counts from time 0, as in the reference importer. */
static enum tm_status show_event(struct tm_buf *detail, const struct tm_graphics_buffer *buffer,
                                 const struct tm_event *row, struct tm_event *made)
{
    const int64_t queued = (int64_t)((uint64_t)buffer->acquired_ns - (uint64_t)buffer->queued_ns);
    const int64_t acquired = (int64_t)((uint64_t)buffer->latched_ns - (uint64_t)buffer->acquired_ns);
    const int64_t latched = (int64_t)((uint64_t)row->time_ns - (uint64_t)buffer->latched_ns);
    enum tm_status st = tm_detail_arg_int(detail, "queue_to_acquire_time", queued > 0 ? queued : 0);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "acquire_to_latch_time", acquired);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "latch_to_present_time", latched);
    made->kind = TM_KIND_SLICE_COMPLETE;
    made->dur_ns = row->dur_ns;
    return st;
}

/* Makes the last row of OUT a begin, whose detail is in DETAIL. A frame without a number has its time as name. */
static enum tm_status begin(struct tm_buf *detail, struct tm_settled_rows *out)
{
    struct tm_event *made = &out->rows[out->count - 1];
    char text[24];
    made->kind = TM_KIND_SLICE_BEGIN;
    if (made->name)
        return TM_OK;
    const int len = snprintf(text, sizeof text, "%" PRId64, made->time_ns);
    made->name = TM_STRING_INLINE | (uint32_t)(detail->len + 1); /* after the tag */
    return tm_pb_put_bytes(detail, TM_DETAIL_TEXT, text, (size_t)len);
}

/* States that the app's drawing, which stays open, is of no frame: its end was lost. */
static enum tm_status put_no_frame(struct tm_buf *detail)
{
    return tm_detail_arg_int(detail, "frame_number", 0);
}

/* Puts a row of KIND, about the track of ROW alone, before the row in OUT. */
static enum tm_status put_before(struct tm_graphics_buffers *g, const struct tm_event *row, enum tm_kind kind,
                                 struct tm_settled_rows *out)
{
    struct tm_event *before = &out->rows[0];
    tm_buf_clear(&g->before);
    enum tm_status st =
        tm_buf_add(&g->before, row->detail, tm_named_track_bytes(row->detail, row->detail_bytes));
    if (st == TM_OK && kind == TM_KIND_SLICE_ARGS)
        st = put_no_frame(&g->before);
    out->rows[1] = *before;
    before->kind = kind;
    before->name = 0;
    before->detail = g->before.data;
    before->detail_bytes = (uint32_t)g->before.len;
    out->count = 2;
    return st;
}

/* Takes the end of the app's drawing. If the GPU was done before, nothing waits for it. */
static void take_drawn(struct tm_graphics_buffer *buffer, struct tm_settled_rows *out)
{
    const bool is_drawing = buffer->phase == DRAWING;
    const bool is_rendered = is_drawing && buffer->was_acquired && buffer->acquired_ns > buffer->dequeued_ns;
    buffer->phase = is_rendered ? NO_PHASE : RENDERING;
    out->rows[0].kind = TM_KIND_SLICE_END;
    out->count = is_drawing;
}

/* Ends PHASE, if that is the buffer's. */
static void end_phase(struct tm_graphics_buffer *buffer, enum phase phase, struct tm_settled_rows *out)
{
    out->rows[0].kind = TM_KIND_SLICE_END;
    out->count = buffer->phase == phase;
    if (buffer->phase == phase)
        buffer->phase = NO_PHASE;
}

/* Takes ROW of BUFFER. G has the detail of the last row in OUT. */
static enum tm_status take(struct tm_graphics_buffers *g, struct tm_graphics_buffer *buffer,
                           const struct tm_event *row, struct tm_settled_rows *out)
{
    const bool was_drawing = buffer->phase == DRAWING, was_displayed = buffer->is_displayed;
    enum tm_status st = TM_OK;
    switch ((enum tm_kernel_effect)row->value) {
    case TM_KERNEL_BUFFER_DRAWING:
        buffer->phase = DRAWING;
        buffer->dequeued_ns = row->time_ns;
        st = was_drawing ? put_before(g, row, TM_KIND_SLICE_ARGS, out) : TM_OK;
        return st < 0 ? st : begin(&g->detail, out);
    case TM_KERNEL_BUFFER_DRAWN: take_drawn(buffer, out); return TM_OK;
    case TM_KERNEL_BUFFER_UNDRAWN:
        buffer->phase = NO_PHASE;
        out->count = was_drawing;
        out->rows[0].kind = TM_KIND_SLICE_ARGS;
        return put_no_frame(&g->detail);
    case TM_KERNEL_BUFFER_RENDERING:
        if (buffer->phase == RENDERING)
            return begin(&g->detail, out);
        out->count = 0;
        return TM_OK;
    case TM_KERNEL_BUFFER_RENDERED: end_phase(buffer, RENDERING, out); return TM_OK;
    case TM_KERNEL_BUFFER_SHOWING: buffer->phase = SHOWING; return begin(&g->detail, out);
    case TM_KERNEL_BUFFER_SHOWN: end_phase(buffer, SHOWING, out); return TM_OK;
    case TM_KERNEL_BUFFER_DISPLAYED:
        buffer->is_displayed = true;
        st = was_displayed ? put_before(g, row, TM_KIND_SLICE_END, out) : TM_OK;
        return st < 0 ? st : begin(&g->detail, out);
    default:
        note_time(buffer, row);
        return show_event(&g->detail, buffer, row, &out->rows[0]);
    }
}

enum tm_status tm_graphics_buffers_take(struct tm_graphics_buffers *g, const struct tm_catalog *catalog,
                                        const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err)
{
    struct tm_graphics_buffer *buffer;
    enum tm_status st = buffer_of(g, catalog, row, &buffer, err);
    out->count = 0;
    if (st < 0 || buffer == NULL)
        return st;
    out->count = 1;
    out->rows[0] = *row;
    out->rows[0].category = 0;
    out->rows[0].value = 0;
    tm_kernel_set_amount(&out->rows[0], 0);
    tm_buf_clear(&g->detail);
    if (tm_buf_add(&g->detail, row->detail, row->detail_bytes) != TM_OK || take(g, buffer, row, out) < 0)
        return tm_error_nomem(err);
    if (out->count) {
        out->rows[out->count - 1].detail = g->detail.data;
        out->rows[out->count - 1].detail_bytes = (uint32_t)g->detail.len;
    }
    return TM_OK;
}

void tm_graphics_buffers_release(struct tm_graphics_buffers *g)
{
    free(g->buffers);
    tm_table_release(&g->by_name);
    tm_buf_release(&g->detail);
    tm_buf_release(&g->before);
    *g = (struct tm_graphics_buffers){0};
}
