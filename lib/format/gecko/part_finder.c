#include "format/gecko/part_finder.h"

#include <string.h>

/* Passes over an array element by element. So damage is found in its element, and reading resumes soon after it. */
static enum tm_status pass_array(struct tm_json_cursor *cursor, struct tm_gecko_resync *resync, size_t table,
                                 bool has_rows, struct tm_error *err)
{
    struct tm_gecko_sought sought = {.rows = has_rows, .table = (int)table};
    struct tm_json_value value;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_enter(cursor, err);
    for (bool first = true;; first = false) {
        if (st == TM_OK && (st = tm_json_cursor_element(cursor, err)) == TM_OK &&
            (st = tm_json_cursor_type(cursor, &type, err)) == TM_OK) {
            sought.rows = sought.rows && !(first && type != TM_JSON_ARRAY); /* the payloads of markers are a column */
            st = sought.rows && type != TM_JSON_ARRAY ? tm_error_at(err, cursor->in->offset, "a row is expected")
                                                      : tm_json_cursor_value(cursor, &value, err);
        }
        if (st == TM_E_INPUT && sought.rows && (st = tm_gecko_resync(resync, &sought, err)) == TM_OK)
            st = tm_gecko_resync_take(resync, TM_GECKO_AT_ROW) ? TM_OK : TM_E_INPUT;
        if (st != TM_OK)
            return st == TM_END ? TM_OK : st;
    }
}

/* Finds parts at CURSOR. */
struct finder {
    struct tm_gecko_parts *parts;
    struct tm_json_cursor *cursor;
    struct tm_gecko_resync *resync; /* continues after damage; NULL: damage is an error */
};

/* Takes the value at the cursor as the part of entry I if it has type WANTED. */
static enum tm_status take_value(const struct finder *finder, size_t i, enum tm_json_type wanted, struct tm_error *err)
{
    struct tm_json_cursor *cursor = finder->cursor;
    enum tm_gecko_part part = tm_gecko_parts_part(i);
    bool has_rows = part == TM_GP_SAMPLES_DATA || part == TM_GP_MARKERS_DATA;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    uint64_t at = cursor->copied;
    if (st < 0)
        return st;
    if (finder->resync && type == TM_JSON_ARRAY)
        st = pass_array(cursor, finder->resync, tm_gecko_parts_table_of(i), has_rows, err);
    else
        st = tm_json_cursor_skip(cursor, err);
    if (st != TM_E_SYSTEM && type == wanted)
        finder->parts->of[part] = (struct tm_gecko_extent){at, cursor->copied - at, st < 0};
    return st;
}

enum tm_status tm_gecko_parts_take(struct tm_gecko_parts *parts, const struct tm_json_value *key,
                                   struct tm_json_cursor *cursor, struct tm_gecko_resync *resync, struct tm_error *err)
{
    const struct finder finder = {parts, cursor, resync};
    struct tm_json_value member;
    enum tm_json_type type;
    size_t table = tm_gecko_parts_find_table(key);
    struct tm_gecko_sought sought = {.table = (int)table};
    if (table == TM_GECKO_NO_ENTRY)
        return TM_END;
    if (tm_gecko_parts_is_array(table))
        return take_value(&finder, table, TM_JSON_ARRAY, err);
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    if (st < 0 || type != TM_JSON_OBJECT)
        return st < 0 ? st : tm_json_cursor_skip(cursor, err);
    st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK) {
        if ((st = tm_json_cursor_key(cursor, &member, err)) == TM_OK) {
            size_t i = tm_gecko_parts_find_member(table, &member);
            bool schema = tm_json_is(&member, "schema");
            st = i == TM_GECKO_NO_ENTRY ? tm_json_cursor_skip(cursor, err)
                                        : take_value(&finder, i, schema ? TM_JSON_OBJECT : TM_JSON_ARRAY, err);
        }
        if (st == TM_E_INPUT && resync && (st = tm_gecko_resync(resync, &sought, err)) == TM_OK)
            st = tm_gecko_resync_take(resync, TM_GECKO_AT_COLUMN) ? TM_OK : TM_E_INPUT;
    }
    return st == TM_END ? TM_OK : st;
}
