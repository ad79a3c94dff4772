/* A batch holds up to about half a megabyte of events as columns.
 *
 * struct tm_batch is a view. Its columns point into a frame that was read, or into a builder. A column has no element
 * (all values are 0), one (all events have its value), or one for each event; accessors hide the difference. To
 * change a column, a stage points it at bytes of its own and writes the view again. The other columns are copied as
 * blocks. batch_builder.h makes a batch row by row. */
#ifndef TM_STREAM_BATCH_H
#define TM_STREAM_BATCH_H

#include "base/buf.h"
#include "base/bytes.h"
#include "stream/event.h"
#include "stream/narrow.h"

/* Columns: field numbers of message Batch, but for the last one (tm_column_field). */
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
    TM_COL_ARG_KEYS = 21,
    TM_COL_COUNT = 22
};

enum {
    TM_BATCH_BYTES =
        1 << 19, /* a builder is full from this size on; larger batches make stages wait longer for each other */
    TM_BATCH_ROW_BYTES = 104,      /* size of an event in that count, besides its payload */
    TM_BATCH_EVENTS_MAX = 1 << 16, /* more events in one batch are refused */
    TM_BATCH_NARROW_MIN = 64,      /* columns of fewer events are written in their full width */
    TM_BATCH_TILE = 64             /* elements that are processed without a branch, which compilers vectorise */
};

/* Other fields of message Batch, and fields of message NarrowColumn. */
enum {
    TM_BATCH_FIELD_COUNT = 1,
    TM_BATCH_FIELD_PAYLOAD = 21,
    TM_BATCH_FIELD_NARROW = 22,
    TM_BATCH_FIELD_ARG_KEYS = 23
};
enum { TM_NARROW_FIELD_COLUMN = 1, TM_NARROW_FIELD_WIDTH = 2, TM_NARROW_FIELD_LOW = 3, TM_NARROW_FIELD_ELEMENTS = 4 };

/* Returns the field number of COLUMN. */
static inline uint32_t tm_column_field(enum tm_column column)
{
    return column == TM_COL_ARG_KEYS ? TM_BATCH_FIELD_ARG_KEYS : (uint32_t)column;
}

/* Returns the column whose field number is FIELD; 0: there is none. */
static inline enum tm_column tm_field_column(uint64_t field)
{
    if (field == TM_BATCH_FIELD_ARG_KEYS)
        return TM_COL_ARG_KEYS;
    return field >= TM_COL_TIME_NS && field < TM_COL_ARG_KEYS ? (enum tm_column)field : (enum tm_column)0;
}

/* Returns the size of an element of COLUMN: 4 or 8 bytes. */
static inline size_t tm_column_width(enum tm_column column)
{
    return column <= TM_COL_POSITION || (column >= TM_COL_PID && column <= TM_COL_VALUE) ? 8 : 4;
}

/* Allocates memory for ROWS elements of each column, and sets COLUMNS to their places in it. It is one piece: of many
 * pieces malloc touches a page each, though most columns of a small batch stay empty. NULL: out of memory. */
uint8_t *tm_columns_new(size_t rows, uint8_t *columns[TM_COL_COUNT]);

struct tm_batch_col {
    const uint8_t *data; /* little-endian elements, not aligned; borrowed */
    uint32_t mask;       /* 0: one element for all events; UINT32_MAX: one for each event */
};

struct tm_batch {
    uint32_t count;
    struct tm_batch_col cols[TM_COL_COUNT];
    const uint8_t *payload; /* borrowed */
    size_t payload_bytes;
    const struct tm_batch_store *store; /* if columns were narrow in the frame; otherwise NULL */
};

/* Columns of a batch that were narrow in its frame, in full width. Zero-initialise; use one for each reader of
 * frames. */
struct tm_batch_store {
    uint32_t unread; /* a bit for each column that is not read but only written again. It stays narrow if it is so in
                      * the frame. If it is one of the payload's lengths, these are not checked. Default: none */
    /* private */
    struct tm_buf elements;
    uint32_t count;
    struct tm_narrow columns[TM_COL_COUNT];  /* as they were in the frame; width 0: in full width */
    const uint8_t *widened[TM_COL_COUNT]; /* where they are in elements */
};

/* Return element I of COLUMN, whose elements have 4 bytes (u32) or 8 (u64, i64). Nothing is checked. */
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

/* True if all events have the same element of COLUMN. */
static inline bool tm_batch_is_constant(const struct tm_batch *batch, enum tm_column column)
{
    return batch->cols[column].mask == 0;
}

/* Returns the payload bytes of event I. */
static inline size_t tm_batch_payload_of(const struct tm_batch *batch, uint32_t i)
{
    return (size_t)tm_batch_u32(batch, TM_COL_RAW_BYTES, i) + tm_batch_u32(batch, TM_COL_DETAIL_BYTES, i);
}

/* Points COLUMN at ELEMENTS: 1 or batch->count little-endian elements, which are borrowed. */
void tm_batch_set_column(struct tm_batch *batch, enum tm_column column, const void *elements, uint32_t count);

/* Makes BATCH a view of the Batch message in BODY, which is borrowed, and of STORE, until STORE is used again. Checks
 * that every column has 0, 1 or count elements and that payload lengths add up to the payload. TM_OK, TM_E_INPUT or
 * TM_E_SYSTEM. */
enum tm_status tm_batch_decode(struct tm_batch *batch, struct tm_batch_store *store, const uint8_t *body, size_t len,
                               struct tm_error *err);

void tm_batch_store_release(struct tm_batch_store *store);

/* Returns the narrow form of COLUMN, which must not be constant. If the column is still that of its frame, it is the
 * frame's form. Otherwise it is computed from the elements, and data is NULL. Width is 0 if there is no narrow form. */
struct tm_narrow tm_batch_narrow(const struct tm_batch *batch, enum tm_column column);

/* Returns how many events of BATCH have one of FLAGS. */
uint32_t tm_batch_count_flags(const struct tm_batch *batch, uint32_t flags);

/* True if an event of BATCH has a kind from FIRST to LAST. */
bool tm_batch_has_kind(const struct tm_batch *batch, uint32_t first, uint32_t last);

/* Returns how many events the rows of BATCH stand for. A row can be a message of several events. */
uint64_t tm_batch_events(const struct tm_batch *batch);

/* Sets *EVENT to event I, whose payload starts at payload byte AT. */
void tm_batch_get(const struct tm_batch *batch, uint32_t i, size_t at, struct tm_event *event);

/* Walks a batch: zero-initialise with .batch set, then
 *     while (tm_batch_next(&walk, &event)) … */
struct tm_batch_walk {
    const struct tm_batch *batch;
    uint32_t i; /* the event after the last one shown */
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

/* Receives batches. BATCH is valid during the call. */
struct tm_batch_receiver {
    enum tm_status (*show)(void *self, const struct tm_batch *batch, struct tm_error *err);
    void *self;
};

#endif
