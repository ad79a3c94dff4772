#include "sort/gather.h"

#include "base/io.h"

#include <stdlib.h>

enum tm_status tm_gather_init(struct tm_gather *g, struct tm_gather_sink sink, size_t limit_bytes,
                              struct tm_error *err)
{
    *g = (struct tm_gather){.sink = sink, .limit_bytes = limit_bytes, .epoch = 1};
    size_t rows = limit_bytes / TM_GATHER_ROW_BYTES + 2;
    g->ranges = malloc(rows * sizeof *g->ranges);
    g->blocks = malloc(rows * sizeof(struct tm_block *));
    if (g->ranges == NULL || g->blocks == NULL)
        return tm_error_nomem(err);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        g->columns[c].data = malloc(rows * tm_column_width((enum tm_column)c));
        if (g->columns[c].data == NULL)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

/* Room for one more range, of BLOCK with LAYOUT, and its source noted. What has a layout is not
 * looked at: in a merge of hundreds of runs that would be a cache miss a row. */
static enum tm_status make_room(struct tm_gather *g, struct tm_block *block, const struct tm_block_layout *layout,
                                struct tm_error *err)
{
    if (g->range_count >= TM_GATHER_TILE + 4 * g->block_count) {
        enum tm_status st = tm_gather_settle(g, err);
        if (st < 0)
            return st;
    }
    if (layout == NULL) {
        if (block->mark != g->epoch) {
            block->mark = g->epoch;
            g->blocks[g->block_count++] = block;
        }
        return TM_OK;
    }
    for (uint32_t i = g->layout_count; i-- > 0;)
        if (g->layouts[i] == layout)
            return TM_OK;
    enum tm_status st = g->layout_count == TM_GATHER_LAYOUTS ? tm_gather_settle(g, err) : TM_OK;
    g->layouts[g->layout_count++] = layout;
    return st;
}

enum tm_status tm_gather_add_range(struct tm_gather *g, struct tm_block *block, const struct tm_gather_range *range,
                                   struct tm_error *err)
{
    struct tm_gather_range *last = g->range_count ? &g->ranges[g->range_count - 1] : NULL;
    enum tm_status st = TM_OK;
    /* Single records stay apart: ranges that all are of one row are copied fastest. */
    bool may_join = last && last->block == block && (range->layout == NULL || range->count > 1);
    if (may_join && last->row + last->count == range->row) {
        last->count += range->count;
        last->payload_bytes += range->payload_bytes;
    } else {
        st = make_room(g, block, range->layout, err);
        g->ranges[g->range_count++] = *range;
    }
    g->count += range->count;
    g->payload_bytes += range->payload_bytes;
    g->bytes += range->payload_bytes + (size_t)range->count * TM_GATHER_ROW_BYTES;
    return st == TM_OK && g->bytes >= g->limit_bytes ? tm_gather_flush(g, err) : st;
}

enum tm_status tm_gather_add(struct tm_gather *g, struct tm_block *block, uint32_t row, uint32_t count, size_t *at,
                             struct tm_error *err)
{
    uint32_t end = row + count;
    enum tm_status st = TM_OK;
    while (row < end && st == TM_OK) {
        struct tm_gather_range range = {.layout = block->layout, .block = block, .at = *at, .row = row};
        if (block->layout)
            range.record = block->records + (size_t)row * block->layout->stride;
        size_t bytes = g->bytes;
        do {
            size_t payload = tm_block_payload_of(block, row++);
            range.payload_bytes += payload;
            bytes += payload + TM_GATHER_ROW_BYTES;
            range.count++;
        } while (row < end && bytes < g->limit_bytes);
        *at += range.payload_bytes;
        st = tm_gather_add_range(g, block, &range, err);
    }
    return st;
}

/* The element that all rows that are noted have in COLUMN, or NULL. */
static const uint8_t *common_element(const struct tm_gather *g, enum tm_column column)
{
    const uint8_t *element = NULL;
    size_t width = tm_column_width(column);
    for (uint32_t i = 0; i < g->layout_count; i++) {
        const uint8_t *mine = g->layouts[i]->constants[column];
        if ((g->layouts[i]->varying >> column & 1) || (element && memcmp(element, mine, width) != 0))
            return NULL;
        element = mine;
    }
    for (uint32_t i = 0; i < g->block_count; i++) {
        const struct tm_batch_col *col = &g->blocks[i]->batch.cols[column];
        if (col->mask != 0 || (element && memcmp(element, col->data, width) != 0))
            return NULL;
        element = col->data;
    }
    return element;
}

static void fill(uint8_t *to, const uint8_t *element, size_t width, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, element, width);
}

