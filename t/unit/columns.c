/* Unit tests of code that handles many elements at once: varints of packed fields, rows added to a batch column by
 * column, sorted keys. Each gives the result of its counterpart for one element. */
#include "base/hash.h"
#include "base/varints.h"
#include "sort/row_keys.h"
#include "stream/batch_builder.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { NUMBERS = 600, ROWS = 700 };

/* Writes numbers of up to MAX_BITS bits, if MIXED a tenth of them of any size. Returns the end of the bytes. */
static uint8_t *make_numbers(uint64_t seed, unsigned max_bits, bool mixed, uint64_t *numbers, uint8_t *to)
{
    for (int i = 0; i < NUMBERS; i++) {
        unsigned bits = mixed && random_next(&seed) % 10 == 0 ? 64 : max_bits;
        numbers[i] = random_next(&seed) >> (64 - bits) >> (mixed ? random_next(&seed) % bits : 0);
        to = tm_varint_put(to, numbers[i]);
    }
    return to;
}

/* Reads [BYTES, END), in memory of exactly that size, MAX numbers at a time. True if it gives all complete numbers of
 * NUMBERS. */
static bool reads(const uint8_t *bytes, size_t len, const uint64_t *numbers, uint32_t max, bool damaged_end)
{
    uint8_t *exact = malloc(len ? len : 1);
    uint64_t got[NUMBERS];
    bool damaged = false;
    uint32_t total = 0, n, whole = 0;
    if (exact == NULL)
        return false;
    if (len)
        memcpy(exact, bytes, len);
    for (size_t i = 0; i < len; i++)
        whole += exact[i] < 0x80;
    const uint8_t *p = exact, *end = exact + len;
    while ((n = tm_varints_read(&p, end, got + total, NUMBERS - total < max ? NUMBERS - total : max, &damaged)) > 0)
        total += n;
    bool good = total == whole && p == end && damaged == damaged_end && memcmp(got, numbers, total * sizeof *got) == 0;
    free(exact);
    return good;
}

static void test_varints(void)
{
    static uint8_t bytes[NUMBERS * TM_VARINT_MAX];
    static const unsigned sizes[] = {1, 7, 8, 14, 15, 28, 35, 56, 57, 63, 64};
    uint64_t numbers[NUMBERS];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int mixed = 0; mixed < 2; mixed++) {
            size_t len = (size_t)(make_numbers(s, sizes[s], mixed, numbers, bytes) - bytes);
            ok(reads(bytes, len, numbers, NUMBERS, false) && reads(bytes, len, numbers, 1, false) &&
               reads(bytes, len, numbers, 63, false) && reads(bytes, len, numbers, 128, false));
            bool good = true;
            for (size_t cut = 0; cut < len && good; cut += cut < 150 ? 1 : 41)
                good = reads(bytes, cut, numbers, 128, cut > 0 && bytes[cut - 1] >= 0x80);
            ok_named(good, "what is cut short is damaged, what is before it is read");
        }
    }
    ok(reads(bytes, 0, numbers, 8, false));
}

/* Eleven bytes are no number at any place of a window; the bytes after them are not read. */
static void test_long_varint(void)
{
    uint8_t bytes[300];
    uint64_t got[300];
    bool good = true;
    for (size_t at = 0; at < 150 && good; at++) {
        bool damaged = false;
        const uint8_t *p = bytes;
        memset(bytes, 7, sizeof bytes);
        memset(bytes + at, 0xff, 10);
        good = tm_varints_read(&p, bytes + sizeof bytes, got, 300, &damaged) == at && damaged &&
               p == bytes + sizeof bytes;
        bytes[at + 9] = 1; /* ten bytes are a number */
        p = bytes;
        damaged = false;
        good = good && tm_varints_read(&p, bytes + sizeof bytes, got, 300, &damaged) == 300 - 9 && !damaged &&
               got[at] == UINT64_MAX;
    }
    ok(good);
}

/* The columns in which ROWS events differ. */
struct columns {
    int64_t time_ns[ROWS];
    uint64_t position[ROWS], value[ROWS];
    uint32_t kind[ROWS], name[ROWS], cpu[ROWS];
};

/* The elements of each column are equal up to a row of its own; in a third of the cases all are equal. */
static void make_columns(uint64_t seed, struct columns *c)
{
    uint32_t from[6];
    for (int k = 0; k < 6; k++)
        from[k] = random_next(&seed) % 3 ? (uint32_t)(random_next(&seed) % 400) : ROWS;
    for (uint32_t i = 0; i < ROWS; i++) {
        c->time_ns[i] = i < from[0] ? -5 : (int64_t)random_next(&seed);
        c->position[i] = i < from[1] ? 9 : i;
        c->value[i] = i < from[2] ? UINT64_MAX : random_next(&seed);
        c->kind[i] = i < from[3] ? TM_KIND_SCHED_SWITCH : (uint32_t)(random_next(&seed) % 20);
        c->name[i] = i < from[4] ? 0 : (uint32_t)random_next(&seed);
        c->cpu[i] = i < from[5] ? 3 : (uint32_t)(random_next(&seed) % 4);
    }
}

