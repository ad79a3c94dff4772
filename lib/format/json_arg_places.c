#include "format/json_arg_places.h"

#include "base/secret.h"

/* True if PLACE has KEY and LEVELS. The keys of arrays' elements state the indices, so these need not be compared. */
static bool is_place(const struct tm_json_arg_place *place, struct tm_text key, const struct tm_json_arg_level *levels,
                     size_t depth)
{
    if (place->key_len != key.len || place->depth != depth || memcmp(place->key, key.data, key.len) != 0)
        return false;
    for (size_t i = 0; i < depth; i++) {
        const struct tm_json_arg_level *a = &place->levels[i], *b = &levels[i];
        if (a->key_len != b->key_len || a->is_object != b->is_object)
            return false;
    }
    return true;
}

static bool can_be_kept(struct tm_text key, const struct tm_json_arg_level *levels, size_t depth)
{
    if (key.len > TM_JSON_ARG_PLACE_KEY_MAX || depth > TM_JSON_ARG_PLACE_DEPTH_MAX || memchr(key.data, '\0', key.len))
        return false;
    for (size_t i = 0; i < depth; i++)
        if (levels[i].index > TM_JSON_ARG_PLACE_INDEX_MAX)
            return false;
    return true;
}

void tm_json_arg_places_init(struct tm_json_arg_places *places)
{
    tm_json_known_keys_init(&places->keys);
    memset(places->slots, 0, sizeof places->slots);
    places->count = 0;
    places->seed = 0;
    places->is_full = false;
}

/* Adds a place without a slot and returns its number. */
static uint32_t add(struct tm_json_arg_places *places, struct tm_text key, const struct tm_json_arg_level *levels,
                    size_t depth)
{
    struct tm_json_arg_place *place = &places->places[++places->count];
    memcpy(place->key, key.data, key.len);
    place->key_len = (uint8_t)key.len;
    place->depth = (uint8_t)depth;
    memcpy(place->levels, levels, depth * sizeof *levels);
    return places->count;
}

uint32_t tm_json_arg_places_find(struct tm_json_arg_places *places, struct tm_text key,
                                 const struct tm_json_arg_level *levels, size_t depth)
{
    enum { SLOTS = sizeof places->slots / sizeof *places->slots };
    if (!can_be_kept(key, levels, depth))
        return TM_JSON_ARG_PLACE_END;
    if (places->seed == 0)
        places->seed = tm_secret();
    size_t slot = tm_keyed_bytes(places->seed, key.data, key.len) % SLOTS;
    for (; places->slots[slot]; slot = (slot + 1) % SLOTS)
        if (is_place(&places->places[places->slots[slot]], key, levels, depth))
            return places->slots[slot];
    places->is_full = places->count == TM_JSON_ARG_PLACES - 1;
    if (places->is_full)
        return TM_JSON_ARG_PLACE_END;
    places->slots[slot] = (uint16_t)add(places, key, levels, depth);
    return places->slots[slot];
}
