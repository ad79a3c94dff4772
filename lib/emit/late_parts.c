#include "emit/late_parts.h"

#include "base/bytes.h"
#include "base/table.h"
#include "emit/out.h"

#include <stdlib.h>

enum { LENGTH_BYTES = 4 };

static enum tm_status add_part(struct tm_late_parts *late, const struct tm_late_part *part, struct tm_error *err)
{
    if (late->part_count == late->part_cap &&
        tm_array_grow(&late->parts, &late->part_cap, late->part_count, sizeof *late->parts, err) < 0)
        return TM_E_SYSTEM;
    late->parts[late->part_count++] = *part;
    late->bytes += part->len;
    return TM_OK;
}

/* True for the mark before the parts of a text. Other parts have bytes or a format. */
static bool begins_text(const struct tm_late_part *part)
{
    return part->format == NULL && part->len == 0;
}

enum tm_status tm_late_parts_text(struct tm_late_parts *late, const struct tm_source_text *text, struct tm_error *err)
{
    const struct tm_late_part *last = late->part_count ? &late->parts[late->part_count - 1] : NULL;
    if (late->text_count == late->text_cap &&
        tm_array_grow(&late->texts, &late->text_cap, late->text_count, sizeof *late->texts, err) < 0)
        return TM_E_SYSTEM;
    late->texts[late->text_count++] = *text;
    return add_part(late, &(struct tm_late_part){.at = last ? last->at : 0}, err);
}

enum tm_status tm_late_parts_copy(struct tm_late_parts *late, size_t at, uint32_t from, uint32_t len,
                                  struct tm_error *err)
{
    return len ? add_part(late, &(struct tm_late_part){.at = at, .from = from, .len = len}, err) : TM_OK;
}

uint8_t *tm_late_parts_room(struct tm_late_parts *late, size_t len)
{
    struct tm_buf *records = &late->records;
    if (len > UINT32_MAX - LENGTH_BYTES - records->len || tm_buf_reserve(records, LENGTH_BYTES + len) != TM_OK)
        return NULL;
    return records->data + records->len + LENGTH_BYTES;
}

enum tm_status tm_late_parts_format(struct tm_late_parts *late, size_t at, tm_late_format *format, size_t len,
                                    struct tm_error *err)
{
    const uint32_t from = (uint32_t)late->records.len, bytes = (uint32_t)len + LENGTH_BYTES;
    struct tm_late_part *last = late->part_count ? &late->parts[late->part_count - 1] : NULL;
    tm_put_le32(late->records.data + from, (uint32_t)len);
    late->records.len += bytes;
    if (last == NULL || last->format != format || last->at != at)
        return add_part(late, &(struct tm_late_part){at, format, from, bytes}, err);
    last->len += bytes; /* no record is between theirs, because records are in the order of parts */
    late->bytes += bytes;
    return TM_OK;
}

/* Appends LEN bytes. */
static enum tm_status append(struct tm_buf *whole, const uint8_t *data, size_t len)
{
    if (tm_buf_reserve(whole, len) != TM_OK)
        return TM_E_SYSTEM;
    if (len)
        memcpy(whole->data + whole->len, data, len);
    whole->len += len;
    return TM_OK;
}

/* Puts PART, of TEXT if it is a copy. */
static enum tm_status put_part(const struct tm_late_parts *late, const struct tm_late_part *part, const uint8_t *text,
                               struct tm_out *to)
{
    if (part->format == NULL)
        return append(&to->buf, text + part->from, part->len);
    const uint8_t *p = late->records.data + part->from, *end = p + part->len;
    while (p < end) {
        const uint32_t len = tm_get_le32(p);
        part->format(to, p + LENGTH_BYTES, len);
        p += LENGTH_BYTES + len;
    }
    return to->failed ? TM_E_SYSTEM : TM_OK;
}

static enum tm_status join(const struct tm_late_parts *late, const struct tm_buf *own, struct tm_source_reader *reader,
                           struct tm_out *to, struct tm_error *err)
{
    const struct tm_source_text *next = late->texts;
    const uint8_t *text = NULL;
    size_t at = 0; /* own bytes that have been appended */
    for (uint32_t i = 0; i < late->part_count; i++) {
        const struct tm_late_part *part = &late->parts[i];
        if (begins_text(part)) {
            enum tm_status st = tm_source_reader_read(reader, next++, &text, err);
            if (st < 0)
                return st;
            continue;
        }
        if (append(&to->buf, own->data + at, part->at - at) < 0 || put_part(late, part, text, to) < 0)
            return tm_error_nomem(err);
        at = part->at;
    }
    return append(&to->buf, own->data + at, own->len - at) < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_late_parts_join(const struct tm_late_parts *late, const struct tm_buf *own,
                                  struct tm_source_reader *reader, struct tm_buf *whole, struct tm_error *err)
{
    struct tm_out to = {.buf = *whole};
    enum tm_status st = tm_buf_reserve(&to.buf, own->len + late->bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
    if (st == TM_OK)
        st = join(late, own, reader, &to, err);
    *whole = to.buf;
    return st;
}

void tm_late_parts_clear(struct tm_late_parts *late)
{
    late->bytes = 0;
    late->text_count = late->part_count = 0;
    tm_buf_clear(&late->records);
}

void tm_late_parts_release(struct tm_late_parts *late)
{
    free(late->texts);
    free(late->parts);
    tm_buf_release(&late->records);
    *late = (struct tm_late_parts){0};
}
