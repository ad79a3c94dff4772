#include "format/gecko/columns.h"

#include "base/decimal.h"
#include "format/json_args.h"

enum { MS_SCALE = 6, FINE_SCALE = 12, FINE_PER_NS = 1000000, ROWS_MAX = 1 << 30 };

static bool numeric(const struct tm_json_value *v)
{
    return v->type == TM_JSON_NUMBER;
}

uint64_t tm_gecko_field_value(enum tm_gecko_field_kind kind, const struct tm_json_value *value)
{
    const char *s = (const char *)value->data;
    int64_t v;
    bool is_double;
    uint64_t bits;
    if (!numeric(value))
        return 0;
    switch (kind) {
    case TM_GF_REAL:
        return !tm_json_number(value->data, value->len, &is_double, &bits) ? 0
               : tm_gecko_real_put(is_double ? tm_pb_double(bits) : (double)(int64_t)bits);
    case TM_GF_INDEX:
        return tm_decimal_int(s, value->len, &v) == TM_OK && v >= 0 && v < UINT32_MAX ? (uint64_t)v + 1 : 0;
    case TM_GF_WIDE:
        return tm_decimal_int(s, value->len, &v) == TM_OK && v >= 0 ? (uint64_t)v + 1 : 0;
    case TM_GF_TIME:
        return tm_decimal_scale(s, value->len, MS_SCALE, &v) == TM_OK ? tm_gecko_number_put(v) : 0;
    default:
        return tm_decimal_int(s, value->len, &v) == TM_OK ? tm_gecko_number_put(v) : 0;
    }
}

/* A sum of times: whole nanoseconds, and millionths of a nanosecond of either sign. */
struct sum {
    int64_t ns, fine;
    bool good;
};

/* Adds VALUE to SUM. Returns the sum as a field; 0 if VALUE is not a number or the sum does not fit. */
static uint64_t add_delta(struct sum *sum, const struct tm_json_value *value)
{
    int64_t fine, ns = 0;
    if (!numeric(value))
        return 0;
    if (tm_decimal_scale((const char *)value->data, value->len, FINE_SCALE, &fine) != TM_OK) {
        fine = 0;
        if (tm_decimal_scale((const char *)value->data, value->len, MS_SCALE, &ns) != TM_OK)
            sum->good = false;
    }
    sum->fine += fine % FINE_PER_NS;
    ns += fine / FINE_PER_NS + sum->fine / FINE_PER_NS;
    sum->fine %= FINE_PER_NS;
    if (ns > 0 ? sum->ns > INT64_MAX - 1 - ns : sum->ns < INT64_MIN + 1 - ns)
        sum->good = false;
    if (!sum->good)
        return 0;
    sum->ns += ns;
    return tm_gecko_number_put(sum->ns + (sum->fine >= FINE_PER_NS / 2) - (sum->fine <= -FINE_PER_NS / 2));
}

static size_t width(uint8_t kind)
{
    return kind == TM_GF_INDEX ? 4 : 8;
}

static void put(uint8_t *p, uint8_t kind, uint64_t v)
{
    if (kind == TM_GF_INDEX)
        tm_put_le32(p, (uint32_t)v);
    else
        tm_put_le64(p, v);
}

enum tm_status tm_gecko_salvage(const struct tm_gecko_source *source, enum tm_gecko_part part, enum tm_status st,
                                struct tm_error *err)
{
    if (st != TM_E_INPUT || source->damaged == NULL)
        return st;
    if (!source->parts->of[part].is_cut)
        tm_gecko_count(source->damaged, 1, tm_gecko_error_byte(err));
    *err = (struct tm_error){0};
    return TM_END;
}

static enum tm_status too_many(const struct tm_gecko_reader *reader, struct tm_error *err)
{
    return tm_error_at(err, reader->part.in.offset, "a table has too many rows");
}

