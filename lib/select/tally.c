#include "select/tally.h"

#include <assert.h>
#include <stdlib.h>

enum tm_status tm_tally_add(struct tm_tally *t, uint32_t file, uint32_t machine, uint32_t clock, struct tm_error *err)
{
    enum tm_status st;
    struct tm_tally_row *row = t->count ? &t->rows[t->last] : NULL;
    if (row && row->file == file && row->machine == machine && row->clock == clock) {
        row->count++;
        return TM_OK;
    }
    struct tm_key key = {(uint64_t)file << 32 | machine, clock, 0};
    int64_t i = tm_table_find(&t->by_key, &key);
    if (i == TM_TABLE_NONE) {
        i = t->count;
        if ((st = tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, err)) < 0 ||
            (st = tm_table_set(&t->by_key, &key, i, err)) < 0)
            return st;
        t->rows[t->count++] = (struct tm_tally_row){file, machine, clock, 0};
    }
    assert(t->rows);
    t->last = (uint32_t)i;
    t->rows[i].count++;
    return TM_OK;
}

void tm_tally_release(struct tm_tally *t)
{
    free(t->rows);
    tm_table_release(&t->by_key);
    *t = (struct tm_tally){0};
}
