#include "sort/collector.h"

#include "os/io.h"

#include <assert.h>
#include <stdlib.h>

enum {
    FIRST_LANES = 1,
    FIRST_RANGES = 256,
    FIRST_ROWS = 1024 /* of the columns */
};

void tm_collector_init(struct tm_collector *collector, struct tm_collector_receiver receiver, size_t limit_bytes)
{
    *collector = (struct tm_collector){.receiver = receiver, .limit_bytes = limit_bytes, .epoch = 1};
}

/* Makes room for CAP lanes. */
static enum tm_status grow_lanes(struct tm_collector *collector, uint32_t cap, struct tm_error *err)
{
    struct tm_collector_lane *lanes = realloc(collector->lanes, cap * sizeof *lanes);
    if (lanes == NULL)
        return tm_error_nomem(err);
    collector->lanes = lanes;
    collector->lane_cap = cap;
    return TM_OK;
}

/* Makes room for CAP ranges, and for the pieces of all rows that can be noted with these. */
static enum tm_status grow_ranges(struct tm_collector *collector, uint32_t cap, struct tm_error *err)
{
    const size_t pieces_cap = (size_t)cap + TM_COLLECTOR_LAYOUTS * TM_COLLECTOR_TILE;
    struct tm_collector_range *ranges = realloc(collector->ranges, cap * sizeof *ranges);
    collector->ranges = ranges ? ranges : collector->ranges;
    struct tm_block **blocks = realloc(collector->blocks, cap * sizeof(struct tm_block *));
    collector->blocks = blocks ? blocks : collector->blocks;
    struct tm_collector_piece *pieces = realloc(collector->pieces, pieces_cap * sizeof *pieces);
    collector->pieces = pieces ? pieces : collector->pieces;
    if (ranges == NULL || blocks == NULL || pieces == NULL)
        return tm_error_nomem(err);
    collector->range_cap = cap;
    return TM_OK;
}

/* Makes room for all rows in the columns. Those that are there move. */
static enum tm_status grow_columns(struct tm_collector *collector, struct tm_error *err)
{
    const size_t most = collector->limit_bytes / TM_BATCH_ROW_BYTES + 2;
    size_t rows = collector->column_rows ? collector->column_rows : FIRST_ROWS;
    while (rows < collector->count)
        rows *= 2;
    rows = rows < most ? rows : most;
    uint8_t *columns[TM_COL_COUNT], *memory = tm_columns_new(rows, columns);
    if (memory == NULL)
        return tm_error_nomem(err);
    assert(collector->count <= rows);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        struct tm_collector_column *col = &collector->columns[c];
        const uint32_t count = col->is_constant && collector->copied ? 1 : collector->copied;
        if (count)
            memcpy(columns[c], col->data, count * tm_column_width((enum tm_column)c));
        col->data = columns[c];
    }
    free(collector->memory);
    collector->memory = memory;
    collector->column_rows = (uint32_t)rows;
    return TM_OK;
}

/* Makes room for one more range of BLOCK and notes the block. Constant columns are looked for in all noted blocks.
 * With many blocks more ranges are therefore noted before they are copied. */
static enum tm_status make_room(struct tm_collector *collector, struct tm_block *block, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (collector->range_count >= TM_COLLECTOR_TILE + 4 * collector->block_count)
        st = tm_collector_copy_noted(collector, err);
    if (st == TM_OK && collector->range_count == collector->range_cap)
        st = grow_ranges(collector, collector->range_cap ? 2 * collector->range_cap : FIRST_RANGES, err);
    if (st == TM_OK && block->mark != collector->epoch) {
        block->mark = collector->epoch;
        collector->blocks[collector->block_count++] = block;
    }
    return st;
}

static enum tm_status count_rows(struct tm_collector *collector, uint32_t count, size_t payload_bytes,
                                 struct tm_error *err)
{
    collector->count += count;
    collector->payload_bytes += payload_bytes;
    collector->bytes += payload_bytes + (size_t)count * TM_BATCH_ROW_BYTES;
    return collector->bytes >= collector->limit_bytes ? tm_collector_flush(collector, err) : TM_OK;
}

