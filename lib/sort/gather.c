#include "sort/gather.h"

#include "base/io.h"

#include <stdlib.h>

enum { GATHER_ROW_BYTES = 104 }; /* what tm_batch_builder_full counts for a row's columns */

struct tm_gather_range {
    struct tm_block *block;
    size_t at; /* in the batch's payload */
    size_t payload_bytes;
    uint32_t row, count;
};

enum tm_status tm_gather_init(struct tm_gather *g, struct tm_gather_sink sink, size_t limit_bytes,
                              struct tm_error *err)
{
    *g = (struct tm_gather){.sink = sink, .limit_bytes = limit_bytes, .epoch = 1};
    size_t rows = limit_bytes / GATHER_ROW_BYTES + 2;
    g->rows_max = rows < TM_BATCH_EVENTS_MAX ? (uint32_t)rows : TM_BATCH_EVENTS_MAX;
    g->ranges = malloc(g->rows_max * sizeof *g->ranges);
    g->blocks = malloc(g->rows_max * sizeof(struct tm_block *));
    if (g->ranges == NULL || g->blocks == NULL)
        return tm_error_nomem(err);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        g->columns[c].data = malloc(g->rows_max * tm_column_width((enum tm_column)c));
        if (g->columns[c].data == NULL)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

static bool is_full(const struct tm_gather *g)
{
    return g->count >= g->rows_max || g->payload_bytes + (size_t)g->count * GATHER_ROW_BYTES >= g->limit_bytes;
}

static void note(struct tm_gather *g, const struct tm_gather_range *range)
{
    struct tm_gather_range *last = g->range_count ? &g->ranges[g->range_count - 1] : NULL;
    g->count += range->count;
    g->payload_bytes += range->payload_bytes;
    if (last && last->block == range->block && last->row + last->count == range->row) {
        last->count += range->count;
        last->payload_bytes += range->payload_bytes;
        return;
    }
    g->ranges[g->range_count++] = *range;
    if (range->block->mark != g->epoch) {
        range->block->mark = g->epoch;
        g->blocks[g->block_count++] = range->block;
    }
}

enum tm_status tm_gather_add(struct tm_gather *g, struct tm_block *block, uint32_t row, uint32_t count, size_t *at,
                             struct tm_error *err)
{
    uint32_t end = row + count;
    enum tm_status st = TM_OK;
    while (row < end && st == TM_OK) {
        struct tm_gather_range range = {.block = block, .at = *at, .row = row};
        size_t rows_left = g->rows_max - g->count;
        size_t bytes = g->payload_bytes + (size_t)g->count * GATHER_ROW_BYTES;
        do {
            size_t payload = tm_batch_payload_of(&block->batch, row++);
            range.payload_bytes += payload;
            bytes += payload + GATHER_ROW_BYTES;
            range.count++;
        } while (row < end && bytes < g->limit_bytes && range.count < rows_left);
        *at += range.payload_bytes;
        note(g, &range);
        if (is_full(g))
            st = tm_gather_flush(g, err);
    }
    return st;
}

/* The element that all blocks have in COLUMN for all rows, or NULL. */
static const uint8_t *common_element(const struct tm_gather *g, enum tm_column column)
{
    const uint8_t *element = NULL;
    for (uint32_t i = 0; i < g->block_count; i++) {
        const struct tm_batch_col *col = &g->blocks[i]->batch.cols[column];
        if (col->mask != 0 || (element && memcmp(element, col->data, tm_column_width(column)) != 0))
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

static void copy_ranges_4(const struct tm_gather *g, enum tm_column column, uint8_t *to)
{
    for (uint32_t i = 0; i < g->range_count; i++) {
        const struct tm_gather_range *r = &g->ranges[i];
        const struct tm_batch_col *col = &r->block->batch.cols[column];
        if (r->count == 1)
            memcpy(to, col->data + (size_t)4 * (r->row & col->mask), 4);
        else if (col->mask)
            memcpy(to, col->data + (size_t)4 * r->row, (size_t)4 * r->count);
        else
            fill(to, col->data, 4, r->count);
        to += (size_t)4 * r->count;
    }
}

static void copy_ranges_8(const struct tm_gather *g, enum tm_column column, uint8_t *to)
{
    for (uint32_t i = 0; i < g->range_count; i++) {
        const struct tm_gather_range *r = &g->ranges[i];
        const struct tm_batch_col *col = &r->block->batch.cols[column];
        if (r->count == 1)
            memcpy(to, col->data + (size_t)8 * (r->row & col->mask), 8);
        else if (col->mask)
            memcpy(to, col->data + (size_t)8 * r->row, (size_t)8 * r->count);
        else
            fill(to, col->data, 8, r->count);
        to += (size_t)8 * r->count;
    }
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
    if (width == 4)
        copy_ranges_4(g, column, col->data + g->settled * width);
    else
        copy_ranges_8(g, column, col->data + g->settled * width);
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
        if (r->block->batch.payload) {
            memcpy(to, r->block->batch.payload + r->at, r->payload_bytes);
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

/* The batch is rows of one block that are still where they were. */
static bool is_one_range(const struct tm_gather *g)
{
    return g->settled == 0 && g->range_count == 1 && g->ranges[0].block->batch.payload;
}

enum tm_status tm_gather_flush(struct tm_gather *g, struct tm_error *err)
{
    struct tm_batch batch = {.count = g->count, .payload_bytes = g->payload_bytes};
    if (g->count == 0)
        return TM_OK;
    bool direct = is_one_range(g);
    const struct tm_gather_range *range = g->ranges;
    enum tm_status st = direct ? TM_OK : tm_gather_settle(g, err);
    if (st < 0)
        return st;
    batch.payload = direct ? range->block->batch.payload + range->at : g->payload.data;
    for (int c = 0; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const struct tm_batch_col *from = &range->block->batch.cols[c];
        if (c < TM_COL_TIME_NS)
            tm_batch_set_column(&batch, column, NULL, 0);
        else if (direct ? from->mask == 0 : g->columns[c].is_constant)
            tm_batch_set_column(&batch, column, direct ? from->data : g->columns[c].data, 1);
        else
            set_column(&batch, column, direct ? from->data + range->row * tm_column_width(column) : g->columns[c].data);
    }
    st = g->sink.write(g->sink.to, &batch, err);
    forget_ranges(g);
    g->count = 0;
    g->settled = 0;
    g->payload_bytes = 0;
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
