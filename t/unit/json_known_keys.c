/* Unit tests of json/known_keys.h. */
#include "json/known_keys.h"

#include "tap.h"

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

int main(void)
{
    test_order();
    test_tags();
    test_bounds();
    return tap_done();
}
