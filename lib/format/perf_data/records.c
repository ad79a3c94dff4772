#include "format/perf_data/records.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { HEADER_LEN = 8, RECORD_MAX = UINT16_MAX, PLAIN_STEP = 1 << 17, WINDOW_LOG_MAX = 27, SIZE_UNIT = 8 };
/* bytes that must be visible where a record may begin after damage: room for four records */
enum { LOOK_AHEAD = RECORD_MAX * 4 };

enum tm_status tm_perf_records_open(struct tm_perf_records *r, const struct tm_extent *whole,
                                    struct tm_perf_section section, struct tm_error *err)
{
    struct tm_extent part = *whole;
    part.start += section.at;
    part.len = section.len;
    r->start = section.at;
    enum tm_status st = tm_extent_open(&part, &r->in, err);
    r->is_open = st == TM_OK;
    return st;
}

static struct tm_perf_cursor cursor(const struct tm_perf_records *r, const uint8_t *data, size_t len)
{
    return (struct tm_perf_cursor){data, data + len, r->is_big, false};
}

static bool is_type(uint32_t type)
{
    return (type > 0 && type < TM_PERF_RECORD_TYPES) ||
           (type >= TM_PERF_RECORD_SIMPLEPERF && type < TM_PERF_RECORD_SIMPLEPERF_TYPES);
}

/* Reads the header at DATA. SIZE is 0 if it is not a header. Simpleperf's own records have the upper half of their size
 * in place of the misc bits. */
static void read_header(const struct tm_perf_records *r, const uint8_t *data, struct tm_perf_record *record,
                        uint32_t *size)
{
    struct tm_perf_cursor c = cursor(r, data, HEADER_LEN);
    *record = (struct tm_perf_record){.type = tm_perf_u32(&c)};
    record->misc = tm_perf_u16(&c);
    *size = tm_perf_u16(&c);
    if (record->type >= TM_PERF_RECORD_SIMPLEPERF) {
        *size |= (uint32_t)record->misc << 16;
        record->misc = 0;
    }
    if (*size < HEADER_LEN || *size > TM_PERF_RECORD_BYTES_MAX)
        *size = 0;
}

/* Decompresses up to PLAIN_STEP further bytes of the current compressed record. */
static enum tm_status decompress(struct tm_perf_records *r, struct tm_error *err)
{
    if (r->decompressed_at > 0) {
        tm_buf_consume(&r->decompressed, r->decompressed_at);
        r->decompressed_at = 0;
    }
    if (tm_buf_reserve(&r->decompressed, PLAIN_STEP) != TM_OK)
        return tm_error_nomem(err);
    ZSTD_inBuffer from = {.src = r->packed, .size = r->packed_len, .pos = r->packed_at};
    ZSTD_outBuffer to = {.dst = r->decompressed.data + r->decompressed.len, .size = PLAIN_STEP};
    size_t answer = ZSTD_decompressStream(r->stream, &to, &from);
    if (ZSTD_getErrorCode(answer) == ZSTD_error_memory_allocation)
        return tm_error_nomem(err);
    if (ZSTD_isError(answer))
        return tm_error_at(err, r->packed_byte, "the record's zstd data is damaged (%s)", ZSTD_getErrorName(answer));
    r->is_full = to.pos == to.size;
    bool moved = to.pos > 0 || from.pos > r->packed_at;
    r->packed_at = from.pos;
    r->decompressed.len += to.pos;
    if (r->expansion && to.pos > 0 && tm_expansion_add(r->expansion, to.pos, err) < 0) {
        r->is_past_limit = true;
        return TM_E_INPUT;
    }
    if (!moved && r->packed_at < r->packed_len)
        return tm_error_at(err, r->packed_byte, "the record's zstd data is damaged");
    return TM_OK;
}

