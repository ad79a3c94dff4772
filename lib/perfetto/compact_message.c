#include "perfetto/compact_message.h"

#include "base/bytes.h"
#include "base/varints.h"

#include <string.h>

static const uint8_t switch_ids[TM_COMPACT_LANE_COLUMNS] = {TM_COMPACT_SWITCH_TIME, TM_COMPACT_SWITCH_STATE,
                                                            TM_COMPACT_SWITCH_PID, TM_COMPACT_SWITCH_PRIO,
                                                            TM_COMPACT_SWITCH_COMM};
static const uint8_t waking_ids[TM_COMPACT_LANE_COLUMNS] = {TM_COMPACT_WAKING_TIME, TM_COMPACT_WAKING_PID,
                                                            TM_COMPACT_WAKING_CPU, TM_COMPACT_WAKING_PRIO,
                                                            TM_COMPACT_WAKING_COMM};

enum tm_status tm_compact_reader_open(struct tm_compact_reader *r, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    uint32_t seen = 0;
    enum tm_status st;
    memset(r->columns, 0, sizeof r->columns);
    r->comms.len = 0;
    r->comm_count = 0;
    r->damaged = false;
    r->is_regular = true;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_LEN || f.id >= TM_COMPACT_FIELDS) {
            r->is_regular = false;
        } else if (f.id == TM_COMPACT_COMMS) {
            uint64_t tag;
            const uint8_t *length = tm_varint_get(f.start, f.end, &tag);
            const struct tm_compact_comm comm = {f.data, f.len, (size_t)(length - data)};
            if (tm_buf_add(&r->comms, &comm, sizeof comm) != TM_OK)
                return TM_E_SYSTEM;
            r->comm_count++;
        } else {
            r->is_regular &= !(seen >> f.id & 1);
            seen |= 1U << f.id;
            r->columns[f.id] = (struct tm_compact_column){f.data, f.data + f.len};
        }
    }
    return st == TM_END ? TM_OK : TM_E_INPUT;
}

/* If the columns do not end together, the events up to the end of the shortest are valid. */
void tm_compact_reader_fill(struct tm_compact_reader *r, struct tm_compact_reader_lane *lane)
{
    lane->at = 0;
    lane->count = lane->is_last ? 0 : TM_COMPACT_TILE;
    for (int i = 0; i < TM_COMPACT_LANE_COLUMNS && !lane->is_last; i++) {
        struct tm_compact_column *column = &r->columns[lane->ids[i]];
        uint64_t *numbers = lane->numbers + (size_t)i * TM_COMPACT_TILE;
        uint32_t n = tm_varints_read(&column->at, column->end, numbers, TM_COMPACT_TILE, &r->damaged);
        if (i > 0 && n != lane->count)
            r->damaged = true;
        lane->count = n < lane->count ? n : lane->count;
    }
    lane->is_last |= lane->count < TM_COMPACT_TILE;
}

static void start_lane(struct tm_compact_reader *r, struct tm_compact_reader_lane *lane, const uint8_t *ids)
{
    lane->ids = ids;
    lane->time = 0;
    lane->at = lane->count = 0;
    lane->is_last = false;
    tm_compact_reader_advance(r, lane);
}

void tm_compact_reader_start(struct tm_compact_reader *r)
{
    start_lane(r, &r->switches, switch_ids);
    start_lane(r, &r->wakings, waking_ids);
}

/* Returns the OR of all bytes of COLUMN. */
static uint8_t any_bits(struct tm_compact_column column)
{
    uint64_t bits = 0;
    const uint8_t *p = column.at;
    for (; column.end - p >= 8; p += 8)
        bits |= tm_get_le64(p);
    for (; p != column.end; p++)
        bits |= *p;
    bits |= bits >> 32;
    bits |= bits >> 16;
    return (uint8_t)(bits | bits >> 8);
}

static uint8_t highest(struct tm_compact_column column)
{
    uint8_t high = 0;
    for (const uint8_t *p = column.at; p != column.end; p++)
        high = *p > high ? *p : high;
    return high;
}

/* A summary of the numbers of a column. */
struct column_sum {
    uint64_t count, first, sum, high, last;
    bool is_good; /* the numbers are well-formed, and their sum is a valid time */
};

/* For a column of one-byte numbers other than times, sum and first are not computed. */
static struct column_sum sum_column(struct tm_compact_column column, bool is_time)
{
    uint64_t numbers[TM_COMPACT_TILE];
    struct column_sum s = {.is_good = true};
    uint32_t n;
    bool damaged = false;
    if (!is_time && column.at != column.end && any_bits(column) < 0x80) { /* true of most columns */
        s.count = (uint64_t)(column.end - column.at);
        s.high = highest(column);
        s.last = column.end[-1];
        return s;
    }
    while (s.is_good && (n = tm_varints_read(&column.at, column.end, numbers, TM_COMPACT_TILE, &damaged)) > 0) {
        if (s.count == 0)
            s.first = numbers[0];
        for (uint32_t i = 0; i < n && is_time; i++) {
            s.is_good &= numbers[i] <= (uint64_t)INT64_MAX - s.sum;
            s.sum += s.is_good ? numbers[i] : 0;
        }
        for (uint32_t i = 0; i < n; i++)
            s.high = numbers[i] > s.high ? numbers[i] : s.high;
        s.count += n;
        s.last = numbers[n - 1];
    }
    s.is_good &= !damaged;
    return s;
}

