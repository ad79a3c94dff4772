#include "emit/text/row.h"

const char *const tm_row_columns[] = {
    "ts",      "dur", "kind",   "name", "category",  "depth", "value", "machine", "machine_id",
    "process", "pid", "thread", "tid",  "other_tid", "cpu",   "track", "file",    NULL,
};

bool tm_row_has_column(struct tm_text name)
{
    for (const char *const *column = tm_row_columns; *column; column++)
        if (tm_text_is(name, *column))
            return true;
    return false;
}