static struct tm_event event_of(const struct columns *c, const struct tm_event *common, uint32_t i)
{
    struct tm_event e = *common;
    e.time_ns = c->time_ns[i];
    e.position = c->position[i];
    e.value = c->value[i];
    e.kind = c->kind[i];
    e.name = c->name[i];
    e.cpu = c->cpu[i];
    return e;
}

static bool is_same(const struct tm_batch_builder *a, const struct tm_batch_builder *b)
{
    struct tm_batch x, y;
    tm_batch_builder_view(a, &x);
    tm_batch_builder_view(b, &y);
    bool same = x.count == y.count && x.payload_bytes == y.payload_bytes &&
                memcmp(x.payload, y.payload, x.payload_bytes) == 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT && same; c++) {
        size_t width = tm_column_width((enum tm_column)c);
        same = x.cols[c].mask == y.cols[c].mask &&
               memcmp(x.cols[c].data, y.cols[c].data, x.cols[c].mask ? width * x.count : width) == 0;
    }
    return same;
}

/* Rows added in pieces of up to PIECE, with single rows between, give the same batch as single rows. */
static void test_rows(uint64_t seed, uint32_t piece)
{
    static struct columns c;
    struct tm_batch_builder one = {0}, many = {0};
    struct tm_event common = {.flags = TM_EVENT_HAS_CPU, .file = 2, .pid = -1, .tid = 77};
    bool good = true;
    make_columns(seed, &c);
    for (uint32_t at = 0, n; at < ROWS && good; at += n) {
        n = 1 + (uint32_t)(random_next(&seed) % piece);
        n = n < ROWS - at ? n : ROWS - at;
        common.tid += random_next(&seed) % 8 == 0; /* common to the rows, and different from before */
        struct tm_batch_rows rows = {.count = n, .common = &common};
        rows.columns[TM_COL_TIME_NS] = c.time_ns + at;
        rows.columns[TM_COL_POSITION] = c.position + at;
        rows.columns[TM_COL_VALUE] = c.value + at;
        rows.columns[TM_COL_KIND] = c.kind + at;
        rows.columns[TM_COL_NAME] = c.name + at;
        rows.columns[TM_COL_CPU] = c.cpu + at;
        for (uint32_t i = at; i < at + n; i++) {
            struct tm_event e = event_of(&c, &common, i);
            good = good && tm_batch_builder_add(&one, &e) == TM_OK;
        }
        struct tm_event e = event_of(&c, &common, at);
        good = good && (n == 1 ? tm_batch_builder_add(&many, &e) : tm_batch_builder_add_rows(&many, &rows)) == TM_OK &&
               is_same(&one, &many);
    }
    ok_named(good, "rows added together are rows added one by one");
    tm_batch_builder_release(&one);
    tm_batch_builder_release(&many);
}

/* Makes COUNT events with random numbers in the columns FIELDS. */
static void make_events(uint64_t *seed, uint64_t fields, struct tm_event *events, uint32_t count, uint8_t *payload)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t r = random_next(seed);
        struct tm_event *e = &events[i];
        *e = (struct tm_event){.flags = TM_EVENT_HAS_CPU,
                               .pid = -1,
                               .tid = 77,
                               .kind = TM_KIND_INSTANT,
                               .raw = payload + r % 50,
                               .detail = payload + r % 90};
        e->raw_bytes = fields & 1 ? (uint32_t)(r >> 8) % 60 : 7;
        e->detail_bytes = fields & 2 ? (uint32_t)(r >> 16) % 3 : 0;
        e->name = fields & 4 ? (uint32_t)(r >> 24) % 9 : 5;
        e->track = fields & 8 ? r : 0;
        e->tid = fields & 16 ? (int64_t)(r >> 5) : e->tid;
        e->cpu = fields & 32 ? (uint32_t)(r >> 40) % 3 : 1;
        e->generation = fields & 64 && i > count / 2 ? 4 : 3;
        e->dur_ns = fields & 128 ? -(int64_t)(r >> 50) : 0;
        e->sequence = fields & 256 ? (uint32_t)r : 0;
    }
}

/* Copies of a few events, with single rows between, give the same batch as single rows, and end when the batch is full.
 */
