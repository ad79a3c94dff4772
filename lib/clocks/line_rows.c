#include "clocks/line_rows.h"

#include "base/hash.h"
#include "base/table.h"
#include "os/io.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The header of each batch in the temporary file. No other program reads it. */
enum { FRAME_PARTS = TM_FRAME_OPTIONAL_FIRST };

static bool is_equal(const struct tm_line_route *a, const struct tm_line_route *b)
{
    return a->fate == b->fate && a->weight == b->weight && a->machine == b->machine && a->clock == b->clock &&
           a->route.source == b->route.source && a->route.scope == b->route.scope && a->route.record == b->route.record;
}

static uint64_t hash_of(const struct tm_line_route *r)
{
    uint64_t hash = tm_hash_u64((uint64_t)r->fate << 2 | r->weight);
    hash = tm_hash_u64(hash ^ ((uint64_t)r->machine << 32 | r->clock));
    hash = tm_hash_u64(hash ^ (uint64_t)(uintptr_t)r->route.scope);
    return tm_hash_u64(hash ^ ((uint64_t)r->route.source << 32 | r->route.record));
}

enum tm_status tm_line_rows_route(struct tm_line_rows *rows, const struct tm_line_route *like,
                                  const struct tm_clock_route *route, uint32_t *number, struct tm_error *err)
{
    struct tm_line_route wanted = *like;
    if (like->fate == TM_LINE_CONVERT) {
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

/* Starts a new temporary file, because there was none or all of it has been read. */
static enum tm_status open_file(struct tm_line_rows *rows, const char *temporary_dir, struct tm_error *err)
{
    if (!rows->has_fd) {
        enum tm_status st = tm_io_temporary(temporary_dir, &rows->fd, err);
        if (st < 0)
            return st;
        rows->has_fd = true;
    } else if (lseek(rows->fd, 0, SEEK_SET) < 0 || ftruncate(rows->fd, 0) < 0) {
        return tm_error_errno(err, errno, "temporary file");
    }
    return tm_stream_writer_open(&rows->writer, rows->fd, "tm-clocks",
                                 &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__CONFIGURED}, err);
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
        st = open_file(rows, temporary_dir, err);
    if (st == TM_OK)
        st = tm_stream_write_frame(&rows->writer, &frame, err);
    return st < 0 ? st : tm_stream_write_batch(&rows->writer, batch, err);
}

static enum tm_status start_reading(struct tm_line_rows *rows, struct tm_error *err)
{
    enum tm_status st = tm_stream_writer_end(&rows->writer, err);
    tm_stream_writer_release(&rows->writer);
    if (st < 0)
        return st;
    if (lseek(rows->fd, 0, SEEK_SET) < 0)
        return tm_error_errno(err, errno, "temporary file");
    rows->is_reading = true;
    return tm_stream_reader_open(&rows->reader, rows->fd, err);
}

enum tm_status tm_line_rows_next(struct tm_line_rows *rows, struct tm_batch *batch, const uint8_t **parts,
                                 struct tm_error *err)
{
    struct tm_frame frame;
    enum tm_status st = TM_OK;
    if (rows->batch_count == 0)
        return TM_END;
    if (!rows->is_reading)
        st = start_reading(rows, err);
    if (st == TM_OK)
        st = tm_stream_reader_next(&rows->reader, &frame, batch, err);
    if (st == TM_OK) {
        tm_buf_clear(&rows->times); /* reading the next frame overwrites these bytes */
        st = tm_buf_add(&rows->times, frame.body, frame.body_bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
        *parts = rows->times.data;
    }
    if (st == TM_OK)
        st = tm_stream_reader_next(&rows->reader, &frame, batch, err);
    if (st == TM_END) {
        tm_stream_reader_release(&rows->reader);
        rows->is_reading = false;
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
    if (rows->has_fd) {
        tm_stream_writer_release(&rows->writer);
        tm_stream_reader_release(&rows->reader);
        close(rows->fd);
    }
    tm_buf_release(&rows->times);
    tm_map_release(&rows->route_of);
    free(rows->routes);
    *rows = (struct tm_line_rows){0};
}
