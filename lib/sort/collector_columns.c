#include "sort/collector_columns.h"

#include "os/io.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_ROWS = 1024 };

/* Makes room for COUNT rows. Those that are there move. */
static enum tm_status grow(struct tm_collector_columns *c, uint32_t count, struct tm_error *err)
{
    const size_t most = c->limit_bytes / TM_BATCH_ROW_BYTES + 2;
    size_t rows = c->row_cap ? c->row_cap : FIRST_ROWS;
    while (rows < count)
        rows *= 2;
    rows = rows < most ? rows : most;
    uint8_t *columns[TM_COL_COUNT], *memory = tm_columns_new(rows, columns);
    if (memory == NULL)
        return tm_error_nomem(err);
    assert(count <= rows);
    for (int i = TM_COL_TIME_NS; i < TM_COL_COUNT; i++) {
        struct tm_collector_column *col = &c->columns[i];
        const uint32_t here = col->is_constant && c->count ? 1 : c->count;
        if (here)
            memcpy(columns[i], col->data, here * tm_column_width((enum tm_column)i));
        col->data = columns[i];
    }
    free(c->memory);
    c->memory = memory;
    c->row_cap = (uint32_t)rows;
    return TM_OK;
}

/* Reads the records of all lanes of NOTES. */
static enum tm_status read_lanes(struct tm_collector_columns *c, const struct tm_collector_notes *notes,
                                 struct tm_error *err)
{
    if (notes->lane_count > c->words_cap) {
        struct tm_lane_words *words = realloc(c->words, notes->lane_count * sizeof *words);
        if (words == NULL)
            return tm_error_nomem(err);
        c->words = words;
        c->words_cap = notes->lane_count;
    }
    for (uint32_t i = 0; i < notes->lane_count; i++)
        tm_collector_lane_read(&notes->lanes[i], &c->words[i]);
    return TM_OK;
}

static uint64_t first_value(const struct tm_batch_col *col, size_t width)
{
    return width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
}

