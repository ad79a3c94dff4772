#include "sort/union/string_union.h"

#include "base/pb.h"
#include "base/table.h"
#include "stream/detail_fields.h"
#include "stream/event.h"

#include <stdlib.h>

enum { EXTRAS_MAX = 1 << 28 };

void tm_string_union_init(struct tm_string_union *u, uint32_t count_max, size_t bytes_max, const char *dir)
{
    *u = (struct tm_string_union){.file.dir = dir};
    tm_intern_init(&u->strings, count_max, bytes_max);
}

static enum tm_status add_extra(struct tm_string_union *u, const void *s, size_t len, uint32_t *number,
                                struct tm_error *err)
{
    if (u->extra_count >= EXTRAS_MAX || len > UINT32_MAX)
        return tm_error_set(err, TM_E_INPUT, "more strings than can be numbered");
    if (tm_array_grow(&u->extras, &u->extra_cap, u->extra_count, sizeof *u->extras, err) < 0)
        return TM_E_SYSTEM;
    u->extras[u->extra_count] = (struct tm_string_extra){u->file.len, (uint32_t)len};
    enum tm_status st = tm_temporary_file_add(&u->file, s, len, err);
    *number = TM_STRING_INLINE | u->extra_count++;
    return st;
}

enum tm_status tm_string_union_add(struct tm_string_union *u, const void *s, size_t len, uint32_t *number,
                                   struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = tm_intern_add(&u->strings, s, len, &id, NULL);
    if (st < 0)
        return tm_error_nomem(err);
    if (st == TM_END)
        return add_extra(u, s, len, number, err);
    *number = id + 1;
    return TM_OK;
}

enum tm_status tm_string_union_extra(struct tm_string_union *u, uint32_t number, struct tm_buf *detail,
                                     uint32_t *string, struct tm_error *err)
{
    const struct tm_string_extra *extra = &u->extras[number & ~TM_STRING_INLINE];
    uint8_t head[2 * TM_VARINT_MAX];
    uint8_t *p = tm_varint_put(head, TM_DETAIL_TEXT << 3 | TM_PB_LEN);
    *string = TM_STRING_INLINE | (uint32_t)(detail->len + (size_t)(p - head));
    p = tm_varint_put(p, extra->bytes);
    if (tm_buf_add(detail, head, (size_t)(p - head)) != TM_OK || tm_buf_reserve(detail, extra->bytes) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st =
        tm_temporary_file_read(&u->file, detail->data + detail->len, extra->bytes, extra->offset, err);
    detail->len += extra->bytes;
    return st;
}

void tm_string_union_release(struct tm_string_union *u)
{
    tm_intern_release(&u->strings);
    tm_temporary_file_release(&u->file);
    free(u->extras);
    u->extras = NULL;
    u->extra_count = u->extra_cap = 0;
}
