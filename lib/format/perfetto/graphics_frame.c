#include "format/perfetto/graphics_frame.h"

#include "base/hash.h"
#include "format/perfetto/count.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/named_row.h"
#include "kernel/effect.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAME_BUFFER_EVENT = 1 };
enum { FRAME_NUMBER = 1, TYPE = 2, LAYER = 3, DURATION = 4, BUFFER = 5 };
enum { DEQUEUE = 1, QUEUE = 2, ACQUIRE_FENCE = 4, LATCH = 5, PRESENT_FENCE = 8 };

/* The tracks of a buffer or, the last one, of a layer. */
enum place { OF_EVENTS, OF_APP, OF_GPU, OF_SHOWING, OF_DISPLAY };

/* An event of a buffer, and its rows. */
struct frame {
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct tm_error *err;
    struct tm_proto_event_fields fields;
    struct tm_text layer;
    uint32_t buffer, number;
    uint32_t category; /* the buffer of the layer; for the display the layer */
};

static struct tm_text layer_of(const struct tm_proto_event_fields *m)
{
    return m->text[LAYER] ? tm_text_at(m->text[LAYER], m->len[LAYER]) : tm_text_str("");
}

/* Returns the layer's name as an argument. */
static struct tm_text shown_layer_of(const struct frame *w)
{
    return w->fields.text[LAYER] ? w->layer : tm_text_str("no_layer_name");
}

/* Makes the name of the track at PLACE in rows->key. */
static enum tm_status name_track(struct frame *w, enum place place)
{
    static const char *const prefixes[] = {"Buffer: ", "APP_", "GPU_", "SF_"};
    struct tm_buf *key = &w->rows->key;
    tm_buf_clear(key);
    enum tm_status st = place == OF_DISPLAY ? tm_buf_add_str(key, "Display_")
                                            : tm_buf_addf(key, "%s%" PRIu32 " ", prefixes[place], w->buffer);
    return st < 0 ? st : tm_buf_add(key, w->layer.data, w->layer.len);
}

/* Puts ROW on the track at PLACE. */
static enum tm_status put_track(struct frame *w, enum place place, struct tm_event *row)
{
    const uint64_t numbers[] = {tm_hash64(w->layer.data, w->layer.len), place == OF_DISPLAY ? 0 : w->buffer};
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_GRAPHICS_BUFFERS,
                                             .second = (uint16_t)place,
                                             .instance = (uint32_t)tm_hash64_numbers(numbers, 2, 0)};
    static const char key[] = "name";
    struct tm_buf dimension = {.data = (uint8_t *)(uintptr_t)key, .len = sizeof key - 1};
    struct tm_buf *name = &w->rows->key;
    tm_buf_clear(&w->rows->text);
    if (name_track(w, place) < 0 ||
        tm_detail_arg_bytes(&w->rows->text, &dimension, TM_ARG_STRING, name->data, name->len) < 0)
        return tm_error_nomem(w->err);
    return tm_proto_named_row(w->rows, &named, row, w->err);
}

/* Returns a new row with EFFECT on the track at PLACE. *ST: TM_OK, or the error. */
static struct tm_event row_on(struct frame *w, enum place place, enum tm_kernel_effect effect, enum tm_status *st)
{
    const struct tm_event packet = tm_proto_event(w->packet, TM_KIND_PACKET);
    struct tm_event row = tm_proto_derived(&packet, TM_KIND_KERNEL);
    tm_buf_clear(&w->rows->detail);
    *st = put_track(w, place, &row);
    row.value = effect;
    row.category = w->category;
    tm_kernel_set_amount(&row, 0);
    return row;
}

/* Numbers ROW's slice by the frame. Without a number it is named by its time later. */
static enum tm_status put_number(struct frame *w, struct tm_event *row)
{
    char text[16];
    if (tm_detail_arg_int(&w->rows->detail, "frame_number", w->number) < 0)
        return tm_error_nomem(w->err);
    if (w->number == 0)
        return TM_OK;
    const int len = snprintf(text, sizeof text, "%" PRIu32, w->number);
    return tm_proto_string(w->rows, text, (size_t)len, &row->name, w->err);
}

static enum tm_status put_layer(struct frame *w)
{
    const struct tm_text layer = shown_layer_of(w);
    return tm_detail_arg_text(&w->rows->detail, "layer_name", layer.data, layer.len) < 0 ? tm_error_nomem(w->err)
                                                                                         : TM_OK;
}

