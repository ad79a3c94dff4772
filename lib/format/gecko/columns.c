#include "format/gecko/columns.h"

#include "base/decimal.h"
#include "json/fast_path.h"
#include "json/number.h"

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
        tm_gecko_count(source->damaged, 1, err->byte);
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
                if (tm_json_is(&key, fields.fields[i].name) && at > 0 && at <= INT32_MAX)
                    schema->at[i] = (int32_t)(at - 1);
            }
    }
    tm_gecko_reader_release(&reader);
    st = tm_gecko_salvage(source, part, st, err);
    return st == TM_END ? TM_OK : st;
}

/* Reads the number at P, a usual one, as a field of KIND. TM_JSON_NUMBER_ROOM bytes at P are readable. Returns the byte
 * after it, or NULL. */
static inline const uint8_t *fast_field(enum tm_gecko_field_kind kind, const uint8_t *p, uint64_t *coded)
{
    uint64_t v;
    const uint8_t *after = NULL;
    if (kind == TM_GF_TIME) {
        after = tm_json_fast_scaled(p, MS_SCALE, &v);
        *coded = after ? tm_gecko_number_put((int64_t)v) : 0;
    } else if (kind == TM_GF_INDEX) {
        after = tm_json_fast_int(p, &v);
        *coded = after && v < UINT32_MAX ? v + 1 : 0;
    }
    return after;
}

/* Reads the element at SCAN's p, in column COLUMN, if it is a usual number for the only field of that column. */
static inline bool fast_cell(struct tm_gecko_cells *c, struct tm_json_scan *scan, int32_t column)
{
    uint64_t coded;
    uint32_t only = column < TM_GECKO_FAST_COLUMNS ? c->only[column] : 0;
    if (only == 0 || scan->end - scan->p < TM_JSON_NUMBER_ROOM || !tm_json_is_digit(*scan->p))
        return false;
    const struct tm_gecko_field *field = &c->fields.fields[only - 1];
    const uint8_t *after = fast_field((enum tm_gecko_field_kind)field->kind, scan->p, &coded);
    if (after == NULL)
        return false;
    put(c->row + field->offset, field->kind, coded);
    scan->p = after;
    return true;
}

/* Reads the element at SCAN's p, in column COLUMN. */
static enum tm_json_status read_cell(struct tm_gecko_cells *c, struct tm_json_scan *scan, int32_t column)
{
    struct tm_json_value value;
    bool is_args = c->args && column == c->object_column && *scan->p == '{';
    enum tm_json_status st = is_args ? tm_json_args_read(c->args, "data", scan, &value) : tm_json_value(scan, &value);
    if (st != TM_JSON_OK)
        return st;
    for (uint32_t i = 0; i < c->fields.count; i++)
        if (c->schema->at[i] == column)
            put(c->row + c->fields.fields[i].offset, c->fields.fields[i].kind,
                tm_gecko_field_value((enum tm_gecko_field_kind)c->fields.fields[i].kind, &value));
    if (column == c->object_column) {
        c->object = value;
        c->has_args = is_args;
    }
    return TM_JSON_OK;
}

/* Reads the row at SCAN's p: a tm_json_value_reader. */
static enum tm_json_status read_row(void *cells, struct tm_json_scan *scan, struct tm_json_value *value)
{
    struct tm_gecko_cells *c = cells;
    const uint8_t *start = scan->p;
    memset(c->row, 0, sizeof c->row);
    c->object.len = 0;
    c->has_args = false;
    if (*start != '[')
        return tm_json_value(scan, value);
    scan->p++;
    for (int32_t column = 0;; column++) {
        enum tm_json_status st = TM_JSON_OK;
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if (*scan->p == ']')
            break;
        if (!fast_cell(c, scan, column))
            st = read_cell(c, scan, column);
        if (st == TM_JSON_OK)
            st = tm_json_comma(scan, ']');
        if (st != TM_JSON_OK)
            return st;
    }
    *value = (struct tm_json_value){.data = start, .len = (size_t)(++scan->p - start), .type = TM_JSON_ARRAY};
    return TM_JSON_OK;
}

void tm_gecko_cells_init(struct tm_gecko_cells *c, struct tm_gecko_fields fields, const struct tm_gecko_schema *schema)
{
    *c = (struct tm_gecko_cells){.fields = fields, .schema = schema, .object_column = -1};
    for (int32_t column = 0; column < TM_GECKO_FAST_COLUMNS; column++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < fields.count; i++)
            if (schema->at[i] == column) {
                c->only[column] = (uint8_t)(i + 1);
                count++;
            }
        if (count > 1)
            c->only[column] = 0;
    }
}

enum tm_status tm_gecko_cells_read(struct tm_gecko_cells *c, struct tm_json_cursor *cursor, enum tm_json_type *type,
                                   struct tm_error *err)
{
    struct tm_json_value value;
    enum tm_status st = tm_json_cursor_read(cursor, read_row, c, &value, err);
    if (st == TM_OK)
        *type = value.type;
    return st;
}

/* Reads a table of the Gecko format: an array of rows whose columns a schema numbers. */
static enum tm_status read_data(const struct tm_gecko_source *source, const struct tm_gecko_table *table,
                                struct tm_gecko_rows *rows, struct tm_error *err)
{
    struct tm_gecko_reader reader;
    struct tm_gecko_schema schema;
    struct tm_gecko_cells cells;
    enum tm_json_type type;
    const struct tm_gecko_fields fields = {table->fields, table->field_count};
    enum tm_status st = tm_gecko_schema_read(source, table->schema, fields, &schema, err);
    if (st < 0)
        return st;
    tm_gecko_cells_init(&cells, fields, &schema);
    tm_gecko_reader_init(&reader, source->text_file, source->parts, table->data);
    st = tm_json_cursor_enter(&reader.cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(&reader.cursor, err)) == TM_OK &&
           (st = tm_gecko_cells_read(&cells, &reader.cursor, &type, err)) == TM_OK) {
        if (rows->count == ROWS_MAX)
            st = too_many(&reader, err);
        if (st == TM_OK)
            st = tm_paged_file_write(&rows->paged, (uint64_t)rows->count++ * table->row_bytes, cells.row,
                                     table->row_bytes, err);
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
