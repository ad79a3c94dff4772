/* Tables of a Gecko profile as rows of fixed width in paged memory. Both formats are read: columns as arrays of their
 * own, and an array of rows whose columns a schema numbers. */
#ifndef TM_FORMAT_GECKO_COLUMNS_H
#define TM_FORMAT_GECKO_COLUMNS_H

#include "base/pb.h"
#include "format/gecko/account.h"
#include "format/gecko/parts.h"
#include "format/json_args.h"

/* The content of a field. A field that was never written reads as 0, which means none. */
enum tm_gecko_field_kind {
    TM_GF_INDEX,  /* 4 bytes: an index into another table, plus 1. null and negative numbers are none. */
    TM_GF_WIDE,   /* 8 bytes: an integer, plus 1. null and negative numbers are none. */
    TM_GF_TIME,   /* 8 bytes: a time in milliseconds, stored as nanoseconds by tm_gecko_number_put */
    /* 8 bytes: a time since the row before. The sum up to this row is stored, like TM_GF_TIME. It is exact to a
     * millionth of a nanosecond. */
    TM_GF_DELTA,
    TM_GF_NUMBER, /* 8 bytes: an integer */
    TM_GF_REAL    /* 8 bytes: a double, stored by tm_gecko_real_put */
};

struct tm_gecko_field {
    enum tm_gecko_part part; /* the column's part in the preprocessed format */
    const char *name;        /* the column's name in a schema */
    uint8_t kind;            /* enum tm_gecko_field_kind */
    uint8_t offset;          /* in the row */
};

enum { TM_GECKO_ROW_MAX = 64, TM_GECKO_FIELDS_MAX = 8 };

struct tm_gecko_table {
    const struct tm_gecko_field *fields;
    uint32_t field_count;
    uint32_t row_bytes;
    enum tm_gecko_part schema, data; /* both 0: the table has no schema form */
    bool is_events;                  /* its rows are events: rows lost to a damaged column are counted */
};

/* The rows of a table. */
struct tm_gecko_rows {
    struct tm_paged_file paged;
    uint32_t count;
    uint32_t whole; /* number of rows before damage; UINT32_MAX: no damage */
};

/* Encodes 64-bit numbers so that 0 means none. INT64_MIN cannot be represented. */
static inline uint64_t tm_gecko_number_put(int64_t v)
{
    return (uint64_t)v ^ UINT64_C(1) << 63;
}

/* Decodes the number at P. False: none. */
static inline bool tm_gecko_number_get(const uint8_t *p, int64_t *v)
{
    uint64_t coded = tm_get_le64(p);
    *v = (int64_t)(coded ^ UINT64_C(1) << 63);
    return coded != 0;
}

/* Encodes finite doubles so that 0 means none. */
static inline uint64_t tm_gecko_real_put(double d)
{
    return tm_pb_bits(d) ^ UINT64_C(0x7ff8000000000001);
}

/* Decodes the double at P. False: none. */
static inline bool tm_gecko_real_get(const uint8_t *p, double *d)
{
    uint64_t coded = tm_get_le64(p);
    *d = tm_pb_double(coded ^ UINT64_C(0x7ff8000000000001));
    return coded != 0;
}

/* Decodes the index at P. False: none; *INDEX is UINT32_MAX. */
static inline bool tm_gecko_index_get(const uint8_t *p, uint32_t *index)
{
    *index = tm_get_le32(p) - 1;
    return *index != UINT32_MAX;
}

/* Positions of the columns in a schema; -1: absent. */
struct tm_gecko_schema {
    int32_t at[TM_GECKO_FIELDS_MAX];
};

/* The paged file, and the parts in it of one thread or of the shared tables. */
struct tm_gecko_source {
    struct tm_paged_file *text_file;
    const struct tm_gecko_parts *parts;
    /* if set, damage ends a column or table and is counted here; otherwise it is an error */
    struct tm_gecko_account *damaged;
};

/* The columns that a schema numbers. */
struct tm_gecko_fields {
    const struct tm_gecko_field *fields;
    uint32_t count;
};

/* Reads the positions of FIELDS from PART. TM_OK or an error. */
enum tm_status tm_gecko_schema_read(const struct tm_gecko_source *source, enum tm_gecko_part part,
                                    struct tm_gecko_fields fields, struct tm_gecko_schema *schema,
                                    struct tm_error *err);

enum { TM_GECKO_FAST_COLUMNS = 16 };

/* Reads rows of the Gecko format: arrays whose elements a schema numbers. */
struct tm_gecko_cells {
    struct tm_gecko_fields fields;
    const struct tm_gecko_schema *schema; /* borrowed */
    int32_t object_column;                /* its values are kept; -1: none */
    struct tm_json_args *args;            /* if set, an object in that column is read into it; borrowed */
    /* the row read last */
    uint8_t row[TM_GECKO_ROW_MAX];
    struct tm_json_value object; /* of object_column, of any type; length 0: none. Valid as long as the row. */
    bool has_args;               /* ARGS has the members of OBJECT, with keys "data.KEY" */
    /* private */
    uint8_t only[TM_GECKO_FAST_COLUMNS]; /* the number of the only field of a column, plus 1; 0: none or several */
};

/* Prepares CELLS for rows with FIELDS at the columns of SCHEMA. */
void tm_gecko_cells_init(struct tm_gecko_cells *cells, struct tm_gecko_fields fields,
                         const struct tm_gecko_schema *schema);

/* Reads the next value of CURSOR, a row. The row is all zero if it is no array; *TYPE is its type. TM_OK or an
 * error. */
enum tm_status tm_gecko_cells_read(struct tm_gecko_cells *cells, struct tm_json_cursor *cursor,
                                   enum tm_json_type *type, struct tm_error *err);

/* Clears ROWS and reads TABLE into it, in the form that the file has. If damage ends columns, the shortest column sets
 * the number of rows. TM_OK or an error. */
enum tm_status tm_gecko_rows_read(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                  struct tm_gecko_rows *rows, struct tm_error *err);

/* Copies row I (below count) to ROW. TM_OK or an error. */
static inline enum tm_status tm_gecko_row_get(struct tm_gecko_rows *rows, const struct tm_gecko_table *table,
                                              uint32_t i, uint8_t *row, struct tm_error *err)
{
    return tm_paged_file_read(&rows->paged, (uint64_t)i * table->row_bytes, row, table->row_bytes, err);
}

/* Encodes VALUE as a field of KIND (not TM_GF_DELTA); 0: none. */
uint64_t tm_gecko_field_value(enum tm_gecko_field_kind kind, const struct tm_json_value *value);

/* Converts the result ST of reading PART: TM_END for damage that is counted, otherwise ST. Damage that cut the part is
 * counted once. */
enum tm_status tm_gecko_salvage(const struct tm_gecko_source *source, enum tm_gecko_part part, enum tm_status st,
                                struct tm_error *err);

#endif
