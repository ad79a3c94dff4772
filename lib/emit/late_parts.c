#include "emit/late_parts.h"

#include "base/bytes.h"
#include "base/table.h"
#include "emit/out.h"

#include <stdlib.h>

enum { LENGTH_BYTES = 4 };

enum tm_status tm_late_parts_text(struct tm_late_parts *late, const struct tm_source_text *text, struct tm_error *err)
{
    if (late->text_count == late->text_cap &&
        tm_array_grow(&late->texts, &late->text_cap, late->text_count, sizeof *late->texts, err) < 0)
        return TM_E_SYSTEM;
    late->texts[late->text_count++] = *text;
    late->bytes += text->bytes;
    late->awaits_record = true;
    return TM_OK;
}

uint8_t *tm_late_parts_room(struct tm_late_parts *late, size_t len)
{
    struct tm_buf *records = &late->records;
    const size_t bytes = LENGTH_BYTES + len;
    if (len > UINT32_MAX - LENGTH_BYTES - records->len || tm_buf_reserve_ahead(records, bytes, bytes) != TM_OK)
        return NULL;
    return records->data + records->len + LENGTH_BYTES;
}

/* Returns the last part if it is before byte AT and has records of FORMAT, with texts or without; NULL: it is not. */
static struct tm_late_part *last_part(const struct tm_late_parts *late, size_t at, tm_late_format *format)
{
    struct tm_late_part *last = late->part_count ? &late->parts[late->part_count - 1] : NULL;
    return last && last->format == format && last->at == at && last->has_texts == late->awaits_record ? last : NULL;
}

enum tm_status tm_late_parts_format(struct tm_late_parts *late, size_t at, tm_late_format *format, size_t len,
                                    struct tm_error *err)
{
    const uint32_t from = (uint32_t)late->records.len, bytes = (uint32_t)len + LENGTH_BYTES;
    struct tm_late_part *part = last_part(late, at, format);
    if (part == NULL) {
        if (late->part_count == late->part_cap &&
            tm_array_grow(&late->parts, &late->part_cap, late->part_count, sizeof *late->parts, err) < 0)
            return TM_E_SYSTEM;
        part = &late->parts[late->part_count++];
        *part = (struct tm_late_part){at, format, from, 0, late->awaits_record};
    }
    tm_put_le32(late->records.data + from, (uint32_t)len);
    late->records.len += bytes;
    part->len += bytes;
    late->bytes += bytes;
    late->awaits_record = false;
    return TM_OK;
}

/* Appends LEN bytes. */
static enum tm_status append(struct tm_buf *whole, const uint8_t *data, size_t len)
{
    if (tm_buf_reserve_ahead(whole, len, len) != TM_OK)
        return TM_E_SYSTEM;
    if (len)
        memcpy(whole->data + whole->len, data, len);
    whole->len += len;
    return TM_OK;
}

struct join {
    const struct tm_late_parts *late;
    const struct tm_source_text *text; /* of the next record that has one */
    struct tm_source_reader *reader;
    struct tm_out to;
};

static enum tm_status put_part(struct join *j, const struct tm_late_part *part, struct tm_error *err)
{
    const uint8_t *p = j->late->records.data + part->from, *end = p + part->len;
    struct tm_text text = {0};
    while (p < end) {
        const uint32_t len = tm_get_le32(p);
        if (part->has_texts) {
            enum tm_status st = tm_source_reader_read(j->reader, j->text, &text.data, err);
            if (st < 0)
                return st;
            text.len = j->text++->bytes;
        }
        part->format(&j->to, text, p + LENGTH_BYTES, len);
        p += LENGTH_BYTES + len;
    }
    return j->to.failed ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status put_all(struct join *j, const struct tm_buf *own, struct tm_error *err)
{
    size_t at = 0; /* own bytes that have been appended */
    for (uint32_t i = 0; i < j->late->part_count; i++) {
        const struct tm_late_part *part = &j->late->parts[i];
        if (append(&j->to.buf, own->data + at, part->at - at) < 0)
            return tm_error_nomem(err);
        at = part->at;
        enum tm_status st = put_part(j, part, err);
        if (st < 0)
            return st;
    }
    return append(&j->to.buf, own->data + at, own->len - at) < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_late_parts_join(const struct tm_late_parts *late, const struct tm_buf *own,
                                  struct tm_source_reader *reader, struct tm_buf *whole, struct tm_error *err)
{
    struct join j = {.late = late, .text = late->texts, .reader = reader, .to.buf = *whole};
    enum tm_status st = tm_buf_reserve(&j.to.buf, own->len + late->bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
    if (st == TM_OK)
        st = put_all(&j, own, err);
    *whole = j.to.buf;
    return st;
}

void tm_late_parts_clear(struct tm_late_parts *late)
{
    late->bytes = 0;
    late->text_count = late->part_count = 0;
    late->awaits_record = false;
    tm_buf_clear(&late->records);
}

void tm_late_parts_release(struct tm_late_parts *late)
{
    free(late->texts);
    free(late->parts);
    tm_buf_release(&late->records);
    *late = (struct tm_late_parts){0};
}
