#include "emit/sqlite_work.h"

#include <stdlib.h>

/* KEY without its indices: "a.b[3]" is "a.b". */
static enum tm_status flat_key(struct tm_buf *out, struct tm_text key, struct tm_error *err)
{
    tm_buf_clear(out);
    for (size_t i = 0; i < key.len; i++) {
        size_t digits = i + 1;
        while (digits < key.len && key.data[digits] >= '0' && key.data[digits] <= '9')
            digits++;
        if (key.data[i] == '[' && digits > i + 1 && digits < key.len && key.data[digits] == ']')
            i = digits;
        else if (tm_buf_add_byte(out, key.data[i]) < 0)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

static enum tm_status bind_arg(struct tm_sqlite *s, sqlite3_stmt *stmt, const struct tm_arg_row *row,
                               struct tm_buf *flat, struct tm_error *err)
{
    enum tm_status st = flat_key(flat, row->key, err);
    struct tm_text text = {flat->data ? flat->data : (const uint8_t *)"", flat->len};
    if (st < 0 || (st = tm_sqlite_bind_text(s, stmt, 3, text, err)) < 0 ||
        (st = tm_sqlite_bind_text(s, stmt, 4, row->key, err)) < 0 ||
        (st = tm_sqlite_bind_text(s, stmt, 6, row->string_value, err)) < 0)
        return st;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->arg_set);
    tm_sqlite_bind_maybe(stmt, 5, row->has_int, row->int_value);
    if (row->has_real)
        sqlite3_bind_double(stmt, 7, row->real_value);
    else
        sqlite3_bind_null(stmt, 7);
    tm_sqlite_bind_word(stmt, 8, row->type);
    return tm_sqlite_run(s, stmt, err);
}

static enum tm_status arg(void *self, const struct tm_arg_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_buf flat = {0};
    enum tm_status st = bind_arg(s, s->statements[TM_SQL_ARG], row, &flat, err);
    tm_buf_release(&flat);
    return st;
}

static enum tm_status arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *read = s->statements[TM_SQL_ARG_READ], *write = s->statements[TM_SQL_ARG];
    enum tm_status st = TM_OK;
    int rc;
    sqlite3_bind_int64(read, 1, from);
    while (st == TM_OK && (rc = sqlite3_step(read)) == SQLITE_ROW && sqlite3_column_int64(read, 1) == from) {
        sqlite3_bind_int64(write, 1, (*id)++);
        sqlite3_bind_int64(write, 2, into);
        for (int column = 2; column < 8; column++)
            sqlite3_bind_value(write, column + 1, sqlite3_column_value(read, column));
        st = tm_sqlite_run(s, write, err);
    }
    if (st == TM_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
        st = tm_sqlite_fail(s, err);
    sqlite3_reset(read);
    return st;
}

static enum tm_status flow(void *self, int64_t slice_out, int64_t slice_in, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_FLOW];
    sqlite3_bind_int64(stmt, 1, s->next_flow++);
    sqlite3_bind_int64(stmt, 2, slice_out);
    sqlite3_bind_int64(stmt, 3, slice_in);
    return tm_sqlite_run(s, stmt, err);
}

/* The table that samples of FILE go to. */
static enum tm_sqlite_statement sample_table(const struct tm_sqlite *s, uint32_t file)
{
    struct tm_text type = s->context->catalog->files[file].type;
    if (type.len >= 11 && memcmp(type.data, "instruments", 11) == 0)
        return TM_SQL_INSTRUMENTS_SAMPLE;
    return type.len >= 4 && memcmp(type.data, "perf", 4) == 0 ? TM_SQL_PERF_SAMPLE : TM_SQL_CPU_SAMPLE;
}

static enum tm_status sample(void *self, const struct tm_sample_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[sample_table(s, row->file)];
    sqlite3_bind_int64(stmt, 1, s->next_sample++);
    sqlite3_bind_int64(stmt, 2, row->ts);
    tm_sqlite_bind_id(stmt, 3, row->callsite);
    sqlite3_bind_int64(stmt, 4, row->utid);
    return tm_sqlite_run(s, stmt, err);
}

static enum tm_status mapping(void *self, int64_t id, struct tm_text name, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_MAPPING];
    sqlite3_bind_int64(stmt, 1, id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, name, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

static enum tm_status frame(void *self, const struct tm_frame_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_FRAME];
    sqlite3_bind_int64(stmt, 1, row->id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, row->function, err);
    if (st < 0)
        return st;
    tm_sqlite_bind_id(stmt, 3, row->mapping);
    tm_sqlite_bind_maybe(stmt, 4, row->has_pc, row->rel_pc);
    return tm_sqlite_run(s, stmt, err);
}

static enum tm_status callsite(void *self, const struct tm_callsite_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_CALLSITE];
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->depth);
    tm_sqlite_bind_id(stmt, 3, row->parent);
    sqlite3_bind_int64(stmt, 4, row->frame);
    return tm_sqlite_run(s, stmt, err);
}

void tm_sqlite_rows_init(struct tm_sqlite *s)
{
    tm_sqlite_slices_bulk(s);
    tm_sqlite_scheds_bulk(s);
    tm_sqlite_counters_bulk(s);
    s->rows = (struct tm_rows){.self = s,
                               .slice = tm_sqlite_slice,
                               .slice_end = tm_sqlite_slice_end,
                               .counter = tm_sqlite_counter,
                               .sched = tm_sqlite_sched,
                               .sched_end = tm_sqlite_sched_end,
                               .arg = arg,
                               .arg_copy = arg_copy,
                               .flow = flow,
                               .sample = sample,
                               .mapping = mapping,
                               .frame = frame,
                               .callsite = callsite};
}

enum tm_status tm_sqlite_rows_flush(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = tm_sqlite_slices_flush(s, 0, err);
    if (st == TM_OK)
        st = tm_sqlite_scheds_flush(s, 0, err);
    return st < 0 ? st : tm_sqlite_counters_flush(s, err);
}

void tm_sqlite_rows_release(struct tm_sqlite *s)
{
    free(s->slices.rows);
    free(s->scheds.rows);
    free(s->counters.rows);
    tm_buf_release(&s->slices.text);
}
