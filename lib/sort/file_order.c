#include "sort/file_order.h"

#include "stream/reader.h"

#include <stdlib.h>

enum { FILE_ORDER_FIRST = 64 };

/* Makes room for the order of FILE. */
static enum tm_status reach(struct tm_file_order *o, uint32_t file, struct tm_error *err)
{
    if (file < o->cap)
        return TM_OK;
    if (file >= TM_FILE_ORDER_IDS_MAX)
        return tm_error_set(err, TM_E_INPUT, "file number %u is larger than the limit", file);
    uint32_t cap = o->cap ? o->cap : FILE_ORDER_FIRST;
    while (cap <= file)
        cap *= 2;
    uint32_t *orders = realloc(o->orders, cap * sizeof *orders);
    if (orders == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = o->cap; i < cap; i++)
        orders[i] = UINT32_MAX;
    o->orders = orders;
    o->cap = cap;
    return TM_OK;
}

enum tm_status tm_file_order_set(struct tm_file_order *o, uint32_t file, uint32_t order, struct tm_error *err)
{
    enum tm_status st = reach(o, file, err);
    if (st < 0)
        return st;
    if (order == UINT32_MAX)
        return tm_error_set(err, TM_E_INPUT, "processing order of file %u is larger than the limit", file);
    if (o->orders[file] != UINT32_MAX && o->orders[file] != order)
        return tm_error_set(err, TM_E_INPUT, "file %u begins a second time, or after events of it", file);
    o->orders[file] = order;
    return TM_OK;
}

enum tm_status tm_file_order_frame(struct tm_file_order *o, const struct tm_frame *frame, struct tm_error *err)
{
    if (frame->type != TM_FRAME_FILE_BEGIN)
        return TM_OK;
    Tracemerge__FileBegin *m =
        (Tracemerge__FileBegin *)tm_frame_message(frame, &tracemerge__file_begin__descriptor, err);
    if (m == NULL)
        return err->status;
    enum tm_status st = tm_file_order_set(o, m->id, m->processing_order, err);
    tracemerge__file_begin__free_unpacked(m, NULL);
    return st < 0 ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
}

enum tm_status tm_file_order_use(struct tm_file_order *o, uint32_t file, struct tm_error *err)
{
    enum tm_status st = reach(o, file, err);
    if (st == TM_OK && o->orders[file] == UINT32_MAX)
        o->orders[file] = file;
    return st;
}

void tm_file_order_release(struct tm_file_order *o)
{
    free(o->orders);
    *o = (struct tm_file_order){0};
}
