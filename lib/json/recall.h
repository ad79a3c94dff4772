/* A cache of members of objects, by their text. Events of one file repeat most members of the events before them, byte
 * for byte, at the same places. A member whose text is in the cache is not scanned again.
 *
 * A member is its key, the colon, a scalar value, and the ',' or '}' directly after the value. */
#ifndef TM_JSON_RECALL_H
#define TM_JSON_RECALL_H

#include "base/cpu.h"
#include "json/scan.h"

enum {
    TM_JSON_RECALL_SLOTS = 128,
    TM_JSON_RECALL_BYTES = 112, /* longer members are not remembered; a multiple of TM_JSON_RECALL_STEP */
    TM_JSON_RECALL_STEP = 16    /* text is copied and compared so many bytes at a time */
};

/* A remembered member. */
struct tm_json_recalled {
    uint8_t text[TM_JSON_RECALL_BYTES];
    uint8_t key_len;            /* bytes in front of the value; 0: nothing is remembered */
    uint8_t len;                /* all bytes */
    uint8_t tag;                /* the caller's own note about the key; zero in a new slot */
    uint8_t misses;             /* how often in a row the key was the same and the value was not */
    uint8_t data_at;            /* offset of the value's data */
    bool is_converted;          /* CONVERTED is set */
    uint64_t converted;         /* what the caller has computed from the value */
    struct tm_json_value value; /* its data are in the text, from data_at on */
};

/* Zero-initialise. For the objects of one kind in one file. */
struct tm_json_recall {
    struct tm_json_recalled slots[TM_JSON_RECALL_SLOTS];
};

/* Returns the slot of the member at P, number ORDINAL of its object. NULL if there are not enough bytes before END. */
static inline struct tm_json_recalled *tm_json_recall_slot(struct tm_json_recall *recall, const uint8_t *p,
                                                           const uint8_t *end, uint32_t ordinal)
{
    if (end - p < TM_JSON_RECALL_BYTES)
        return NULL;
    uint32_t mixed = (tm_get_le32(p + 1) + ordinal * UINT32_C(0x01000193)) * UINT32_C(0x9e3779b1);
    return &recall->slots[mixed / (UINT32_MAX / TM_JSON_RECALL_SLOTS + 1)];
}

/* Returns how many bytes at P equal those of SLOT; at most its length. TM_JSON_RECALL_BYTES at P are readable. */
static inline unsigned tm_json_recall_equal(const struct tm_json_recalled *slot, const uint8_t *p)
{
    unsigned at = 0;
#if TM_HAS_BYTES16
    for (; at < slot->len; at += TM_JSON_RECALL_STEP) {
        tm_bytes16 here = tm_bytes16_load(p + at), then = tm_bytes16_load(slot->text + at);
        unsigned differ = tm_bytes16_mask(tm_bytes16_equal(here, then)) ^ 0xffffu;
        if (differ) {
            at += tm_trailing_zeros(differ);
            break;
        }
    }
#else
    while (at < slot->len && p[at] == slot->text[at])
        at++;
#endif
    return at < slot->len ? at : slot->len;
}

/* True if a member with the key of SLOT and another value is to be stored. A value that has changed four times in a
 * row, such as a time, usually changes each time. It is then stored at every 32nd change only. */
static inline bool tm_json_recall_takes(const struct tm_json_recalled *slot)
{
    return slot->misses < 4 || slot->misses % 32 == 0;
}

/* Stores in SLOT the first LEN bytes at START, KEY_LEN of them in front of the value. TM_JSON_RECALL_BYTES at START are
 * readable. If LEN exceeds that number, the slot is empty afterwards. The tag stays. */
static inline void tm_json_recall_copy(struct tm_json_recalled *slot, const uint8_t *start, size_t len, size_t key_len)
{
    slot->key_len = 0;
    slot->is_converted = false;
    if (len > TM_JSON_RECALL_BYTES)
        return;
    for (size_t at = 0; at < len; at += TM_JSON_RECALL_STEP)
        memcpy(slot->text + at, start + at, TM_JSON_RECALL_STEP);
    slot->key_len = (uint8_t)key_len;
    slot->len = (uint8_t)len;
}

/* Stores the key of the member at START. Its value, at VALUE_START, cannot be stored. */
static inline void tm_json_recall_note_key(struct tm_json_recalled *slot, const uint8_t *start,
                                           const uint8_t *value_start)
{
    size_t key_len = (size_t)(value_start - start);
    tm_json_recall_copy(slot, start, key_len + 1, key_len);
    if (slot->key_len)
        slot->text[key_len] = 0; /* no value begins with a NUL, so only the key can match */
}

/* Stores the member at START. VALUE was scanned from VALUE_START on; AFTER is the byte after it. */
static inline void tm_json_recall_note(struct tm_json_recalled *slot, const uint8_t *start, const uint8_t *value_start,
                                       const struct tm_json_value *value, const uint8_t *after)
{
    size_t len = (size_t)(after + 1 - start);
    if (len > TM_JSON_RECALL_BYTES || value->type >= TM_JSON_ARRAY || (*after != ',' && *after != '}')) {
        tm_json_recall_note_key(slot, start, value_start);
        return;
    }
    tm_json_recall_copy(slot, start, len, (size_t)(value_start - start));
    slot->data_at = (uint8_t)(value->data - start);
    slot->value = *value;
}

enum tm_json_recall_match { TM_JSON_RECALL_NONE, TM_JSON_RECALL_KEY, TM_JSON_RECALL_MEMBER };

/* Compares the member at SCAN's p with that of SLOT.
 *
 * MEMBER: it is the same; *VALUE is its value, and SCAN stands after its comma or at its '}'. KEY: the key is the same;
 * SCAN stands at the value. NONE: SCAN is unchanged. */
static inline enum tm_json_recall_match tm_json_recall_match(struct tm_json_recalled *slot, struct tm_json_scan *scan,
                                                             struct tm_json_value *value)
{
    const uint8_t *p = scan->p;
    unsigned equal = slot->key_len ? tm_json_recall_equal(slot, p) : 0;
    if (slot->key_len == 0 || equal < slot->key_len || p[slot->key_len] <= ' ' /* more white space */) {
        slot->misses = 0;
        return TM_JSON_RECALL_NONE;
    }
    if (equal < slot->len) {
        scan->p = p + slot->key_len;
        slot->misses++;
        return TM_JSON_RECALL_KEY;
    }
    slot->misses = 0;
    *value = slot->value;
    value->data = p + slot->data_at;
    scan->p = p + slot->len - (p[slot->len - 1] == '}');
    return TM_JSON_RECALL_MEMBER;
}

#endif
