#include "json/known_keys.h"

/* Returns the number of the key with the LEN bytes at P, or 0. */
static uint32_t find(const struct tm_json_known_keys *known, const uint8_t *p, size_t len)
{
    for (uint32_t i = TM_JSON_KNOWN_START + 1; i <= known->count + TM_JSON_KNOWN_START; i++)
        if (known->keys[i].len == len && memcmp(known->keys[i].text.bytes, p, len) == 0)
            return i;
    return 0;
}

/* Adds a key and returns its number. */
static uint32_t add(struct tm_json_known_keys *known, const uint8_t *p, size_t len)
{
    uint32_t number = ++known->count + TM_JSON_KNOWN_START;
    struct tm_json_known_key *key = &known->keys[number];
    *key = (struct tm_json_known_key){.len = (uint8_t)len};
    tm_json_known_text_set(&key->text, p, len);
    return number;
}

/* Makes KEY the first successor of BEFORE. The last one is forgotten if there are too many. */
static void put_first(struct tm_json_known_key *before, uint32_t key)
{
    memmove(before->next + 1, before->next, TM_JSON_KNOWN_NEXT - 1);
    before->next[0] = (uint8_t)key;
}

uint32_t tm_json_known_keys_learn(struct tm_json_known_keys *known, uint32_t before, const uint8_t *p, size_t len,
                                  bool *is_new)
{
    *is_new = false;
    if (len == 0 || len > TM_JSON_KNOWN_BYTES)
        return 0;
    uint32_t number = find(known, p, len);
    if (number == 0) {
        *is_new = true;
        if (known->count + TM_JSON_KNOWN_START + 1 == TM_JSON_KNOWN_KEYS) {
            memset(known, 0, sizeof *known);
            before = 0;
        }
        number = add(known, p, len);
    }
    if (before)
        put_first(&known->keys[before], number);
    return number;
}