/* True if the columns IDS have equal lengths and every name is in the table. Sets SUMS. */
static bool sum_lane(const struct tm_compact_reader *r, const uint8_t *ids, struct column_sum *sums)
{
    bool good = true;
    for (int i = 0; i < TM_COMPACT_LANE_COLUMNS && good; i++) {
        sums[i] = sum_column(r->columns[ids[i]], i == 0);
        good = sums[i].is_good && sums[i].count == sums[0].count;
    }
    return good && (sums[0].count == 0 || sums[TM_COMPACT_LANE_COLUMNS - 1].high < r->comm_count);
}

bool tm_compact_reader_sum(const struct tm_compact_reader *r, struct tm_compact_sum *sum)
{
    enum { TIME, STATE, PID, PRIO, COMM };
    struct column_sum switches[TM_COMPACT_LANE_COLUMNS], wakings[TM_COMPACT_LANE_COLUMNS];
    if (!r->is_regular || !sum_lane(r, switch_ids, switches) || !sum_lane(r, waking_ids, wakings))
        return false;
    uint64_t s = switches[TIME].count, w = wakings[TIME].count;
    struct column_sum flags = sum_column(r->columns[TM_COMPACT_WAKING_FLAGS], false);
    if (!flags.is_good || (flags.count != w && flags.count != 0) || s + w == 0)
        return false;
    bool by_waking = s == 0 || (w > 0 && wakings[TIME].first < switches[TIME].first);
    bool to_waking = s == 0 || (w > 0 && wakings[TIME].sum > switches[TIME].sum);
    *sum = (struct tm_compact_sum){.count = (uint32_t)(s + w),
                                   .switches = (uint32_t)s,
                                   .first_ns = (int64_t)(by_waking ? wakings : switches)[TIME].first,
                                   .last_ns = (int64_t)(to_waking ? wakings : switches)[TIME].sum};
    if (s > 0) {
        sum->pid = (int32_t)(uint32_t)switches[PID].last;
        sum->prio = (int32_t)(uint32_t)switches[PRIO].last;
        sum->comm = (uint32_t)switches[COMM].last;
    }
    return true;
}

void tm_compact_reader_release(struct tm_compact_reader *r)
{
    tm_buf_release(&r->comms);
}

static bool is_times(const struct tm_pb_field *f)
{
    return (f->id == TM_COMPACT_SWITCH_TIME || f->id == TM_COMPACT_WAKING_TIME) && f->type == TM_PB_LEN && f->len > 0;
}

/* Sets *FIRST to the time of the first event. TM_E_INPUT if there is none. */
static enum tm_status first_time(const uint8_t *data, size_t len, uint64_t *first)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    bool has_any = false;
    enum tm_status st;
    *first = 0;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        uint64_t time = 0;
        if (!is_times(&f))
            continue;
        if (tm_varint_get(f.data, f.data + f.len, &time) == NULL)
            return TM_E_INPUT;
        *first = has_any && *first < time ? *first : time;
        has_any = true;
    }
    return st == TM_END && has_any ? TM_OK : TM_E_INPUT;
}

/* Appends F, a column of times, with its first time increased by SHIFT. */
static enum tm_status put_times(struct tm_buf *out, const struct tm_pb_field *f, uint64_t shift)
{
    uint8_t first[TM_VARINT_MAX];
    uint64_t time = 0;
    size_t mark;
    const uint8_t *end = f->data + f->len, *rest = tm_varint_get(f->data, end, &time); /* first_time has checked it */
    size_t len = (size_t)(tm_varint_put(first, time + shift) - first);
    if (tm_pb_begin(out, f->id, &mark) != TM_OK || tm_buf_add(out, first, len) != TM_OK ||
        tm_buf_add(out, rest, (size_t)(end - rest)) != TM_OK)
        return TM_E_SYSTEM;
    return tm_pb_end(out, mark);
}

enum tm_status tm_compact_message_put(struct tm_buf *out, uint32_t id, const uint8_t *data, size_t len,
                                      int64_t first_ns)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    uint64_t first;
    size_t mark;
    enum tm_status st = first_time(data, len, &first);
    if (st < 0)
        return st;
    if ((uint64_t)first_ns == first)
        return tm_pb_put_bytes(out, id, data, len);
    if (tm_pb_begin(out, id, &mark) != TM_OK)
        return TM_E_SYSTEM;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = is_times(&f) ? put_times(out, &f, (uint64_t)first_ns - first)
                          : tm_buf_add(out, f.start, (size_t)(f.end - f.start));
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}
