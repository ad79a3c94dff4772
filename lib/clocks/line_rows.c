#include "clocks/line_rows.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

/* The header of each batch in the temporary file. No other program reads it. */
enum { FRAME_PARTS = TM_FRAME_OPTIONAL_FIRST };

static bool is_equal(const struct tm_line_route *a, const struct tm_line_route *b)
{
    return a->change == b->change && a->weight == b->weight && a->machine == b->machine && a->clock == b->clock &&
           a->route.source == b->route.source && a->route.scope == b->route.scope && a->route.record == b->route.record;
}

static uint64_t hash_of(const struct tm_line_route *r)
{
    uint64_t hash = tm_hash_u64((uint64_t)r->change << 2 | r->weight);
    hash = tm_hash_u64(hash ^ ((uint64_t)r->machine << 32 | r->clock));
    hash = tm_hash_u64(hash ^ (uint64_t)(uintptr_t)r->route.scope);
    return tm_hash_u64(hash ^ ((uint64_t)r->route.source << 32 | r->route.record));
}

enum tm_status tm_line_rows_route(struct tm_line_rows *rows, const struct tm_line_route *like,
                                  const struct tm_clock_route *route, uint32_t *number, struct tm_error *err)
{
    struct tm_line_route wanted = *like;
    if (like->change == TM_LINE_CONVERT) {
        wanted.route = *route;
        wanted.route.step = (struct tm_step){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
        wanted.route.run = (struct tm_placed_run){0};
        wanted.route.has_events = wanted.route.is_provisional = false;
        wanted.route.is_in_ns = true;
    }
    uint64_t hash = hash_of(&wanted);
    for (; tm_map_find(&rows->route_of, hash, number); hash++)
        if (is_equal(&rows->routes[*number], &wanted))
            return TM_OK;
    *number = rows->route_count;
    if (tm_array_grow(&rows->routes, &rows->route_cap, rows->route_count, sizeof *rows->routes, err) != TM_OK)
        return TM_E_SYSTEM;
    rows->routes[rows->route_count++] = wanted;
    return tm_map_set(&rows->route_of, hash, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_line_rows_add(struct tm_line_rows *rows, const struct tm_batch *batch, const uint8_t *parts,
                                const char *temporary_dir, struct tm_error *err)
{
    struct tm_frame frame = {.type = FRAME_PARTS, .body = parts,
                             .body_bytes = (size_t)batch->count * TM_LINE_ROW_BYTES};
    enum tm_status st = TM_OK;
    if (batch->count == 0)
        return TM_OK;
    if (rows->batch_count++ == 0)
        st = tm_temporary_stream_begin(&rows->file, temporary_dir, err);
    if (st == TM_OK)
        st = tm_stream_write_frame(&rows->file.writer, &frame, err);
    return st < 0 ? st : tm_stream_write_batch(&rows->file.writer, batch, err);
}

enum tm_status tm_line_rows_next(struct tm_line_rows *rows, struct tm_batch *batch, const uint8_t **parts,
                                 struct tm_error *err)
{
    struct tm_frame frame;
    enum tm_status st = TM_OK;
    if (rows->batch_count == 0)
        return TM_END;
    if (!rows->file.is_reading)
        st = tm_temporary_stream_read(&rows->file, err);
    if (st == TM_OK)
        st = tm_stream_reader_next(&rows->file.reader, &frame, batch, err);
    if (st == TM_OK) {
        tm_buf_clear(&rows->times); /* reading the next frame overwrites these bytes */
        st = tm_buf_add(&rows->times, frame.body, frame.body_bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
        *parts = rows->times.data;
    }
    if (st == TM_OK)
        st = tm_stream_reader_next(&rows->file.reader, &frame, batch, err);
    if (st == TM_END) {
        tm_temporary_stream_end(&rows->file);
        rows->batch_count = 0;
    }
    return st;
}

void tm_line_rows_clear(struct tm_line_rows *rows)
{
    rows->route_count = 0;
    tm_map_clear(&rows->route_of);
}

void tm_line_rows_release(struct tm_line_rows *rows)
{
    tm_temporary_stream_release(&rows->file);
    tm_buf_release(&rows->times);
    tm_map_release(&rows->route_of);
    free(rows->routes);
    *rows = (struct tm_line_rows){0};
}