/* Notes ROWS of a block that has columns. PIECE is their payload. */
static enum tm_status add_range(struct tm_collector *collector, const struct tm_block_rows *rows,
                                const struct tm_collector_piece *piece, struct tm_error *err)
{
    struct tm_collector_range *last = collector->range_count ? &collector->ranges[collector->range_count - 1] : NULL;
    enum tm_status st = TM_OK;
    if (last && last->block == rows->block && last->row + last->count == rows->row &&
        last->place + last->count == collector->count - collector->copied) {
        last->count += rows->count;
        collector->pieces[collector->piece_count - 1].len += piece->len;
    } else {
        if ((st = make_room(collector, rows->block, err)) < 0)
            return st;
        assert(collector->ranges && collector->pieces);
        collector->ranges[collector->range_count++] =
            (struct tm_collector_range){rows->block, rows->row, rows->count, collector->count - collector->copied};
        collector->pieces[collector->piece_count++] = *piece;
    }
    return count_rows(collector, rows->count, piece->len, err);
}

/* Finds the lane of LAYOUT, with room for one more row. */
static enum tm_status find_lane(struct tm_collector *collector, const struct tm_block_layout *layout,
                                struct tm_collector_lane **lane, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t i = 0;
    while (i < collector->lane_count && collector->lanes[i].layout != layout)
        i++;
    *lane = &collector->lanes[i];
    if (i < collector->lane_count && (*lane)->count < TM_COLLECTOR_TILE)
        return TM_OK;
    if (i < collector->lane_count || i == TM_COLLECTOR_LAYOUTS)
        st = tm_collector_copy_noted(collector, err);
    if (st == TM_OK && collector->lane_count == collector->lane_cap)
        st = grow_lanes(collector, collector->lane_cap ? TM_COLLECTOR_LAYOUTS : FIRST_LANES, err);
    if (st == TM_OK && collector->range_cap == 0)
        st = grow_ranges(collector, FIRST_RANGES, err);
    if (st < 0)
        return st;
    *lane = &collector->lanes[collector->lane_count++];
    (*lane)->layout = layout;
    (*lane)->count = 0;
    return TM_OK;
}

enum tm_status tm_collector_add_record_slowly(struct tm_collector *collector, const struct tm_collector_record *row,
                                              struct tm_error *err)
{
    struct tm_collector_lane *lane;
    enum tm_status st = find_lane(collector, row->layout, &lane, err);
    if (st < 0)
        return st;
    lane->records[lane->count] = row->record;
    lane->places[lane->count++] = collector->count - collector->copied;
    collector->pieces[collector->piece_count++] =
        (struct tm_collector_piece){.data = row->payload, .len = row->payload_bytes};
    return count_rows(collector, 1, row->payload_bytes, err);
}

static enum tm_status add_records(struct tm_collector *collector, struct tm_block_rows *rows, struct tm_error *err)
{
    const struct tm_block *block = rows->block;
    enum tm_status st = TM_OK;
    struct tm_collector_record r = {.layout = block->layout,
                                    .record = block->records + (size_t)rows->row * block->layout->stride};
    for (; rows->count > 0 && st == TM_OK; rows->count--) {
        r.payload = block->payload + rows->at;
        r.payload_bytes = tm_block_payload_of(block, rows->row++);
        rows->at += r.payload_bytes;
        st = tm_collector_add_record(collector, &r, err);
        r.record += block->layout->stride;
    }
    return st;
}

