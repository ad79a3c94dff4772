#include "stream/batch_builder.h"

#include <stddef.h>
#include <stdlib.h>

enum { BATCH_FIRST_ROWS = 1024 };

/* Columns that are not taken from a copied event. */
#define OF_THE_ROW (UINT32_C(1) << TM_COL_TIME_NS | UINT32_C(1) << TM_COL_POSITION | UINT32_C(1) << TM_COL_FILE)

static const uint8_t zeros[8];

static enum tm_status grow(struct tm_batch_builder *b)
{
    uint32_t cap = b->cap ? b->cap * 2 : BATCH_FIRST_ROWS;
    uint8_t *columns[TM_COL_COUNT];
    uint8_t *memory = tm_columns_new(cap, columns);
    if (memory == NULL)
        return TM_E_SYSTEM;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        if (b->changes >> c & 1)
            memcpy(columns[c], b->cols[c], tm_column_width((enum tm_column)c) * b->count);
        b->cols[c] = columns[c];
    }
    free(b->memory);
    b->memory = memory;
    b->cap = cap;
    return TM_OK;
}

/* Called for the first row whose COLUMN differs. Writes the element that the rows before it share. */
static void begin_to_vary(const struct tm_batch_builder *b, enum tm_column column)
{
    uint8_t *col = b->cols[column];
    uint64_t first = tm_get_le64(b->first[column]);
    for (uint32_t i = 0; i < b->count; i++) {
        if (tm_column_width(column) == 4)
            tm_put_le32(col + (size_t)4 * i, (uint32_t)first);
        else
            tm_put_le64(col + (size_t)8 * i, first);
    }
}

/* Puts element V of row ROW. CHANGES is as in the builder. ROW and CHANGES are copies of members of the builder: the
 * compiler must assume that writing a byte changes the builder, and would load them again. */
static inline void put32(const struct tm_batch_builder *b, enum tm_column column, uint32_t v, uint32_t row,
                         uint32_t *changes)
{
    if (!(*changes >> column & 1)) {
        if (v == tm_get_le32(b->first[column]))
            return;
        begin_to_vary(b, column);
        *changes |= UINT32_C(1) << column;
    }
    tm_put_le32(b->cols[column] + (size_t)4 * row, v);
}

static inline void put64(const struct tm_batch_builder *b, enum tm_column column, uint64_t v, uint32_t row,
                         uint32_t *changes)
{
    if (!(*changes >> column & 1)) {
        if (v == tm_get_le64(b->first[column]))
            return;
        begin_to_vary(b, column);
        *changes |= UINT32_C(1) << column;
    }
    tm_put_le64(b->cols[column] + (size_t)8 * row, v);
}

/* Offsets of the columns' elements in struct tm_event. */
static const uint8_t places[TM_COL_COUNT] = {[TM_COL_TIME_NS] = offsetof(struct tm_event, time_ns),
                                             [TM_COL_DUR_NS] = offsetof(struct tm_event, dur_ns),
                                             [TM_COL_POSITION] = offsetof(struct tm_event, position),
                                             [TM_COL_KIND] = offsetof(struct tm_event, kind),
                                             [TM_COL_FLAGS] = offsetof(struct tm_event, flags),
                                             [TM_COL_FILE] = offsetof(struct tm_event, file),
                                             [TM_COL_MACHINE] = offsetof(struct tm_event, machine),
                                             [TM_COL_CLOCK] = offsetof(struct tm_event, clock),
                                             [TM_COL_SEQUENCE] = offsetof(struct tm_event, sequence),
                                             [TM_COL_GENERATION] = offsetof(struct tm_event, generation),
                                             [TM_COL_NAME] = offsetof(struct tm_event, name),
                                             [TM_COL_CATEGORY] = offsetof(struct tm_event, category),
                                             [TM_COL_PID] = offsetof(struct tm_event, pid),
                                             [TM_COL_TID] = offsetof(struct tm_event, tid),
                                             [TM_COL_TRACK] = offsetof(struct tm_event, track),
                                             [TM_COL_VALUE] = offsetof(struct tm_event, value),
                                             [TM_COL_RAW_BYTES] = offsetof(struct tm_event, raw_bytes),
                                             [TM_COL_CPU] = offsetof(struct tm_event, cpu),
                                             [TM_COL_ARG_KEYS] = offsetof(struct tm_event, arg_keys),
                                             [TM_COL_DETAIL_BYTES] = offsetof(struct tm_event, detail_bytes)};

