/* The order of processing of the files of a stream, by File.id: the second part of the order of
 * events. It comes from FileBegin frames; a file that has none counts by its id, from the moment
 * its first event is met on. */
#ifndef TM_SORT_FILE_ORDER_H
#define TM_SORT_FILE_ORDER_H

#include "stream/frame.h"

/* File ids count from 0 without a gap, so one past this is damage. */
enum { TM_FILE_ORDER_IDS_MAX = 1 << 22 };

/* Zero-initialise. */
struct tm_file_order {
    /* private */
    uint32_t *orders; /* UINT32_MAX: not known yet */
    uint32_t cap;
};

/* FILE is processed as number ORDER. TM_OK; TM_E_INPUT: an impossible id, or FILE had another
 * number before or events before its turn; TM_E_SYSTEM. */
enum tm_status tm_file_order_set(struct tm_file_order *orders, uint32_t file, uint32_t order, struct tm_error *err);

/* The same from a FileBegin frame; does nothing with other frames. */
enum tm_status tm_file_order_frame(struct tm_file_order *orders, const struct tm_frame *frame, struct tm_error *err);

/* To be called before tm_file_order_of(FILE): TM_OK, TM_E_INPUT for an impossible id, TM_E_SYSTEM. */
enum tm_status tm_file_order_use(struct tm_file_order *orders, uint32_t file, struct tm_error *err);

static inline uint32_t tm_file_order_of(const struct tm_file_order *orders, uint32_t file)
{
    return orders->orders[file];
}

void tm_file_order_release(struct tm_file_order *orders);

#endif
