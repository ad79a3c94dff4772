#include "sort/collector.h"

void tm_collector_init(struct tm_collector *collector, struct tm_batch_receiver receiver, size_t limit_bytes)
{
    *collector = (struct tm_collector){.receiver = receiver, .limit_bytes = limit_bytes, .epoch = 1};
    collector->columns.limit_bytes = limit_bytes;
}

void tm_collector_use_threads(struct tm_collector *collector, unsigned count)
{
    collector->threads = tm_collector_threads_new(collector->receiver, collector->limit_bytes, count);
}

/* Ends the notes on the last rows and begins new ones. */
static enum tm_status begin_notes(struct tm_collector *collector, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    collector->epoch++;
    if (collector->notes == NULL || collector->threads) {
        st = tm_noted_batch_extend(&collector->noted, err);
        if (st == TM_OK)
            collector->notes = &collector->noted.notes[collector->noted.count - 1];
        return st;
    }
    st = tm_collector_columns_copy(&collector->columns, collector->notes, err);
    tm_collector_notes_clear(collector->notes);
    return st;
}

/* Makes room for one more range of BLOCK and notes the block. */
static enum tm_status make_room(struct tm_collector *collector, struct tm_block *block, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (collector->notes == NULL || !tm_collector_notes_take_range(collector->notes))
        st = begin_notes(collector, err);
    if (st == TM_OK)
        st = tm_collector_notes_add_range(collector->notes, err);
    if (st == TM_OK && block->mark != collector->epoch) {
        block->mark = collector->epoch;
        collector->notes->blocks[collector->notes->block_count++] = block;
    }
    return st;
}

static enum tm_status count_rows(struct tm_collector *collector, uint32_t count, size_t payload_bytes,
                                 struct tm_error *err)
{
    collector->count += count;
    collector->notes->count += count;
    collector->notes->payload_bytes += payload_bytes;
    collector->bytes += payload_bytes + (size_t)count * TM_BATCH_ROW_BYTES;
    return collector->bytes >= collector->limit_bytes ? tm_collector_flush(collector, err) : TM_OK;
}

/* Notes ROWS of a block that has columns. PIECE is their payload. */
static enum tm_status add_range(struct tm_collector *collector, const struct tm_block_rows *rows,
                                const struct tm_collector_piece *piece, struct tm_error *err)
{
    struct tm_collector_notes *notes = collector->notes;
    struct tm_collector_range *last = notes && notes->range_count ? &notes->ranges[notes->range_count - 1] : NULL;
    enum tm_status st = TM_OK;
    if (last && last->block == rows->block && last->row + last->count == rows->row &&
        last->place + last->count == notes->count) {
        last->count += rows->count;
        notes->pieces[notes->piece_count - 1].len += piece->len;
    } else {
        if ((st = make_room(collector, rows->block, err)) < 0)
            return st;
        notes = collector->notes;
        notes->ranges[notes->range_count++] =
            (struct tm_collector_range){rows->block, rows->row, rows->count, notes->count};
        notes->pieces[notes->piece_count++] = *piece;
    }
    return count_rows(collector, rows->count, piece->len, err);
}

/* Finds the lane of LAYOUT, with room for one more row. */
static enum tm_status find_lane(struct tm_collector *collector, const struct tm_block_layout *layout,
                                struct tm_collector_lane **lane, struct tm_error *err)
{
    const struct tm_collector_notes *notes = collector->notes;
    const uint32_t lane_count = notes ? notes->lane_count : 0;
    uint32_t i = 0;
    while (i < lane_count && notes->lanes[i].layout != layout)
        i++;
    if (i < lane_count && notes->lanes[i].count < TM_COLLECTOR_TILE) {
        *lane = &notes->lanes[i];
        return TM_OK;
    }
    if ((notes == NULL || i < lane_count || i == TM_COLLECTOR_LAYOUTS) && begin_notes(collector, err) < 0)
        return TM_E_SYSTEM;
    *lane = tm_collector_notes_add_lane(collector->notes, layout, err);
    return *lane ? TM_OK : TM_E_SYSTEM;
}

enum tm_status tm_collector_add_record_slowly(struct tm_collector *collector, const struct tm_collector_record *row,
                                              struct tm_error *err)
{
    struct tm_collector_lane *lane;
    enum tm_status st = find_lane(collector, row->layout, &lane, err);
    if (st < 0)
        return st;
    struct tm_collector_notes *notes = collector->notes;
    lane->records[lane->count] = row->record;
    lane->places[lane->count++] = notes->count;
    notes->pieces[notes->piece_count++] =
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

enum tm_status tm_collector_copy_noted(struct tm_collector *collector, struct tm_error *err)
{
    return collector->threads || collector->notes == NULL || collector->notes->count == 0
               ? TM_OK
               : begin_notes(collector, err);
}

/* Hands the batch over, or gives it to the receiver. */
static enum tm_status pass_on(struct tm_collector *collector, struct tm_error *err)
{
    struct tm_batch batch;
    if (collector->threads) {
        collector->notes = NULL;
        return tm_collector_threads_put(collector->threads, &collector->noted, err);
    }
    enum tm_status st = tm_collector_columns_batch(&collector->columns, collector->notes, &batch, err);
    if (st == TM_OK)
        st = collector->receiver.show(collector->receiver.self, &batch, err);
    tm_collector_notes_clear(collector->notes);
    tm_collector_columns_clear(&collector->columns);
    return st;
}

enum tm_status tm_collector_flush(struct tm_collector *collector, struct tm_error *err)
{
    if (collector->count == 0)
        return TM_OK;
    enum tm_status st = pass_on(collector, err);
    collector->batches++;
    collector->count = 0;
    collector->bytes = 0;
    collector->epoch++;
    return st;
}

uint64_t tm_collector_written(const struct tm_collector *collector)
{
    return collector->batches - (collector->threads ? tm_collector_threads_left(collector->threads) : 0);
}

enum tm_status tm_collector_finish(struct tm_collector *collector, struct tm_error *err)
{
    enum tm_status st = tm_collector_flush(collector, err);
    return st == TM_OK && collector->threads ? tm_collector_threads_wait(collector->threads, err) : st;
}

void tm_collector_release(struct tm_collector *collector)
{
    tm_collector_threads_free(collector->threads);
    tm_noted_batch_release(&collector->noted);
    tm_collector_columns_release(&collector->columns);
    *collector = (struct tm_collector){0};
}
