/* Unit tests of emit/chrome_json/id_numbers.h: each id has its own number, below 2^53. */
#include "emit/chrome_json/id_numbers.h"

#include "tap.h"


static struct tm_json_id text(const char *s)
{
    return (struct tm_json_id){.is_text = true, .text = (const uint8_t *)s, .len = strlen(s)};
}

static struct tm_json_id number(uint64_t n)
{
    return (struct tm_json_id){.number = n};
}

static uint64_t find(struct tm_json_id_numbers *n, uint32_t order, enum tm_json_id_kind kind, struct tm_json_id id)
{
    uint64_t v = 0;
    ok(tm_json_id_numbers_find(n, order, kind, &id, &v) == TM_OK);
    return v;
}

static void test_short(void)
{
    struct tm_json_id_numbers n = {0};
    is_int(find(&n, 3, TM_JSON_ID_OF_FLOW, number(41180)), (INT64_C(3) << 32) + 41180);
    is_int(find(&n, 3, TM_JSON_ID_OF_FLOW, text("0xA0dc")), (INT64_C(3) << 32) + 41180); /* one flow in any spelling */
    is_int(find(&n, 3, TM_JSON_ID_OF_FLOW, text("a0dc")), (INT64_C(3) << 32) + 41180);
    is_int(find(&n, 1, TM_JSON_ID_OF_EVENT, number(5)), (INT64_C(1) << 32) + 5);
    is_int(find(&n, 1, TM_JSON_ID_OF_EVENT, text("0x5")), (INT64_C(1) << 32) + (INT64_C(1) << 31) + 5);
    is_int(find(&n, 1, TM_JSON_ID_OF_EVENT, number(0x7fffffff)), (INT64_C(1) << 32) + 0x7fffffff);
    is_int(n.wide.count, 0);
    tm_json_id_numbers_release(&n);
}

static void test_wide(void)
{
    static const char *const texts[] = {"5", "0x05", "0X5",        "0xA",            "0x",
                                        "x", "",     "0x80000000", "0x7f0000000000", "rpc-1"};
    struct tm_json_id_numbers n = {0};
    const uint64_t first = UINT64_C(1) << 52;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_EVENT, text(texts[i])), (int64_t)(first + i));
    is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_EVENT, text("rpc-1")), (int64_t)(first + 9));
    is_int((int64_t)find(&n, 2, TM_JSON_ID_OF_EVENT, text("rpc-1")), (int64_t)(first + 10));
    is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_EVENT, number(UINT64_MAX)), (int64_t)(first + 11));
    is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_FLOW, number(UINT64_MAX)), (int64_t)(first + 12));
    is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_TRACK, number(5)), (int64_t)(first + 13));
    /* There is no number for this order. */
    is_int((int64_t)find(&n, 1 << 20, TM_JSON_ID_OF_EVENT, number(5)), (int64_t)(first + 14));
    tm_json_id_numbers_release(&n);
}

/* Beyond the end of the table numbers are hashes: distinct, repeatable and below 2^53. */
static void test_full(void)
{
    struct tm_json_id_numbers n = {.max = 2};
    uint64_t seen[1000];
    uint32_t wrong = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct tm_json_id id = number(UINT64_MAX - i);
        wrong += tm_json_id_numbers_find(&n, 1, TM_JSON_ID_OF_EVENT, &id, &seen[i]) != TM_OK || seen[i] >> 53 ||
                 (i >= 2 && seen[i] < (UINT64_C(3) << 51));
        for (uint64_t k = 0; k < i; k++)
            wrong += seen[k] == seen[i];
    }
    is_int(wrong, 0);
    is_int(n.wide.count, 2);
    is_int((int64_t)find(&n, 1, TM_JSON_ID_OF_EVENT, number(UINT64_MAX - 7)), (int64_t)seen[7]);
    tm_json_id_numbers_release(&n);
}

int main(void)
{
    test_short();
    test_wide();
    test_full();
    return tap_done();
}
