/* Rows that a gather has noted and that are records of one layout: a column of them is a few loops without a question.
 */
#ifndef TM_SORT_COLLECTOR_LANE_H
#define TM_SORT_COLLECTOR_LANE_H

#include "sort/block_layout.h"

enum { TM_COLLECTOR_TILE = 256 /* rows that are copied while they are in the cache */ };

struct tm_collector_lane {
    const struct tm_block_layout *layout;
    uint32_t count;
    const uint8_t *records[TM_COLLECTOR_TILE];
    uint32_t places[TM_COLLECTOR_TILE]; /* where they go, counted from the first row that is not settled */
    uint64_t words[TM_LAYOUT_WORDS][TM_COLLECTOR_TILE]; /* of the records, once read */
};

/* Reads the records; so they may go. */
void tm_collector_lane_read(struct tm_collector_lane *lane);

/* Copies COLUMN of all rows to their places in TO, elements of the column's width. After read. */
void tm_collector_lane_copy(const struct tm_collector_lane *lane, enum tm_column column, uint8_t *to);

#endif
