#include "emit/sqlite/internal.h"

#include "base/checked.h"

#include <stdlib.h>

/* A slice that ends soon is written once, after its end. Longer slices are written open and updated at their end. */
struct tm_sqlite_slice {
    int64_t ts, dur, parent, arg_set;                                  /* as in struct tm_slice_row */
    int64_t thread_ts, thread_dur, instructions, instruction_delta;
    uint32_t track, depth;
    size_t text; /* offset of name and category in the text, including its removed bytes */
    uint32_t name_len, category_len;
    bool has_name, has_category;
    bool has_thread_ts, has_thread_dur, has_instructions, has_instruction_delta;
};

static struct tm_sqlite_slice *at(struct tm_sqlite_slices *w, int64_t id)
{
    return &w->rows[(uint64_t)id & (TM_SQLITE_WINDOW - 1)];
}

static enum tm_status write_row(struct tm_sqlite *s, int64_t id, struct tm_error *err)
{
    struct tm_sqlite_slices *w = &s->slices;
    struct tm_sqlite_record *r = &s->record;
    const struct tm_sqlite_slice *row = at(w, id);
    /* Without texts there is no buffer, but a name may be empty. */
    const uint8_t *text = w->text.data ? w->text.data + (row->text - w->text_removed) : (const uint8_t *)"";
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_record_int(r, row->dur);
    tm_sqlite_record_int(r, row->track);
    tm_sqlite_put_text(s, (struct tm_text){row->has_category ? text + row->name_len : NULL, row->category_len});
    tm_sqlite_put_text(s, (struct tm_text){row->has_name ? text : NULL, row->name_len});
    tm_sqlite_record_int(r, row->depth);
    tm_sqlite_record_id(r, row->parent);
    tm_sqlite_record_id(r, row->arg_set);
    tm_sqlite_record_maybe(r, row->has_thread_ts, row->thread_ts);
    tm_sqlite_record_maybe(r, row->has_thread_dur, row->thread_dur);
    /* SQLite reads columns that a record lacks as NULL. */
    if (row->has_instructions) {
        tm_sqlite_record_int(r, row->instructions);
        tm_sqlite_record_maybe(r, row->has_instruction_delta, row->instruction_delta);
    }
    return tm_sqlite_btree_add(&w->table, id, r, err);
}

enum tm_status tm_sqlite_slices_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_slices *w = &s->slices;
    enum tm_status st;
    if (w->count <= keep)
        return TM_OK;
    for (; w->count > keep; w->first++, w->count--)
        if ((st = write_row(s, w->first, err)) < 0)
            return st;
    size_t removed = (keep ? at(w, w->first)->text : w->text_removed + w->text.len) - w->text_removed;
    tm_buf_consume(&w->text, removed);
    w->text_removed += removed;
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
    *at(w, row->id) = (struct tm_sqlite_slice){.ts = row->ts,
                                               .dur = row->dur,
                                               .parent = row->parent,
                                               .arg_set = row->arg_set,
                                               .thread_ts = row->thread_ts,
                                               .thread_dur = row->thread_dur,
                                               .instructions = row->instructions,
                                               .instruction_delta = row->instruction_delta,
                                               .track = row->track,
                                               .depth = row->depth,
                                               .text = w->text_removed + w->text.len,
                                               .name_len = (uint32_t)row->name.len,
                                               .category_len = (uint32_t)row->category.len,
                                               .has_name = row->name.data != NULL,
                                               .has_category = row->category.data != NULL,
                                               .has_thread_ts = row->has_thread_ts,
                                               .has_thread_dur = row->has_thread_dur,
                                               .has_instructions = row->has_instructions,
                                               .has_instruction_delta = row->has_instruction_delta};
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
        at(w, id)->dur = dur;
        at(w, id)->arg_set = arg_set;
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_SLICE_END);
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    tm_sqlite_bind_id(stmt, 3, arg_set);
    return tm_sqlite_run(s, stmt, err);
}

/* The text of a slice in the window has no room for another name. */
enum tm_status tm_sqlite_slice_name(void *self, int64_t id, struct tm_text name, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_SLICE_NAME);
    sqlite3_bind_int64(stmt, 1, id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, name, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

/* The slice has just begun, so it is in the window. */
enum tm_status tm_sqlite_slice_thread_begin(void *self, int64_t id, const struct tm_thread_reading *reading,
                                            struct tm_error *err)
{
    struct tm_sqlite_slice *row = at(&((struct tm_sqlite *)self)->slices, id);
    (void)err;
    if (reading->is_instructions) {
        row->has_instructions = true;
        row->instructions = reading->value;
        row->has_instruction_delta = reading->has_length;
        row->instruction_delta = reading->length;
        return TM_OK;
    }
    row->has_thread_ts = true;
    row->thread_ts = reading->value;
    row->has_thread_dur = reading->has_length;
    row->thread_dur = reading->length;
    return TM_OK;
}

static bool difference(bool has_begin, int64_t begin, const struct tm_thread_reading *end, int64_t *difference)
{
    return has_begin && tm_sub_i64(end->value, begin, difference) && (end->is_exact || *difference);
}

enum tm_status tm_sqlite_slice_thread_end(void *self, int64_t id, const struct tm_thread_reading *reading,
                                          struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_slices *w = &s->slices;
    if (id >= w->first) {
        struct tm_sqlite_slice *row = at(w, id);
        if (reading->is_instructions)
            row->has_instruction_delta =
                difference(row->has_instructions, row->instructions, reading, &row->instruction_delta);
        else
            row->has_thread_dur = difference(row->has_thread_ts, row->thread_ts, reading, &row->thread_dur);
        return TM_OK;
    }
    sqlite3_stmt *stmt =
        tm_sqlite_postpone(s, reading->is_instructions ? TM_SQL_SLICE_INSTRUCTIONS_END : TM_SQL_SLICE_THREAD_END);
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, reading->value);
    sqlite3_bind_int64(stmt, 3, reading->is_exact);
    return tm_sqlite_run(s, stmt, err);
}
