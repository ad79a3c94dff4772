#include "format/perfetto/packet_cache.h"

#include "base/cpu.h"
#include "format/perfetto/absolute_raw.h"

#include <assert.h>
#include <stdlib.h>

enum {
    TIMESTAMP_TAG = TM_PACKET_TIMESTAMP << 3,
    TAIL_MIN = 8,
    TAIL_MAX = 96,
    SMALL_BITS = 9,  /* a new cache has so many slots, as a power of two */
    LARGE_BITS = 12, /* a cache that proves useful */
    DETAIL_MAX = 1 << 10,     /* bytes of the detail of one row */
    DETAIL_CHUNK = 16 << 10,  /* bytes of details that are allocated together */
    DETAIL_CHUNKS = 64,       /* at most */
    RAW_IS_PACKET = TAIL_MAX + 1,
    /* If fewer of TRIAL packets are in the cache than HITS_MIN, most are read faster without it, and it is not used for
     * the next PAUSE packets. Otherwise it becomes large if GROWTH_MISSES or more of them are not in it. */
    TRIAL = 8192,
    HITS_MIN = TRIAL / 16 * 9,
    PAUSE = 8 * TRIAL,
    GROWTH_MISSES = TRIAL / 16
};

/* Fields whose meaning depends on earlier events, or on more than the sequence's state. */
#define NOT_CACHEABLE                                                                                                  \
    (TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_TIME_DELTA_US) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_DELTA_US) |           \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_LEGACY) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_DELTA) |               \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_TIME_ABSOLUTE_US) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_ABSOLUTE_US) |     \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_COUNTER) |           \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_DOUBLE_COUNTER) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_LOG_MESSAGE))

/* A packet without its timestamp (the tail), and the row that was made of it. */
struct known {
    uint32_t sequence; /* index */
    uint32_t state;    /* of the sequence when the packet was read */
    uint16_t tail_len; /* 0: the slot is empty */
    uint16_t raw_from; /* where raw begins in the tail, or RAW_IS_PACKET */
    uint16_t body_from, body_len; /* the track event in the tail, if it has extra counter values; otherwise 0 */
    uint16_t head_bytes;          /* of its tag and length */
    uint64_t fields; /* the track event's fields */
    uint8_t tail[TAIL_MAX];
    bool is_copied;      /* only time and position of its row change; its raw payload is in this tail */
    bool is_absolute;    /* raw has absolute extra counter values (absolute_raw.h) */
    struct tm_event row; /* placed after the tail, so that reads beyond the tail's end stay inside the struct */
};

struct tm_packet_cache {
    unsigned bits;       /* there are 1 << bits slots */
    struct known *known; /* the slots */
    uint32_t *tags;      /* hashes of what is in the slots: a packet that is not there is known to be new at once */
    uint32_t *seen; /* hashes of packets that were seen once; a packet gets a slot when it is seen a second time */
    struct tm_event like; /* the first row that is copied */
    uint32_t differing;   /* the columns in which other copied rows differ from it */
    bool has_like;
    uint32_t hits, misses; /* in the current trial */
    uint32_t pause;        /* so many packets to go without the cache */
    uint32_t chunk;        /* the chunk that is being filled */
    uint32_t chunk_len;    /* used bytes of it */
    uint8_t *chunks[DETAIL_CHUNKS]; /* details; NULL: not allocated yet */
};

/* A packet that may be in the cache. */
struct candidate {
    const uint8_t *data, *tail;
    size_t len, tail_len;
    uint64_t time;
    uint64_t hash;
    bool is_tagged; /* set by take_next: a slot has its hash */
};

/* Hashes a tail by words of 8 bytes: those in the middle, which few tails have, then the first and the last, which may
 * overlap. The length is unpredictable; the last two steps need no branch on it. */
static inline uint64_t hash_of(const uint8_t *tail, size_t len)
{
    uint64_t hash = len;
    for (size_t i = 8; i + 8 < len; i += 8)
        hash = (hash ^ tm_get_le64(tail + i)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ tm_get_le64(tail)) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 32 ^ tm_get_le64(tail + len - 8)) * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline bool is_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differs = (tm_get_le64(a) ^ tm_get_le64(b)) | (tm_get_le64(a + len - 8) ^ tm_get_le64(b + len - 8));
    for (size_t i = 8; i + 8 < len; i += 8)
        differs |= tm_get_le64(a + i) ^ tm_get_le64(b + i);
    return differs == 0;
}

