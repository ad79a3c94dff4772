/* A binary heap: a set of items from which the first in an order can be taken. Of two equal items either can be the
 * first. The functions are inline, so the order and the size of the items are constants where they are used. */
#ifndef TM_BASE_HEAP_H
#define TM_BASE_HEAP_H

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* Zero-initialise. */
struct tm_heap {
    void *items; /* the first in the order is items[0]; the others are in no order */
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* The order of a heap's items. It is the same in all calls for one heap. */
struct tm_heap_order {
    size_t item_bytes;
    bool (*is_before)(const void *a, const void *b);
};

static inline uint8_t *tm_heap_at(const struct tm_heap *heap, const struct tm_heap_order *order, uint32_t i)
{
    return (uint8_t *)heap->items + i * order->item_bytes;
}

/* Makes room for ITEM and returns its place, which the caller sets to ITEM. It is for an item that was just made: its
 * parts are then assigned from registers, whereas a copy would wait until they are in the cache. NULL: no memory, and
 * the heap is unchanged. */
static inline void *tm_heap_place(struct tm_heap *heap, const struct tm_heap_order *order, const void *item,
                                  struct tm_error *err)
{
    if (tm_array_grow(&heap->items, &heap->cap, heap->count, order->item_bytes, err) < 0)
        return NULL;
    uint32_t i = heap->count++;
    for (; i > 0 && order->is_before(item, tm_heap_at(heap, order, (i - 1) / 2)); i = (i - 1) / 2)
        memcpy(tm_heap_at(heap, order, i), tm_heap_at(heap, order, (i - 1) / 2), order->item_bytes);
    return tm_heap_at(heap, order, i);
}

/* Adds a copy of ITEM. TM_OK, or TM_E_SYSTEM with the heap unchanged. */
static inline enum tm_status tm_heap_push(struct tm_heap *heap, const struct tm_heap_order *order, const void *item,
                                          struct tm_error *err)
{
    void *place = tm_heap_place(heap, order, item, err);
    if (place == NULL)
        return TM_E_SYSTEM;
    memcpy(place, item, order->item_bytes);
    return TM_OK;
}

/* Replaces the first item by ITEM. The heap must not be empty. */
static inline void tm_heap_replace(struct tm_heap *heap, const struct tm_heap_order *order, const void *item)
{
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count &&
            order->is_before(tm_heap_at(heap, order, child + 1), tm_heap_at(heap, order, child)))
            child++;
        if (!order->is_before(tm_heap_at(heap, order, child), item))
            break;
        memcpy(tm_heap_at(heap, order, i), tm_heap_at(heap, order, child), order->item_bytes);
    }
    memcpy(tm_heap_at(heap, order, i), item, order->item_bytes);
}

/* Removes the first item and copies it to ITEM. The heap must not be empty. */
static inline void tm_heap_pop(struct tm_heap *heap, const struct tm_heap_order *order, void *item)
{
    memcpy(item, heap->items, order->item_bytes);
    if (--heap->count)
        tm_heap_replace(heap, order, tm_heap_at(heap, order, heap->count));
}

static inline void tm_heap_release(struct tm_heap *heap)
{
    free(heap->items);
    *heap = (struct tm_heap){0};
}

#endif
