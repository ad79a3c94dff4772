/* frames: the stream as text. One line for each frame, "@OFFSET Type field=value …", and below a Batch one line for
 * each event, "  [I] column=value …", without columns that are zero. Shows any stream. */
#include "emit/message_out.h"
#include "emit/names.h"
#include "emit/outputs.h"
#include "stream/kind_name.h"

#include <stdlib.h>

struct frames {
    struct tm_out out;
    const struct tm_emit_context *context;
    struct tm_arg_expander args;
    uint64_t end_offset; /* the offset after the last shown frame */
};

static const ProtobufCMessageDescriptor *descriptor_of(uint32_t type)
{
    const ProtobufCMessageDescriptor *frame = &tracemerge__frame__descriptor;
    for (unsigned i = 0; i < frame->n_fields; i++)
        if (frame->fields[i].id == type && frame->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            return frame->fields[i].descriptor;
    return NULL;
}

static void put_line_head(struct frames *f, uint64_t offset, const char *type)
{
    tm_out_char(&f->out, '@');
    tm_out_u64(&f->out, offset);
    tm_out_char(&f->out, ' ');
    tm_out_str(&f->out, type);
}

static enum tm_status open_frames(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct frames *f = calloc(1, sizeof *f);
    if (f == NULL)
        return tm_error_nomem(err);
    *state = f;
    tm_out_init(&f->out, context->fd, context->options->out_path);
    f->context = context;
    f->args = tm_catalog_expander(context->catalog);
    const ProtobufCEnumValue *stage =
        protobuf_c_enum_descriptor_get_value(&tracemerge__stage__descriptor, (int)context->stream->header.stage);
    put_line_head(f, 0, "Header");
    tm_out_str(&f->out, " version=1 stage=");
    if (stage)
        tm_out_str(&f->out, stage->name);
    else
        tm_out_i64(&f->out, (int)context->stream->header.stage);
    tm_out_str(&f->out, context->stream->header.sorted ? " sorted=true" : " sorted=false");
    if (context->stream->header.part.has_from) {
        tm_out_str(&f->out, " from_ns=");
        tm_out_i64(&f->out, context->stream->header.part.from_ns);
    }
    if (context->stream->header.part.has_to) {
        tm_out_str(&f->out, " to_ns=");
        tm_out_i64(&f->out, context->stream->header.part.to_ns);
    }
    tm_out_str(&f->out, "\n");
    f->end_offset = context->stream->frames.offset;
    return TM_OK;
}

static void put_key(struct tm_out *out, const char *key)
{
    tm_out_char(out, ' ');
    tm_out_str(out, key);
    tm_out_char(out, '=');
}

static void put_u64(struct tm_out *out, const char *key, uint64_t v, bool always)
{
    if (v == 0 && !always)
        return;
    put_key(out, key);
    tm_out_u64(out, v);
}

static void put_i64(struct tm_out *out, const char *key, int64_t v, bool always)
{
    if (v == 0 && !always)
        return;
    put_key(out, key);
    tm_out_i64(out, v);
}

static void put_string(struct frames *f, const char *key, uint32_t string, const struct tm_event *e)
{
    if (string == 0)
        return;
    struct tm_text text = tm_catalog_string(f->context->catalog, string, e);
    put_key(&f->out, key);
    if (text.data)
        tm_out_quoted(&f->out, text);
    else
        tm_out_str(&f->out, "?");
}

static void put_flags(struct tm_out *out, uint32_t flags)
{
    const uint32_t named = TM_EVENT_CONTEXT | TM_EVENT_RAW_BODY | TM_EVENT_MARKER | TM_EVENT_IN_ORDER |
                           TM_EVENT_FIRST_USE | TM_EVENT_LATE_THREAD | TM_EVENT_NO_LENGTH;
    uint32_t plain = flags & (((UINT32_C(1) << TM_EVENT_SCOPE_SHIFT) - 1) | named);
    uint32_t rest = (flags & ~named) >> (TM_EVENT_RAW_SHIFT + 4);
    const char *scope = tm_name_of_scope(tm_event_scope(flags));
    for (const char *sep = " flags="; plain; plain &= plain - 1, sep = "|") {
        tm_out_str(out, sep);
        tm_out_str(out, tm_name_of_flag(plain));
    }
    put_u64(out, "unknown_flags", rest, false);
    if (scope && tm_event_scope(flags) != TM_SCOPE_GLOBAL) {
        put_key(out, "scope");
        tm_out_str(out, scope);
    } else {
        put_u64(out, "scope", tm_event_scope(flags), false);
    }
}

static void put_columns(struct frames *f, const struct tm_event *e)
{
    struct tm_out *out = &f->out;
    const char *kind = tm_name_of_kind(e->kind);
    put_i64(out, "time_ns", e->time_ns, tm_event_is_timed(e->flags));
    put_i64(out, "dur_ns", e->dur_ns, e->kind == TM_KIND_SLICE_COMPLETE);
    put_u64(out, "position", e->position, true);
    put_key(out, "kind");
    if (kind)
        tm_out_str(out, kind);
    else
        tm_out_u64(out, e->kind);
    put_flags(out, e->flags);
    put_u64(out, "file", e->file, true);
    put_u64(out, "machine", e->machine, false);
    put_u64(out, "clock", e->clock, false);
    put_u64(out, "sequence", e->sequence, false);
    put_u64(out, "generation", e->generation, false);
    put_string(f, "name", e->name, e);
    put_string(f, "category", e->category, e);
    put_i64(out, "pid", e->pid, e->flags & TM_EVENT_HAS_PID);
    put_i64(out, "tid", e->tid, e->flags & TM_EVENT_HAS_TID);
    put_u64(out, "cpu", e->cpu, e->flags & TM_EVENT_HAS_CPU);
    put_u64(out, "track", e->track, e->flags & TM_EVENT_HAS_TRACK);
    if (e->flags & TM_EVENT_VALUE_DOUBLE) {
        put_key(out, "value");
        tm_out_double(out, e->value);
    } else {
        put_i64(out, "value", (int64_t)e->value, e->flags & TM_EVENT_HAS_VALUE);
    }
}

/* Writes the payload of E as it is in the stream, but the args with their keys. */
static enum tm_status put_payload(struct frames *f, struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &f->out;
    const char *raw = tm_name_of_raw(tm_event_raw(e->flags));
    if (raw || e->raw_bytes) {
        put_key(out, "raw");
        tm_out_str(out, raw ? raw : "none");
        put_u64(out, "raw_bytes", e->raw_bytes, true);
    }
    if (f->context->options->hex && e->raw_bytes) {
        put_key(out, "raw_hex");
        tm_out_hex(out, e->raw, e->raw_bytes);
    }
    if (e->detail_bytes == 0)
        return TM_OK;
    put_u64(out, "detail_bytes", e->detail_bytes, true);
    put_key(out, "detail");
    if (tm_arg_expand(&f->args, e, err) < 0)
        return TM_E_SYSTEM;
    struct tm_error why = {0};
    Tracemerge__Detail *detail =
        (Tracemerge__Detail *)tm_message_unpack(&tracemerge__detail__descriptor, e->detail, e->detail_bytes, &why);
    out->failed |= why.status == TM_E_SYSTEM;
    if (detail == NULL) {
        tm_out_str(out, "damaged");
        return TM_OK;
    }
    tm_out_char(out, '{');
    tm_message_text(out, &detail->base);
    tm_out_str(out, " }");
    tracemerge__detail__free_unpacked(detail, NULL);
    return TM_OK;
}

static enum tm_status show_batch(struct frames *f, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    put_u64(&f->out, "count", batch->count, true);
    put_u64(&f->out, "payload_bytes", batch->payload_bytes, true);
    tm_out_char(&f->out, '\n');
    while (st == TM_OK && tm_batch_next(&walk, &e)) {
        tm_out_str(&f->out, "  [");
        tm_out_u64(&f->out, walk.i - 1);
        tm_out_char(&f->out, ']');
        put_columns(f, &e);
        st = put_payload(f, &e, err);
        tm_out_char(&f->out, '\n');
        st = st < 0 ? st : tm_out_end_row(&f->out, err);
    }
    return st;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct frames *f = state;
    const ProtobufCMessageDescriptor *descriptor = descriptor_of(frame->type);
    f->end_offset = f->context->stream->frames.offset;
    put_line_head(f, frame->offset, descriptor ? descriptor->short_name : "unknown");
    if (batch)
        return show_batch(f, batch, err);
    if (descriptor == NULL) {
        put_u64(&f->out, "type", frame->type, true);
        put_u64(&f->out, "bytes", frame->body_bytes, true);
    } else {
        ProtobufCMessage *m = tm_frame_message(frame, descriptor, err);
        if (m == NULL)
            return err->status;
        tm_message_text(&f->out, m);
        protobuf_c_message_free_unpacked(m, NULL);
    }
    tm_out_char(&f->out, '\n');
    return tm_out_end_row(&f->out, err);
}

static enum tm_status finish_frames(void *state, struct tm_error *err)
{
    struct frames *f = state;
    put_line_head(f, f->end_offset, "End");
    put_u64(&f->out, "frame_count", f->context->stream->frames.count - 1, true);
    put_u64(&f->out, "event_count", f->context->stream->event_count, true);
    tm_out_char(&f->out, '\n');
    return tm_out_flush(&f->out, err);
}

static void close_frames(void *state)
{
    struct frames *f = state;
    if (f) {
        (void)tm_out_flush(&f->out, NULL); /* after an error, too: it shows the frames before the damage */
        tm_out_release(&f->out);
        tm_arg_expander_release(&f->args);
    }
    free(f);
}

const struct tm_emit_functions tm_emit_frames_functions = {
    .open = open_frames,
    .frame = show_frame,
    .finish = finish_frames,
    .close = close_frames,
};
