/* Makes a batch row by row. */
#ifndef TM_STREAM_BATCH_BUILDER_H
#define TM_STREAM_BATCH_BUILDER_H

#include "stream/batch.h"

/* Rows of a batch that is being made. Zero-initialise. */
struct tm_batch_builder {
    uint32_t count;
    struct tm_buf payload;
    /* private */
    uint8_t *memory; /* of all columns */
    uint8_t *cols[TM_COL_COUNT];
    uint32_t cap;
    uint32_t changes; /* a bit for each column whose elements are not all equal so far; only these are in cols */
    uint8_t first[TM_COL_COUNT][8]; /* elements of the first row */
    uint32_t doubtful; /* of these, the columns whose elements may be equal nevertheless */
};

/* Appends EVENT and copies its payload. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_batch_builder_add(struct tm_batch_builder *builder, const struct tm_event *event);

/* Rows without a payload that have many elements in common. */
struct tm_batch_rows {
    uint32_t count;                       /* at least 1 */
    const struct tm_event *common;        /* the values of all other columns; its payload is ignored */
    const void *columns[TM_COL_COUNT];    /* COUNT elements in this machine's byte order; NULL: the value of common */
};

/* Appends ROWS. There must be room for all of them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_batch_builder_add_rows(struct tm_batch_builder *builder, const struct tm_batch_rows *rows);

enum { TM_BATCH_COPIES = 64, TM_BATCH_SLACK = 16 };

/* Rows that are copies of events. Each has a time and a position of its own. */
struct tm_batch_copies {
    uint32_t count;                        /* at most TM_BATCH_COPIES */
    const struct tm_event *const *events;  /* TM_BATCH_SLACK bytes after the raw bytes of each must be readable */
    const int64_t *times;
    uint64_t position;                     /* position of the first */
    uint32_t file;
    const struct tm_event *like;           /* an event to compare with */
    uint32_t differing;                    /* a bit for each column in which one of events may differ from like */
};

/* Appends ROWS until the batch is full, as tm_batch_builder_add would. *ADDED is their number. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_batch_builder_add_copies(struct tm_batch_builder *builder, const struct tm_batch_copies *rows,
                                           uint32_t *added);

/* Returns a bit for each column in which A and B differ. */
uint32_t tm_batch_columns_differing(const struct tm_event *a, const struct tm_event *b);

/* Returns how many rows without a payload can be added until the batch is full. */
uint32_t tm_batch_builder_room(const struct tm_batch_builder *builder);

static inline bool tm_batch_is_full(uint32_t count, size_t payload_bytes)
{
    return count >= TM_BATCH_EVENTS_MAX || payload_bytes + (size_t)count * TM_BATCH_ROW_BYTES >= TM_BATCH_BYTES;
}

/* True if the batch should be written before the next add. */
static inline bool tm_batch_builder_full(const struct tm_batch_builder *builder)
{
    return tm_batch_is_full(builder->count, builder->payload.len);
}

/* Makes BATCH a view of the rows, valid until the next add or clear. */
void tm_batch_builder_view(const struct tm_batch_builder *builder, struct tm_batch *batch);

/* Removes all rows, and keeps the memory for the next batch. */
void tm_batch_builder_clear(struct tm_batch_builder *builder);
void tm_batch_builder_release(struct tm_batch_builder *builder);

#endif
