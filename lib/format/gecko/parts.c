#include "format/gecko/resync.h"

#include <string.h>

static const struct {
    enum tm_gecko_part part;
    const char *table, *member; /* member NULL: all of an array */
} names[] = {
    {TM_GP_SAMPLES_SCHEMA, "samples", "schema"},
    {TM_GP_SAMPLES_DATA, "samples", "data"},
    {TM_GP_SAMPLES_STACK, "samples", "stack"},
    {TM_GP_SAMPLES_TIME, "samples", "time"},
    {TM_GP_SAMPLES_DELTAS, "samples", "timeDeltas"},
    {TM_GP_SAMPLES_WEIGHT, "samples", "weight"},
    {TM_GP_SAMPLES_COUNT, "samples", "count"},
    {TM_GP_MARKERS_SCHEMA, "markers", "schema"},
    {TM_GP_MARKERS_DATA, "markers", "data"},
    {TM_GP_MARKERS_NAME, "markers", "name"},
    {TM_GP_MARKERS_START, "markers", "startTime"},
    {TM_GP_MARKERS_END, "markers", "endTime"},
    {TM_GP_MARKERS_PHASE, "markers", "phase"},
    {TM_GP_MARKERS_CATEGORY, "markers", "category"},
    {TM_GP_STACKS_SCHEMA, "stackTable", "schema"},
    {TM_GP_STACKS_DATA, "stackTable", "data"},
    {TM_GP_STACKS_PREFIX, "stackTable", "prefix"},
    {TM_GP_STACKS_FRAME, "stackTable", "frame"},
    {TM_GP_FRAMES_SCHEMA, "frameTable", "schema"},
    {TM_GP_FRAMES_DATA, "frameTable", "data"},
    {TM_GP_FRAMES_FUNC, "frameTable", "func"},
    {TM_GP_FRAMES_ADDRESS, "frameTable", "address"},
    {TM_GP_FRAMES_SYMBOL, "frameTable", "nativeSymbol"},
    {TM_GP_FRAMES_LINE, "frameTable", "line"},
    {TM_GP_FUNCS_NAME, "funcTable", "name"},
    {TM_GP_FUNCS_RESOURCE, "funcTable", "resource"},
    {TM_GP_FUNCS_FILE, "funcTable", "fileName"},
    {TM_GP_FUNCS_SOURCE, "funcTable", "source"},
    {TM_GP_RESOURCES_LIB, "resourceTable", "lib"},
    {TM_GP_RESOURCES_NAME, "resourceTable", "name"},
    {TM_GP_SYMBOLS_LIB, "nativeSymbols", "libIndex"},
    {TM_GP_SOURCES_FILE, "sources", "filename"},
    {TM_GP_STRINGS, "stringTable", NULL},
    {TM_GP_STRINGS, "stringArray", NULL},
};

enum { NAME_COUNT = sizeof names / sizeof *names };

static bool is(const struct tm_json_value *key, const char *name)
{
    return tm_json_is(key, name, strlen(name));
}

/* The entry for member KEY of TABLE (an entry of the same table); NAME_COUNT none. */
static size_t find_member(size_t table, const struct tm_json_value *key)
{
    for (size_t i = table; i < NAME_COUNT && strcmp(names[i].table, names[table].table) == 0; i++)
        if (is(key, names[i].member))
            return i;
    return NAME_COUNT;
}

/* The table that KEY names: its first entry; NAME_COUNT none. */
static size_t find_table(const struct tm_json_value *key)
{
    size_t table = 0;
    while (table < NAME_COUNT && !is(key, names[table].table))
        table++;
    return table;
}

bool tm_gecko_parts_lack_table(const struct tm_gecko_parts *parts, const struct tm_json_value *key)
{
    size_t table = find_table(key);
    for (size_t i = table; i < NAME_COUNT && is(key, names[i].table); i++)
        if (tm_gecko_has(parts, names[i].part))
            return false;
    return table < NAME_COUNT;
}