/* Copies COLUMN of all ranges to TO. Called with a WIDTH known when it is compiled. */
static inline void copy_ranges(const struct tm_gather *g, enum tm_column column, size_t width, uint8_t *to)
{
    for (uint32_t i = 0; i < g->range_count; i++) {
        const struct tm_gather_range *r = &g->ranges[i];
        const struct tm_block_layout *layout = r->layout;
        const struct tm_batch_col *col = &r->block->batch.cols[column];
        if (layout == NULL && col->mask)
            memcpy(to, col->data + width * r->row, width * r->count);
        else if (layout == NULL)
            fill(to, col->data, width, r->count);
        else if (!(layout->varying >> column & 1))
            fill(to, layout->constants[column], width, r->count);
        else
            for (uint32_t j = 0; j < r->count; j++)
                memcpy(to + width * j, r->record + layout->offsets[column] + (size_t)layout->stride * j, width);
        to += width * r->count;
    }
}

/* The same where all ranges are columns, and many of one row. */
static inline void copy_columns(const struct tm_gather *g, enum tm_column column, size_t width, uint8_t *to)
{
    const struct tm_gather_range *end = g->ranges + g->range_count;
    for (const struct tm_gather_range *r = g->ranges; r < end; r++) {
        const struct tm_batch_col *col = &r->block->batch.cols[column];
        if (r->count == 1)
            memcpy(to, col->data + width * (r->row & col->mask), width);
        else if (col->mask)
            memcpy(to, col->data + width * r->row, width * r->count);
        else
            fill(to, col->data, width, r->count);
        to += width * r->count;
    }
}

/* The same where all ranges are records of one layout. */
static inline void copy_records(const struct tm_gather *g, enum tm_column column, size_t width, uint8_t *to)
{
    size_t offset = g->layouts[0]->offsets[column], stride = g->layouts[0]->stride;
    const struct tm_gather_range *ranges = g->ranges; /* bytes that are written might be G, to the compiler */
    uint32_t range_count = g->range_count;
    if (range_count == g->count - g->settled) {
        for (uint32_t i = 0; i < range_count; i++)
            memcpy(to + width * i, ranges[i].record + offset, width);
        return;
    }
    for (uint32_t i = 0; i < range_count; i++) {
        const uint8_t *record = ranges[i].record + offset;
        uint32_t count = ranges[i].count;
        do {
            memcpy(to, record, width);
            to += width;
            record += stride;
        } while (--count > 0);
    }
}

static void copy_column(const struct tm_gather *g, enum tm_column column, uint8_t *to)
{
    bool wide = tm_column_width(column) == 8;
    if (g->block_count == 0 && g->layout_count == 1 && wide)
        copy_records(g, column, 8, to);
    else if (g->block_count == 0 && g->layout_count == 1)
        copy_records(g, column, 4, to);
    else if (g->layout_count == 0 && wide)
        copy_columns(g, column, 8, to);
    else if (g->layout_count == 0)
        copy_columns(g, column, 4, to);
    else if (wide)
        copy_ranges(g, column, 8, to);
    else
        copy_ranges(g, column, 4, to);
}

static void settle_column(struct tm_gather *g, enum tm_column column)
{
    struct tm_gather_column *col = &g->columns[column];
    size_t width = tm_column_width(column);
    const uint8_t *element = common_element(g, column);
    if (element && g->settled == 0) {
        memcpy(col->data, element, width);
        col->is_constant = true;
        return;
    }
    if (g->settled > 0 && col->is_constant) {
        if (element && memcmp(element, col->data, width) == 0)
            return;
        fill(col->data + width, col->data, width, g->settled - 1);
    }
    col->is_constant = false;
    uint8_t *to = col->data + g->settled * width;
    if (element)
        fill(to, element, width, g->count - g->settled);
    else
        copy_column(g, column, to);
}

