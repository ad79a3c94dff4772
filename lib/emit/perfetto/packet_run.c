#include "emit/perfetto/packet_run.h"

enum {
    RUN_ROWS = 64,
    BODY_BYTES_MAX = 96, /* up to this size the length of a packet, with everything before the body, takes one byte */
    HEAD_BYTES_MAX = 32, /* tag and length, machine, time, sequence and flags */
    COPY_BYTES = 16,     /* most bodies are shorter */
    TRACK_EVENT_TAG = TM_PACKET_TRACK_EVENT << 3 | TM_PB_LEN,
    FLAGS_TAG = TM_PACKET_SEQUENCE_FLAGS << 3 | TM_PB_VARINT,
    FLAGS_FIELD = FLAGS_TAG | TM_SEQUENCE_NEEDS_STATE << 8, /* little-endian */
    FLAGS_FIELD_BYTES = 2
};

/* The flags of such an event, and the mask of the flags that are checked. */
#define RUN_FLAGS (TM_EVENT_RAW_BODY | (uint32_t)TM_RAW_PACKET << TM_EVENT_RAW_SHIFT)
#define CHECKED_FLAGS                                                                                                  \
    (TM_EVENT_RAW_BODY | (uint32_t)15 << TM_EVENT_RAW_SHIFT | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED |                 \
     TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES)

/* The rows of a batch that may be written together, by their columns. */
struct tile {
    uint32_t count;
    uint32_t sequences[RUN_ROWS], machines[RUN_ROWS], raw_bytes[RUN_ROWS], payload_bytes[RUN_ROWS];
};

/* Returns the output's sequence of GENERATION if its events can be written; otherwise 0. */
static inline uint32_t sequence_of(const struct tm_packet_writer *w, const struct tm_packet_run *run,
                                   uint32_t generation)
{
    bool is_written = run->written == NULL || (generation < run->written_count && run->written[generation]);
    uint32_t sequence = generation < w->sequence_count ? w->sequences[generation] : 0;
    return is_written && sequence < 1 << 14 ? sequence : 0;
}

/* Counts the rows of BATCH, in order of time, from FIRST on that are before BEFORE_NS; at most COUNT. */
static uint32_t count_before(const struct tm_batch *batch, uint32_t first, uint32_t count, int64_t before_ns)
{
    while (count && tm_batch_i64(batch, TM_COL_TIME_NS, first + count - 1) >= before_ns)
        count--;
    return count;
}

/* True if row I of BATCH, a track event, gets a track. */
static bool has_own_default(const struct tm_packet_writer *w, const struct tm_batch *batch, uint32_t i)
{
    const struct tm_event e = {.flags = tm_batch_u32(batch, TM_COL_FLAGS, i),
                               .kind = tm_batch_u32(batch, TM_COL_KIND, i),
                               .file = tm_batch_u32(batch, TM_COL_FILE, i),
                               .machine = tm_batch_u32(batch, TM_COL_MACHINE, i),
                               .track = tm_batch_u64(batch, TM_COL_TRACK, i)};
    return tm_packet_has_own_default(w, &e);
}

