/* The merged trace as a SQLite database with the tables of the SQL surface (doc/model.md). */
#include "emit/outputs.h"
#include "emit/sqlite/internal.h"

#include <stdlib.h>

void tm_sqlite_close(void *state)
{
    struct tm_sqlite *s = state;
    if (s == NULL)
        return;
    tm_row_queue_release(&s->queue);
    for (int i = 0; i < TM_SQL_COUNT; i++)
        sqlite3_finalize(s->statements[i]);
    sqlite3_close(s->db);
    tm_model_release(&s->model);
    tm_sqlite_rows_release(s);
    tm_sqlite_btrees_release(s);
    tm_buf_release(&s->text);
    free(s);
}

enum tm_status tm_sqlite_open(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    *state = NULL;
    enum tm_status st = tm_sqlite_load(err);
    if (st < 0)
        return st;
    struct tm_sqlite *s = calloc(1, sizeof *s);
    *state = s;
    if (s == NULL)
        return tm_error_nomem(err);
    s->context = context;
    tm_sqlite_rows_init(s);
    tm_row_queue_init(&s->queue, &s->rows);
    tm_model_init(&s->model, &s->queue.rows, context->catalog);
    s->model.out.options.counts_samples = s->model.out.options.adds_args = true;
    s->model.layout.descriptors.keeps_source = true;
    s->model.out.options.joins_flows = context->options->join_flows;
    if (sqlite3_open_v2(context->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return tm_sqlite_fail(s, err);
    if ((st = tm_sqlite_create(s, err)) < 0)
        return st;
    return tm_sqlite_prepare(s, err);
}

enum tm_status tm_sqlite_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct tm_sqlite *s = state;
    if (batch)
        return tm_model_batch(&s->model, batch, err);
    if (frame->type != TM_FRAME_CLOCK_ROW)
        return TM_OK;
    enum tm_status st = tm_row_queue_drain(&s->queue, err);
    return st < 0 ? st : tm_sqlite_clock_row(s, frame, err);
}

enum tm_status tm_sqlite_finish(void *state, struct tm_error *err)
{
    struct tm_sqlite *s = state;
    enum tm_status st = tm_model_finish(&s->model, err);
    if (st == TM_OK)
        st = tm_sqlite_put_dimensions(s, err);
    if (st == TM_OK)
        st = tm_row_queue_drain(&s->queue, err);
    if (st == TM_OK)
        st = tm_sqlite_rows_flush(s, err);
    if (st == TM_OK)
        st = tm_sqlite_put_catalog(s, err);
    if (st == TM_OK)
        st = tm_sqlite_put_model(s, err);
    if (st == TM_OK)
        st = tm_sqlite_join_stats(s, err);
    return st < 0 ? st : tm_sqlite_complete(s, err);
}

const struct tm_emit_functions tm_emit_sqlite_functions = {
    .open = tm_sqlite_open,
    .frame = tm_sqlite_frame,
    .finish = tm_sqlite_finish,
    .close = tm_sqlite_close,
};
