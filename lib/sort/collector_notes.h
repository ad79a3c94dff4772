/* Private to collectors: rows of a batch that are noted. They are copied together, column by column, so there are few
 * enough for the processor's cache. */
#ifndef TM_SORT_COLLECTOR_NOTES_H
#define TM_SORT_COLLECTOR_NOTES_H

#include "sort/block.h"
#include "sort/collector_lane.h"

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

/* Zero-initialise. */
struct tm_collector_notes {
    uint32_t count;       /* rows */
    size_t payload_bytes; /* of these rows */
    struct tm_collector_lane *lanes; /* TM_COLLECTOR_LAYOUTS at most */
    uint32_t lane_count;
    struct tm_collector_range *ranges;
    uint32_t range_count;
    struct tm_collector_piece *pieces; /* has room for those of all ranges and lanes for which there is room */
    uint32_t piece_count;
    struct tm_block **blocks; /* the blocks of the ranges */
    uint32_t block_count;
    /* private */
    uint32_t lane_cap, range_cap; /* BLOCKS has room for RANGE_CAP */
};

/* True if one more range may be noted. Constant columns are looked for in all noted blocks, so with many blocks more
 * ranges are noted before they are copied. */
static inline bool tm_collector_notes_take_range(const struct tm_collector_notes *notes)
{
    return notes->range_count < TM_COLLECTOR_TILE + 4 * notes->block_count;
}

/* Makes room for one more range. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_collector_notes_add_range(struct tm_collector_notes *notes, struct tm_error *err);

/* Adds an empty lane for LAYOUT. There are fewer than TM_COLLECTOR_LAYOUTS. Returns NULL if there is no memory. */
struct tm_collector_lane *tm_collector_notes_add_lane(struct tm_collector_notes *notes,
                                                      const struct tm_block_layout *layout, struct tm_error *err);

/* Removes all rows; keeps the memory. */
void tm_collector_notes_clear(struct tm_collector_notes *notes);

/* All rows of a batch. Zero-initialise. */
struct tm_noted_batch {
    struct tm_collector_notes *notes; /* in the order of their rows */
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* Appends empty notes to BATCH. Those that are there move. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_noted_batch_extend(struct tm_noted_batch *batch, struct tm_error *err);

void tm_noted_batch_release(struct tm_noted_batch *batch);

#endif
