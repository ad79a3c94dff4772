#include "format/cpuprofile/internal.h"

enum tm_status tm_cpuprofile_column_read(struct tm_json_cursor *cursor, struct tm_cpuprofile_column *column,
                                         int64_t (*read)(const struct tm_json_value *value), struct tm_error *err)
{
    struct tm_json_value value;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    if (st == TM_OK && type != TM_JSON_ARRAY)
        return tm_json_cursor_skip(cursor, err);
    tm_paged_file_clear(&column->numbers);
    column->count = 0;
    column->byte = cursor->in->offset;
    if (st == TM_OK)
        st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(cursor, &value, err)) == TM_OK) {
        const int64_t number = read(&value);
        st = tm_paged_file_write(&column->numbers, column->count++ * sizeof number, &number, sizeof number, err);
    }
    return st == TM_END ? TM_OK : st;
}
