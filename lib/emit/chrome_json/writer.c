#include "emit/chrome_json/writer.h"

#include "base/pb.h"
#include "emit/chrome_json/late.h"
#include "stream/detail_fields.h"

void tm_json_writer_init(struct tm_json_writer *w, const struct tm_emit_context *context)
{
    *w = (struct tm_json_writer){.context = context};
    tm_out_init(&w->out, context->fd, context->options->out_path);
    tm_out_guard_json(&w->out);
    tm_out_set_late(&w->out, context->sources);
}

void tm_json_writer_release(struct tm_json_writer *w)
{
    tm_json_id_numbers_release(&w->ids);
    tm_buf_release(&w->scratch);
    tm_out_release(&w->out);
}

void tm_json_writer_note_base(struct tm_json_writer *w, const struct tm_event *e)
{
    if (w->has_base || !w->context->options->rebase || !tm_event_is_timed(e->flags) || e->flags & TM_EVENT_DEFINITION)
        return;
    w->base_ns = e->time_ns;
    w->has_base = true;
}

bool tm_json_writer_follows(struct tm_json_writer *w)
{
    bool follows = w->has_events;
    w->has_events = true;
    return follows;
}

void tm_json_writer_next(struct tm_json_writer *w)
{
    tm_out_str(&w->out, tm_json_writer_follows(w) ? ",\n" : "\n");
}

void tm_json_writer_unsupported(struct tm_json_writer *w, const struct tm_event *e)
{
    if (!tm_event_is_counted(e->flags))
        return;
    w->unsupported_count++;
    tm_unsupported_counts_event(w->context->unsupported, e);
}

void tm_json_writer_micros(struct tm_json_writer *w, int64_t ns)
{
    tm_out_micros(&w->out, ns);
}

void tm_json_writer_time(struct tm_json_writer *w, int64_t time_ns)
{
    tm_json_writer_micros(w, time_ns - w->base_ns);
}

struct tm_text tm_json_writer_string(const struct tm_json_writer *w, uint32_t string, const struct tm_event *e)
{
    return tm_catalog_string(w->context->catalog, string, e);
}

void tm_json_writer_head(struct tm_json_writer *w, const char *phase, int64_t time_ns)
{
    tm_json_writer_next(w);
    tm_out_str(&w->out, "{\"ph\":\"");
    tm_out_str(&w->out, phase);
    tm_out_str(&w->out, "\",\"ts\":");
    tm_json_writer_time(w, time_ns);
}

void tm_json_writer_thread(struct tm_json_writer *w, int64_t pid, int64_t tid)
{
    tm_out_str(&w->out, ",\"pid\":");
    tm_out_i64(&w->out, pid);
    tm_out_str(&w->out, ",\"tid\":");
    tm_out_i64(&w->out, tid);
}

void tm_json_writer_text(struct tm_json_writer *w, const char *member, struct tm_text text)
{
    if (text.data == NULL)
        return;
    tm_out_str(&w->out, member);
    tm_out_json(&w->out, text);
}

/* Returns how an event with a bind_id expresses FIELD of a Detail; NULL: the field is not a flow. */
static const char *direction_of(uint32_t field)
{
    switch (field) {
    case TM_DETAIL_BIND_OUT: return ",\"flow_out\":true";
    case TM_DETAIL_FLOW_IDS:
    case TM_DETAIL_BIND_STEP: return ",\"flow_in\":true,\"flow_out\":true";
    case TM_DETAIL_TERMINATING_FLOW_IDS:
    case TM_DETAIL_BIND_IN: return ",\"flow_in\":true";
    default: return NULL;
    }
}

enum tm_status tm_json_writer_flow(struct tm_json_writer *w, uint32_t file, struct tm_text detail,
                                   struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        const char *direction = direction_of(f.id);
        if (direction == NULL || f.type != TM_PB_I64)
            continue;
        tm_out_str(&w->out, ",\"bind_id\":");
        enum tm_status st = tm_json_writer_number(w, file, TM_JSON_ID_OF_FLOW, f.value, err);
        tm_out_str(&w->out, direction);
        return st;
    }
    return TM_OK;
}

static bool has_args(struct tm_text detail)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN)
            return true;
    return false;
}

enum tm_status tm_json_writer_detail(struct tm_json_writer *w, uint32_t file, struct tm_text detail,
                                     struct tm_error *err)
{
    if (has_args(detail))
        tm_out_late(&w->out, tm_json_late_args, &detail, 1);
    return tm_json_writer_flow(w, file, detail, err);
}

enum tm_status tm_json_writer_end(struct tm_json_writer *w, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_json_writer_detail(w, e->file, (struct tm_text){e->detail, e->detail_bytes}, err);
    tm_out_char(&w->out, '}');
    return st < 0 ? st : tm_out_end_row(&w->out, err);
}

static enum tm_status put_number(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                 const struct tm_json_id *id, struct tm_error *err)
{
    uint64_t number;
    bool is_joined = kind == TM_JSON_ID_OF_FLOW && w->context->options->join_flows;
    uint32_t order = is_joined ? 0 : w->context->catalog->files[file].processing_order;
    if (tm_json_id_numbers_find(&w->ids, order, kind, id, &number) < 0)
        return tm_error_nomem(err);
    tm_out_u64(&w->out, number);
    return TM_OK;
}

enum tm_status tm_json_writer_id(struct tm_json_writer *w, const struct tm_event *e, enum tm_json_id_kind kind,
                                 const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_id id;
    size_t quote = value->type == TM_JSON_STRING;
    if (tm_json_id_of(value, &w->scratch, &id))
        return put_number(w, e->file, kind, &id, err);
    tm_out_bytes(&w->out, value->data - quote, value->len + 2 * quote);
    return TM_OK;
}

enum tm_status tm_json_writer_number(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                     uint64_t number, struct tm_error *err)
{
    struct tm_json_id id = {.number = number};
    return put_number(w, file, kind, &id, err);
}
