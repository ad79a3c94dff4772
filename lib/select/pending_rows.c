#include "select/pending_rows.h"

#include <stdlib.h>

enum { TAIL_BYTES = 1 << 20 };
enum { OF_GENERATION = 1, OF_TRACK };

/* A row in the file. Its raw bytes and detail follow. */
struct record {
    int64_t before; /* offset of the previous row of its key; TM_TABLE_NONE */
    struct tm_event event;
};

struct tm_key tm_pending_rows_of_generation(uint32_t generation)
{
    return (struct tm_key){OF_GENERATION, generation, 0};
}

struct tm_key tm_pending_rows_of_track(uint32_t file, uint64_t uuid)
{
    return (struct tm_key){OF_TRACK, uuid, file};
}

static enum tm_status write_tail(struct tm_pending_rows *w, struct tm_error *err)
{
    enum tm_status st = tm_temporary_file_add(&w->file, w->tail.data, w->tail.len, err);
    if (st == TM_OK)
        tm_buf_clear(&w->tail);
    return st;
}

enum tm_status tm_pending_rows_add(struct tm_pending_rows *w, const struct tm_key *key, const struct tm_event *row,
                                   struct tm_error *err)
{
    struct record record;
    memset(&record, 0, sizeof record);
    record.before = tm_table_find(&w->last, key);
    record.event = *row;
    uint64_t at = w->file.len + w->tail.len;
    if (tm_buf_reserve(&w->tail, sizeof record + (size_t)row->raw_bytes + row->detail_bytes) < 0)
        return tm_error_nomem(err);
    if (tm_buf_add(&w->tail, &record, sizeof record) < 0 || tm_buf_add(&w->tail, row->raw, row->raw_bytes) < 0 ||
        tm_buf_add(&w->tail, row->detail, row->detail_bytes) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_table_set(&w->last, key, (int64_t)at, err);
    return st < 0 || w->tail.len < TAIL_BYTES ? st : write_tail(w, err);
}

static enum tm_status read_at(struct tm_pending_rows *w, uint64_t offset, void *data, size_t len, struct tm_error *err)
{
    if (offset >= w->file.len) {
        memcpy(data, w->tail.data + (offset - w->file.len), len);
        return TM_OK;
    }
    return tm_temporary_file_read(&w->file, data, len, offset, err);
}

enum tm_status tm_pending_rows_take(struct tm_pending_rows *w, const struct tm_key *key, uint32_t *count,
                                    struct tm_error *err)
{
    struct record record;
    enum tm_status st = TM_OK;
    w->count = 0;
    for (int64_t at = tm_table_find(&w->last, key); at != TM_TABLE_NONE; at = record.before) {
        if ((st = tm_array_grow(&w->offsets, &w->cap, w->count, sizeof *w->offsets, err)) < 0 ||
            (st = read_at(w, (uint64_t)at, &record, sizeof record, err)) < 0)
            return st;
        w->offsets[w->count++] = (uint64_t)at;
    }
    if (w->count)
        tm_table_remove(&w->last, key);
    *count = w->count;
    return TM_OK;
}

enum tm_status tm_pending_rows_get(struct tm_pending_rows *w, uint32_t i, struct tm_event *row, struct tm_error *err)
{
    struct record record;
    uint64_t at = w->offsets[w->count - 1 - i];
    enum tm_status st = read_at(w, at, &record, sizeof record, err);
    if (st < 0)
        return st;
    size_t bytes = (size_t)record.event.raw_bytes + record.event.detail_bytes;
    tm_buf_clear(&w->loaded);
    if (tm_buf_reserve(&w->loaded, bytes + 1) < 0)
        return tm_error_nomem(err);
    if ((st = read_at(w, at + sizeof record, w->loaded.data, bytes, err)) < 0)
        return st;
    *row = record.event;
    row->raw = w->loaded.data;
    row->detail = row->raw + row->raw_bytes;
    return TM_OK;
}

void tm_pending_rows_release(struct tm_pending_rows *w)
{
    tm_table_release(&w->last);
    tm_buf_release(&w->tail);
    tm_buf_release(&w->loaded);
    free(w->offsets);
    tm_temporary_file_release(&w->file);
    *w = (struct tm_pending_rows){0};
}
