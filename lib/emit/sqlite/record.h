/* One row as SQLite stores it: the types of its values, then the values. Source: "Database File Format" of sqlite.org,
 * "Record Format". */
#ifndef TM_EMIT_SQLITE_RECORD_H
#define TM_EMIT_SQLITE_RECORD_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/text.h"
#include "model/rows.h"

#include <stdbool.h>
#include <string.h>

enum {
    TM_RECORD_COLUMNS_MAX = 24,                          /* the length of all types fits one byte */
    TM_RECORD_TYPES_MAX = 1 + TM_RECORD_COLUMNS_MAX * 5 + 4, /* that length, the types, and room for the last */
    TM_RECORD_TEXT_MAX = 1000000000,                     /* SQLite reads no longer value */
    TM_RECORD_TYPE_TEXT = 13, /* the type of an empty text; that of a text of N bytes is 2 * N more */
    TM_RECORD_SLACK = TM_RECORD_COLUMNS_MAX * 8, /* room after the values for a number in each column */
};

/* Zero-initialise. Put the values in the order of the columns; the column that is the rowid is put as null. Lack of
 * memory and a text that is too long are remembered in failed. */
struct tm_sqlite_record {
    uint8_t types[TM_RECORD_TYPES_MAX]; /* the first byte is set to their length when the record is added */
    size_t types_len;                   /* includes that byte */
    struct tm_buf values; /* unless failed, it has room for a number in each column that follows */
    struct tm_text long_text; /* borrowed; if its data is not NULL, it takes the place of values */
    unsigned wide_column; /* the last one put by tm_sqlite_record_wide; 0: none */
    size_t wide_at;       /* where it is in values */
    enum tm_status failed; /* TM_OK, TM_E_SYSTEM: no memory, TM_E_INPUT: a text is too long */
};

/* Begins an empty record. The functions below append one value each. */
void tm_sqlite_record_begin(struct tm_sqlite_record *record);

static inline void tm_sqlite_record_null(struct tm_sqlite_record *record)
{
    record->types[record->types_len++] = 0;
}

static inline void tm_sqlite_record_int(struct tm_sqlite_record *record, int64_t value)
{
    /* type and number of bytes, by the number of bytes that the value needs, minus 1; at the end those of 0 and 1 */
    static const uint8_t types[] = {1, 2, 3, 4, 5, 5, 6, 6, 8, 9}, bytes[] = {1, 2, 3, 4, 6, 6, 8, 8, 0, 0};
    if (record->failed < 0)
        return;
    unsigned width = (tm_highest_bit((uint64_t)(value < 0 ? ~value : value) | 1) + 1) / 8; /* one bit is the sign */
    unsigned i = (uint64_t)value < 2 ? 8 + (unsigned)value : width;
    record->types[record->types_len++] = types[i];
    /* The next value overwrites the bytes after this one. */
    tm_put_be64(record->values.data + record->values.len, (uint64_t)value << ((64 - 8 * bytes[i]) & 63));
    record->values.len += bytes[i];
}

/* An integer in eight bytes, whatever its value, for tm_sqlite_btree_change. */
void tm_sqlite_record_wide(struct tm_sqlite_record *record, int64_t value);

/* NULL unless HAS */
static inline void tm_sqlite_record_maybe(struct tm_sqlite_record *record, bool has, int64_t value)
{
    if (has)
        tm_sqlite_record_int(record, value);
    else
        tm_sqlite_record_null(record);
}

/* TM_NO_ID is NULL */
static inline void tm_sqlite_record_id(struct tm_sqlite_record *record, int64_t id)
{
    tm_sqlite_record_maybe(record, id != TM_NO_ID, id);
}

/* For a column of type REAL. NaN becomes NULL, as always in SQLite. */
void tm_sqlite_record_real(struct tm_sqlite_record *record, double value);
/* Does the work of tm_sqlite_record_text for a text of any length. */
void tm_sqlite_record_any_text(struct tm_sqlite_record *record, struct tm_text text);

/* TEXT is UTF-8 without NUL; its data may be NULL. */
static inline void tm_sqlite_record_text(struct tm_sqlite_record *record, struct tm_text text)
{
    enum { SHORT_MAX = (0x7f - TM_RECORD_TYPE_TEXT) / 2 }; /* the longest whose type is a byte */
    if (text.data == NULL) {
        tm_sqlite_record_null(record);
        return;
    }
    if (text.len > SHORT_MAX || record->failed < 0 ||
        record->values.cap - record->values.len < SHORT_MAX + TM_RECORD_SLACK) {
        tm_sqlite_record_any_text(record, text);
        return;
    }
    record->types[record->types_len++] = (uint8_t)(TM_RECORD_TYPE_TEXT + 2 * text.len);
    tm_copy_few(record->values.data + record->values.len, text.data, text.len);
    record->values.len += text.len;
}

/* Puts TEXT without copying it. It must be the only value of the record that is not NULL, and valid until the record
 * has been added. */
void tm_sqlite_record_long_text(struct tm_sqlite_record *record, struct tm_text text);

void tm_sqlite_record_release(struct tm_sqlite_record *record);

/* Sets *TEXT to column COLUMN (from 0) of PAYLOAD, a record of LEN bytes. TM_END: the column is not a text. */
enum tm_status tm_sqlite_record_get_text(const uint8_t *payload, size_t len, unsigned column, struct tm_text *text);

/* Sets *VALUE to column COLUMN of PAYLOAD, which may be stored as an integer. TM_END: the column is not a number. */
enum tm_status tm_sqlite_record_get_real(const uint8_t *payload, size_t len, unsigned column, double *value);

/* Sets *AT to where PAYLOAD, of which LEN bytes are there, has column COLUMN. TM_END: it is not an integer in eight
 * bytes. */
enum tm_status tm_sqlite_record_find_wide(const uint8_t *payload, size_t len, unsigned column, size_t *at);

/* A variable-length integer of 1 to 9 bytes, most significant first. put returns the number of bytes of VALUE at P,
 * where there is room for TM_SQLITE_VARINT_MAX. get returns the number of bytes read of the LEN bytes at P, 0 if there
 * are too few. */
enum { TM_SQLITE_VARINT_MAX = 9 };
size_t tm_sqlite_put_varint(uint8_t *p, uint64_t value);
size_t tm_sqlite_get_varint(const uint8_t *p, size_t len, uint64_t *value);

#endif
