/* Unit test of hash tables against an attacker who knows the hash function and makes keys that all fall into one slot.
 * Tables are keyed with a secret, so these keys cost no more than others. A table without a key takes 2^34 steps: the
 * alarm ends the test. */
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/table.h"
#include "format/perfetto/id_map.h"
#include "tap.h"

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

/* Writes eight bytes whose XXH3 is HASH. */
static void bytes_of(uint64_t hash, uint8_t bytes[8])
{
    static const uint8_t zeros[8];
    uint64_t v = unmixed(hash) ^ unmixed(tm_hash64(zeros, sizeof zeros));
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
        bytes_of(i << 32, bytes);
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
        bytes_of(i << 32, bytes);
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

int main(void)
{
    alarm(ALARM_SECONDS);
    test_keys();
    test_intern();
    test_map();
    test_table();
    test_proto_map();
    return tap_done();
}