static inline uint32_t slot_of(const struct tm_packet_cache *cache, const struct candidate *c)
{
    return (uint32_t)(c->hash >> (64 - cache->bits));
}

static inline uint32_t tag_of(const struct candidate *c)
{
    return (uint32_t)c->hash;
}

/* Splits the packet of LEN bytes at DATA. False if it does not begin with a timestamp or its length does not suit the
 * cache. */
static inline bool take(struct candidate *c, const uint8_t *data, size_t len)
{
    const uint8_t *end = data + len;
    c->data = data;
    c->len = len;
    c->tail = len > 1 && *data == TIMESTAMP_TAG ? tm_varint_get(data + 1, end, &c->time) : NULL;
    if (c->tail == NULL || end - c->tail < TAIL_MIN || end - c->tail > TAIL_MAX)
        return false;
    c->tail_len = (size_t)(end - c->tail);
    c->hash = hash_of(c->tail, c->tail_len);
    return true;
}

static inline bool matches(const struct tm_proto_sequences *sequences, const struct known *known,
                           const struct candidate *c)
{
    return known->tail_len == c->tail_len && is_equal(known->tail, c->tail, c->tail_len) &&
           sequences->all[known->sequence].state == known->state;
}

static inline struct known *find(const struct tm_proto *p, const struct candidate *c)
{
    struct tm_packet_cache *cache = p->cache;
    uint32_t slot = slot_of(cache, c), other = slot ^ 1;
    if (cache->tags[slot] == tag_of(c) && matches(&p->sequences, &cache->known[slot], c))
        return &cache->known[slot];
    if (cache->tags[other] == tag_of(c) && matches(&p->sequences, &cache->known[other], c))
        return &cache->known[other];
    return NULL;
}

/* Adds the row and its extra counter values, as tm_proto_track_event_read does. The counters were checked when the
 * packet was first read: they are still counters, and not too many, so the event is not refused. */
static enum tm_status add_with_extras(struct tm_proto *p, const struct known *known, const struct candidate *c,
                                      struct tm_error *err)
{
    struct tm_event row = known->row;
    const struct tm_proto_packet packet = {.sequence = &p->sequences.all[known->sequence],
                                           .machine = row.machine,
                                           .raw = c->data,
                                           .raw_len = c->len};
    const struct tm_proto_track_event event = {.body = tm_pb_of(c->tail + known->body_from, known->body_len),
                                               .fields = known->fields};
    struct tm_proto_track_context context = {.tracks = &p->tracks,
                                             .rows = &p->rows,
                                             .packet = &packet,
                                             .event = &event,
                                             .recorded = tm_text_at(row.raw, row.raw_bytes),
                                             .head_bytes = known->head_bytes,
                                             .is_whole = true,
                                             .is_absolute = known->is_absolute};
    enum tm_status st = tm_proto_extra_counters_read(&context, &row, err);
    assert(st != TM_END);
    if (st == TM_OK && (tm_proto_absolute_raw_widen(&context, &row) || context.is_absolute))
        st = tm_proto_absolute_raw(&context, &row, err);
    if (st < 0)
        return st;
    p->rows.detail.len = 0;
    st = tm_event_sink_add(p->rows.sink, &row, err);
    return st == TM_OK && !context.is_absolute ? tm_proto_extra_counters_add(&context, err) : st;
}

static inline enum tm_status add(struct tm_proto *p, struct known *known, const struct candidate *c,
                                 struct tm_error *err)
{
    struct tm_event *row = &known->row;
    bool is_packet = known->raw_from == RAW_IS_PACKET;
    row->time_ns = (int64_t)c->time;
    row->raw = is_packet ? c->data : c->tail + known->raw_from;
    if (is_packet)
        row->raw_bytes = (uint32_t)c->len;
    return known->body_len ? add_with_extras(p, known, c, err) : tm_event_sink_add(p->rows.sink, row, err);
}

static inline bool is_in_use(const struct tm_packet_cache *cache)
{
    return cache && cache->pause == 0;
}

enum tm_status tm_packet_cache_read(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err)
{
    struct candidate c;
    struct known *known = is_in_use(p->cache) && take(&c, data, len) ? find(p, &c) : NULL;
    if (known == NULL)
        return TM_END;
    p->cache->hits++;
    return add(p, known, &c, err);
}

