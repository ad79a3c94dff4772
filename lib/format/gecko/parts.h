/* The extents of a thread's tables in the paged file, one for each table member of either format. The tables that
 * threads share have such extents, too. */
#ifndef TM_FORMAT_GECKO_PARTS_H
#define TM_FORMAT_GECKO_PARTS_H

#include "json/cursor.h"
#include "os/paged_input.h"

enum tm_gecko_part {
    TM_GP_SAMPLES_SCHEMA,
    TM_GP_SAMPLES_DATA,
    TM_GP_SAMPLES_STACK,
    TM_GP_SAMPLES_TIME,
    TM_GP_SAMPLES_DELTAS,
    TM_GP_SAMPLES_WEIGHT,
    TM_GP_SAMPLES_COUNT, /* of counters */
    TM_GP_MARKERS_SCHEMA,
    TM_GP_MARKERS_DATA,
    TM_GP_MARKERS_NAME,
    TM_GP_MARKERS_START,
    TM_GP_MARKERS_END,
    TM_GP_MARKERS_PHASE,
    TM_GP_MARKERS_CATEGORY,
    TM_GP_STACKS_SCHEMA,
    TM_GP_STACKS_DATA,
    TM_GP_STACKS_PREFIX,
    TM_GP_STACKS_FRAME,
    TM_GP_FRAMES_SCHEMA,
    TM_GP_FRAMES_DATA,
    TM_GP_FRAMES_FUNC,
    TM_GP_FRAMES_ADDRESS,
    TM_GP_FRAMES_SYMBOL,
    TM_GP_FRAMES_LINE,
    TM_GP_FUNCS_NAME,
    TM_GP_FUNCS_RESOURCE,
    TM_GP_FUNCS_FILE,
    TM_GP_FUNCS_SOURCE,
    TM_GP_RESOURCES_LIB,
    TM_GP_RESOURCES_NAME,
    TM_GP_SYMBOLS_LIB,
    TM_GP_SOURCES_FILE,
    TM_GP_STRINGS,
    TM_GP_COUNT
};

struct tm_gecko_extent {
    uint64_t at, len; /* in the paged file; len 0: absent */
    bool is_cut;      /* damage ended it; the damage is counted */
};

struct tm_gecko_parts {
    struct tm_gecko_extent of[TM_GP_COUNT];
    uint64_t shift; /* add this to an offset in the paged file to get the offset in the input */
    bool torn;      /* damage may have removed parts that are absent */
};

static inline bool tm_gecko_has(const struct tm_gecko_parts *parts, enum tm_gecko_part part)
{
    return parts->of[part].len != 0;
}

/* Parts are named by a list of (table, member) pairs. find_table returns the first entry of the table that KEY names,
 * find_member the entry of member KEY of the table that begins at entry TABLE, table_of the first entry of entry I's
 * table. TM_GECKO_NO_ENTRY: there is none. */
enum { TM_GECKO_NO_ENTRY = TM_GP_COUNT + 2 };
size_t tm_gecko_parts_find_table(const struct tm_json_value *key);
size_t tm_gecko_parts_find_member(size_t table, const struct tm_json_value *key);
size_t tm_gecko_parts_table_of(size_t i);

/* The part of entry I, and whether it is a table that is one array, without members. */
enum tm_gecko_part tm_gecko_parts_part(size_t i);
bool tm_gecko_parts_is_array(size_t i);

/* lack_table: KEY names a table of which PARTS has nothing. lack_column: KEY names a column of a table that PARTS does
 * not have. */
bool tm_gecko_parts_lack_table(const struct tm_gecko_parts *parts, const struct tm_json_value *key);
bool tm_gecko_parts_lack_column(const struct tm_gecko_parts *parts, int table, const struct tm_json_value *key);

/* A cursor over a part in the paged file. Its errors name bytes of the input. */
struct tm_gecko_reader {
    struct tm_json_cursor cursor;
    struct tm_paged_input part;
};

void tm_gecko_reader_init(struct tm_gecko_reader *reader, struct tm_paged_file *text_file,
                          const struct tm_gecko_parts *parts, enum tm_gecko_part part);
void tm_gecko_reader_release(struct tm_gecko_reader *reader);

#endif
