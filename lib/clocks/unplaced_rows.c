#include "clocks/unplaced_rows.h"

#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_unplaced_rows_add(struct tm_unplaced_rows *unplaced, const struct tm_unplaced_row *row)
{
    if (unplaced->count == TM_UNPLACED_ROWS_MAX)
        return TM_OK;
    if (tm_array_grow(&unplaced->rows, &unplaced->cap, unplaced->count, sizeof *unplaced->rows, NULL) < 0)
        return TM_E_SYSTEM;
    unplaced->rows[unplaced->count++] = *row;
    return TM_OK;
}

void tm_unplaced_rows_release(struct tm_unplaced_rows *unplaced)
{
    free(unplaced->rows);
    *unplaced = (struct tm_unplaced_rows){0};
}
