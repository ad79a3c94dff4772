#include "json/known_keys.h"

/* Returns the number of the key TEXT with tag TAG, or 0. */
static uint32_t find(const struct tm_json_known_keys *known, struct tm_text text, uint16_t tag)
{
    for (uint32_t i = known->newest[tag]; i; i = known->older[i])
        if (known->keys[i].len == text.len && memcmp(known->keys[i].text.bytes, text.data, text.len) == 0)
            return i;
    return 0;
}

/* Adds a key and returns its number. */
static uint32_t add(struct tm_json_known_keys *known, struct tm_text text, uint16_t tag)
{
    uint32_t number = ++known->count + TM_JSON_KNOWN_START;
    struct tm_json_known_key *key = &known->keys[number];
    *key = (struct tm_json_known_key){.len = (uint8_t)text.len, .tag = tag};
    tm_json_known_text_set(&key->text, text.data, text.len);
    known->older[number] = known->newest[tag];
    known->newest[tag] = (uint16_t)number;
    return number;
}

/* Makes KEY the first successor of BEFORE. The last one is forgotten if there are too many. */
static void put_first(struct tm_json_known_key *before, uint32_t key)
{
    memmove(before->next + 1, before->next, (TM_JSON_KNOWN_NEXT - 1) * sizeof *before->next);
    before->next[0] = (uint16_t)key;
}

uint32_t tm_json_known_keys_learn(struct tm_json_known_keys *known, uint32_t before, struct tm_text text, uint16_t tag,
                                  bool *is_new)
{
    *is_new = false;
    if (text.len == 0 || text.len > TM_JSON_KNOWN_BYTES)
        return 0;
    uint32_t number = find(known, text, tag);
    if (number == 0) {
        *is_new = true;
        if (known->count + TM_JSON_KNOWN_START + 1 == TM_JSON_KNOWN_KEYS) {
            memset(known, 0, sizeof *known);
            before = 0;
        }
        number = add(known, text, tag);
    }
    if (before)
        put_first(&known->keys[before], number);
    return number;
}
