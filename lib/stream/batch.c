#include "stream/batch.h"

#include "base/cpu.h"
#include "base/pb.h"

#include <stdlib.h>

static const uint8_t zeros[8];

/* Returns the bytes that COLUMN of ROWS rows takes. Another line follows, because lines whose addresses differ by a
 * power of two share few places in the processor's cache. */
static size_t column_bytes(size_t rows, enum tm_column column)
{
    return (rows * tm_column_width(column) / TM_CPU_CACHE_LINE + 2) * TM_CPU_CACHE_LINE;
}

uint8_t *tm_columns_new(size_t rows, uint8_t *columns[TM_COL_COUNT])
{
    size_t bytes = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bytes += column_bytes(rows, (enum tm_column)c);
    uint8_t *memory = malloc(bytes), *place = memory;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT && memory; c++) {
        columns[c] = place;
        place += column_bytes(rows, (enum tm_column)c);
    }
    return memory;
}

void tm_batch_set_column(struct tm_batch *batch, enum tm_column column, const void *elements, uint32_t count)
{
    batch->cols[column].data = count ? elements : zeros;
    batch->cols[column].mask = count > 1 ? UINT32_MAX : 0;
}

static enum tm_status refuse(const char *what, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "%s", what);
}

static enum tm_status decode_column(struct tm_batch *batch, const struct tm_pb_field *field, uint64_t *counts,
                                    struct tm_error *err)
{
    enum tm_column column = tm_field_column(field->id);
    size_t width = tm_column_width(column);
    if (field->type != TM_PB_LEN || field->len % width != 0)
        return refuse("a column of the batch is not packed", err);
    counts[column] = field->len / width;
    if (counts[column] > TM_BATCH_EVENTS_MAX)
        return refuse("the batch holds more events than the limit", err);
    tm_batch_set_column(batch, column, field->data, (uint32_t)counts[column]);
    return TM_OK;
}

static enum tm_status check_payload(const struct tm_batch *batch, const struct tm_batch_store *store,
                                    struct tm_error *err)
{
    uint64_t sum = 0;
    if (store->unread & (UINT32_C(1) << TM_COL_RAW_BYTES | UINT32_C(1) << TM_COL_DETAIL_BYTES))
        return TM_OK;
    if (tm_batch_is_constant(batch, TM_COL_RAW_BYTES) && tm_batch_is_constant(batch, TM_COL_DETAIL_BYTES)) {
        sum = (uint64_t)(batch->count ? tm_batch_payload_of(batch, 0) : 0) * batch->count;
    } else {
        for (uint32_t i = 0; i < batch->count; i++)
            sum += tm_batch_payload_of(batch, i);
    }
    return sum == batch->payload_bytes ? TM_OK : refuse("lengths in the batch do not add up", err);
}

/* Decodes one NarrowColumn into the store. It is widened when the number of rows is known. */
static enum tm_status decode_narrow(struct tm_batch_store *store, const struct tm_pb_field *message, uint64_t *counts,
                                    struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_narrow narrow = {.data = zeros};
    uint64_t column = 0, bytes = 0, width = 0;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == TM_NARROW_FIELD_COLUMN && f.type == TM_PB_VARINT) {
            column = tm_field_column(f.value);
        } else if (f.id == TM_NARROW_FIELD_WIDTH && f.type == TM_PB_VARINT) {
            width = f.value;
        } else if (f.id == TM_NARROW_FIELD_LOW && f.type == TM_PB_I64) {
            narrow.low = f.value;
        } else if (f.id == TM_NARROW_FIELD_ELEMENTS && f.type == TM_PB_LEN) {
            narrow.data = f.data;
            bytes = f.len;
        }
    }
    if (st < 0 || column == 0)
        return refuse("the batch has a narrow column this version does not know", err);
    if ((width != 1 && width != 2 && width != 4) || width >= tm_column_width((enum tm_column)column) || bytes % width)
        return refuse("a narrow column of the batch has a width it cannot have", err);
    if (counts[column] || store->columns[column].width)
        return refuse("a column of the batch is there twice", err);
    narrow.width = (uint32_t)width;
    counts[column] = bytes / width;
    store->columns[column] = narrow;
    return TM_OK;
}

