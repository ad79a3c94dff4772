#include "emit/chrome_json/top_members.h"

#include "json/scan.h"

/* Wire fields of a member. */
enum { MEMBER = 1, MEMBER_FILE = 1, MEMBER_KEY = 2, MEMBER_VALUE = 3 };

/* Replaces a KEY with escapes by QUOTED, its usual form. */
static enum tm_status normalise(struct tm_json_value *key, struct tm_buf *quoted)
{
    struct tm_buf scratch = {0};
    const uint8_t *name;
    size_t len;
    if (!key->escaped)
        return TM_OK;
    bool is_done = tm_json_text(key, &scratch, &name, &len) && tm_json_put_string(quoted, name, len) == TM_OK;
    tm_buf_release(&scratch);
    if (!is_done)
        return TM_E_SYSTEM;
    key->data = quoted->data + 1;
    key->len = quoted->len - 2;
    return TM_OK;
}

enum tm_status tm_json_top_members_add(struct tm_json_top_members *members, const struct tm_event *e,
                                       struct tm_error *err)
{
    struct tm_json_scan scan = tm_json_scan_bytes(e->raw, e->raw + e->raw_bytes, true);
    struct tm_json_value key, value;
    struct tm_buf *bytes = &members->bytes, quoted = {0};
    size_t mark;
    if (!tm_json_space(&scan) || *scan.p != '"' || tm_json_string(&scan, &key) != TM_JSON_OK || !tm_json_space(&scan) ||
        *scan.p++ != ':' || !tm_json_space(&scan) || tm_json_value(&scan, &value) != TM_JSON_OK)
        return TM_OK;
    size_t quote = value.type == TM_JSON_STRING;
    if (bytes->len + e->raw_bytes > TM_JSON_TOP_BYTES_MAX)
        return TM_END;
    enum tm_status st = normalise(&key, &quoted);
    if (st == TM_OK &&
        (tm_pb_begin(bytes, MEMBER, &mark) != TM_OK || tm_pb_put_varint(bytes, MEMBER_FILE, e->file) != TM_OK ||
         tm_pb_put_bytes(bytes, MEMBER_KEY, key.data, key.len) != TM_OK ||
         tm_pb_put_bytes(bytes, MEMBER_VALUE, value.data - quote, value.len + 2 * quote) != TM_OK ||
         tm_pb_end(bytes, mark) != TM_OK))
        st = TM_E_SYSTEM;
    tm_buf_release(&quoted);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

bool tm_json_top_next(struct tm_pb *all, struct tm_json_top_member *member)
{
    struct tm_pb_field f, g;
    if (tm_pb_next(all, &f) != TM_OK)
        return false;
    struct tm_pb inner = tm_pb_of(f.data, f.len);
    while (tm_pb_next(&inner, &g) == TM_OK) {
        if (g.id == MEMBER_FILE)
            member->file = (uint32_t)g.value;
        else
            *(g.id == MEMBER_KEY ? &member->key : &member->value) = (struct tm_text){g.data, g.len};
    }
    return true;
}

void tm_json_top_members_release(struct tm_json_top_members *members)
{
    tm_buf_release(&members->bytes);
}
