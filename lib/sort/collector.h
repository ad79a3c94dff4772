/* Collects rows of many blocks, in the order in which they are added, into batches of about a given size. Rows are
 * noted first. Once there are a few hundred, they are copied column by column. A batch that is a range of one block is
 * written from the block's memory without a copy.
 *
 * Where batches end and which columns are constant depends on the rows alone. Equal rows give equal bytes, however they
 * are divided into blocks. Calls that add or write rows return TM_OK, TM_E_SYSTEM, or the error of the receiver. */
#ifndef TM_SORT_COLLECTOR_H
#define TM_SORT_COLLECTOR_H

#include "sort/block.h"
#include "sort/collector_lane.h"

/* Receives full batches. The batch is valid during the call only. */
struct tm_collector_receiver {
    enum tm_status (*write)(void *to, const struct tm_batch *batch, struct tm_error *err);
    void *to;
};

enum { TM_COLLECTOR_LAYOUTS = 8 };

/* Adjacent rows of a block that has columns. */
struct tm_collector_range {
    const struct tm_block *block;
    uint32_t row, count;
    uint32_t place; /* as places of struct tm_collector_lane */
};

/* Payload of adjacent rows. */
struct tm_collector_piece {
    const uint8_t *data; /* NULL: the payload is in a file */
    const struct tm_block *block; /* the block whose payload_fd has it */
    size_t at;           /* offset in the block's payload */
    size_t len;
};

struct tm_collector_column {
    uint8_t *data;
    bool is_constant; /* all elements so far are equal; data holds one */
};

struct tm_collector {
    struct tm_collector_receiver receiver;
    size_t limit_bytes; /* a batch of this size is full */
    uint32_t count;     /* rows of the current batch */
    /* private */
    size_t payload_bytes;
    size_t bytes; /* as limit_bytes counts them */
    struct tm_collector_lane *lanes; /* TM_COLLECTOR_LAYOUTS at most */
    uint32_t lane_count, lane_cap;
    struct tm_collector_range *ranges;
    uint32_t range_count, range_cap;
    struct tm_collector_piece *pieces; /* has room for those of RANGE_CAP ranges and of all rows of the lanes */
    uint32_t piece_count;
    struct tm_block **blocks; /* the blocks of the ranges; has room for RANGE_CAP */
    uint32_t block_count;
    uint32_t copied; /* rows that are in the columns */
    struct tm_collector_column columns[TM_COL_COUNT];
    uint32_t column_rows; /* so many rows have room in the columns */
    uint8_t *memory; /* of all columns */
    struct tm_buf payload;
    uint64_t epoch;
};

/* Initialises COLLECTOR. A batch is full at LIMIT_BYTES (at most TM_BATCH_BYTES), counted as by
 * tm_batch_builder_full. RECEIVER is copied. Memory is taken as rows arrive, at most
 * about twice LIMIT_BYTES and 600 KiB. */
void tm_collector_init(struct tm_collector *collector, struct tm_collector_receiver receiver, size_t limit_bytes);

/* Adds ROWS, and removes from ROWS each row that was added: if it returns TM_OK, none is left. Their block must not
 * change until copy_noted or flush. It must not have been in another collector before. */
enum tm_status tm_collector_add(struct tm_collector *collector, struct tm_block_rows *rows, struct tm_error *err);

/* Copies all noted rows. Their blocks may be freed afterwards. */
enum tm_status tm_collector_copy_noted(struct tm_collector *collector, struct tm_error *err);

/* Copies all noted rows and writes all rows as a batch. */
enum tm_status tm_collector_flush(struct tm_collector *collector, struct tm_error *err);

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
    struct tm_collector_lane *lane = collector->lanes, *end = lane + collector->lane_count;
    size_t bytes = collector->bytes + TM_BATCH_ROW_BYTES + row->payload_bytes;
    while (lane < end && lane->layout != row->layout)
        lane++;
    if (lane == end || lane->count >= TM_COLLECTOR_TILE || bytes >= collector->limit_bytes)
        return tm_collector_add_record_slowly(collector, row, err);
    lane->records[lane->count] = row->record;
    lane->places[lane->count++] = collector->count++ - collector->copied;
    struct tm_collector_piece *piece = &collector->pieces[collector->piece_count++];
    piece->data = row->payload;
    piece->block = NULL;
    piece->len = row->payload_bytes;
    collector->payload_bytes += row->payload_bytes;
    collector->bytes = bytes;
    return TM_OK;
}

void tm_collector_release(struct tm_collector *collector);

#endif
