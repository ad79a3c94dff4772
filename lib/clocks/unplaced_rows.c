#include "clocks/unplaced_rows.h"

#include <stdlib.h>

static enum tm_status count_surplus(struct tm_unplaced_rows *unplaced, const struct tm_unplaced_row *row,
                                    uint32_t machine, struct tm_error *err)
{
    const struct tm_key key = {row->file, machine, 0};
    int64_t i = tm_table_find(&unplaced->surplus_index, &key);
    if (i == TM_TABLE_NONE) {
        i = unplaced->surplus_count;
        if (tm_array_grow(&unplaced->surplus, &unplaced->surplus_cap, unplaced->surplus_count,
                          sizeof *unplaced->surplus, err) < 0 ||
            tm_table_set(&unplaced->surplus_index, &key, i, err) < 0)
            return TM_E_SYSTEM;
        unplaced->surplus_count++;
    }
    unplaced->surplus[i] = (struct tm_unplaced_surplus){*row, machine, unplaced->surplus[i].count + 1};
    return TM_OK;
}

enum tm_status tm_unplaced_rows_add(struct tm_unplaced_rows *unplaced, const struct tm_unplaced_row *row,
                                    uint32_t machine, struct tm_error *err)
{
    if (unplaced->count == TM_UNPLACED_ROWS_MAX)
        return count_surplus(unplaced, row, machine, err);
    if (tm_array_grow(&unplaced->rows, &unplaced->cap, unplaced->count, sizeof *unplaced->rows, err) < 0)
        return TM_E_SYSTEM;
    unplaced->rows[unplaced->count++] = *row;
    return TM_OK;
}

void tm_unplaced_rows_release(struct tm_unplaced_rows *unplaced)
{
    free(unplaced->rows);
    free(unplaced->surplus);
    tm_table_release(&unplaced->surplus_index);
    *unplaced = (struct tm_unplaced_rows){0};
}
