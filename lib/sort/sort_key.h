/* The order of events. Definitions come first, by (order of processing of the file, position). All others follow, by
 * (time, order of processing of the file, position). Keys are compared part by part with <. Events with equal keys
 * keep the order in which they arrived. */
#ifndef TM_SORT_SORT_KEY_H
#define TM_SORT_SORT_KEY_H

#include "sort/file_order.h"
#include "stream/batch.h"

/* Events that precede all others. UNTIMED events count as definitions too (doc/events.md). */
#define TM_SORT_DEFINITION ((uint32_t)(TM_EVENT_DEFINITION | TM_EVENT_UNTIMED))

struct tm_sort_key {
    uint64_t time;     /* time_ns shifted to compare as an unsigned number; 0 for definitions */
    uint64_t rank;     /* bit 32: the event is no definition; below it the file's order */
    uint64_t position;
};

static inline bool tm_sort_key_less(const struct tm_sort_key *a, const struct tm_sort_key *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->position < b->position;
}

/* Converts time_ns to a part of a key: signed order becomes unsigned order. */
static inline uint64_t tm_sort_time_of(uint64_t time_ns)
{
    return time_ns ^ UINT64_C(1) << 63;
}

static inline uint64_t tm_sort_time(const struct tm_batch *batch, uint32_t row)
{
    return tm_sort_time_of(tm_batch_u64(batch, TM_COL_TIME_NS, row));
}

static inline uint64_t tm_sort_rank(bool definition, uint64_t order)
{
    return definition ? order : UINT64_C(1) << 32 | order;
}

static inline bool tm_sort_is_definition(const struct tm_batch *batch, uint32_t row)
{
    return (tm_batch_u32(batch, TM_COL_FLAGS, row) & TM_SORT_DEFINITION) != 0;
}

/* Returns the key of ROW. Its file must have been announced to ORDERS by tm_file_order_use. */
static inline struct tm_sort_key tm_sort_key_of(const struct tm_batch *batch, uint32_t row,
                                                const struct tm_file_order *orders)
{
    bool definition = tm_sort_is_definition(batch, row);
    uint64_t order = tm_file_order_of(orders, tm_batch_u32(batch, TM_COL_FILE, row));
    return (struct tm_sort_key){definition ? 0 : tm_sort_time(batch, row),
                                tm_sort_rank(definition, order),
                                tm_batch_u64(batch, TM_COL_POSITION, row)};
}

#endif