/* Reads the next decompressed record. TM_END: it continues in a later compressed record. */
static enum tm_status next_decompressed(struct tm_perf_records *r, struct tm_perf_record *record, struct tm_error *err)
{
    for (;;) {
        const uint8_t *at = r->decompressed.data + r->decompressed_at;
        size_t left = r->decompressed.len - r->decompressed_at;
        uint32_t size = 0;
        if (left >= HEADER_LEN) {
            read_header(r, at, record, &size);
            if (size == 0)
                return tm_error_at(err, r->packed_byte, "a compressed record has no size");
        }
        if (size > 0 && left >= size) {
            r->decompressed_at += size;
            record->body = cursor(r, at + HEADER_LEN, size - HEADER_LEN);
            record->byte = r->packed_byte;
            return TM_OK;
        }
        if (r->packed_at == r->packed_len && !r->is_full)
            return TM_END;
        enum tm_status st = decompress(r, err);
        if (st < 0)
            return st;
    }
}

/* Makes RECORD the current compressed record. */
static enum tm_status begin_packed(struct tm_perf_records *r, const struct tm_perf_record *record,
                                   struct tm_error *err)
{
    struct tm_perf_cursor c = record->body;
    uint64_t len = record->type == TM_PERF_RECORD_COMPRESSED2 ? tm_perf_u64(&c) : (uint64_t)(c.end - c.p);
    const uint8_t *data = tm_perf_take(&c, len);
    if (data == NULL)
        return tm_error_at(err, record->byte, "a compressed record is cut short");
    if (r->stream == NULL) {
        ZSTD_DStream *stream = ZSTD_createDStream();
        if (stream == NULL)
            return tm_error_nomem(err);
        r->stream = stream;
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    }
    r->packed = data;
    r->packed_len = (size_t)len;
    r->packed_at = 0;
    r->packed_byte = record->byte;
    return TM_OK;
}

/* Drops the current compressed record and the unfinished rest of the one before it. */
static void give_up_packed(struct tm_perf_records *r)
{
    r->packed_at = r->packed_len = 0;
    r->is_full = false;
    r->decompressed_at = 0;
    tm_buf_clear(&r->decompressed);
    ZSTD_DCtx_reset(r->stream, ZSTD_reset_session_only);
}

/* Returns the number of bytes that follow RECORD and are not counted in its size. Old versions of simpleperf have the
 * formats of tracepoints within the record. */
static uint64_t trailing_bytes(const struct tm_perf_record *record)
{
    struct tm_perf_cursor c = record->body;
    if (record->type == TM_PERF_RECORD_AUXTRACE)
        return tm_perf_u64(&c);
    if (record->type != TM_PERF_RECORD_TRACING_DATA)
        return 0;
    uint64_t len = tm_perf_u32(&c);
    return !c.failed && len > 0 && len <= (uint64_t)(c.end - c.p) ? 0 : (len + SIZE_UNIT - 1) / SIZE_UNIT * SIZE_UNIT;
}

/* Reads the record at the front of the input. TM_END: all is read. TM_E_INPUT: damage. */
static enum tm_status next_of_file(struct tm_perf_records *r, struct tm_perf_record *record, struct tm_error *err)
{
    uint64_t pending = r->pending;
    uint32_t size = 0;
    r->pending = 0;
    enum tm_status st = pending ? tm_input_advance(&r->in, pending, err) : TM_OK;
    uint64_t byte = r->start + r->in.offset;
    if (st == TM_OK)
        st = tm_input_fill(&r->in, HEADER_LEN, err);
    else if (st == TM_END)
        return tm_error_at(err, byte, "cut short within what follows a record");
    if (st == TM_END && r->in.len == 0)
        return TM_END;
    if (st == TM_OK) {
        read_header(r, r->in.data, record, &size);
        if (size == 0 || !is_type(record->type))
            return tm_error_at(err, byte, "no record (type %u, size %u)", record->type, size);
        st = tm_input_fill(&r->in, size, err);
    }
    if (st == TM_END)
        return tm_error_at(err, byte, "a record is cut short");
    if (st < 0)
        return st;
    record->body = cursor(r, r->in.data + HEADER_LEN, size - HEADER_LEN);
    record->byte = byte;
    record->trailing = trailing_bytes(record);
    record->size = record->trailing > INT64_MAX ? INT64_MAX : size + record->trailing;
    r->pending = record->size;
    return TM_OK;
}