/* Adds the row of the event itself. */
static enum tm_status add_event(struct frame *w)
{
    static const char *const names[] = {"unspecified_event",
                                        "Dequeue",
                                        "Queue",
                                        "Post",
                                        "AcquireFenceSignaled",
                                        "Latch",
                                        "HWCCompositionQueued",
                                        "FallbackComposition",
                                        "PresentFenceSignaled",
                                        "ReleaseFenceSignaled",
                                        "Modify",
                                        "Detach",
                                        "Attach",
                                        "Cancel"};
    const uint32_t type = (uint32_t)w->fields.number[TYPE];
    const bool is_known = w->fields.has[TYPE] && type < sizeof names / sizeof *names;
    const char *name = is_known ? names[type] : "unknown_event";
    enum tm_kernel_effect effect = type == QUEUE           ? TM_KERNEL_BUFFER_QUEUED
                                   : type == ACQUIRE_FENCE ? TM_KERNEL_BUFFER_ACQUIRED
                                   : type == LATCH         ? TM_KERNEL_BUFFER_LATCHED
                                                           : TM_KERNEL_BUFFER;
    enum tm_status st;
    struct tm_event row = row_on(w, OF_EVENTS, effect, &st);
    tm_kernel_set_amount(&row, w->fields.number[DURATION]);
    if (st >= 0 && tm_detail_arg_int(&w->rows->detail, "frame_number", w->number) < 0)
        st = tm_error_nomem(w->err);
    if (st >= 0 && (st = put_layer(w)) >= 0)
        st = tm_proto_string(w->rows, name, strlen(name), &row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Adds a row that begins a phase at PLACE. */
static enum tm_status add_begin(struct frame *w, enum place place, enum tm_kernel_effect effect)
{
    enum tm_status st;
    struct tm_event row = row_on(w, place, effect, &st);
    if (st >= 0 && (st = put_number(w, &row)) >= 0)
        st = put_layer(w);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Adds a row that ends a phase at PLACE. If IS_NUMBERED, its slice gets the frame's number. */
static enum tm_status add_end(struct frame *w, enum place place, enum tm_kernel_effect effect, bool is_numbered)
{
    enum tm_status st;
    struct tm_event row = row_on(w, place, effect, &st);
    if (st >= 0 && is_numbered && tm_detail_arg_int(&w->rows->detail, "frame_number", w->number) < 0)
        return tm_error_nomem(w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Sets the category to the text that identifies the buffer, or the layer. */
static enum tm_status identify(struct frame *w, bool is_layer)
{
    struct tm_buf *text = &w->rows->text;
    const struct tm_text layer = is_layer ? shown_layer_of(w) : w->layer;
    tm_buf_clear(text);
    if ((!is_layer && tm_buf_addf(text, "%" PRIu32 " ", w->buffer) < 0) || tm_buf_add(text, layer.data, layer.len) < 0)
        return tm_error_nomem(w->err);
    return tm_proto_string(w->rows, text->data ? (const char *)text->data : "", text->len, &w->category, w->err);
}

static enum tm_status add_presented(struct frame *w)
{
    enum tm_status st = add_end(w, OF_SHOWING, TM_KERNEL_BUFFER_SHOWN, false);
    if (st >= 0)
        st = identify(w, true);
    return st < 0 ? st : add_begin(w, OF_DISPLAY, TM_KERNEL_BUFFER_DISPLAYED);
}

/* Adds the rows of the phases that the event may begin or end. */
static enum tm_status add_phases(struct frame *w)
{
    enum tm_status st;
    switch ((uint32_t)w->fields.number[TYPE]) {
    case DEQUEUE: return add_begin(w, OF_APP, TM_KERNEL_BUFFER_DRAWING);
    case QUEUE:
        st = add_end(w, OF_APP, TM_KERNEL_BUFFER_DRAWN, true);
        return st < 0 ? st : add_begin(w, OF_GPU, TM_KERNEL_BUFFER_RENDERING);
    case ACQUIRE_FENCE: return add_end(w, OF_GPU, TM_KERNEL_BUFFER_RENDERED, false);
    case LATCH:
        st = add_end(w, OF_APP, TM_KERNEL_BUFFER_UNDRAWN, false);
        return st < 0 ? st : add_begin(w, OF_SHOWING, TM_KERNEL_BUFFER_SHOWING);
    case PRESENT_FENCE: return add_presented(w);
    default: return TM_OK;
    }
}

static enum tm_status count_error(struct frame *w)
{
    return tm_proto_count_stat(&w->rows->counts, TM_PROTO_STAT_BUFFER_ERRORS, w->packet->machine, 1, w->err);
}

/* Reads the event into W. False: it has none of a buffer. */
static bool decode(struct frame *w)
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_pb_field f, event = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == FRAME_BUFFER_EVENT && f.type == TM_PB_LEN)
            event = f;
    if (event.id == 0)
        return false;
    tm_proto_event_fields_read(&w->fields, &event);
    w->layer = layer_of(&w->fields);
    w->buffer = (uint32_t)w->fields.number[BUFFER];
    w->number = (uint32_t)w->fields.number[FRAME_NUMBER];
    return true;
}

enum tm_status tm_proto_graphics_frame_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                            struct tm_error *err)
{
    struct tm_event event = tm_proto_packet_event(packet);
    struct frame w = {.rows = rows, .packet = packet, .err = err};
    enum tm_status st = tm_proto_add(rows, &event, err);
    if (st < 0 || !packet->has_time || !decode(&w))
        return st;
    if (!w.fields.has[BUFFER])
        return count_error(&w);
    const uint32_t type = (uint32_t)w.fields.number[TYPE];
    if (type != DEQUEUE && type != QUEUE && type != ACQUIRE_FENCE && type != LATCH && (st = count_error(&w)) < 0)
        return st;
    if (!rows->sink->want_packet_args)
        return TM_OK;
    if ((st = identify(&w, false)) >= 0)
        st = add_event(&w);
    return st < 0 ? st : add_phases(&w);
}