/* True if column C is narrow in the frame and its elements are read. */
static bool is_widened(const struct tm_batch_store *store, int c)
{
    return store->columns[c].width && !(store->unread >> c & 1);
}

/* Unpacks the narrow columns into the store and points BATCH at them. Those that are not read stay in the frame. */
static enum tm_status widen(struct tm_batch *batch, struct tm_batch_store *store, struct tm_error *err)
{
    size_t bytes = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bytes += is_widened(store, c) ? tm_column_width((enum tm_column)c) * batch->count : 0;
    tm_buf_clear(&store->elements);
    if (tm_buf_reserve(&store->elements, bytes) != TM_OK)
        return tm_error_nomem(err);
    store->count = batch->count;
    batch->store = store;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        size_t width = tm_column_width((enum tm_column)c);
        if (store->columns[c].width == 0)
            continue;
        store->widened[c] = store->columns[c].data;
        if (is_widened(store, c)) {
            uint8_t *to = store->elements.data + store->elements.len;
            tm_narrow_unpack(&store->columns[c], to, width, batch->count);
            store->widened[c] = to;
            store->elements.len += width * batch->count;
        }
        tm_batch_set_column(batch, (enum tm_column)c, store->widened[c], batch->count);
    }
    return TM_OK;
}

static enum tm_status decode_fields(struct tm_batch *batch, struct tm_batch_store *store, struct tm_pb *pb,
                                    uint64_t *counts, struct tm_error *err)
{
    struct tm_pb_field field;
    enum tm_status st;
    while ((st = tm_pb_next(pb, &field)) == TM_OK) {
        enum tm_status good = TM_OK;
        if (field.id == TM_BATCH_FIELD_COUNT && field.type == TM_PB_VARINT) {
            if (field.value > TM_BATCH_EVENTS_MAX)
                return refuse("the batch holds more events than the limit", err);
            batch->count = (uint32_t)field.value;
        } else if (field.id == TM_BATCH_FIELD_PAYLOAD && field.type == TM_PB_LEN) {
            batch->payload = field.data;
            batch->payload_bytes = field.len;
        } else if (field.id == TM_BATCH_FIELD_NARROW && field.type == TM_PB_LEN) {
            good = decode_narrow(store, &field, counts, err);
        } else if (tm_field_column(field.id)) {
            const enum tm_column column = tm_field_column(field.id);
            good = counts[column] || store->columns[column].width ? refuse("a column of the batch is there twice", err)
                                                                  : decode_column(batch, &field, counts, err);
        } else {
            return refuse("the batch has a column this version does not know", err);
        }
        if (good < 0)
            return good;
    }
    return st < 0 ? refuse("the batch is damaged", err) : TM_OK;
}

enum tm_status tm_batch_decode(struct tm_batch *batch, struct tm_batch_store *store, const uint8_t *body, size_t len,
                               struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(body, len);
    uint64_t counts[TM_COL_COUNT] = {0};
    *batch = (struct tm_batch){.payload = zeros};
    memset(store->columns, 0, sizeof store->columns);
    for (int c = 0; c < TM_COL_COUNT; c++)
        tm_batch_set_column(batch, (enum tm_column)c, zeros, 0);
    enum tm_status st = decode_fields(batch, store, &pb, counts, err);
    if (st < 0)
        return st;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        if (counts[c] != batch->count && (counts[c] > 1 || store->columns[c].width))
            return refuse("a column of the batch has the wrong length", err);
    st = widen(batch, store, err);
    return st < 0 ? st : check_payload(batch, store, err);
}

void tm_batch_store_release(struct tm_batch_store *store)
{
    tm_buf_release(&store->elements);
}

struct tm_narrow tm_batch_narrow(const struct tm_batch *batch, enum tm_column column)
{
    const struct tm_batch_store *store = batch->store;
    if (store && store->columns[column].width && store->widened[column] == batch->cols[column].data &&
        store->count == batch->count)
        return store->columns[column];
    if (batch->count < TM_BATCH_NARROW_MIN)
        return (struct tm_narrow){0};
    return tm_narrow_find(batch->cols[column].data, tm_column_width(column), batch->count);
}

