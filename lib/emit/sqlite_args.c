#include "emit/sqlite_work.h"

#include <stdlib.h>

enum { ARGS_WINDOW = 1 << 13, ARGS_TEXT_MAX = 8 << 20 };

/* Texts of a row stand one after another in the buffer: key, key without indices, value. */
struct tm_sqlite_arg_row {
    struct tm_arg_row row; /* without texts */
    size_t text, key_len, flat_len, value_len;
    bool has_value;
};

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    struct tm_sqlite *s = self;
    const struct tm_sqlite_arg_row *arg = &s->args.rows[i];
    const uint8_t *text = s->args.text.data + arg->text;
    const uint8_t *value = text + arg->key_len + arg->flat_len;
    switch (column) {
    case 0: sqlite3_result_int64(out, arg->row.id); break;
    case 1: sqlite3_result_int64(out, arg->row.arg_set); break;
    case 2: tm_sqlite_result_text(s, out, (struct tm_text){text + arg->key_len, arg->flat_len}); break;
    case 3: tm_sqlite_result_text(s, out, (struct tm_text){text, arg->key_len}); break;
    case 4:
        if (arg->row.has_int)
            sqlite3_result_int64(out, arg->row.int_value);
        break;
    case 5: tm_sqlite_result_text(s, out, (struct tm_text){arg->has_value ? value : NULL, arg->value_len}); break;
    case 6:
        if (arg->row.has_real)
            sqlite3_result_double(out, arg->row.real_value);
        break;
    default: sqlite3_result_text(out, arg->row.type, -1, SQLITE_STATIC); break;
    }
}

void tm_sqlite_args_bulk(struct tm_sqlite *s)
{
    s->args.bulk = (struct tm_sqlite_bulk){
        .name = "tm_bulk_args", .schema = "CREATE TABLE x(a,b,c,d,e,f,g,h)", .self = s, .column = column_of};
}

enum tm_status tm_sqlite_args_flush(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    if (w->count == 0)
        return TM_OK;
    w->bulk.count = w->count;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_ARG], err);
    w->count = 0;
    tm_buf_clear(&w->text);
    return st;
}

/* KEY without its indices: "a.b[3]" is "a.b". */
static enum tm_status put_flat_key(struct tm_buf *out, struct tm_text key)
{
    size_t from = 0;
    for (size_t i = 0; i < key.len; i++) {
        size_t digits = i + 1;
        if (key.data[i] != '[')
            continue;
        while (digits < key.len && key.data[digits] >= '0' && key.data[digits] <= '9')
            digits++;
        if (digits == i + 1 || digits == key.len || key.data[digits] != ']')
            continue;
        if (tm_buf_add(out, key.data + from, i - from) < 0)
            return TM_E_SYSTEM;
        from = digits + 1;
        i = digits;
    }
    return tm_buf_add(out, key.data + from, key.len - from);
}

enum tm_status tm_sqlite_arg(void *self, const struct tm_arg_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_args *w = &s->args;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(ARGS_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    if ((w->count == ARGS_WINDOW || w->text.len > ARGS_TEXT_MAX) && (st = tm_sqlite_args_flush(s, err)) < 0)
        return st;
    struct tm_sqlite_arg_row *arg = &w->rows[w->count];
    *arg = (struct tm_sqlite_arg_row){.row = *row,
                                      .text = w->text.len,
                                      .key_len = row->key.len,
                                      .value_len = row->string_value.len,
                                      .has_value = row->string_value.data != NULL};
    if (tm_buf_add(&w->text, row->key.data, row->key.len) < 0 || put_flat_key(&w->text, row->key) < 0)
        return tm_error_nomem(err);
    arg->flat_len = w->text.len - arg->text - arg->key_len;
    if (tm_buf_add(&w->text, row->string_value.data, row->string_value.len) < 0)
        return tm_error_nomem(err);
    w->count++;
    return TM_OK;
}

enum tm_status tm_sqlite_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_ARG_COPY];
    enum tm_status st = tm_sqlite_args_flush(s, err);
    if (st < 0)
        return st;
    sqlite3_bind_int64(stmt, 1, from);
    sqlite3_bind_int64(stmt, 2, into);
    sqlite3_bind_int64(stmt, 3, *id);
    if ((st = tm_sqlite_run(s, stmt, err)) < 0)
        return st;
    *id += sqlite3_changes(s->db);
    return TM_OK;
}
