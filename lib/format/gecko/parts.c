#include "format/gecko/parts.h"

#include <string.h>

static const struct {
    enum tm_gecko_part part;
    const char *table, *member; /* member NULL: the table is one array */
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
    {TM_GP_MARKERS_START, "markers", "time"}, /* of preprocessed profiles without phases */
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

_Static_assert((int)NAME_COUNT == (int)TM_GECKO_NO_ENTRY, "two names for one part");

size_t tm_gecko_parts_find_member(size_t table, const struct tm_json_value *key)
{
    for (size_t i = table; i < NAME_COUNT && strcmp(names[i].table, names[table].table) == 0; i++)
        if (tm_json_is(key, names[i].member))
            return i;
    return NAME_COUNT;
}

size_t tm_gecko_parts_find_table(const struct tm_json_value *key)
{
    size_t table = 0;
    while (table < NAME_COUNT && !tm_json_is(key, names[table].table))
        table++;
    return table;
}

size_t tm_gecko_parts_table_of(size_t i)
{
    while (i > 0 && i < NAME_COUNT && strcmp(names[i - 1].table, names[i].table) == 0)
        i--;
    return i;
}

enum tm_gecko_part tm_gecko_parts_part(size_t i)
{
    return names[i].part;
}

bool tm_gecko_parts_is_array(size_t i)
{
    return names[i].member == NULL;
}

bool tm_gecko_parts_lack_table(const struct tm_gecko_parts *parts, const struct tm_json_value *key)
{
    size_t table = tm_gecko_parts_find_table(key);
    for (size_t i = table; i < NAME_COUNT && tm_json_is(key, names[i].table); i++)
        if (tm_gecko_has(parts, names[i].part))
            return false;
    return table < NAME_COUNT;
}

bool tm_gecko_parts_lack_column(const struct tm_gecko_parts *parts, int table, const struct tm_json_value *key)
{
    size_t i = names[table].member ? tm_gecko_parts_find_member((size_t)table, key) : NAME_COUNT;
    return i < NAME_COUNT && !tm_gecko_has(parts, names[i].part);
}

void tm_gecko_reader_init(struct tm_gecko_reader *r, struct tm_paged_file *text_file,
                          const struct tm_gecko_parts *parts, enum tm_gecko_part part)
{
    const struct tm_gecko_extent *extent = &parts->of[part];
    *r = (struct tm_gecko_reader){.cursor.in = &r->part.in};
    tm_paged_input_init(&r->part, text_file, extent->at, extent->len, extent->at + parts->shift);
}

void tm_gecko_reader_release(struct tm_gecko_reader *r)
{
    tm_paged_input_release(&r->part);
}