enum tm_status tm_collector_add(struct tm_collector *collector, struct tm_block_rows *rows, struct tm_error *err)
{
    const struct tm_block *block = rows->block;
    enum tm_status st = TM_OK;
    if (block->layout)
        return add_records(collector, rows, err);
    while (rows->count > 0 && st == TM_OK) {
        struct tm_block_rows part = {rows->block, rows->row, 0, rows->at};
        struct tm_collector_piece piece = {
            .data = block->payload ? block->payload + rows->at : NULL, .block = block, .at = rows->at};
        size_t bytes = collector->bytes;
        do {
            size_t payload = tm_block_payload_of(block, rows->row + part.count++);
            piece.len += payload;
            bytes += payload + TM_BATCH_ROW_BYTES;
        } while (part.count < rows->count && bytes < collector->limit_bytes);
        rows->row += part.count;
        rows->count -= part.count;
        rows->at += piece.len;
        st = add_range(collector, &part, &piece, err);
    }
    return st;
}

static uint64_t first_value(const struct tm_batch_col *col, size_t width)
{
    return width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
}

/* True if all noted rows have one VALUE in COLUMN. */
static bool common_value(const struct tm_collector *collector, enum tm_column column, uint64_t *value)
{
    size_t width = tm_column_width(column);
    bool known = false;
    for (uint32_t i = 0; i < collector->lane_count; i++) {
        const struct tm_block_layout *layout = collector->lanes[i].layout;
        if (layout->varying[column] || (known && *value != layout->constants[column]))
            return false;
        *value = layout->constants[column];
        known = true;
    }
    for (uint32_t i = 0; i < collector->block_count; i++) {
        const struct tm_batch_col *col = &collector->blocks[i]->batch.cols[column];
        if (col->mask != 0 || (known && first_value(col, width) != *value))
            return false;
        *value = first_value(col, width);
        known = true;
    }
    return known;
}

static void fill(uint8_t *to, uint64_t value, size_t width, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (width == 4)
            tm_put_le32(to + 4 * i, (uint32_t)value);
        else
            tm_put_le64(to + 8 * i, value);
    }
}

static inline void copy_ranges(const struct tm_collector *collector, enum tm_column column, size_t width,
                               uint8_t *start)
{
    const struct tm_collector_range *end = collector->ranges + collector->range_count;
    for (const struct tm_collector_range *r = collector->ranges; r < end; r++) {
        const struct tm_batch_col *col = &r->block->batch.cols[column];
        uint8_t *to = start + width * r->place;
        if (r->count == 1)
            memcpy(to, col->data + width * (r->row & col->mask), width);
        else if (col->mask)
            memcpy(to, col->data + width * r->row, width * r->count);
        else
            fill(to, first_value(col, width), width, r->count);
    }
}

static void copy_column(const struct tm_collector *collector, enum tm_column column, uint8_t *to)
{
    bool wide = tm_column_width(column) == 8;
    for (uint32_t i = 0; i < collector->lane_count; i++)
        tm_collector_lane_copy(&collector->lanes[i], column, to);
    if (wide)
        copy_ranges(collector, column, 8, to);
    else
        copy_ranges(collector, column, 4, to);
}

/* Copies COLUMN of the noted rows after the rows that are there. The column holds one element as long as all values are
 * equal. */
static void copy_noted_column(struct tm_collector *collector, enum tm_column column)
{
    struct tm_collector_column *col = &collector->columns[column];
    size_t width = tm_column_width(column);
    uint64_t value = 0, before = 0;
    bool common = common_value(collector, column, &value);
    if (common && collector->copied == 0) {
        fill(col->data, value, width, 1);
        col->is_constant = true;
        return;
    }
    if (collector->copied > 0 && col->is_constant) {
        before = width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
        if (common && value == before)
            return;
        fill(col->data + width, before, width, collector->copied - 1);
    }
    col->is_constant = false;
    uint8_t *to = col->data + collector->copied * width;
    if (common)
        fill(to, value, width, collector->count - collector->copied);
    else
        copy_column(collector, column, to);
}

