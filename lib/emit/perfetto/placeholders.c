#include "emit/perfetto/placeholders.h"

#include "base/table.h"
#include "base/bytes.h"

#include <stdlib.h>

/* Layout of a record: number of valid bytes (all ones while undecided), number of bytes of room, the bytes. */
enum { HEAD_BYTES = 16, MEMORY_BYTES = 4 << 20, PIECE_BYTES = 1 << 16 };

static enum tm_status write_head(struct tm_placeholders *h, uint64_t at, uint64_t len, uint64_t room,
                                 struct tm_error *err)
{
    uint8_t head[HEAD_BYTES];
    tm_put_le64(head, len);
    tm_put_le64(head + 8, room);
    return tm_paged_file_write(&h->bytes, at, head, sizeof head, err);
}

static void init_pages(struct tm_placeholders *h)
{
    if (h->bytes.set_count == 0)
        tm_paged_file_init(&h->bytes, h->dir, MEMORY_BYTES);
}

enum tm_status tm_placeholders_put(struct tm_placeholders *h, const void *data, size_t len, struct tm_error *err)
{
    if (len == 0)
        return TM_OK;
    init_pages(h);
    enum tm_status st = write_head(h, h->end, len, len, err);
    if (st == TM_OK)
        st = tm_paged_file_write(&h->bytes, h->end + HEAD_BYTES, data, len, err);
    h->end += HEAD_BYTES + len;
    return st;
}

enum tm_status tm_placeholders_open(struct tm_placeholders *h, uint32_t placeholder, struct tm_buf versions[2],
                                    struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint64_t room = versions[0].len > versions[1].len ? versions[0].len : versions[1].len;
    while (st == TM_OK && h->count <= placeholder)
        if ((st = tm_array_grow(&h->placeholders, &h->cap, h->count, sizeof *h->placeholders, err)) == TM_OK)
            h->placeholders[h->count++] = (struct tm_placeholder){.record = 0};
    if (st < 0) {
        tm_buf_release(&versions[0]);
        tm_buf_release(&versions[1]);
        return st;
    }
    h->placeholders[placeholder] = (struct tm_placeholder){.record = h->end, .versions = {versions[0], versions[1]}};
    h->open_count++;
    versions[0] = versions[1] = (struct tm_buf){0};
    init_pages(h);
    st = write_head(h, h->end, UINT64_MAX, room, err);
    h->end += HEAD_BYTES + room;
    return st;
}

enum tm_status tm_placeholders_decide(struct tm_placeholders *h, uint32_t placeholder, int which, struct tm_error *err)
{
    struct tm_placeholder *o = &h->placeholders[placeholder];
    const struct tm_buf *text = &o->versions[which];
    uint64_t room = o->versions[0].len > o->versions[1].len ? o->versions[0].len : o->versions[1].len;
    enum tm_status st = write_head(h, o->record, text->len, room, err);
    if (st == TM_OK && text->len)
        st = tm_paged_file_write(&h->bytes, o->record + HEAD_BYTES, text->data, text->len, err);
    tm_buf_release(&o->versions[0]);
    tm_buf_release(&o->versions[1]);
    h->open_count--;
    return st;
}

enum tm_status tm_placeholders_take(struct tm_placeholders *h, struct tm_buf *out, size_t max, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t from = out->len; st == TM_OK && h->begin < h->end && out->len - from < max;) {
        uint8_t head[HEAD_BYTES];
        if ((st = tm_paged_file_read(&h->bytes, h->begin, head, sizeof head, err)) < 0)
            return st;
        uint64_t len = tm_get_le64(head);
        if (len == UINT64_MAX)
            return TM_END;
        if (tm_buf_reserve(out, len) != TM_OK)
            return tm_error_nomem(err);
        for (uint64_t done = 0; st == TM_OK && done < len;) {
            size_t piece = len - done < PIECE_BYTES ? (size_t)(len - done) : PIECE_BYTES;
            st = tm_paged_file_read(&h->bytes, h->begin + HEAD_BYTES + done, out->data + out->len, piece, err);
            out->len += piece;
            done += piece;
        }
        h->begin += HEAD_BYTES + tm_get_le64(head + 8);
    }
    if (st == TM_OK && h->begin == h->end) {
        tm_paged_file_clear(&h->bytes);
        h->begin = h->end = 0;
        return TM_END;
    }
    return st;
}

void tm_placeholders_release(struct tm_placeholders *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        tm_buf_release(&h->placeholders[i].versions[0]);
        tm_buf_release(&h->placeholders[i].versions[1]);
    }
    free(h->placeholders);
    tm_paged_file_release(&h->bytes);
    *h = (struct tm_placeholders){0};
}