/* Fills TILE with the next rows of WALK that can be written, at most COUNT. */
static void find_tile(struct tile *tile, const struct tm_packet_writer *w, const struct tm_packet_run *run,
                      const struct tm_batch_walk *walk, uint32_t count)
{
    const struct tm_batch *batch = walk->batch;
    uint32_t i = 0;
    for (; i < count; i++) {
        uint32_t row = walk->i + i, kind = tm_batch_u32(batch, TM_COL_KIND, row);
        uint32_t machine = tm_batch_u32(batch, TM_COL_MACHINE, row);
        uint32_t raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, row);
        uint32_t sequence = sequence_of(w, run, tm_batch_u32(batch, TM_COL_GENERATION, row));
        bool is_good = ((tm_batch_u32(batch, TM_COL_FLAGS, row) ^ RUN_FLAGS) & CHECKED_FLAGS) == 0;
        is_good &= kind - TM_KIND_SLICE_BEGIN <= TM_KIND_INSTANT - TM_KIND_SLICE_BEGIN;
        is_good &= sequence != 0;
        is_good &= !w->defaults.is_shared || !has_own_default(w, batch, row);
        is_good &= raw_bytes - 2 <= BODY_BYTES_MAX;
        if (!is_good)
            break;
        tile->sequences[i] = sequence;
        tile->machines[i] = tm_packet_machine(w, machine);
        tile->raw_bytes[i] = raw_bytes;
        tile->payload_bytes[i] = raw_bytes + tm_batch_u32(batch, TM_COL_DETAIL_BYTES, row);
    }
    tile->count = i;
}

/* Writes row I of TILE to TO, which has room for the longest packet and COPY_BYTES more. At least COPY_BYTES can be
 * read from RAW on. NULL: it is not a track event with a length of one byte, perhaps followed by flags. */
static inline uint8_t *put_packet(const struct tile *tile, uint32_t i, uint64_t time, const uint8_t *raw, uint8_t *to)
{
    uint32_t event_bytes = raw[1] + 2u, /* exceeds raw if the length is longer than a byte */
             rest = tile->raw_bytes[i] - event_bytes;
    bool is_good = raw[0] == TRACK_EVENT_TAG && tile->raw_bytes[i] >= event_bytes;
    if (!is_good || (rest && (rest != FLAGS_FIELD_BYTES || tm_get_le16(raw + event_bytes) != FLAGS_FIELD)))
        return NULL;
    uint8_t *p = tm_packet_put_machine(to + 2, tile->machines[i]);
    p = tm_packet_put_time(p, time);
    p = tm_packet_put_sequence(p, tile->sequences[i]);
    tm_put_le16(p, FLAGS_FIELD);
    p += rest;
    tm_copy_short(p, raw, event_bytes, COPY_BYTES);
    p += event_bytes;
    to[0] = 1 << 3 | TM_PB_LEN;
    to[1] = (uint8_t)(p - to - 2);
    return p;
}

enum tm_status tm_packet_run_write(struct tm_packet_writer *w, struct tm_batch_walk *walk, struct tm_packet_run *run,
                                   struct tm_error *err)
{
    const struct tm_batch *batch = walk->batch;
    struct tile tile;
    bool is_whole = true;
    run->rows = 0;
    while (is_whole) {
        uint32_t left = batch->count - walk->i, i;
        left = count_before(batch, walk->i, left < RUN_ROWS ? left : RUN_ROWS, run->before_ns);
        find_tile(&tile, w, run, walk, left);
        if (tile.count == 0)
            return TM_OK;
        if (tm_buf_reserve(&w->out, (size_t)RUN_ROWS * (HEAD_BYTES_MAX + BODY_BYTES_MAX + COPY_BYTES)) != TM_OK)
            return tm_error_nomem(err);
        const uint8_t *raw = batch->payload + walk->at, *end = batch->payload + batch->payload_bytes;
        uint8_t *to = w->out.data + w->out.len, *next;
        for (i = 0; i < tile.count && end - raw >= COPY_BYTES; i++) {
            uint64_t time = tm_batch_u64(batch, TM_COL_TIME_NS, walk->i + i);
            if ((next = put_packet(&tile, i, time, raw, to)) == NULL)
                break;
            to = next;
            raw += tile.payload_bytes[i];
        }
        if (i > 0)
            run->time_ns = tm_batch_i64(batch, TM_COL_TIME_NS, walk->i + i - 1);
        is_whole = i == RUN_ROWS;
        run->rows += i;
        walk->i += i;
        walk->at = (size_t)(raw - batch->payload);
        w->out.len = (size_t)(to - w->out.data);
        enum tm_status st = tm_packet_flush_full(w, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}