static inline uint32_t get32(const struct tm_event *e, size_t place)
{
    uint32_t v;
    memcpy(&v, (const char *)e + place, sizeof v);
    return v;
}

static inline uint64_t get64(const struct tm_event *e, size_t place)
{
    uint64_t v;
    memcpy(&v, (const char *)e + place, sizeof v);
    return v;
}

/* Copies the columns of E to VALUES, 4-byte columns in the low half. */
static void spread(const struct tm_event *e, uint64_t values[TM_COL_COUNT])
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        values[c] = tm_column_width((enum tm_column)c) == 4 ? get32(e, places[c]) : get64(e, places[c]);
}

/* Puts the first row. Columns that equal it in all rows are not written again. */
static void put_first(struct tm_batch_builder *b, const struct tm_event *e)
{
    uint64_t values[TM_COL_COUNT] = {0};
    b->changes = b->doubtful = 0;
    spread(e, values);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        tm_put_le64(b->first[c], values[c]);
}

enum tm_status tm_batch_builder_add(struct tm_batch_builder *b, const struct tm_event *e)
{
    if (b->count == b->cap && grow(b) != TM_OK)
        return TM_E_SYSTEM;
    if (tm_buf_reserve(&b->payload, (size_t)e->raw_bytes + e->detail_bytes) != TM_OK)
        return TM_E_SYSTEM;
    if (e->raw_bytes)
        memcpy(b->payload.data + b->payload.len, e->raw, e->raw_bytes);
    b->payload.len += e->raw_bytes;
    if (e->detail_bytes)
        memcpy(b->payload.data + b->payload.len, e->detail, e->detail_bytes);
    b->payload.len += e->detail_bytes;
    if (b->count == 0)
        put_first(b, e);
    uint32_t row = b->count, changes = b->changes;
    put64(b, TM_COL_TIME_NS, (uint64_t)e->time_ns, row, &changes);
    put64(b, TM_COL_DUR_NS, (uint64_t)e->dur_ns, row, &changes);
    put64(b, TM_COL_POSITION, e->position, row, &changes);
    put32(b, TM_COL_KIND, e->kind, row, &changes);
    put32(b, TM_COL_FLAGS, e->flags, row, &changes);
    put32(b, TM_COL_FILE, e->file, row, &changes);
    put32(b, TM_COL_MACHINE, e->machine, row, &changes);
    put32(b, TM_COL_CLOCK, e->clock, row, &changes);
    put32(b, TM_COL_SEQUENCE, e->sequence, row, &changes);
    put32(b, TM_COL_GENERATION, e->generation, row, &changes);
    put32(b, TM_COL_NAME, e->name, row, &changes);
    put32(b, TM_COL_CATEGORY, e->category, row, &changes);
    put64(b, TM_COL_PID, (uint64_t)e->pid, row, &changes);
    put64(b, TM_COL_TID, (uint64_t)e->tid, row, &changes);
    put64(b, TM_COL_TRACK, e->track, row, &changes);
    put64(b, TM_COL_VALUE, e->value, row, &changes);
    put32(b, TM_COL_RAW_BYTES, e->raw_bytes, row, &changes);
    put32(b, TM_COL_DETAIL_BYTES, e->detail_bytes, row, &changes);
    put32(b, TM_COL_CPU, e->cpu, row, &changes);
    put32(b, TM_COL_ARG_KEYS, e->arg_keys, row, &changes);
    b->changes = changes;
    b->count = row + 1;
    return TM_OK;
}

