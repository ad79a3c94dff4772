#include "emit/sqlite/record.h"

#include <math.h>

/* types of values that are no text */
enum { TYPE_NULL = 0, TYPE_INT64 = 6, TYPE_FLOAT = 7, TYPE_ONE = 9 };

static const uint8_t type_bytes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

enum { NUMBER_BYTES = 8, ROOM = 1 << 10 }; /* ROOM: for the numbers and short texts of a row */

size_t tm_sqlite_put_varint(uint8_t *p, uint64_t value)
{
    if (value < 0x80) {
        p[0] = (uint8_t)value;
        return 1;
    }
    if (value >> 56) { /* the ninth byte has eight bits */
        tm_put_be64(p, tm_varint_spread(value >> 8) | UINT64_C(0x8080808080808080));
        p[8] = (uint8_t)value;
        return 9;
    }
    size_t n = tm_highest_bit(value) / 7 + 1;
    tm_put_be64(p, (tm_varint_spread(value) | UINT64_C(0x8080808080808000)) << (8 * (8 - n)));
    return n;
}

size_t tm_sqlite_get_varint(const uint8_t *p, size_t len, uint64_t *value)
{
    uint64_t v = 0;
    for (size_t i = 0; i < len && i < 8; i++) {
        v = v << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80) {
            *value = v;
            return i + 1;
        }
    }
    if (len < 9)
        return 0;
    *value = v << 8 | p[8];
    return 9;
}

void tm_sqlite_record_begin(struct tm_sqlite_record *record)
{
    record->types_len = 1;
    record->wide_column = 0;
    tm_buf_clear(&record->values);
    record->long_text.data = NULL;
    record->failed = tm_buf_reserve(&record->values, ROOM) < 0 ? TM_E_SYSTEM : TM_OK;
}

static uint64_t text_type(struct tm_text text)
{
    return TM_RECORD_TYPE_TEXT + 2 * (uint64_t)text.len;
}

/* Adds a value's type and returns where its LEN bytes go; NULL: out of memory. */
static uint8_t *put_value(struct tm_sqlite_record *record, uint64_t type, size_t len)
{
    if (record->failed < 0)
        return NULL;
    if (tm_buf_reserve(&record->values, len + TM_RECORD_SLACK) < 0) {
        record->failed = TM_E_SYSTEM;
        return NULL;
    }
    record->types_len += tm_sqlite_put_varint(record->types + record->types_len, type);
    uint8_t *to = record->values.data + record->values.len;
    record->values.len += len;
    return to;
}

void tm_sqlite_record_wide(struct tm_sqlite_record *record, int64_t value)
{
    record->wide_column = 0;
    for (size_t i = 1; i < record->types_len; i++)
        record->wide_column += record->types[i] < 0x80; /* the last byte of a type */
    record->wide_at = record->values.len;
    uint8_t *to = put_value(record, TYPE_INT64, NUMBER_BYTES);
    if (to)
        tm_put_be64(to, (uint64_t)value);
}

/* A whole number is stored as an integer if that is shorter, as SQLite does in a column of type REAL. */
void tm_sqlite_record_real(struct tm_sqlite_record *record, double value)
{
    uint64_t bits;
    uint8_t *to;
    if (isnan(value)) {
        tm_sqlite_record_null(record);
    } else if (fabs(value) < 0x1p47 && value == (double)(int64_t)value) {
        tm_sqlite_record_int(record, (int64_t)value);
    } else if ((to = put_value(record, TYPE_FLOAT, sizeof bits)) != NULL) {
        memcpy(&bits, &value, sizeof bits);
        tm_put_be64(to, bits);
    }
}

void tm_sqlite_record_any_text(struct tm_sqlite_record *record, struct tm_text text)
{
    uint8_t *to;
    if (text.len > TM_RECORD_TEXT_MAX)
        record->failed = TM_E_INPUT;
    else if ((to = put_value(record, text_type(text), text.len)) != NULL && text.len)
        memcpy(to, text.data, text.len);
}

void tm_sqlite_record_long_text(struct tm_sqlite_record *record, struct tm_text text)
{
    if (text.data == NULL || text.len > TM_RECORD_TEXT_MAX) {
        tm_sqlite_record_text(record, text);
        return;
    }
    record->types_len += tm_sqlite_put_varint(record->types + record->types_len, text_type(text));
    record->long_text = text;
}

void tm_sqlite_record_release(struct tm_sqlite_record *record)
{
    tm_buf_release(&record->values);
}

/* Finds column COLUMN of PAYLOAD: its type and its bytes. TM_END: there is no such column. */
static enum tm_status find_column(const uint8_t *payload, size_t len, unsigned column, uint64_t *type,
                                  struct tm_text *bytes)
{
    uint64_t types_len, size = 0;
    size_t at = tm_sqlite_get_varint(payload, len, &types_len), n = 0;
    if (at == 0 || types_len > len)
        return TM_END;
    uint64_t value = types_len;
    for (unsigned i = 0; i <= column; i++, at += n, value += size) {
        if (at >= types_len || (n = tm_sqlite_get_varint(payload + at, (size_t)types_len - at, type)) == 0)
            return TM_END;
        size = *type >= TM_RECORD_TYPE_TEXT - 1 ? (*type - 12) / 2 : *type <= TYPE_ONE ? type_bytes[*type] : 0;
        if (size > len - value)
            return TM_END;
        *bytes = (struct tm_text){payload + value, (size_t)size};
    }
    return TM_OK;
}

enum tm_status tm_sqlite_record_get_text(const uint8_t *payload, size_t len, unsigned column, struct tm_text *text)
{
    uint64_t type = 0;
    enum tm_status st = find_column(payload, len, column, &type, text);
    return st == TM_OK && type >= TM_RECORD_TYPE_TEXT && type % 2 ? TM_OK : TM_END;
}

enum tm_status tm_sqlite_record_get_real(const uint8_t *payload, size_t len, unsigned column, double *value)
{
    struct tm_text bytes = {0};
    uint64_t type = 0, bits = 0;
    if (find_column(payload, len, column, &type, &bytes) != TM_OK || type == TYPE_NULL || type > TYPE_ONE)
        return TM_END;
    for (size_t i = 0; i < bytes.len; i++)
        bits = bits << 8 | bytes.data[i];
    unsigned unused = 64 - 8 * (unsigned)bytes.len;
    if (type == TYPE_FLOAT)
        memcpy(value, &bits, sizeof bits);
    else if (bytes.len)
        *value = (double)((int64_t)(bits << unused) >> unused);
    else
        *value = type == TYPE_ONE;
    return TM_OK;
}

enum tm_status tm_sqlite_record_find_wide(const uint8_t *payload, size_t len, unsigned column, size_t *at)
{
    struct tm_text bytes = {0};
    uint64_t type = 0;
    if (find_column(payload, len, column, &type, &bytes) != TM_OK || type != TYPE_INT64)
        return TM_END;
    *at = (size_t)(bytes.data - payload);
    return TM_OK;
}
