/* Unit test of hash tables against an attacker who knows the hash function and makes keys that all fall into one slot.
 * Tables are keyed with a secret, so these keys cost no more than others. A table without a key takes 2^34 steps: the
 * alarm ends the test. Different contents with one hash must stay different. */
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/table.h"
#include "format/perfetto/id_map.h"
#include "model_bench.h"

#include <string.h>
#include <unistd.h>

enum { KEYS = 1 << 18, ALARM_SECONDS = 40 };

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t unshift(uint64_t v, int bits)
{
    uint64_t x = v;
    for (int i = bits; i < 64; i += bits)
        x = v ^ x >> bits;
    return x;
}

/* Returns the number whose tm_hash_u64 is HASH. */
static uint64_t number_of(uint64_t hash)
{
    uint64_t v = unshift(hash, 32) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return unshift(unshift(v, 29) * inverse(UINT64_C(0x9e3779b97f4a7c15)), 32);
}

static uint64_t rotated(uint64_t v, int bits)
{
    return v << bits | v >> (64 - bits);
}

/* Inverts the final mix of XXH3 for eight bytes. Applied 64 times, the mix of rotations is the identity. */
static uint64_t unmixed(uint64_t hash)
{
    const uint64_t prime = UINT64_C(0x9fb21c651e98df25);
    uint64_t v = unshift(hash, 28) * inverse(prime);
    v = (v ^ ((v >> 35) + 8)) * inverse(prime);
    for (int i = 0; i < 63; i++)
        v ^= rotated(v, 49) ^ rotated(v, 24);
    return v;
}

/* Writes eight bytes whose XXH3 with SEED is HASH. */
static void bytes_of(uint64_t hash, uint64_t seed, uint8_t bytes[8])
{
    static const uint8_t zeros[8];
    uint64_t v = unmixed(hash) ^ unmixed(tm_hash64_seed(zeros, sizeof zeros, seed));
    uint32_t first = (uint32_t)(v >> 32), second = (uint32_t)v;
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(first >> 8 * i);
        bytes[4 + i] = (uint8_t)(second >> 8 * i);
    }
}

static void test_keys(void)
{
    uint8_t bytes[8];
    bool numbers = true, texts = true;
    for (uint64_t i = 0; i < 1000; i++) {
        numbers &= tm_hash_u64(number_of(i << 32)) == i << 32;
        bytes_of(i << 32, 0, bytes);
        texts &= tm_hash64(bytes, sizeof bytes) == i << 32;
    }
    ok_named(numbers, "numbers whose hashes agree in the lower half");
    ok_named(texts, "texts whose hashes agree in the lower half");
}

static void test_intern(void)
{
    struct tm_intern in;
    bool good = true;
    tm_intern_init(&in, KEYS, (size_t)8 * KEYS);
    for (uint64_t i = 0; i < KEYS; i++) {
        uint8_t bytes[8];
        uint32_t id;
        bool is_new;
        bytes_of(i << 32, 0, bytes);
        good &= tm_intern_add(&in, bytes, sizeof bytes, &id, &is_new) == TM_OK && is_new && id == i;
    }
    ok_named(good, "strings of one slot are interned");
    tm_intern_release(&in);
}

static void test_map(void)
{
    struct tm_map map = {0};
    uint32_t value;
    bool good = true;
    for (uint32_t i = 0; i < KEYS; i++)
        good &= tm_map_set(&map, number_of((uint64_t)i << 32), i) == TM_OK;
    for (uint32_t i = 0; i < KEYS; i++)
        good &= tm_map_find(&map, number_of((uint64_t)i << 32), &value) && value == i;
    ok_named(good, "keys of one slot are mapped");
    tm_map_release(&map);
}

static void test_table(void)
{
    struct tm_table table = {0};
    bool good = true;
    for (uint32_t i = 0; i < KEYS; i++)
        good &= tm_table_set(&table, &(struct tm_key){number_of((uint64_t)i << 32), i, 0}, i, NULL) == TM_OK;
    for (uint32_t i = 0; i < KEYS; i++)
        good &= tm_table_find(&table, &(struct tm_key){number_of((uint64_t)i << 32), i, 0}) == i;
    ok_named(good, "keys of three numbers are found");
    tm_table_release(&table);
}

