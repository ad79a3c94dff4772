/* A batch: up to about half a megabyte of events held as columns.
 *
 * struct tm_batch is a view: columns point into a frame that was read, or into a builder. A column
 * has no element (all zeros), one (the same for all events) or one an event; accessors hide that.
 * A stage that changes a column points it at bytes of its own and writes the view again: the
 * others are copied as blocks. batch_builder.h makes a batch row by row. */
#ifndef TM_STREAM_BATCH_H
#define TM_STREAM_BATCH_H

#include "base/buf.h"
#include "base/bytes.h"
#include "stream/event.h"
#include "stream/narrow.h"

/* Columns: field numbers of message Batch. */
enum tm_column {
    TM_COL_TIME_NS = 2,
    TM_COL_DUR_NS = 3,
    TM_COL_POSITION = 4,
    TM_COL_KIND = 5,
    TM_COL_FLAGS = 6,
    TM_COL_FILE = 7,
    TM_COL_MACHINE = 8,
    TM_COL_CLOCK = 9,
    TM_COL_SEQUENCE = 10,
    TM_COL_GENERATION = 11,
    TM_COL_NAME = 12,
    TM_COL_CATEGORY = 13,
    TM_COL_PID = 14,
    TM_COL_TID = 15,
    TM_COL_TRACK = 16,
    TM_COL_VALUE = 17,
    TM_COL_RAW_BYTES = 18,
    TM_COL_DETAIL_BYTES = 19,
    TM_COL_CPU = 20,
    TM_COL_COUNT = 21
};

enum {
    TM_BATCH_BYTES = 1 << 19, /* a builder says full from here on; with larger ones stages wait longer for each other */
    TM_BATCH_ROW_BYTES = 104, /* what an event counts for in that, beside its payload */
    TM_BATCH_EVENTS_MAX = 1 << 16, /* more events in one batch are refused */
    TM_BATCH_NARROW_MIN = 64,      /* columns of fewer events are written in their full width */
    TM_BATCH_TILE = 64 /* elements that are looked at without a question between them: compilers make vectors of it */
};

/* Fields of message Batch that are no columns, and of message NarrowColumn. */
enum { TM_BATCH_FIELD_COUNT = 1, TM_BATCH_FIELD_PAYLOAD = 21, TM_BATCH_FIELD_NARROW = 22 };
enum { TM_NARROW_FIELD_COLUMN = 1, TM_NARROW_FIELD_WIDTH = 2, TM_NARROW_FIELD_LOW = 3, TM_NARROW_FIELD_ELEMENTS = 4 };

/* Bytes an element of COLUMN takes: 4 or 8. */
static inline size_t tm_column_width(enum tm_column column)
{
    return column <= TM_COL_POSITION || (column >= TM_COL_PID && column <= TM_COL_VALUE) ? 8 : 4;
}

struct tm_batch_col {
    const uint8_t *data; /* little-endian elements, not aligned; borrowed */
    uint32_t mask;       /* 0: one element for all; UINT32_MAX: one an event */
};

struct tm_batch {
    uint32_t count;
    struct tm_batch_col cols[TM_COL_COUNT];
    const uint8_t *payload; /* borrowed */
    size_t payload_bytes;
    const struct tm_batch_store *store; /* where columns came narrow; else NULL */
};

/* Columns of a batch that were narrow in its frame, in full width. Zero-initialise; one for a reader of frames. */
struct tm_batch_store {
    /* private */
    struct tm_buf elements;
    uint32_t count;
    struct tm_narrow columns[TM_COL_COUNT];  /* as they were in the frame; width 0: in full width */
    const uint8_t *widened[TM_COL_COUNT]; /* where they are in elements */
};

static inline uint32_t tm_batch_u32(const struct tm_batch *batch, enum tm_column column, uint32_t i)
{
    const struct tm_batch_col *col = &batch->cols[column];
    return tm_get_le32(col->data + (size_t)4 * (i & col->mask));
}

static inline uint64_t tm_batch_u64(const struct tm_batch *batch, enum tm_column column, uint32_t i)
{
    const struct tm_batch_col *col = &batch->cols[column];
    return tm_get_le64(col->data + (size_t)8 * (i & col->mask));
}

static inline int64_t tm_batch_i64(const struct tm_batch *batch, enum tm_column column, uint32_t i)
{
    return (int64_t)tm_batch_u64(batch, column, i);
}

static inline bool tm_batch_is_constant(const struct tm_batch *batch, enum tm_column column)
{
    return batch->cols[column].mask == 0;
}

/* Bytes that event I takes in the payload. */
static inline size_t tm_batch_payload_of(const struct tm_batch *batch, uint32_t i)
{
    return (size_t)tm_batch_u32(batch, TM_COL_RAW_BYTES, i) + tm_batch_u32(batch, TM_COL_DETAIL_BYTES, i);
}

/* Points COLUMN at ELEMENTS (1 or batch->count of them, little-endian), which stay the caller's. */
void tm_batch_set_column(struct tm_batch *batch, enum tm_column column, const void *elements, uint32_t count);

/* Makes BATCH a view of a Batch message that stays the caller's, and of STORE, until that is used again. Checks that
 * every column has 0, 1 or count elements and that the payload lengths add up to the payload. TM_OK, TM_E_INPUT or
 * TM_E_SYSTEM. */
enum tm_status tm_batch_decode(struct tm_batch *batch, struct tm_batch_store *store, const uint8_t *body, size_t len,
                               struct tm_error *err);

void tm_batch_store_release(struct tm_batch_store *store);

/* The narrow form of COLUMN, which is not constant: as its frame had it, where the column is still that of the frame,
 * else found from its elements, and then data is NULL; width 0 where it has none. */
struct tm_narrow tm_batch_narrow(const struct tm_batch *batch, enum tm_column column);

/* How many events of BATCH have one of FLAGS. */
uint32_t tm_batch_count_flags(const struct tm_batch *batch, uint32_t flags);

/* True where an event of BATCH is of a kind from FIRST to LAST. */
bool tm_batch_has_kind(const struct tm_batch *batch, uint32_t first, uint32_t last);

/* How many events the rows of BATCH are, among which there may be messages of several. */
uint64_t tm_batch_events(const struct tm_batch *batch);

/* Event I whose payload starts at payload byte AT. */
void tm_batch_get(const struct tm_batch *batch, uint32_t i, size_t at, struct tm_event *event);

/* Walks a batch: zero-initialise with .batch set, then
 *     while (tm_batch_next(&walk, &event)) … */
struct tm_batch_walk {
    const struct tm_batch *batch;
    uint32_t i; /* the event after the one last shown */
    size_t at;
};

static inline bool tm_batch_next(struct tm_batch_walk *walk, struct tm_event *event)
{
    if (walk->i >= walk->batch->count)
        return false;
    tm_batch_get(walk->batch, walk->i++, walk->at, event);
    walk->at += (size_t)event->raw_bytes + event->detail_bytes;
    return true;
}

#endif