static uint32_t count_flags(const uint8_t *column, uint32_t count, uint32_t flags)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += (tm_get_le32(column + (size_t)4 * i) & flags) != 0;
    return n;
}

uint32_t tm_batch_count_flags(const struct tm_batch *batch, uint32_t flags)
{
    const uint8_t *column = batch->cols[TM_COL_FLAGS].data;
    uint32_t n = 0, i = 0;
    if (tm_batch_is_constant(batch, TM_COL_FLAGS))
        return tm_get_le32(column) & flags ? batch->count : 0;
    for (; batch->count - i >= TM_BATCH_TILE; i += TM_BATCH_TILE)
        n += count_flags(column + (size_t)4 * i, TM_BATCH_TILE, flags);
    return n + count_flags(column + (size_t)4 * i, batch->count - i, flags);
}

static uint32_t count_kinds(const uint8_t *column, uint32_t count, uint32_t first, uint32_t last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = tm_get_le32(column + (size_t)4 * i);
        n += (kind >= first) & (kind <= last);
    }
    return n;
}

bool tm_batch_has_kind(const struct tm_batch *batch, uint32_t first, uint32_t last)
{
    const uint8_t *column = batch->cols[TM_COL_KIND].data;
    uint32_t n = 0, i = 0;
    if (batch->count == 0 || tm_batch_is_constant(batch, TM_COL_KIND))
        return batch->count && count_kinds(column, 1, first, last);
    for (; batch->count - i >= TM_BATCH_TILE; i += TM_BATCH_TILE)
        n += count_kinds(column + (size_t)4 * i, TM_BATCH_TILE, first, last);
    return n + count_kinds(column + (size_t)4 * i, batch->count - i, first, last) > 0;
}

uint64_t tm_batch_events(const struct tm_batch *batch)
{
    uint64_t n = 0;
    if (!tm_batch_has_kind(batch, TM_KIND_COMPACT_SCHED, TM_KIND_COMPACT_SCHED))
        return batch->count;
    for (uint32_t i = 0; i < batch->count; i++)
        n += tm_event_count(tm_batch_u32(batch, TM_COL_KIND, i), tm_batch_u64(batch, TM_COL_VALUE, i));
    return n;
}

void tm_batch_get(const struct tm_batch *batch, uint32_t i, size_t at, struct tm_event *event)
{
    event->time_ns = tm_batch_i64(batch, TM_COL_TIME_NS, i);
    event->dur_ns = tm_batch_i64(batch, TM_COL_DUR_NS, i);
    event->position = tm_batch_u64(batch, TM_COL_POSITION, i);
    event->kind = tm_batch_u32(batch, TM_COL_KIND, i);
    event->flags = tm_batch_u32(batch, TM_COL_FLAGS, i);
    event->file = tm_batch_u32(batch, TM_COL_FILE, i);
    event->machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
    event->clock = tm_batch_u32(batch, TM_COL_CLOCK, i);
    event->sequence = tm_batch_u32(batch, TM_COL_SEQUENCE, i);
    event->generation = tm_batch_u32(batch, TM_COL_GENERATION, i);
    event->name = tm_batch_u32(batch, TM_COL_NAME, i);
    event->category = tm_batch_u32(batch, TM_COL_CATEGORY, i);
    event->pid = tm_batch_i64(batch, TM_COL_PID, i);
    event->tid = tm_batch_i64(batch, TM_COL_TID, i);
    event->track = tm_batch_u64(batch, TM_COL_TRACK, i);
    event->value = tm_batch_u64(batch, TM_COL_VALUE, i);
    event->raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
    event->detail_bytes = tm_batch_u32(batch, TM_COL_DETAIL_BYTES, i);
    event->cpu = tm_batch_u32(batch, TM_COL_CPU, i);
    event->arg_keys = tm_batch_u32(batch, TM_COL_ARG_KEYS, i);
    event->raw = batch->payload + at;
    event->detail = event->raw + event->raw_bytes;
}