static inline uint64_t element(const void *elements, size_t width, uint32_t i)
{
    return width == 4 ? ((const uint32_t *)elements)[i] : ((const uint64_t *)elements)[i];
}

/* Copies COUNT elements of WIDTH bytes from memory. */
static void copy_elements(uint8_t *to, const void *elements, size_t width, uint32_t count)
{
    if (TM_LITTLE_ENDIAN) {
        memcpy(to, elements, width * count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (width == 4)
            tm_put_le32(to + (size_t)4 * i, (uint32_t)element(elements, width, i));
        else
            tm_put_le64(to + (size_t)8 * i, element(elements, width, i));
    }
}

static void fill_elements(uint8_t *to, uint64_t v, size_t width, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (width == 4)
            tm_put_le32(to + (size_t)4 * i, (uint32_t)v);
        else
            tm_put_le64(to + (size_t)8 * i, v);
    }
}

static bool all_equal(const void *elements, size_t width, uint32_t count, uint64_t v)
{
    uint32_t same = 0;
    while (same < count && element(elements, width, same) == v)
        same++;
    return same == count;
}

/* Adds COUNT elements to COLUMN: ELEMENTS, or V for each if that is NULL. */
static void add_elements(struct tm_batch_builder *b, enum tm_column column, const void *elements, uint64_t v,
                         uint32_t count)
{
    size_t width = tm_column_width(column);
    if (!(b->changes >> column & 1)) {
        uint64_t first = tm_get_le64(b->first[column]);
        if (elements ? all_equal(elements, width, count, first) : v == first)
            return;
        begin_to_vary(b, column);
        b->changes |= UINT32_C(1) << column;
    }
    uint8_t *to = b->cols[column] + width * b->count;
    if (elements)
        copy_elements(to, elements, width, count);
    else
        fill_elements(to, v, width, count);
}

enum tm_status tm_batch_builder_add_rows(struct tm_batch_builder *b, const struct tm_batch_rows *rows)
{
    uint64_t values[TM_COL_COUNT] = {0};
    while (b->cap - b->count < rows->count)
        if (grow(b) != TM_OK)
            return TM_E_SYSTEM;
    spread(rows->common, values);
    values[TM_COL_RAW_BYTES] = values[TM_COL_DETAIL_BYTES] = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const void *elements = rows->columns[c];
        if (b->count == 0)
            tm_put_le64(b->first[c], elements ? element(elements, tm_column_width(column), 0) : values[c]);
        add_elements(b, column, elements, values[c], rows->count);
    }
    b->count += rows->count;
    return TM_OK;
}

/* Adds the payload of as many ROWS as there is room for. Returns their number, or UINT32_MAX if there is no memory. */
static uint32_t add_payloads(struct tm_batch_builder *b, const struct tm_batch_copies *rows)
{
    uint32_t i = 0, count = b->count;
    for (; i < rows->count && !tm_batch_is_full(count + i, b->payload.len); i++) {
        const struct tm_event *e = rows->events[i];
        size_t raw = e->raw_bytes, detail = e->detail_bytes;
        if (tm_buf_reserve(&b->payload, raw + detail + TM_BATCH_SLACK) != TM_OK)
            return UINT32_MAX;
        uint8_t *to = b->payload.data + b->payload.len;
        tm_copy_short(to, e->raw, raw, TM_BATCH_SLACK);
        if (detail)
            memcpy(to + raw, e->detail, detail);
        b->payload.len += raw + detail;
    }
    return i;
}

/* Prepares columns in which ROWS may differ from each other or from earlier rows. */
static void vary_for(struct tm_batch_builder *b, const struct tm_batch_copies *rows)
{
    uint64_t values[TM_COL_COUNT];
    spread(rows->like, values);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        uint32_t bit = UINT32_C(1) << c;
        if ((OF_THE_ROW | b->changes) & bit || !(rows->differing & bit || values[c] != tm_get_le64(b->first[c])))
            continue;
        begin_to_vary(b, (enum tm_column)c);
        b->changes |= bit;
        b->doubtful |= bit;
    }
}