static void test_proto_map(void)
{
    struct tm_proto_map map = {0};
    struct tm_proto_map_entry *entry;
    bool good = true;
    for (uint32_t i = 0; i < KEYS; i++) {
        good &= tm_proto_map_add(&map, 1, number_of((uint64_t)i << 32), KEYS * 2, &entry) == TM_OK;
        good &= tm_proto_map_add(&map, i << 16, 7, KEYS * 2, &entry) == TM_OK;
    }
    ok_named(good, "interned ids of one slot, and as many sequences");
    tm_proto_map_release(&map);
}

static enum tm_status count_set(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    (void)set;
    (void)args;
    (void)err;
    ++*(int *)self;
    return TM_OK;
}

static void test_arg_sets(void)
{
    static const uint8_t arg[] = {TM_ARG_KEY << 3 | TM_PB_LEN, 4, 'n', 'a', 'm', 'e', TM_ARG_INT << 3, 2};
    uint8_t other[sizeof arg];
    int count = 0;
    const struct tm_rows rows = {.self = &count, .args = count_set};
    struct tm_arg_sets sets = {.rows = &rows};
    struct tm_buf detail = {0}, same = {0};
    int64_t a, b, c;
    bytes_of(tm_hash64_seed(arg, sizeof arg, 1) ^ 1, 1, other); /* the lowest bit of a set's hash is always set */
    ok(tm_pb_put_bytes(&detail, TM_DETAIL_ARGS, arg, sizeof arg) == TM_OK &&
       tm_pb_put_bytes(&same, TM_DETAIL_ARGS, other, sizeof other) == TM_OK);
    ok(tm_arg_sets_add(&sets, detail.data, detail.len, &a, NULL) == TM_OK &&
       tm_arg_sets_add(&sets, detail.data, detail.len, &b, NULL) == TM_OK && a == b && count == 1);
    ok_named(tm_arg_sets_add(&sets, same.data, same.len, &c, NULL) == TM_OK && c != a && count == 2,
             "args of one hash are two sets");
    tm_arg_sets_release(&sets);
    tm_buf_release(&detail);
    tm_buf_release(&same);
}

static void test_seen_definitions(void)
{
    static const uint8_t detail[8] = {TM_DETAIL_TEXT << 3 | TM_PB_LEN, 6, 'a', 'b', 'c', 'd', 'e', 'f'};
    struct tm_seen_definitions seen = {0};
    uint8_t other[sizeof detail];
    struct tm_event e = {.kind = TM_KIND_THREAD, .detail = detail, .detail_bytes = sizeof detail};
    bool repeats = true;
    bytes_of(tm_hash64(detail, sizeof detail) ^ UINT64_C(1) << 63, 0, other);
    ok(tm_seen_definitions_note(&seen, &e, &repeats, NULL) == TM_OK && !repeats);
    ok(tm_seen_definitions_note(&seen, &e, &repeats, NULL) == TM_OK && repeats);
    e.detail = other;
    ok_named(tm_seen_definitions_note(&seen, &e, &repeats, NULL) == TM_OK && !repeats,
             "definitions of one hash are different");
    tm_seen_definitions_release(&seen);
}

static enum tm_status count_dump(void *self, const struct tm_heap_dump_row *row, struct tm_error *err)
{
    (void)row;
    (void)err;
    tm_buf_addf(&((struct bench *)self)->out, "dump\n");
    return TM_OK;
}

static void test_heap_dumps(void)
{
    const struct tm_event dump = {.kind = TM_KIND_HEAP_DUMP, .time_ns = 10, .pid = 5, .flags = TM_EVENT_HAS_PID};
    char other[9] = "";
    struct bench b;
    bytes_of(tm_hash64("heap", 4), 0, (uint8_t *)other);
    start(&b);
    b.rows.heap_dump = count_dump;
    add(&b, dump, "heap", NULL);
    add(&b, dump, "heap", NULL);
    add(&b, dump, other, NULL);
    rows_are(&b, "dumps of heaps whose names have one hash", "dump\ndump\n");
    stop(&b);
}

int main(void)
{
    alarm(ALARM_SECONDS);
    test_keys();
    test_intern();
    test_map();
    test_table();
    test_proto_map();
    test_arg_sets();
    test_seen_definitions();
    test_heap_dumps();
    return tap_done();
}