/* True if all noted rows have one VALUE in COLUMN. */
static bool common_value(const struct tm_collector_notes *notes, enum tm_column column, uint64_t *value)
{
    size_t width = tm_column_width(column);
    bool known = false;
    for (uint32_t i = 0; i < notes->lane_count; i++) {
        const struct tm_block_layout *layout = notes->lanes[i].layout;
        if (layout->varying[column] || (known && *value != layout->constants[column]))
            return false;
        *value = layout->constants[column];
        known = true;
    }
    for (uint32_t i = 0; i < notes->block_count; i++) {
        const struct tm_batch_col *col = &notes->blocks[i]->batch.cols[column];
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

static inline void copy_ranges(const struct tm_collector_notes *notes, enum tm_column column, size_t width,
                               uint8_t *start)
{
    const struct tm_collector_range *end = notes->ranges + notes->range_count;
    for (const struct tm_collector_range *r = notes->ranges; r < end; r++) {
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

/* Copies COLUMN of the rows of NOTES to TO. */
static void copy_elements(const struct tm_collector_columns *c, const struct tm_collector_notes *notes,
                          enum tm_column column, uint8_t *to)
{
    bool wide = tm_column_width(column) == 8;
    for (uint32_t i = 0; i < notes->lane_count; i++)
        tm_collector_lane_copy(&notes->lanes[i], &c->words[i], column, to);
    if (wide)
        copy_ranges(notes, column, 8, to);
    else
        copy_ranges(notes, column, 4, to);
}

/* Copies COLUMN of the rows of NOTES after the rows that are there. The column holds one element as long as all values
 * are equal. */
static void copy_column(struct tm_collector_columns *c, const struct tm_collector_notes *notes, enum tm_column column)
{
    struct tm_collector_column *col = &c->columns[column];
    size_t width = tm_column_width(column);
    uint64_t value = 0, before = 0;
    bool common = common_value(notes, column, &value);
    if (common && c->count == 0) {
        fill(col->data, value, width, 1);
        col->is_constant = true;
        return;
    }
    if (c->count > 0 && col->is_constant) {
        before = width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
        if (common && value == before)
            return;
        fill(col->data + width, before, width, c->count - 1);
    }
    col->is_constant = false;
    uint8_t *to = col->data + c->count * width;
    if (common)
        fill(to, value, width, notes->count);
    else
        copy_elements(c, notes, column, to);
}

/* Copies the payloads of the rows of NOTES. */
static enum tm_status copy_payload(struct tm_collector_columns *c, const struct tm_collector_notes *notes,
                                   struct tm_error *err)
{
    if (tm_buf_reserve(&c->payload, notes->payload_bytes + TM_BLOCK_SLACK) != TM_OK)
        return tm_error_nomem(err);
    uint8_t *to = c->payload.data + c->payload.len;
    for (uint32_t i = 0; i < notes->piece_count; i++) {
        const struct tm_collector_piece *p = &notes->pieces[i];
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
    c->payload.len = (size_t)(to - c->payload.data);
    return TM_OK;
}

enum tm_status tm_collector_columns_copy(struct tm_collector_columns *c, const struct tm_collector_notes *notes,
                                         struct tm_error *err)
{
    if (notes->count == 0)
        return TM_OK;
    if (c->count + notes->count > c->row_cap && grow(c, c->count + notes->count, err) < 0)
        return TM_E_SYSTEM;
    enum tm_status st = read_lanes(c, notes, err);
    if (st < 0)
        return st;
    for (int i = TM_COL_TIME_NS; i < TM_COL_COUNT; i++)
        copy_column(c, notes, (enum tm_column)i);
    c->count += notes->count;
    return copy_payload(c, notes, err);
}

/* Sets COLUMN of BATCH, as one element if all are equal. */
static void set_column(struct tm_batch *batch, enum tm_column column, const uint8_t *data)
{
    size_t width = tm_column_width(column);
    /* If each element equals the next one, all are equal. */
    bool constant = memcmp(data, data + width, width * (batch->count - 1)) == 0;
    tm_batch_set_column(batch, column, data, constant ? 1 : batch->count);
}

/* True if NOTES, the only ones of the batch, are a range of one block's columns. */
static bool is_one_range(const struct tm_collector_notes *notes)
{
    return notes->range_count == 1 && notes->lane_count == 0 && notes->ranges->block->payload;
}

/* Sets the columns of BATCH: from the block of RANGE, or the copied ones if RANGE is NULL. */
static void set_columns(const struct tm_collector_columns *columns, const struct tm_collector_range *range,
                        struct tm_batch *batch)
{
    for (int c = 0; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const uint8_t *data = range ? range->block->batch.cols[c].data : columns->columns[c].data;
        bool constant = range ? range->block->batch.cols[c].mask == 0 : columns->columns[c].is_constant;
        if (c < TM_COL_TIME_NS)
            tm_batch_set_column(batch, column, NULL, 0);
        else if (constant)
            tm_batch_set_column(batch, column, data, 1);
        else
            set_column(batch, column, range ? data + range->row * tm_column_width(column) : data);
    }
}

enum tm_status tm_collector_columns_batch(struct tm_collector_columns *c, const struct tm_collector_notes *notes,
                                          struct tm_batch *batch, struct tm_error *err)
{
    *batch = (struct tm_batch){0};
    if (c->count == 0 && is_one_range(notes)) {
        batch->count = notes->count;
        batch->payload_bytes = notes->payload_bytes;
        batch->payload = notes->pieces[0].data;
        set_columns(c, notes->ranges, batch);
        return TM_OK;
    }
    enum tm_status st = tm_collector_columns_copy(c, notes, err);
    batch->count = c->count;
    batch->payload_bytes = c->payload.len;
    batch->payload = c->payload.data;
    if (st == TM_OK)
        set_columns(c, NULL, batch);
    return st;
}

void tm_collector_columns_clear(struct tm_collector_columns *c)
{
    c->count = 0;
    tm_buf_clear(&c->payload);
}

void tm_collector_columns_release(struct tm_collector_columns *c)
{
    free(c->memory);
    free(c->words);
    tm_buf_release(&c->payload);
    *c = (struct tm_collector_columns){0};
}
