#include "emit/source_copies.h"

#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_source_copies_text(struct tm_source_copies *c, const struct tm_source_text *text,
                                     struct tm_error *err)
{
    if (c->text_count == c->text_cap &&
        tm_array_grow(&c->texts, &c->text_cap, c->text_count, sizeof *c->texts, err) < 0)
        return TM_E_SYSTEM;
    c->texts[c->text_count++] = (struct tm_copied_text){.text = *text};
    return TM_OK;
}

enum tm_status tm_source_copies_part(struct tm_source_copies *c, size_t at, uint32_t from, uint32_t len,
                                     struct tm_error *err)
{
    if (c->part_count == c->part_cap &&
        tm_array_grow(&c->parts, &c->part_cap, c->part_count, sizeof *c->parts, err) < 0)
        return TM_E_SYSTEM;
    c->parts[c->part_count++] = (struct tm_copied_part){at, from, len};
    c->texts[c->text_count - 1].part_count++;
    c->bytes += len;
    return TM_OK;
}

/* Appends LEN bytes, for which WHOLE has room. */
static void append(struct tm_buf *whole, const uint8_t *data, size_t len)
{
    if (len)
        memcpy(whole->data + whole->len, data, len);
    whole->len += len;
}

enum tm_status tm_source_copies_join(const struct tm_source_copies *c, const struct tm_buf *own,
                                     struct tm_source_reader *reader, struct tm_buf *whole, struct tm_error *err)
{
    const struct tm_copied_part *part = c->parts;
    size_t at = 0; /* own bytes that have been appended */
    if (tm_buf_reserve(whole, own->len + c->bytes) != TM_OK)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < c->text_count; i++) {
        const uint8_t *data;
        enum tm_status st = tm_source_reader_read(reader, &c->texts[i].text, &data, err);
        if (st < 0)
            return st;
        for (uint32_t k = 0; k < c->texts[i].part_count; k++, part++) {
            append(whole, own->data + at, part->at - at);
            append(whole, data + part->from, part->len);
            at = part->at;
        }
    }
    append(whole, own->data + at, own->len - at);
    return TM_OK;
}

void tm_source_copies_clear(struct tm_source_copies *c)
{
    c->bytes = 0;
    c->text_count = c->part_count = 0;
}

void tm_source_copies_release(struct tm_source_copies *c)
{
    free(c->texts);
    free(c->parts);
    *c = (struct tm_source_copies){0};
}
