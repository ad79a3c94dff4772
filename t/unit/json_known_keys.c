/* Unit tests of json/known_keys.h. */
#include "json/known_keys.h"

#include "tap.h"

#include <stdlib.h>
#include <time.h>

/* Learns TEXT, which leads to place TAG, after BEFORE. */
static uint32_t learn_to(struct tm_json_known_keys *known, uint32_t before, const char *text, uint16_t tag,
                         bool *is_new)
{
    uint8_t bytes[TM_JSON_KNOWN_BYTES + 1] = {0};
    memcpy(bytes, text, strnlen(text, TM_JSON_KNOWN_BYTES));
    return tm_json_known_keys_learn(known, before, tm_text_at(bytes, strlen(text)), tag, is_new);
}

/* Learns TEXT after BEFORE. */
static uint32_t learn(struct tm_json_known_keys *known, uint32_t before, const char *text, bool *is_new)
{
    return learn_to(known, before, text, 7, is_new);
}

/* Finds the key that TEXT begins with. */
static uint32_t next(struct tm_json_known_keys *known, uint32_t before, const char *text)
{
    uint8_t bytes[TM_JSON_KNOWN_BYTES + 1] = {0};
    memcpy(bytes, text, strnlen(text, TM_JSON_KNOWN_BYTES));
    return tm_json_known_keys_next(known, before, bytes);
}

static void test_order(void)
{
    struct tm_json_known_keys known = {0};
    bool is_new[4];
    uint32_t a = learn(&known, TM_JSON_KNOWN_START, "\"a\":", &is_new[0]);
    uint32_t b = learn(&known, a, ",\"b\":", &is_new[1]);
    uint32_t c = learn(&known, a, ", \"a key of 25 bytes\" : ", &is_new[2]);
    uint32_t again = learn(&known, c, ",\"b\":", &is_new[3]);
    ok_named(a && b && c && a != b && b != c && again == b, "a text has one number");
    ok_named(is_new[0] && is_new[1] && is_new[2] && !is_new[3], "a number is new once");
    ok_named(next(&known, TM_JSON_KNOWN_START, "\"a\":1") == a && next(&known, a, ",\"b\":2") == b &&
                 next(&known, a, ", \"a key of 25 bytes\" : 3") == c && next(&known, c, ",\"b\":2") == b,
             "a key is found after those that it has followed");
    ok_named(next(&known, TM_JSON_KNOWN_START, ",\"b\":1") == 0 && next(&known, b, "\"a\":1") == 0 &&
                 next(&known, a, ", \"a key of 25 bytes\" :3") == 0 && next(&known, 0, "\"a\":1") == 0,
             "and not after others, nor a similar one");
}

static void test_tags(void)
{
    struct tm_json_known_keys known = {0};
    bool is_new[3];
    uint32_t a = learn_to(&known, TM_JSON_KNOWN_START, "[", 1, &is_new[0]);
    uint32_t b = learn_to(&known, a, ", ", 2, &is_new[1]), c = learn_to(&known, b, ", ", 3, &is_new[2]);
    ok_named(b && c && b != c && is_new[1] && is_new[2], "a text that leads to another place is another key");
    ok_named(next(&known, a, ", 5") == b && next(&known, b, ", 5") == c && next(&known, c, ", 5") == 0,
             "each is found where it was learned");
    ok_named(known.keys[b].tag == 2 && known.keys[c].tag == 3, "and has the number of its place");
}

static void test_bounds(void)
{
    struct tm_json_known_keys known = {0};
    char text[64];
    bool is_new;
    uint32_t most = 0, number;
    static const char too_long[] = "\"a key of forty-nine bytes, counted with its...\":";
    static const char longest[] = "\"a key of forty-eight bytes, counted with the.\":";
    ok_named(learn(&known, TM_JSON_KNOWN_START, too_long, &is_new) == 0 && !is_new,
             "a text that is too long is not remembered");
    number = learn(&known, TM_JSON_KNOWN_START, longest, &is_new);
    ok_named(number && next(&known, TM_JSON_KNOWN_START, longest) == number, "the longest text is");
    for (int i = 0; i < 4500; i++) {
        snprintf(text, sizeof text, ",\"%d\":", i);
        number = learn(&known, TM_JSON_KNOWN_START, text, &is_new);
        most = number > most ? number : most;
        if (number == 0 || !is_new)
            break;
    }
    ok_named(most == TM_JSON_KNOWN_KEYS - 1 && is_new, "numbers stay below their limit");
    ok_named(next(&known, TM_JSON_KNOWN_START, ",\"0\":") == 0, "keys before the limit was reached are forgotten");
    ok_named(next(&known, TM_JSON_KNOWN_START, ",\"4499\":") == number, "the last one is not");
}

/* A key that is learned again where it is known takes no further place among the successors. */
static void test_again(void)
{
    struct tm_json_known_keys known = {0};
    bool is_new;
    uint32_t a = learn(&known, TM_JSON_KNOWN_START, "\"a\":", &is_new);
    uint32_t b = learn(&known, a, ",\"b\":", &is_new), c = learn(&known, a, ",\"c\":", &is_new);
    for (int i = 0; i < 2 * TM_JSON_KNOWN_NEXT; i++)
        (void)learn(&known, a, i % 2 ? ",\"b\":[" : ",\"c\":", &is_new);
    ok_named(next(&known, a, ",\"b\":1") == b && next(&known, a, ",\"c\":1") == c,
             "keys that were learned again leave room for others");
    for (int i = 0; i < TM_JSON_KNOWN_NEXT - 3; i++) {
        char text[16];
        snprintf(text, sizeof text, ",\"%d\":", i);
        (void)learn(&known, a, text, &is_new);
    }
    ok_named(next(&known, a, ",\"b\":1") == b, "as many successors are known as there is room for");
    (void)learn(&known, a, ",\"d\":", &is_new);
    (void)learn(&known, a, ",\"e\":", &is_new);
    ok_named(next(&known, a, ",\"b\":1") == 0 && next(&known, a, ",\"d\":1"),
             "if there are more, the last is forgotten");
}

/* Returns the time of learning and finding many keys, which lead to TAGS places in turn. */
static clock_t learning_time(int tags)
{
    enum { KEYS = TM_JSON_KNOWN_KEYS - 8, TIMES = 40 };
    struct tm_json_known_keys *known = calloc(1, sizeof *known);
    char text[16];
    bool is_new;
    clock_t start = clock();
    for (int i = 0; known && i < TIMES * KEYS; i++) {
        snprintf(text, sizeof text, ",\"%d\":", i % KEYS);
        (void)learn_to(known, 0, text, (uint16_t)(i % KEYS % tags), &is_new);
    }
    free(known);
    return clock() - start;
}

/* Keys that all lead to one place are found as fast as others. */
static void test_one_tag(void)
{
    bool is_fast = false;
    for (int i = 0; i < 5 && !is_fast; i++)
        is_fast = learning_time(1) < 4 * learning_time(1000) + CLOCKS_PER_SEC / 1000;
    ok_named(is_fast, "keys of one place are found as fast as keys of many");
}

int main(void)
{
    test_order();
    test_tags();
    test_again();
    test_bounds();
    test_one_tag();
    return tap_done();
}
