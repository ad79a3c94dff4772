#include "json/known_keys.h"

#include "base/secret.h"

enum { SLOTS = 2 * TM_JSON_KNOWN_KEYS };

void tm_json_known_keys_init(struct tm_json_known_keys *known)
{
    known->count = 0;
    known->seed = 0;
    memset(known->keys, 0, (TM_JSON_KNOWN_START + 1) * sizeof *known->keys); /* add sets the others */
    memset(known->slots, 0, sizeof known->slots);
}

/* Returns the slot of the key TEXT with tag TAG, or the free slot where it would go. */
static uint16_t *slot_of(struct tm_json_known_keys *known, struct tm_text text, uint16_t tag)
{
    if (known->seed == 0)
        known->seed = tm_secret();
    size_t slot = tm_keyed_bytes(known->seed ^ tag, text.data, text.len) % SLOTS;
    for (; known->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct tm_json_known_key *key = &known->keys[known->slots[slot]];
        if (key->tag == tag && key->len == text.len && memcmp(key->text.bytes, text.data, text.len) == 0)
            break;
    }
    return &known->slots[slot];
}

/* Adds a key and returns its number. */
static uint16_t add(struct tm_json_known_keys *known, struct tm_text text, uint16_t tag)
{
    uint32_t number = ++known->count + TM_JSON_KNOWN_START;
    struct tm_json_known_key *key = &known->keys[number];
    *key = (struct tm_json_known_key){.len = (uint8_t)text.len, .tag = tag};
    tm_json_known_text_set(&key->text, text.data, text.len);
    return (uint16_t)number;
}

/* Makes KEY the first successor of BEFORE. The last one is forgotten if there are too many. */
static void put_first(struct tm_json_known_key *before, uint16_t key)
{
    size_t at = 0;
    while (at < TM_JSON_KNOWN_NEXT - 1 && before->next[at] && before->next[at] != key)
        at++;
    memmove(before->next + 1, before->next, at * sizeof *before->next);
    before->next[0] = key;
}

uint32_t tm_json_known_keys_learn(struct tm_json_known_keys *known, uint32_t before, struct tm_text text, uint16_t tag,
                                  bool *is_new)
{
    *is_new = false;
    if (text.len == 0 || text.len > TM_JSON_KNOWN_BYTES)
        return 0;
    uint16_t *slot = slot_of(known, text, tag);
    if (*slot == 0) {
        *is_new = true;
        if (known->count + TM_JSON_KNOWN_START + 1 == TM_JSON_KNOWN_KEYS) {
            tm_json_known_keys_init(known);
            before = 0;
            slot = slot_of(known, text, tag);
        }
        *slot = add(known, text, tag);
    }
    if (before)
        put_first(&known->keys[before], *slot);
    return *slot;
}
