/* Tables of a Gecko profile as rows of fixed width in paged memory, read from either format: columns
 * that are arrays of their own, or an array of rows whose columns a schema numbers. */
#ifndef TM_FORMAT_GECKO_COLUMNS_H
#define TM_FORMAT_GECKO_COLUMNS_H

#include "base/pb.h"
#include "format/gecko/parts.h"

/* What a field holds. All read as 0 where nothing was written, which means none. */
enum tm_gecko_field_kind {
    TM_GF_INDEX,  /* 4 bytes: an index into another table, plus 1; none for null and negative numbers */
    TM_GF_WIDE,   /* 8 bytes: the same for numbers of up to 64 bits */
    TM_GF_TIME,   /* 8 bytes: milliseconds as nanoseconds, coded by tm_gecko_number_put */
    TM_GF_DELTA,  /* the same from the sum of all so far, which is kept to a millionth of a nanosecond */
    TM_GF_NUMBER, /* 8 bytes: a whole number */
    TM_GF_REAL    /* 8 bytes: a double, coded by tm_gecko_real_put */
};

struct tm_gecko_field {
    enum tm_gecko_part part; /* the column in the preprocessed format */
    const char *name;        /* in a schema */
    uint8_t kind;            /* enum tm_gecko_field_kind */
    uint8_t offset;          /* in the row */
};

enum { TM_GECKO_ROW_MAX = 64, TM_GECKO_FIELDS_MAX = 8 };

struct tm_gecko_table {
    const struct tm_gecko_field *fields;
    uint32_t field_count;
    uint32_t row_bytes;
    enum tm_gecko_part schema, data; /* both 0: the table has no such form */
    bool is_events;                  /* its rows are events: what a damaged column takes from all is counted */
};

/* Where the rows of a table went. */
struct tm_gecko_rows {
    struct tm_paged_file paged;
    uint32_t count;
    uint32_t whole; /* rows before damage; UINT32_MAX: there was none */
};

/* Coding of 64-bit numbers in which 0 is none (and INT64_MIN is lost). */
static inline uint64_t tm_gecko_number_put(int64_t v)
{
    return (uint64_t)v ^ UINT64_C(1) << 63;
}

static inline bool tm_gecko_number_get(const uint8_t *p, int64_t *v)
{
    uint64_t coded = tm_get_le64(p);
    *v = (int64_t)(coded ^ UINT64_C(1) << 63);
    return coded != 0;
}

/* Coding of finite doubles in which 0 is none. */
static inline uint64_t tm_gecko_real_put(double d)
{
    return tm_pb_bits(d) ^ UINT64_C(0x7ff8000000000001);
}

static inline bool tm_gecko_real_get(const uint8_t *p, double *d)
{
    uint64_t coded = tm_get_le64(p);
    *d = tm_pb_double(coded ^ UINT64_C(0x7ff8000000000001));
    return coded != 0;
}

static inline bool tm_gecko_index_get(const uint8_t *p, uint32_t *index)
{
    *index = tm_get_le32(p) - 1;
    return *index != UINT32_MAX;
}

/* Where columns are in a schema; -1 absent. */
struct tm_gecko_schema {
    int32_t at[TM_GECKO_FIELDS_MAX];
};

/* COUNT events that were not shown, the first of them at BYTE of the input. */
struct tm_gecko_account {
    uint64_t count, byte;
};

static inline void tm_gecko_count(struct tm_gecko_account *account, uint64_t n, uint64_t byte)
{
    if (account->count == 0)
        account->byte = byte;
    account->count += n;
}

/* The spool and the parts of a thread in it, or of what threads share. */
struct tm_gecko_source {
    struct tm_paged_file *spool;
    const struct tm_gecko_parts *parts;
    struct tm_gecko_account *damaged; /* where set, damage is counted there and ends a column or table; else an error */
};

/* Reads the columns' places out of PART. */
enum tm_status tm_gecko_schema_read(const struct tm_gecko_source *source, enum tm_gecko_part part,
                                    const struct tm_gecko_field *fields, uint32_t field_count,
                                    struct tm_gecko_schema *schema, struct tm_error *err);

/* Reads TABLE, in whichever form it is there, into ROWS, which is cleared. Of columns that damage ends, the shortest
 * tells how many rows there are. TM_OK or an error. */
enum tm_status tm_gecko_rows_read(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                  struct tm_gecko_rows *rows, struct tm_error *err);

/* Row I (below count) into ROW. */
static inline enum tm_status tm_gecko_row_get(struct tm_gecko_rows *rows, const struct tm_gecko_table *table,
                                              uint32_t i, uint8_t *row, struct tm_error *err)
{
    return tm_paged_file_read(&rows->paged, (uint64_t)i * table->row_bytes, row, table->row_bytes, err);
}

/* What VALUE is as a field of KIND (not TM_GF_DELTA); 0 none. */
uint64_t tm_gecko_field_value(enum tm_gecko_field_kind kind, const struct tm_json_value *value);

/* What ST means to a reader of PART: TM_END for damage that is counted (once, where the part was cut by it); else ST.
 */
enum tm_status tm_gecko_salvage(const struct tm_gecko_source *source, enum tm_gecko_part part, enum tm_status st,
                                struct tm_error *err);

/* The byte that an error "byte N: cause" names. */
uint64_t tm_gecko_error_byte(const struct tm_error *err);

#endif
