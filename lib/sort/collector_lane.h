/* Rows noted by a collector that are records of one layout. Their columns are copied by loops without branches. */
#ifndef TM_SORT_COLLECTOR_LANE_H
#define TM_SORT_COLLECTOR_LANE_H

#include "sort/block_layout.h"

enum { TM_COLLECTOR_TILE = 256 /* rows copied at once; they fit in the cache */ };

struct tm_collector_lane {
    const struct tm_block_layout *layout;
    uint32_t count;
    const uint8_t *records[TM_COLLECTOR_TILE];
    uint32_t places[TM_COLLECTOR_TILE]; /* destinations, counted from the first row that is copied with it */
};

/* The words of a lane's records. */
struct tm_lane_words {
    uint64_t at[TM_LAYOUT_WORDS][TM_COLLECTOR_TILE];
};

/* Reads the records of LANE to WORDS. */
void tm_collector_lane_read(const struct tm_collector_lane *lane, struct tm_lane_words *words);

/* Copies COLUMN of all rows to their places in TO, whose elements have the column's width. WORDS are those of LANE. */
void tm_collector_lane_copy(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                            enum tm_column column, uint8_t *to);

#endif