/* True if a record may begin at the front of the input: four headers follow each other, or fewer up to the end. */
static bool may_begin(struct tm_perf_records *r)
{
    struct tm_perf_record record;
    uint32_t size;
    for (size_t at = 0, i = 0; i < 4; i++, at += size) {
        if (r->in.len < at + HEADER_LEN)
            return i > 0 && r->in.ended && r->in.len == at;
        read_header(r, r->in.data + at, &record, &size);
        if (size == 0 || size % SIZE_UNIT != 0 || !is_type(record.type) || trailing_bytes(&record) > 0)
            return false;
    }
    return true;
}

/* Counts damage, whose cause is WHY, and skips it: to the next records with salvage, otherwise to the end. */
static enum tm_status pass_over(struct tm_perf_records *r, struct tm_error *why)
{
    enum tm_status st = TM_OK;
    uint64_t from = r->in.offset;
    tm_damage_add(&r->damage, r->start + from, why);
    bool is_found = false;
    r->pending = 0;
    while (st >= 0 && !is_found) {
        st = r->in.len < LOOK_AHEAD ? tm_input_fill(&r->in, LOOK_AHEAD * 4, why) : TM_OK;
        if (st < 0 || r->in.len < SIZE_UNIT)
            break;
        tm_input_skip(&r->in, SIZE_UNIT);
        is_found = r->on_damage == TM_DAMAGE_SALVAGE && may_begin(r);
    }
    if (st < 0)
        return st;
    if (!is_found)
        tm_input_skip(&r->in, r->in.len);
    r->damage.skipped_bytes += r->in.offset - from;
    return TM_OK;
}

enum tm_status tm_perf_records_next(struct tm_perf_records *r, struct tm_perf_record *record, struct tm_error *err)
{
    for (;;) {
        bool is_packed = r->packed_at < r->packed_len || r->is_full || r->decompressed_at < r->decompressed.len;
        enum tm_status st = is_packed ? next_decompressed(r, record, err) : TM_END;
        if (st == TM_OK)
            return TM_OK;
        if (st == TM_E_INPUT && r->on_damage != TM_DAMAGE_HALT && !r->is_past_limit) {
            tm_damage_add(&r->damage, r->packed_byte, err);
            give_up_packed(r);
            continue;
        }
        if (st == TM_END)
            st = next_of_file(r, record, err);
        if (st == TM_END && r->decompressed.len > r->decompressed_at)
            st = tm_error_at(err, r->packed_byte, "the last compressed record is cut short");
        if (st == TM_OK && (record->type == TM_PERF_RECORD_COMPRESSED || record->type == TM_PERF_RECORD_COMPRESSED2))
            st = begin_packed(r, record, err);
        else if (st == TM_OK)
            return TM_OK;
        if (st == TM_E_INPUT && r->on_damage != TM_DAMAGE_HALT && !r->is_past_limit) {
            if (r->decompressed.len > r->decompressed_at && r->in.len == 0) {
                tm_damage_add(&r->damage, r->packed_byte, err);
                give_up_packed(r);
                return TM_END;
            }
            st = pass_over(r, err);
        }
        if (st < 0 && !r->is_past_limit)
            (void)tm_error_recoverable(err);
        if (st != TM_OK)
            return st;
    }
}

void tm_perf_records_release(struct tm_perf_records *r)
{
    if (r->is_open)
        tm_input_release(&r->in);
    ZSTD_freeDStream(r->stream);
    tm_buf_release(&r->decompressed);
    *r = (struct tm_perf_records){0};
}