static enum tm_status settle_payload(struct tm_gather *g, struct tm_error *err)
{
    if (tm_buf_reserve(&g->payload, g->payload_bytes - g->payload.len) != TM_OK)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < g->range_count; i++) {
        const struct tm_gather_range *r = &g->ranges[i];
        if (r->payload_bytes == 0)
            continue;
        uint8_t *to = g->payload.data + g->payload.len;
        if (r->block->payload) {
            memcpy(to, r->block->payload + r->at, r->payload_bytes);
        } else {
            enum tm_status st = tm_io_pread(r->block->payload_fd, to, r->payload_bytes,
                                            r->block->payload_offset + r->at, err);
            if (st != TM_OK)
                return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "the temporary file was cut short");
        }
        g->payload.len += r->payload_bytes;
    }
    return TM_OK;
}

static void forget_ranges(struct tm_gather *g)
{
    g->range_count = 0;
    g->layout_count = 0;
    g->block_count = 0;
    g->epoch++;
}

enum tm_status tm_gather_settle(struct tm_gather *g, struct tm_error *err)
{
    if (g->range_count == 0)
        return TM_OK;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        settle_column(g, (enum tm_column)c);
    enum tm_status st = settle_payload(g, err);
    g->settled = g->count;
    forget_ranges(g);
    return st;
}

/* A column of COUNT elements, as one where all are equal. */
static void set_column(struct tm_batch *batch, enum tm_column column, const uint8_t *data)
{
    size_t width = tm_column_width(column);
    /* All elements are equal when each is equal to the one after it. */
    bool constant = memcmp(data, data + width, width * (batch->count - 1)) == 0;
    tm_batch_set_column(batch, column, data, constant ? 1 : batch->count);
}

/* The batch is rows of one block's columns that are still where they were. */
static bool is_one_range(const struct tm_gather *g)
{
    const struct tm_gather_range *r = g->ranges;
    return g->settled == 0 && g->range_count == 1 && r->layout == NULL && r->block->payload;
}

/* The columns of the batch: where they are in the block of RANGE, or gathered where that is NULL. */
static void set_columns(const struct tm_gather *g, const struct tm_gather_range *range, struct tm_batch *batch)
{
    for (int c = 0; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const uint8_t *data = range ? range->block->batch.cols[c].data : g->columns[c].data;
        bool constant = range ? range->block->batch.cols[c].mask == 0 : g->columns[c].is_constant;
        if (c < TM_COL_TIME_NS)
            tm_batch_set_column(batch, column, NULL, 0);
        else if (constant)
            tm_batch_set_column(batch, column, data, 1);
        else
            set_column(batch, column, range ? data + range->row * tm_column_width(column) : data);
    }
}

enum tm_status tm_gather_flush(struct tm_gather *g, struct tm_error *err)
{
    struct tm_batch batch = {.count = g->count, .payload_bytes = g->payload_bytes};
    if (g->count == 0)
        return TM_OK;
    bool direct = is_one_range(g);
    enum tm_status st = direct ? TM_OK : tm_gather_settle(g, err);
    if (st < 0)
        return st;
    batch.payload = direct ? g->ranges[0].block->payload + g->ranges[0].at : g->payload.data;
    set_columns(g, direct ? g->ranges : NULL, &batch);
    st = g->sink.write(g->sink.to, &batch, err);
    forget_ranges(g);
    g->count = 0;
    g->settled = 0;
    g->payload_bytes = 0;
    g->bytes = 0;
    tm_buf_clear(&g->payload);
    return st;
}

void tm_gather_release(struct tm_gather *g)
{
    free(g->ranges);
    free(g->blocks);
    for (int c = 0; c < TM_COL_COUNT; c++)
        free(g->columns[c].data);
    tm_buf_release(&g->payload);
    *g = (struct tm_gather){0};
}
