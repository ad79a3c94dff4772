/* Private to collectors: the rows of a batch, copied from where they were noted. */
#ifndef TM_SORT_COLLECTOR_COLUMNS_H
#define TM_SORT_COLLECTOR_COLUMNS_H

#include "sort/collector_notes.h"

struct tm_collector_column {
    uint8_t *data;
    bool is_constant; /* all elements so far are equal; data holds one */
};

/* Zero-initialise and set limit_bytes. */
struct tm_collector_columns {
    size_t limit_bytes; /* of the batch, as for tm_collector_init */
    uint32_t count;     /* rows that are here */
    struct tm_buf payload;
    /* private */
    struct tm_collector_column columns[TM_COL_COUNT];
    uint32_t row_cap; /* so many rows have room in the columns */
    uint8_t *memory;  /* of all columns */
    struct tm_lane_words *words; /* of the lanes that are copied */
    uint32_t words_cap;
};

/* Copies the rows of NOTES after those that are here. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_collector_columns_copy(struct tm_collector_columns *columns, const struct tm_collector_notes *notes,
                                         struct tm_error *err);

/* Makes *BATCH of all rows that are here and of NOTES, the last ones, which may be empty. Rows that are a range of one
 * block are not copied. The batch is valid until the next call, as long as the blocks of NOTES are. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_collector_columns_batch(struct tm_collector_columns *columns, const struct tm_collector_notes *notes,
                                          struct tm_batch *batch, struct tm_error *err);

/* Removes all rows; keeps the memory. */
void tm_collector_columns_clear(struct tm_collector_columns *columns);

void tm_collector_columns_release(struct tm_collector_columns *columns);

#endif
