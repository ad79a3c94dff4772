#include "format/gecko/internal.h"

/* Counts the elements of the next array. */
static enum tm_status count_elements(struct tm_gecko *x, uint64_t byte)
{
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(&x->cursor, x->err)) == TM_OK) {
        tm_gecko_count(&x->counts.not_shown, 1, byte);
        st = tm_json_cursor_skip(&x->cursor, x->err);
    }
    return st == TM_END ? TM_OK : st;
}

bool tm_gecko_is_unread(const struct tm_json_value *key)
{
    static const char *const names[] = {"jsAllocations", "nativeAllocations", "profilerOverhead", "pausedRanges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tm_json_is(key, names[i], strlen(names[i])))
            return true;
    return false;
}

enum tm_status tm_gecko_unread_take(struct tm_gecko *x)
{
    struct tm_json_value key;
    enum tm_json_type type;
    uint64_t byte = x->context.input->offset;
    enum tm_status st = tm_json_cursor_type(&x->cursor, &type, x->err);
    if (st < 0 || (type != TM_JSON_OBJECT && type != TM_JSON_ARRAY))
        return st < 0 ? st : tm_json_cursor_skip(&x->cursor, x->err);
    if (type == TM_JSON_ARRAY)
        return count_elements(x, byte);
    st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK) {
        bool rows = tm_json_is(&key, "data", 4) || tm_json_is(&key, "time", 4);
        if (rows && (st = tm_json_cursor_type(&x->cursor, &type, x->err)) < 0)
            break;
        st = rows && type == TM_JSON_ARRAY ? count_elements(x, byte) : tm_json_cursor_skip(&x->cursor, x->err);
    }
    return st == TM_END ? TM_OK : st;
}