static void test_copies(uint64_t seed, uint64_t fields)
{
    enum { EVENTS = 10, PAYLOAD = 200 };
    static uint8_t payload[PAYLOAD];
    struct tm_event events[EVENTS], other;
    const struct tm_event *copied[TM_BATCH_COPIES];
    int64_t times[TM_BATCH_COPIES];
    struct tm_batch_builder one = {0}, many = {0};
    uint32_t rows = 0, added, differing = 0, n, after_full = 0;
    uint64_t position = 0;
    bool good = true;
    for (uint32_t i = 0; i < PAYLOAD; i++)
        payload[i] = (uint8_t)(i + 1);
    make_events(&seed, fields, events, EVENTS, payload);
    make_events(&seed, random_next(&seed), &other, 1, payload);
    for (uint32_t i = 0; i < EVENTS; i++)
        differing |= tm_batch_columns_differing(&events[i], &events[3]);
    ok_named((differing >> TM_COL_NAME & 1) == (fields >> 2 & 1) &&
                 (differing >> TM_COL_GENERATION & 1) == (fields >> 6 & 1),
             "what differs is known");
    while (good && after_full < 5) {
        bool few = rows < 300; /* at first a single event, without differences */
        n = 1 + (uint32_t)(random_next(&seed) % (one.count ? TM_BATCH_COPIES : 2));
        if (one.count == 0 && random_next(&seed) % 2) {
            other.position = position++;
            good = good && tm_batch_builder_add(&one, &other) == TM_OK && tm_batch_builder_add(&many, &other) == TM_OK;
        }
        for (uint32_t i = 0; i < n; i++) {
            copied[i] = &events[few ? 3 : random_next(&seed) % EVENTS];
            times[i] = (int64_t)(fields & 512 ? random_next(&seed) : 12);
        }
        const struct tm_batch_copies copies = {.count = n,
                                               .events = copied,
                                               .times = times,
                                               .position = position,
                                               .file = 2,
                                               .like = &events[3],
                                               .differing = few ? 0 : differing};
        bool was_full = tm_batch_builder_full(&one);
        for (added = 0; added < n && !tm_batch_builder_full(&one); added++, position++) {
            struct tm_event e = *copied[added];
            e.time_ns = times[added];
            e.position = position;
            e.file = 2;
            good = good && tm_batch_builder_add(&one, &e) == TM_OK;
        }
        uint32_t wanted = added;
        good = good && tm_batch_builder_add_copies(&many, &copies, &added) == TM_OK && added == wanted &&
               is_same(&one, &many);
        if (!was_full && random_next(&seed) % 20 == 0) {
            other.position = position++;
            good = good && tm_batch_builder_add(&one, &other) == TM_OK &&
                   tm_batch_builder_add(&many, &other) == TM_OK && is_same(&one, &many);
        }
        rows += n;
        if (was_full) { /* the same in the next batch */
            after_full++;
            rows = after_full % 2 ? 0 : 1000;
            tm_batch_builder_clear(&one);
            tm_batch_builder_clear(&many);
        }
    }
    ok_named(good, "copies added together are rows added one by one");
    tm_batch_builder_release(&one);
    tm_batch_builder_release(&many);
}

/* There is space until the batch is full, with any payload. */
static void test_room(size_t payload)
{
    static uint8_t raw[TM_BATCH_BYTES + 1];
    struct tm_batch_builder b = {0};
    struct tm_event e = {.raw = raw, .raw_bytes = (uint32_t)payload};
    bool good = true;
    uint32_t rows = 0;
    for (; !tm_batch_builder_full(&b) && good; rows++) {
        uint32_t room = tm_batch_builder_room(&b);
        good = tm_batch_builder_add(&b, &e) == TM_OK;
        good = good && room > 0 && (rows == 0 || tm_batch_builder_room(&b) == room - 1);
        e.raw_bytes = 0;
    }
    ok_named(good && tm_batch_builder_room(&b) == 0, "as much room as rows until it is full");
    tm_batch_builder_release(&b);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Makes times of up to BITS bits in COUNT rows; all but one in DISORDER rise slowly. */
static void test_keys(uint64_t seed, uint32_t count, unsigned bits, unsigned disorder)
{
    uint64_t *keys = malloc((size_t)3 * (count + 1) * sizeof *keys), *spare = keys + count, *wanted = spare + count;
    if (keys == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t time =
            bits ? (random_next(&seed) % disorder ? ((UINT64_C(1) << (bits - 1)) / count) * i
                                                  : random_next(&seed) >> (64 - bits))
                 : 0;
        wanted[i] = keys[i] = tm_row_key(time, i);
    }
    if (count)
        qsort(wanted, count, sizeof *wanted, compare_keys);
    uint64_t *sorted = tm_row_keys_sort(keys, spare, count, bits);
    ok_named((sorted == keys || sorted == spare) && memcmp(sorted, wanted, count * sizeof *sorted) == 0,
             "keys are sorted");
    free(keys);
}

int main(void)
{
    test_varints();
    test_long_varint();
    for (uint64_t seed = 1; seed <= 20; seed++)
        test_rows(seed << 32, seed % 2 ? 128 : 5);
    for (uint64_t seed = 1; seed <= 20; seed++)
        test_copies(seed << 32, seed == 1 ? 0 : seed == 2 ? UINT64_MAX : tm_hash_u64(seed));
    test_room(0);
    test_room(104);
    test_room(104 * 5000 + 1);
    test_room(TM_BATCH_BYTES - 1);
    test_room(TM_BATCH_BYTES + 1);
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 2047, 2048, 65536};
    static const unsigned sizes[] = {0, 1, 11, 22, 23, 40, 48};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++)
            for (unsigned disorder = 1; disorder < 1000; disorder *= 30)
                test_keys(c << 40 | b << 32 | disorder, counts[c], sizes[b], disorder);
    return tap_done();
}
