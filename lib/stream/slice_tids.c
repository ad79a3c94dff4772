#include "stream/slice_tids.h"

#include "base/order.h"
#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_slice_tids_add(struct tm_slice_tids *set, int64_t tid)
{
    if (set->is_full || (set->count && set->tids[set->count - 1] == tid))
        return TM_OK;
    enum tm_status st = tm_map_add(&set->known, (uint64_t)tid, 0);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if (set->count == TM_SLICE_TIDS_MAX) {
        set->is_full = true;
        return TM_OK;
    }
    if (tm_array_grow(&set->tids, &set->cap, set->count, sizeof *set->tids, NULL) < 0)
        return TM_E_SYSTEM;
    set->tids[set->count++] = tid;
    return TM_OK;
}

void tm_slice_tids_sort(struct tm_slice_tids *set)
{
    if (set->count)
        qsort(set->tids, set->count, sizeof *set->tids, tm_order_i64);
}

void tm_slice_tids_clear(struct tm_slice_tids *set)
{
    set->count = 0;
    set->is_full = false;
    tm_map_clear(&set->known);
}

void tm_slice_tids_release(struct tm_slice_tids *set)
{
    free(set->tids);
    tm_map_release(&set->known);
    *set = (struct tm_slice_tids){0};
}
