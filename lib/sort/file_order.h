/* The order of processing of a stream's files, by File.id. It is the second part of the order of events. It comes
 * from FileBegin frames. A file without one takes its id as its order when its first event is met. */
#ifndef TM_SORT_FILE_ORDER_H
#define TM_SORT_FILE_ORDER_H

#include "stream/frame.h"

/* File ids count from 0 without a gap. A larger id is damage. */
enum { TM_FILE_ORDER_IDS_MAX = 1 << 22 };

/* Zero-initialise. */
struct tm_file_order {
    /* private */
    uint32_t *orders; /* UINT32_MAX: not known yet */
    uint32_t cap;
};

/* States that FILE is processed as number ORDER. TM_OK. TM_E_INPUT if the id is impossible, or if FILE already has
 * another order or had events before its turn. TM_E_SYSTEM. */
enum tm_status tm_file_order_set(struct tm_file_order *orders, uint32_t file, uint32_t order, struct tm_error *err);

/* Sets the order that a FileBegin frame states. Other frames are ignored. Errors are those of tm_file_order_set. */
enum tm_status tm_file_order_frame(struct tm_file_order *orders, const struct tm_frame *frame, struct tm_error *err);

/* Gives FILE its id as its order, unless it has an order. Must be called before tm_file_order_of(FILE). TM_OK;
 * TM_E_INPUT for an impossible id; TM_E_SYSTEM. */
enum tm_status tm_file_order_use(struct tm_file_order *orders, uint32_t file, struct tm_error *err);

/* True if FILE has an order. */
static inline bool tm_file_order_knows(const struct tm_file_order *orders, uint32_t file)
{
    return file < orders->cap && orders->orders[file] != UINT32_MAX;
}

static inline uint32_t tm_file_order_of(const struct tm_file_order *orders, uint32_t file)
{
    return orders->orders[file];
}

void tm_file_order_release(struct tm_file_order *orders);

#endif
