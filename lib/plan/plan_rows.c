#include "plan/plan_rows.h"

#include "align/alignment.h"
#include "base/pb.h"
#include "stream/detail_fields.h"
#include "stream/event_sink.h"

#include <stdlib.h>

enum tm_status tm_plan_rows_init(struct tm_plan_rows *r, const char *args, struct tm_error *err)
{
    tm_intern_init(&r->strings, TM_SINK_STRINGS_MAX, TM_SINK_STRING_BYTES_MAX);
    const enum tm_status st = args[0] ? tm_name_set_add(&r->args, args) : TM_OK;
    r->keeps_all_args = st == TM_E_INPUT;
    return st == TM_E_SYSTEM ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_plan_rows_flush(struct tm_plan_rows *r, struct tm_error *err)
{
    Tracemerge__Strings message = TRACEMERGE__STRINGS__INIT;
    const uint32_t count = r->strings.count - r->sent;
    struct tm_batch batch;
    enum tm_status st = TM_OK;
    message.first = r->sent + 1;
    message.n_text = count;
    message.text = count ? calloc(count, sizeof *message.text) : NULL;
    if (count && message.text == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++) {
        size_t len;
        const uint8_t *text = tm_intern_get(&r->strings, r->sent + i, &len);
        message.text[i] = tm_bytes(text, len);
    }
    if (count)
        st = tm_stream_write_message(r->writer, TM_FRAME_STRINGS, &message.base, err);
    free(message.text);
    r->sent = r->strings.count;
    tm_batch_builder_view(&r->batch, &batch);
    if (st == TM_OK)
        st = tm_stream_write_batch(r->writer, &batch, err);
    tm_batch_builder_clear(&r->batch);
    return st;
}

static bool is_kept(struct tm_plan_rows *r, const struct tm_pb_field *arg)
{
    if (r->keeps_all_args)
        return true;
    struct tm_pb fields = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f;
    while (tm_pb_next(&fields, &f) == TM_OK)
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN)
            return r->args.count && tm_name_memo_has(&r->memo, &r->args, f.data, f.len);
    return false;
}

/* Copies the fields of E's detail that rules read, and the description of a track. Rules read no more than
 * TM_ALIGN_ARGS_MAX arguments of an event. */
static enum tm_status copy_detail(struct tm_plan_rows *r, const struct tm_event *e)
{
    struct tm_pb detail = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    uint32_t args = 0;
    enum tm_status st = TM_OK;
    tm_buf_clear(&r->detail);
    while (st == TM_OK && tm_pb_next(&detail, &f) == TM_OK)
        switch (f.id) {
        case TM_DETAIL_ARGS:
            if (f.type == TM_PB_LEN && args++ < TM_ALIGN_ARGS_MAX && is_kept(r, &f))
                st = tm_pb_put_bytes(&r->detail, f.id, f.data, f.len);
            break;
        case TM_DETAIL_TRACK:
            if (f.type == TM_PB_LEN)
                st = tm_pb_put_bytes(&r->detail, f.id, f.data, f.len);
            break;
        case TM_DETAIL_FLOW_IDS:
        case TM_DETAIL_TERMINATING_FLOW_IDS:
        case TM_DETAIL_BIND_OUT:
        case TM_DETAIL_BIND_STEP:
        case TM_DETAIL_BIND_IN:
            if (f.type == TM_PB_I64)
                st = tm_pb_put_i64(&r->detail, f.id, f.value);
            break;
        default: break;
        }
    return st;
}

/* Sets *STRING to the plan's string for STRING of E. A string for which the table has no room goes to the detail. */
static enum tm_status copy_string(struct tm_plan_rows *r, const struct tm_event *e, uint32_t *string)
{
    const struct tm_text text = tm_catalog_string(r->catalog, *string, e);
    uint8_t head[2 * TM_VARINT_MAX], *p;
    uint32_t id;
    *string = 0;
    if (text.data == NULL)
        return TM_OK;
    enum tm_status st = text.len <= TM_SINK_STRING_MAX ? tm_intern_add(&r->strings, text.data, text.len, &id, NULL)
                                                       : TM_END;
    if (st == TM_OK)
        *string = id + 1;
    if (st != TM_END)
        return st;
    p = tm_varint_put(head, TM_DETAIL_TEXT << 3 | TM_PB_LEN);
    *string = TM_STRING_INLINE | (uint32_t)(r->detail.len + (size_t)(p - head));
    p = tm_varint_put(p, text.len);
    st = tm_buf_add(&r->detail, head, (size_t)(p - head));
    return st == TM_OK ? tm_buf_add(&r->detail, text.data, text.len) : st;
}

enum tm_status tm_plan_rows_add(struct tm_plan_rows *r, const struct tm_event *event, struct tm_error *err)
{
    struct tm_event row = *event;
    enum tm_status st = tm_batch_builder_full(&r->batch) ? tm_plan_rows_flush(r, err) : TM_OK;
    if (st < 0)
        return st;
    if (copy_detail(r, event) != TM_OK || copy_string(r, event, &row.name) != TM_OK ||
        copy_string(r, event, &row.category) != TM_OK)
        return tm_error_nomem(err);
    row.flags &= ~(TM_EVENT_RAW_MASK | (uint32_t)TM_EVENT_INNER_TIMES | (uint32_t)TM_EVENT_RAW_BODY);
    row.sequence = row.generation = 0;
    row.raw = NULL;
    row.raw_bytes = 0;
    row.detail = r->detail.data;
    row.detail_bytes = (uint32_t)r->detail.len;
    return tm_batch_builder_add(&r->batch, &row) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_plan_rows_release(struct tm_plan_rows *r)
{
    tm_name_set_release(&r->args);
    tm_intern_release(&r->strings);
    tm_batch_builder_release(&r->batch);
    tm_buf_release(&r->detail);
}