/* Splits the packet that begins at AT if it is complete and short, and prefetches its slot if it has one. */
static inline bool take_next(const struct tm_proto *p, struct candidate *c, const uint8_t *at, const uint8_t *end)
{
    const struct tm_packet_cache *cache = p->cache;
    if (end - at < 2 || at[0] != TM_PROTO_PACKET_TAG || at[1] >= 0x80 || at[1] > end - at - 2 ||
        !take(c, at + 2, at[1]))
        return false;
    uint32_t slot = slot_of(cache, c);
    slot ^= cache->tags[slot] != tag_of(c);
    c->is_tagged = cache->tags[slot] == tag_of(c);
    if (c->is_tagged) {
        tm_cpu_prefetch(&cache->known[slot]);
        tm_cpu_prefetch(&cache->known[slot].row);
        tm_cpu_prefetch(&cache->known[slot].row.cpu);
    }
    return true;
}

/* Rows that are collected and added together. */
struct rows {
    uint32_t count;
    const struct tm_event *events[TM_BATCH_COPIES];
    int64_t times[TM_BATCH_COPIES];
};

static enum tm_status add_rows(struct tm_proto *p, struct rows *rows, struct tm_error *err)
{
    const struct tm_batch_copies copies = {.count = rows->count,
                                           .events = rows->events,
                                           .times = rows->times,
                                           .like = &p->cache->like,
                                           .differing = p->cache->differing};
    rows->count = 0;
    return tm_event_sink_add_copies(p->rows.sink, &copies, err);
}

enum tm_status tm_packet_cache_pass(struct tm_proto *p, size_t len, struct tm_error *err)
{
    const uint8_t *begin = p->input->data, *end = begin + len, *at = begin;
    struct candidate next, c;
    struct known *known;
    enum tm_status st = TM_OK;
    struct rows rows;
    rows.count = 0;
    bool has = is_in_use(p->cache) && take_next(p, &next, at, end);
    while (has && next.is_tagged && st == TM_OK) {
        c = next;
        has = take_next(p, &next, c.data + c.len, end);
        if ((known = find(p, &c)) == NULL)
            break;
        p->cache->hits++;
        at = c.data + c.len;
        if (known->is_copied) {
            rows.events[rows.count] = &known->row;
            rows.times[rows.count++] = (int64_t)c.time;
            st = rows.count == TM_BATCH_COPIES ? add_rows(p, &rows, err) : TM_OK;
        } else if ((st = add_rows(p, &rows, err)) == TM_OK) {
            st = add(p, known, &c, err);
        }
    }
    if (st == TM_OK && rows.count)
        st = add_rows(p, &rows, err);
    tm_input_skip(p->input, (size_t)(at - begin));
    return st;
}

/* True if ROW, made of EVENT, follows from its bytes and the state of its sequence. */
static bool follows(const struct tm_proto_track_event *event, const struct tm_event *row)
{
    return !(event->fields & NOT_CACHEABLE) &&
           (row->kind == TM_KIND_SLICE_BEGIN || row->kind == TM_KIND_SLICE_END || row->kind == TM_KIND_INSTANT);
}

static bool has_one_time(const struct tm_proto_packet *packet)
{
    struct tm_pb pb = tm_pb_of(packet->data, packet->len);
    struct tm_pb_field f;
    int times = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        times += f.id == TM_PACKET_TIMESTAMP;
    return times == 1;
}

static bool was_seen(struct tm_packet_cache *cache, const struct candidate *c)
{
    uint32_t *seen = &cache->seen[slot_of(cache, c)], hash = tag_of(c);
    bool was = *seen == hash;
    *seen = hash;
    return was;
}

/* Copies the detail of ROW. If there is no room, the whole cache is cleared first. NULL: out of memory. */
static const uint8_t *store_detail(struct tm_packet_cache *cache, const struct tm_event *row)
{
    if (row->detail_bytes > DETAIL_CHUNK - cache->chunk_len) {
        cache->chunk_len = 0;
        cache->chunk = (cache->chunk + 1) % DETAIL_CHUNKS;
        for (uint32_t i = 0; cache->chunk == 0 && i < 1u << cache->bits; i++)
            cache->known[i].tail_len = 0;
    }
    uint8_t **chunk = &cache->chunks[cache->chunk];
    if (*chunk == NULL && (*chunk = malloc(DETAIL_CHUNK)) == NULL)
        return NULL;
    uint8_t *detail = *chunk + cache->chunk_len;
    if (row->detail_bytes)
        memcpy(detail, row->detail, row->detail_bytes);
    cache->chunk_len += row->detail_bytes;
    return detail;
}

static void place_raw(struct known *known)
{
    if (known->is_copied)
        known->row.raw = known->tail + known->raw_from;
}