bool tm_gecko_parts_lack_column(const struct tm_gecko_parts *parts, int table, const struct tm_json_value *key)
{
    size_t i = names[table].member ? find_member((size_t)table, key) : NAME_COUNT;
    return i < NAME_COUNT && !tm_gecko_has(parts, names[i].part);
}

/* An array, element by element, so that damage is noticed where it is and ends no more than it must. */
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
            sought.rows = sought.rows && !(first && type != TM_JSON_ARRAY); /* payloads of markers: a column */
            st = sought.rows && type != TM_JSON_ARRAY ? tm_error_set(err, TM_E_INPUT, "byte %llu: a row is expected",
                                                                     (unsigned long long)cursor->in->offset)
                                                      : tm_json_cursor_value(cursor, &value, err);
        }
        if (st == TM_E_INPUT && sought.rows && (st = tm_gecko_resync(resync, &sought, err)) == TM_OK)
            st = tm_gecko_resync_take(resync, TM_GECKO_AT_ROW) ? TM_OK : TM_E_INPUT;
        if (st != TM_OK)
            return st == TM_END ? TM_OK : st;
    }
}

/* The value at which CURSOR stands as entry I's part, if it is of TYPE WANTED. */
static enum tm_status take_value(struct tm_gecko_parts *parts, size_t i, enum tm_json_type wanted,
                                 struct tm_json_cursor *cursor, struct tm_gecko_resync *resync, struct tm_error *err)
{
    enum tm_gecko_part part = names[i].part;
    size_t table = i;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    uint64_t at = cursor->copied;
    if (st < 0)
        return st;
    while (table > 0 && strcmp(names[table - 1].table, names[i].table) == 0)
        table--;
    if (resync && type == TM_JSON_ARRAY)
        st = pass_array(cursor, resync, table, part == TM_GP_SAMPLES_DATA || part == TM_GP_MARKERS_DATA, err);
    else
        st = tm_json_cursor_skip(cursor, err);
    if (st != TM_E_SYSTEM && type == wanted)
        parts->of[part] = (struct tm_gecko_extent){at, cursor->copied - at, st < 0};
    return st;
}

enum tm_status tm_gecko_parts_take(struct tm_gecko_parts *parts, const struct tm_json_value *key,
                                   struct tm_json_cursor *cursor, struct tm_gecko_resync *resync, struct tm_error *err)
{
    struct tm_json_value member;
    enum tm_json_type type;
    size_t table = find_table(key);
    struct tm_gecko_sought sought = {.table = (int)table};
    if (table == NAME_COUNT)
        return TM_END;
    if (names[table].member == NULL)
        return take_value(parts, table, TM_JSON_ARRAY, cursor, resync, err);
    enum tm_status st = tm_json_cursor_type(cursor, &type, err);
    if (st < 0 || type != TM_JSON_OBJECT)
        return st < 0 ? st : tm_json_cursor_skip(cursor, err);
    st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK) {
        if ((st = tm_json_cursor_key(cursor, &member, err)) == TM_OK) {
            size_t i = find_member(table, &member);
            bool schema = is(&member, "schema");
            st = i == NAME_COUNT
                     ? tm_json_cursor_skip(cursor, err)
                     : take_value(parts, i, schema ? TM_JSON_OBJECT : TM_JSON_ARRAY, cursor, resync, err);
        }
        if (st == TM_E_INPUT && resync && (st = tm_gecko_resync(resync, &sought, err)) == TM_OK)
            st = tm_gecko_resync_take(resync, TM_GECKO_AT_COLUMN) ? TM_OK : TM_E_INPUT;
    }
    return st == TM_END ? TM_OK : st;
}

void tm_gecko_reader_init(struct tm_gecko_reader *r, struct tm_paged_file *spool, const struct tm_gecko_parts *parts,
                          enum tm_gecko_part part)
{
    const struct tm_gecko_extent *extent = &parts->of[part];
    *r = (struct tm_gecko_reader){.cursor.in = &r->part.in};
    tm_paged_input_init(&r->part, spool, extent->at, extent->len, extent->at + parts->shift);
}

void tm_gecko_reader_release(struct tm_gecko_reader *r)
{
    tm_paged_input_release(&r->part);
}
