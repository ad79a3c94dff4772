/* Collects rows of many blocks, in the order in which they are added, into batches of about a given size. Rows are
 * noted first. Once there are a few hundred, they are copied column by column. A batch that is a range of one block is
 * written from the block's memory without a copy.
 *
 * Where batches end and which columns are constant depends on the rows alone. Equal rows give equal bytes, however they
 * are divided into blocks. Calls that add or write rows return TM_OK, TM_E_SYSTEM, or the error of the receiver. */
#ifndef TM_SORT_COLLECTOR_H
#define TM_SORT_COLLECTOR_H

#include "sort/collector_threads.h"

struct tm_collector {
    struct tm_batch_receiver receiver;
    size_t limit_bytes; /* a batch of this size is full */
    uint32_t count;     /* rows of the current batch */
    uint64_t batches;   /* before the current one */
    /* private */
    size_t bytes; /* as limit_bytes counts them */
    struct tm_collector_notes *notes; /* those that get the next row; NULL: none so far */
    struct tm_noted_batch noted;      /* with threads the whole batch, else one */
    struct tm_collector_columns columns; /* without threads */
    struct tm_collector_threads *threads; /* NULL: none */
    uint64_t epoch; /* the mark of blocks that are in the notes */
};

/* Initialises COLLECTOR. A batch is full at LIMIT_BYTES (at most TM_BATCH_BYTES), counted as by
 * tm_batch_builder_full. RECEIVER is copied. Memory is taken as rows arrive, at most about twice LIMIT_BYTES and
 * 600 KiB; with threads, up to six batches, each with half a megabyte of notes, come to this. */
void tm_collector_init(struct tm_collector *collector, struct tm_batch_receiver receiver, size_t limit_bytes);

/* Has COUNT threads, at most TM_COLLECTOR_THREADS_MAX, copy rows and give batches to the receiver, if they can be
 * started. Called before the first row is added, or not at all. Blocks must then stay as they are until
 * tm_collector_written counts the batches that have their rows. */
void tm_collector_use_threads(struct tm_collector *collector, unsigned count);

/* Adds ROWS, and removes from ROWS each row that was added: if it returns TM_OK, none is left. Their block must not
 * change until copy_noted or flush. It must not have been in another collector before. */
enum tm_status tm_collector_add(struct tm_collector *collector, struct tm_block_rows *rows, struct tm_error *err);

/* Copies all noted rows. Their blocks may be freed afterwards, unless there are threads: then it does nothing. */
enum tm_status tm_collector_copy_noted(struct tm_collector *collector, struct tm_error *err);

/* Copies all noted rows and writes all rows as a batch, or hands it to the threads. */
enum tm_status tm_collector_flush(struct tm_collector *collector, struct tm_error *err);

/* Returns how many batches are written. Nothing that their rows were in is used any more. */
uint64_t tm_collector_written(const struct tm_collector *collector);

/* Writes all rows. Returns when the receiver has the last batch. No row may be added afterwards. */
enum tm_status tm_collector_finish(struct tm_collector *collector, struct tm_error *err);

/* A row that is a record. */
struct tm_collector_record {
    const struct tm_block_layout *layout;
    const uint8_t *record;
    const uint8_t *payload;
    size_t payload_bytes;
};

/* The slow path of tm_collector_add_record. */
enum tm_status tm_collector_add_record_slowly(struct tm_collector *collector, const struct tm_collector_record *row,
                                              struct tm_error *err);

/* Adds one row of a block of records. Its memory must stay valid as for tm_collector_add. */
static inline enum tm_status tm_collector_add_record(struct tm_collector *collector,
                                                     const struct tm_collector_record *row, struct tm_error *err)
{
    struct tm_collector_notes *notes = collector->notes;
    size_t bytes = collector->bytes + TM_BATCH_ROW_BYTES + row->payload_bytes;
    if (notes == NULL || bytes >= collector->limit_bytes)
        return tm_collector_add_record_slowly(collector, row, err);
    struct tm_collector_lane *lane = notes->lanes, *end = lane + notes->lane_count;
    while (lane < end && lane->layout != row->layout)
        lane++;
    if (lane == end || lane->count >= TM_COLLECTOR_TILE)
        return tm_collector_add_record_slowly(collector, row, err);
    lane->records[lane->count] = row->record;
    lane->places[lane->count++] = notes->count++;
    struct tm_collector_piece *piece = &notes->pieces[notes->piece_count++];
    piece->data = row->payload;
    piece->block = NULL;
    piece->len = row->payload_bytes;
    notes->payload_bytes += row->payload_bytes;
    collector->count++;
    collector->bytes = bytes;
    return TM_OK;
}

void tm_collector_release(struct tm_collector *collector);

#endif