static void note_columns(struct tm_packet_cache *cache, const struct tm_event *row)
{
    if (!cache->has_like)
        cache->like = *row;
    cache->has_like = true;
    cache->differing |= tm_batch_columns_differing(row, &cache->like);
}

/* Replaces CACHE's slots by 1 << BITS empty ones. False: out of memory; nothing changed. */
static bool make_slots(struct tm_packet_cache *cache, unsigned bits)
{
    size_t count = (size_t)1 << bits;
    struct known *known = calloc(count, sizeof *known);
    uint32_t *tags = calloc(2 * count, sizeof *tags);
    if (known == NULL || tags == NULL) {
        free(known);
        free(tags);
        return false;
    }
    free(cache->known);
    free(cache->tags);
    cache->known = known;
    cache->tags = tags;
    cache->seen = tags + count;
    cache->bits = bits;
    cache->chunk = cache->chunk_len = 0;
    return true;
}

/* NULL: out of memory; every packet is read in full. */
static struct tm_packet_cache *new_cache(void)
{
    struct tm_packet_cache *cache = calloc(1, sizeof *cache);
    if (cache && !make_slots(cache, SMALL_BITS)) {
        free(cache);
        return NULL;
    }
    return cache;
}

void tm_packet_cache_free(struct tm_packet_cache *cache)
{
    if (cache == NULL)
        return;
    for (uint32_t i = 0; i < DETAIL_CHUNKS; i++)
        free(cache->chunks[i]);
    free(cache->known);
    free(cache->tags);
    free(cache);
}

static void end_trial(struct tm_packet_cache *cache)
{
    if (cache->hits < HITS_MIN)
        cache->pause = PAUSE;
    else if (cache->bits < LARGE_BITS && cache->misses >= GROWTH_MISSES)
        (void)make_slots(cache, LARGE_BITS);
    cache->hits = cache->misses = 0;
}

/* Counts a packet that was read. False: the cache is not in use. */
static bool count_miss(struct tm_packet_cache *cache)
{
    if (cache->pause) {
        cache->pause--;
        return false;
    }
    cache->misses++;
    if (cache->hits + cache->misses >= TRIAL)
        end_trial(cache);
    return true;
}

void tm_packet_cache_note(struct tm_proto *p, const struct tm_proto_track_context *context, const struct tm_event *row)
{
    const struct tm_proto_packet *packet = context->packet;
    const struct tm_pb *body = &context->event->body;
    const struct tm_text raw = context->recorded;
    struct candidate c;
    if (!follows(context->event, row) || packet->interned.id || packet->defaults.id || packet->cleared ||
        packet->dropped)
        return;
    if (p->cache == NULL && (p->cache = new_cache()) == NULL)
        return;
    if (!count_miss(p->cache) || row->detail_bytes > DETAIL_MAX || !take(&c, packet->data, packet->len))
        return;
    if (!was_seen(p->cache, &c) || !has_one_time(packet))
        return;
    const uint8_t *detail = store_detail(p->cache, row);
    if (detail == NULL)
        return;
    uint32_t slot = slot_of(p->cache, &c);
    struct known *known = &p->cache->known[slot];
    if (known->tail_len) { /* the older one of two packets moves to the neighbouring slot */
        struct known *neighbour = &p->cache->known[slot ^ 1];
        *neighbour = *known;
        place_raw(neighbour);
        p->cache->tags[slot ^ 1] = p->cache->tags[slot];
    }
    p->cache->tags[slot] = tag_of(&c);
    known->sequence = (uint32_t)(packet->sequence - p->sequences.all);
    known->state = packet->sequence->state;
    known->tail_len = (uint16_t)c.tail_len;
    known->raw_from = raw.data < c.tail ? RAW_IS_PACKET : (uint16_t)(raw.data - c.tail);
    known->body_from = context->event->has_extra ? (uint16_t)(body->p - c.tail) : 0;
    known->body_len = context->event->has_extra ? (uint16_t)(body->end - body->p) : 0;
    known->head_bytes = (uint16_t)context->head_bytes;
    known->fields = context->event->fields;
    memcpy(known->tail, c.tail, c.tail_len);
    known->row = *row;
    known->row.detail = detail;
    known->is_absolute = context->is_absolute;
    if (known->is_absolute)
        known->row.raw_bytes = (uint32_t)raw.len;
    known->is_copied = known->raw_from != RAW_IS_PACKET && !context->event->has_extra;
    place_raw(known);
    if (known->is_copied)
        note_columns(p->cache, row);
}
