#include "stream/arg_keys.h"

#include "base/pb.h"

/* Appends the Arg of FIELD with KEY. */
static enum tm_status put_arg(struct tm_buf *detail, const struct tm_pb_field *field, struct tm_text key)
{
    size_t len = 1 + tm_varint_size(key.len) + key.len + field->len;
    if (tm_buf_reserve(detail, 1 + TM_VARINT_MAX + TM_PB_FIELD_MAX + len) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_varint_put(tm_pb_tag_put(detail->data + detail->len, TM_DETAIL_ARGS, TM_PB_LEN), len);
    p = tm_pb_bytes_at(p, TM_ARG_KEY, key.data, key.len);
    if (field->len)
        memcpy(p, field->data, field->len);
    detail->len = (size_t)(p - detail->data) + field->len;
    return TM_OK;
}

/* If BEFORE, a string of EVENT, is in FIELD of its detail, sets *STRING to where it is once FIELD is at AT. */
static void move_string(uint32_t *string, uint32_t before, const struct tm_event *event,
                        const struct tm_pb_field *field, size_t at)
{
    const size_t place = before & ~TM_STRING_INLINE, start = (size_t)(field->start - event->detail);
    if (before & TM_STRING_INLINE && place >= start && place < (size_t)(field->end - event->detail))
        *string = TM_STRING_INLINE | (uint32_t)(at + (place - start));
}

enum tm_status tm_arg_expand_keys(struct tm_arg_expander *x, struct tm_event *e, struct tm_error *err)
{
    struct tm_text keys = x->find(x->strings, e->arg_keys, e);
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    struct tm_buf *detail = &x->detail;
    uint32_t name = e->name, category = e->category;
    enum tm_status st = TM_OK;
    tm_buf_clear(detail);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN && !tm_arg_has_key(f.data, f.len)) {
            st = put_arg(detail, &f, tm_arg_keys_next(&keys));
            continue;
        }
        move_string(&name, e->name, e, &f, detail->len);
        move_string(&category, e->category, e, &f, detail->len);
        st = tm_buf_add(detail, f.start, (size_t)(f.end - f.start));
    }
    if (st == TM_OK) /* what is damaged stays for the reader to find */
        st = tm_buf_add(detail, pb.p, (size_t)(pb.end - pb.p));
    if (st < 0)
        return tm_error_nomem(err);
    e->name = name;
    e->category = category;
    e->arg_keys = 0;
    e->detail = detail->data;
    e->detail_bytes = (uint32_t)detail->len;
    return TM_OK;
}

void tm_arg_expander_release(struct tm_arg_expander *x)
{
    tm_buf_release(&x->detail);
}
