#include "format/gecko/internal.h"

/* Counts the elements of the next array. */
static enum tm_status count_elements(struct tm_json_cursor *cursor, struct tm_gecko_account *account, uint64_t byte,
                                     struct tm_error *err)
{
    enum tm_status st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(cursor, err)) == TM_OK) {
        tm_gecko_count(account, 1, byte);
        st = tm_json_cursor_skip(cursor, err);
    }
    return st == TM_END ? TM_OK : st;
}

bool tm_gecko_is_unread(const struct tm_json_value *key)
{
    static const char *const names[] = {"jsAllocations", "nativeAllocations", "profilerOverhead", "pausedRanges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tm_json_is(key, names[i]))
            return true;
    return false;
}

enum tm_status tm_gecko_unread_take(struct tm_json_cursor *cursor, struct tm_gecko_account *account,
                                    struct tm_error *err)
{
    struct tm_json_value key;
    enum tm_json_type type;
    uint64_t byte = cursor->in->offset;
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    if (st < 0 || (type != TM_JSON_OBJECT && type != TM_JSON_ARRAY))
        return st < 0 ? st : tm_json_cursor_skip(cursor, err);
    if (type == TM_JSON_ARRAY)
        return count_elements(cursor, account, byte, err);
    st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_key(cursor, &key, err)) == TM_OK) {
        bool rows = tm_json_is(&key, "data") || tm_json_is(&key, "time");
        if (rows && (st = tm_json_cursor_type(cursor, &type, err)) < 0)
            break;
        st = rows && type == TM_JSON_ARRAY ? count_elements(cursor, account, byte, err)
                                           : tm_json_cursor_skip(cursor, err);
    }
    return st == TM_END ? TM_OK : st;
}
