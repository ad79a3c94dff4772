#include "sort/union/batch_renumber.h"

typedef enum tm_status renumber_fn(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err);

static enum tm_status renumber_file(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err)
{
    if (!tm_stream_ids_has_begun(ids, *id))
        return tm_error_set(err, TM_E_INPUT, "an event of file %u, whose turn has not begun", *id);
    return tm_stream_ids_file(ids, id, err);
}

/* A column of numbers, and what renumbers it. */
struct number_column {
    enum tm_column column;
    renumber_fn *renumber;
};

static enum tm_status renumber_column(struct tm_batch_renumber *r, struct tm_batch *batch,
                                      const struct number_column *of, const struct tm_stream_ids *ids,
                                      struct tm_error *err)
{
    const enum tm_column column = of->column;
    struct tm_buf *to = &r->columns[column];
    uint32_t n = tm_batch_is_constant(batch, column) ? 1 : batch->count;
    uint32_t last_old = 0, last_new = 0;
    tm_buf_clear(to);
    if (tm_buf_reserve(to, (size_t)4 * n) != TM_OK)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = tm_batch_u32(batch, column, i);
        if (i == 0 || id != last_old) {
            last_old = id;
            enum tm_status st = of->renumber(ids, &id, err);
            if (st < 0)
                return st;
            last_new = id;
        }
        tm_put_le32(to->data + (size_t)4 * i, last_new);
    }
    tm_batch_set_column(batch, column, to->data, n);
    return TM_OK;
}

/* True if a row of COLUMN now has a string that is in no table. OLD has the old numbers. */
static bool has_extra(const struct tm_batch *batch, const struct tm_batch *old, enum tm_column column)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if ((tm_batch_u32(batch, column, i) & ~tm_batch_u32(old, column, i)) & TM_STRING_INLINE)
            return true;
    return false;
}

/* Moves the row's string *STRING, formerly OLD, after the details if it is in no table. */
static enum tm_status move_string(struct tm_batch_renumber *r, struct tm_string_union *strings, uint32_t old,
                                  uint32_t *string, struct tm_error *err)
{
    if (!(*string & TM_STRING_INLINE) || old & TM_STRING_INLINE)
        return TM_OK;
    return tm_string_union_extra(strings, *string, &r->detail, string, err);
}

/* Rebuilds the batch row by row. Strings that are in no table go after the details. */
static enum tm_status move_strings(struct tm_batch_renumber *r, struct tm_batch *batch, const struct tm_batch *old,
                                   struct tm_string_union *strings, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    tm_batch_builder_clear(&r->builder);
    while (st == TM_OK && tm_batch_next(&walk, &e)) {
        tm_buf_clear(&r->detail);
        if (tm_buf_add(&r->detail, e.detail, e.detail_bytes) != TM_OK)
            return tm_error_nomem(err);
        st = move_string(r, strings, tm_batch_u32(old, TM_COL_NAME, walk.i - 1), &e.name, err);
        if (st == TM_OK)
            st = move_string(r, strings, tm_batch_u32(old, TM_COL_CATEGORY, walk.i - 1), &e.category, err);
        if (st == TM_OK)
            st = move_string(r, strings, tm_batch_u32(old, TM_COL_ARG_KEYS, walk.i - 1), &e.arg_keys, err);
        e.detail = r->detail.data;
        e.detail_bytes = (uint32_t)r->detail.len;
        if (st == TM_OK && tm_batch_builder_add(&r->builder, &e) != TM_OK)
            st = tm_error_nomem(err);
    }
    tm_batch_builder_view(&r->builder, batch);
    return st;
}

enum tm_status tm_batch_renumber(struct tm_batch_renumber *r, struct tm_batch *batch, const struct tm_stream_ids *ids,
                                 struct tm_string_union *strings, struct tm_error *err)
{
    static const struct number_column columns[] = {{TM_COL_FILE, renumber_file},
                                                   {TM_COL_MACHINE, tm_stream_ids_machine},
                                                   {TM_COL_GENERATION, tm_stream_ids_generation},
                                                   {TM_COL_NAME, tm_stream_ids_string},
                                                   {TM_COL_CATEGORY, tm_stream_ids_string},
                                                   {TM_COL_ARG_KEYS, tm_stream_ids_string}};
    enum tm_status st = tm_pid_renumber(&r->pids, batch, ids, strings, err);
    const struct tm_batch old = *batch;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && st == TM_OK && batch->count; i++)
        st = renumber_column(r, batch, &columns[i], ids, err);
    if (st == TM_OK && ids->has_extra_strings &&
        (has_extra(batch, &old, TM_COL_NAME) || has_extra(batch, &old, TM_COL_CATEGORY) ||
         has_extra(batch, &old, TM_COL_ARG_KEYS)))
        st = move_strings(r, batch, &old, strings, err);
    return st;
}

void tm_batch_renumber_release(struct tm_batch_renumber *r)
{
    for (int c = 0; c < TM_COL_COUNT; c++)
        tm_buf_release(&r->columns[c]);
    tm_batch_builder_release(&r->builder);
    tm_pid_renumber_release(&r->pids);
    tm_buf_release(&r->detail);
}
