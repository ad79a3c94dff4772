#include "emit/sqlite/internal.h"

#include <stdlib.h>

/* Slices are written once they have ended where that is soon, so that most are written once; those
 * that last longer are written open and updated at their end. */
struct tm_sqlite_slice {
    struct tm_slice_row row; /* without texts */
    size_t text;             /* where name and category stand, counted with those gone */
    size_t name_len, category_len;
    bool has_name, has_category;
};

static struct tm_sqlite_slice *at(struct tm_sqlite_slices *w, int64_t id)
{
    return &w->rows[(uint64_t)id & (TM_SQLITE_WINDOW - 1)];
}

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    struct tm_sqlite *s = self;
    const struct tm_sqlite_slice *slice = at(&s->slices, s->slices.first + i);
    const struct tm_slice_row *row = &slice->row;
    const uint8_t *text = s->slices.text.data + (slice->text - s->slices.text_gone);
    struct tm_text name = {slice->has_name ? text : NULL, slice->name_len};
    struct tm_text category = {slice->has_category ? text + slice->name_len : NULL, slice->category_len};
    switch (column) {
    case 0: sqlite3_result_int64(out, row->id); break;
    case 1: sqlite3_result_int64(out, row->ts); break;
    case 2: sqlite3_result_int64(out, row->dur); break;
    case 3: sqlite3_result_int64(out, row->track); break;
    case 4: tm_sqlite_result_text(s, out, category); break;
    case 5: tm_sqlite_result_text(s, out, name); break;
    case 6: sqlite3_result_int64(out, row->depth); break;
    case 7: tm_sqlite_result_id(out, row->parent); break;
    case 8: tm_sqlite_result_id(out, row->arg_set); break;
    case 9:
        if (row->has_thread_ts)
            sqlite3_result_int64(out, row->thread_ts);
        break;
    default:
        if (row->has_thread_dur)
            sqlite3_result_int64(out, row->thread_dur);
        break;
    }
}

void tm_sqlite_slices_bulk(struct tm_sqlite *s)
{
    s->slices.bulk = (struct tm_sqlite_bulk){
        .name = "tm_bulk_slice", .schema = "CREATE TABLE x(a,b,c,d,e,f,g,h,i,j,k)", .self = s, .column = column_of};
}

enum tm_status tm_sqlite_slices_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_slices *w = &s->slices;
    if (w->count <= keep)
        return TM_OK;
    w->bulk.count = w->count - keep;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_SLICE], err);
    if (st < 0)
        return st;
    w->first += w->bulk.count;
    w->count = keep;
    size_t gone = (keep ? at(w, w->first)->text : w->text_gone + w->text.len) - w->text_gone;
    tm_buf_consume(&w->text, gone);
    w->text_gone += gone;
    return TM_OK;
}

enum tm_status tm_sqlite_slice(void *self, const struct tm_slice_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_slices *w = &s->slices;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(TM_SQLITE_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_slices_flush(s, TM_SQLITE_WINDOW / 2, err)) < 0)
        return st;
    struct tm_sqlite_slice *slice = at(w, row->id);
    *slice = (struct tm_sqlite_slice){.row = *row,
                                      .text = w->text_gone + w->text.len,
                                      .name_len = row->name.len,
                                      .category_len = row->category.len,
                                      .has_name = row->name.data != NULL,
                                      .has_category = row->category.data != NULL};
    if (tm_buf_add(&w->text, row->name.data, row->name.len) < 0 ||
        tm_buf_add(&w->text, row->category.data, row->category.len) < 0)
        return tm_error_nomem(err);
    w->count++;
    return TM_OK;
}

enum tm_status tm_sqlite_slice_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_slices *w = &s->slices;
    if (id >= w->first) {
        at(w, id)->row.dur = dur;
        at(w, id)->row.arg_set = arg_set;
        return TM_OK;
    }
    sqlite3_stmt *stmt = s->statements[TM_SQL_SLICE_END];
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    tm_sqlite_bind_id(stmt, 3, arg_set);
    return tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_slice_thread_end(void *self, int64_t id, int64_t thread_ts, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_slices *w = &s->slices;
    if (id >= w->first) {
        struct tm_slice_row *row = &at(w, id)->row;
        row->has_thread_dur =
            row->has_thread_ts && !__builtin_sub_overflow(thread_ts, row->thread_ts, &row->thread_dur);
        return TM_OK;
    }
    sqlite3_stmt *stmt = s->statements[TM_SQL_SLICE_THREAD_END];
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, thread_ts);
    return tm_sqlite_run(s, stmt, err);
}