static void add_column(struct tm_batch_builder *b, enum tm_column column, const struct tm_batch_copies *rows,
                       uint32_t count)
{
    size_t place = places[column];
    const struct tm_event *const *events = rows->events;
    uint8_t *to = b->cols[column] + tm_column_width(column) * b->count;
    if (tm_column_width(column) == 4) {
        for (uint32_t i = 0; i < count; i++)
            tm_put_le32(to + (size_t)4 * i, get32(events[i], place));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        tm_put_le64(to + (size_t)8 * i, get64(events[i], place));
}

enum tm_status tm_batch_builder_add_copies(struct tm_batch_builder *b, const struct tm_batch_copies *rows,
                                           uint32_t *added)
{
    uint64_t positions[TM_BATCH_COPIES];
    uint32_t count = *added = add_payloads(b, rows);
    if (count == UINT32_MAX)
        return TM_E_SYSTEM;
    if (count == 0)
        return TM_OK;
    while (b->cap - b->count < count)
        if (grow(b) != TM_OK)
            return TM_E_SYSTEM;
    if (b->count == 0) {
        struct tm_event first = *rows->events[0];
        first.time_ns = rows->times[0];
        first.position = rows->position;
        first.file = rows->file;
        put_first(b, &first);
    }
    vary_for(b, rows);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        if (b->changes & ~OF_THE_ROW & UINT32_C(1) << c)
            add_column(b, (enum tm_column)c, rows, count);
    for (uint32_t i = 0; i < count; i++)
        positions[i] = rows->position + i;
    add_elements(b, TM_COL_TIME_NS, rows->times, 0, count);
    add_elements(b, TM_COL_POSITION, positions, 0, count);
    add_elements(b, TM_COL_FILE, NULL, rows->file, count);
    b->count += count;
    return TM_OK;
}

uint32_t tm_batch_columns_differing(const struct tm_event *a, const struct tm_event *b)
{
    uint64_t one[TM_COL_COUNT], other[TM_COL_COUNT];
    uint32_t differing = 0;
    spread(a, one);
    spread(b, other);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        differing |= (uint32_t)(one[c] != other[c]) << c;
    return differing;
}

uint32_t tm_batch_builder_room(const struct tm_batch_builder *b)
{
    uint64_t rows = b->payload.len < TM_BATCH_BYTES
                        ? (TM_BATCH_BYTES - b->payload.len + TM_BATCH_ROW_BYTES - 1) / TM_BATCH_ROW_BYTES
                        : 0;
    rows = rows < TM_BATCH_EVENTS_MAX ? rows : TM_BATCH_EVENTS_MAX;
    return rows > b->count ? (uint32_t)rows - b->count : 0;
}

static bool is_constant(const struct tm_batch_builder *b, enum tm_column column)
{
    size_t width = tm_column_width(column);
    return memcmp(b->cols[column], b->cols[column] + width, width * (b->count - 1)) == 0;
}

void tm_batch_builder_view(const struct tm_batch_builder *b, struct tm_batch *batch)
{
    *batch = (struct tm_batch){.count = b->count, .payload = b->payload.len ? b->payload.data : zeros,
                               .payload_bytes = b->payload.len};
    for (int c = 0; c < TM_COL_COUNT; c++) {
        bool varies = b->changes >> c & 1 && !(b->doubtful >> c & 1 && is_constant(b, (enum tm_column)c));
        if (b->count == 0 || c < TM_COL_TIME_NS)
            tm_batch_set_column(batch, (enum tm_column)c, NULL, 0);
        else
            tm_batch_set_column(batch, (enum tm_column)c, varies ? b->cols[c] : b->first[c], varies ? b->count : 1);
    }
}

void tm_batch_builder_clear(struct tm_batch_builder *b)
{
    b->count = 0;
    b->changes = 0;
    b->doubtful = 0;
    tm_buf_clear(&b->payload);
}

void tm_batch_builder_release(struct tm_batch_builder *b)
{
    free(b->memory);
    tm_buf_release(&b->payload);
    *b = (struct tm_batch_builder){0};
}