/* Reads one column of the preprocessed format. */
static enum tm_status read_column(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                  const struct tm_gecko_field *field, struct tm_gecko_rows *rows, struct tm_error *err)
{
    struct tm_gecko_reader reader;
    struct tm_json_value value;
    struct sum sum = {.good = true};
    uint32_t i = 0;
    uint8_t bytes[8];
    tm_gecko_reader_init(&reader, source->text_file, source->parts, field->part);
    enum tm_status st = tm_json_cursor_enter(&reader.cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(&reader.cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(&reader.cursor, &value, err)) == TM_OK) {
        if (i == ROWS_MAX)
            st = too_many(&reader, err);
        put(bytes, field->kind, field->kind == TM_GF_DELTA ? add_delta(&sum, &value)
                                                           : tm_gecko_field_value(field->kind, &value));
        if (st == TM_OK)
            st = tm_paged_file_write(&rows->paged, (uint64_t)i++ * table->row_bytes + field->offset, bytes,
                                     width(field->kind), err);
    }
    if (rows->count < i)
        rows->count = i;
    if (st == TM_E_INPUT && rows->whole > i)
        rows->whole = i;
    st = tm_gecko_salvage(source, field->part, st, err);
    tm_gecko_reader_release(&reader);
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_gecko_schema_read(const struct tm_gecko_source *source, enum tm_gecko_part part,
                                    struct tm_gecko_fields fields, struct tm_gecko_schema *schema, struct tm_error *err)
{
    struct tm_gecko_reader reader;
    struct tm_json_value key, value;
    enum tm_status st;
    for (int i = 0; i < TM_GECKO_FIELDS_MAX; i++)
        schema->at[i] = -1;
    tm_gecko_reader_init(&reader, source->text_file, source->parts, part);
    st = tm_json_cursor_value(&reader.cursor, &value, err);
    if (st == TM_OK && value.type == TM_JSON_OBJECT) {
        struct tm_json_scan scan = tm_json_scan_of(&value);
        struct tm_json_value column;
        scan.p++;
        while (tm_json_member(&scan, &key, &column) == TM_JSON_OK)
            for (uint32_t i = 0; i < fields.count; i++) {
                uint64_t at = tm_gecko_field_value(TM_GF_INDEX, &column);
                if (tm_json_is(&key, fields.fields[i].name, strlen(fields.fields[i].name)) && at > 0 && at <= INT32_MAX)
                    schema->at[i] = (int32_t)(at - 1);
            }
    }
    tm_gecko_reader_release(&reader);
    st = tm_gecko_salvage(source, part, st, err);
    return st == TM_END ? TM_OK : st;
}

/* Fills ROW from the fields of one row, an array. */
static void fill_row(const struct tm_gecko_table *table, const struct tm_gecko_schema *schema,
                     const struct tm_json_value *array, uint8_t *row)
{
    struct tm_json_scan scan = tm_json_scan_of(array);
    struct tm_json_value value;
    memset(row, 0, table->row_bytes);
    if (array->type != TM_JSON_ARRAY)
        return;
    scan.p++;
    for (int32_t column = 0; tm_json_element(&scan, &value) == TM_JSON_OK; column++)
        for (uint32_t i = 0; i < table->field_count; i++)
            if (schema->at[i] == column)
                put(row + table->fields[i].offset, table->fields[i].kind,
                    tm_gecko_field_value(table->fields[i].kind, &value));
}

/* Reads a table of the Gecko format: an array of rows whose columns a schema numbers. */
static enum tm_status read_data(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                struct tm_gecko_rows *rows, struct tm_error *err)
{
    struct tm_gecko_reader reader;
    struct tm_gecko_schema schema;
    struct tm_json_value value;
    uint8_t row[TM_GECKO_ROW_MAX];
    const struct tm_gecko_fields fields = {table->fields, table->field_count};
    enum tm_status st = tm_gecko_schema_read(source, table->schema, fields, &schema, err);
    if (st < 0)
        return st;
    tm_gecko_reader_init(&reader, source->text_file, source->parts, table->data);
    st = tm_json_cursor_enter(&reader.cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(&reader.cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(&reader.cursor, &value, err)) == TM_OK) {
        if (rows->count == ROWS_MAX)
            st = too_many(&reader, err);
        fill_row(table, &schema, &value, row);
        if (st == TM_OK)
            st = tm_paged_file_write(&rows->paged, (uint64_t)rows->count++ * table->row_bytes, row, table->row_bytes,
                                     err);
    }
    if (st == TM_E_INPUT)
        rows->whole = rows->count;
    st = tm_gecko_salvage(source, table->data, st, err);
    tm_gecko_reader_release(&reader);
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_gecko_rows_read(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                  struct tm_gecko_rows *rows, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    tm_paged_file_clear(&rows->paged);
    rows->count = 0;
    rows->whole = UINT32_MAX;
    if (table->schema != table->data && tm_gecko_has(source->parts, table->schema) &&
        tm_gecko_has(source->parts, table->data))
        return read_data(source, table, rows, err);
    for (uint32_t i = 0; st == TM_OK && i < table->field_count; i++)
        if (table->fields[i].part != TM_GP_COUNT && tm_gecko_has(source->parts, table->fields[i].part))
            st = read_column(source, table, &table->fields[i], rows, err);
    if (st == TM_OK && rows->count > rows->whole) {
        if (table->is_events)
            tm_gecko_count(source->damaged, rows->count - rows->whole, source->parts->shift);
        rows->count = rows->whole;
    }
    return st;
}
