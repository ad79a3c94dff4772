/* Rows noted by a collector that are records of one layout. Their columns are copied by loops without branches. */
#ifndef TM_SORT_COLLECTOR_LANE_H
#define TM_SORT_COLLECTOR_LANE_H

#include "sort/block_layout.h"

enum { TM_COLLECTOR_TILE = 256 /* rows copied at once; they fit in the cache */ };

struct tm_collector_lane {
    const struct tm_block_layout *layout;
    uint32_t count;
    const uint8_t *records[TM_COLLECTOR_TILE];
    uint32_t places[TM_COLLECTOR_TILE]; /* destinations, counted from the first row that is not copied yet */
    uint64_t words[TM_LAYOUT_WORDS][TM_COLLECTOR_TILE]; /* the records' words, after tm_collector_lane_read */
};

/* Reads the records. They may be freed afterwards. */
void tm_collector_lane_read(struct tm_collector_lane *lane);

/* Copies COLUMN of all rows to their places in TO, whose elements have the column's width. The lane must have been
 * read. */
void tm_collector_lane_copy(const struct tm_collector_lane *lane, enum tm_column column, uint8_t *to);

#endif