/* Copies the payloads of the noted rows. */
static enum tm_status copy_noted_payload(struct tm_collector *collector, struct tm_error *err)
{
    size_t bytes = collector->payload_bytes - collector->payload.len;
    if (tm_buf_reserve(&collector->payload, bytes + TM_BLOCK_SLACK) != TM_OK)
        return tm_error_nomem(err);
    uint8_t *to = collector->payload.data + collector->payload.len;
    for (uint32_t i = 0; i < collector->piece_count; i++) {
        const struct tm_collector_piece *p = &collector->pieces[i];
        if (p->block == NULL) {
            tm_copy_short(to, p->data, p->len, TM_BLOCK_SLACK);
        } else if (p->data) {
            memcpy(to, p->data, p->len);
        } else if (p->len) {
            enum tm_status st = tm_io_pread(p->block->payload_fd, to, p->len, p->block->payload_offset + p->at, err);
            if (st != TM_OK)
                return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "the temporary file was cut short");
        }
        to += p->len;
    }
    collector->payload.len = (size_t)(to - collector->payload.data);
    return TM_OK;
}

static void clear_rows(struct tm_collector *collector)
{
    collector->lane_count = 0;
    collector->range_count = 0;
    collector->piece_count = 0;
    collector->block_count = 0;
    collector->epoch++;
}

enum tm_status tm_collector_copy_noted(struct tm_collector *collector, struct tm_error *err)
{
    if (collector->piece_count == 0)
        return TM_OK;
    if (collector->count > collector->column_rows && grow_columns(collector, err) < 0)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; i < collector->lane_count; i++)
        tm_collector_lane_read(&collector->lanes[i]);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        copy_noted_column(collector, (enum tm_column)c);
    enum tm_status st = copy_noted_payload(collector, err);
    collector->copied = collector->count;
    clear_rows(collector);
    return st;
}

/* Sets COLUMN of BATCH, as one element if all are equal. */
static void set_column(struct tm_batch *batch, enum tm_column column, const uint8_t *data)
{
    size_t width = tm_column_width(column);
    /* If each element equals the next one, all are equal. */
    bool constant = memcmp(data, data + width, width * (batch->count - 1)) == 0;
    tm_batch_set_column(batch, column, data, constant ? 1 : batch->count);
}

/* True if the batch is a range of one block's columns that have not been copied. */
static bool is_one_range(const struct tm_collector *collector)
{
    const struct tm_collector_range *r = collector->ranges;
    return collector->copied == 0 && collector->range_count == 1 && collector->lane_count == 0 && r->block->payload;
}

/* Sets the columns of BATCH: from the block of RANGE, or the collected ones if RANGE is NULL. */
static void set_columns(const struct tm_collector *collector, const struct tm_collector_range *range,
                        struct tm_batch *batch)
{
    for (int c = 0; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const uint8_t *data = range ? range->block->batch.cols[c].data : collector->columns[c].data;
        bool constant = range ? range->block->batch.cols[c].mask == 0 : collector->columns[c].is_constant;
        if (c < TM_COL_TIME_NS)
            tm_batch_set_column(batch, column, NULL, 0);
        else if (constant)
            tm_batch_set_column(batch, column, data, 1);
        else
            set_column(batch, column, range ? data + range->row * tm_column_width(column) : data);
    }
}

enum tm_status tm_collector_flush(struct tm_collector *collector, struct tm_error *err)
{
    struct tm_batch batch = {.count = collector->count, .payload_bytes = collector->payload_bytes};
    if (collector->count == 0)
        return TM_OK;
    bool direct = is_one_range(collector);
    enum tm_status st = direct ? TM_OK : tm_collector_copy_noted(collector, err);
    if (st < 0)
        return st;
    batch.payload = direct ? collector->pieces[0].data : collector->payload.data;
    set_columns(collector, direct ? collector->ranges : NULL, &batch);
    st = collector->receiver.write(collector->receiver.to, &batch, err);
    clear_rows(collector);
    collector->count = 0;
    collector->copied = 0;
    collector->payload_bytes = 0;
    collector->bytes = 0;
    tm_buf_clear(&collector->payload);
    return st;
}

void tm_collector_release(struct tm_collector *collector)
{
    free(collector->lanes);
    free(collector->ranges);
    free(collector->pieces);
    free(collector->blocks);
    free(collector->memory);
    tm_buf_release(&collector->payload);
    *collector = (struct tm_collector){0};
}
