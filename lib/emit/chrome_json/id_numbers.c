#include "emit/chrome_json/id_numbers.h"

#include "base/hash.h"

enum { ORDER_BITS = 20, ORDER_AT = 32, TEXT_AT = 31, WIDE_AT = 52, HASH_AT = 51 };

/* Reads "0x" and up to eight hexadecimal digits, in lower case and without leading zeros, as writers of traces put
 * them. Other spellings are other ids. */
static bool read_hex(const struct tm_json_id *id, uint64_t *v)
{
    *v = 0;
    if (id->len < 3 || id->len > 10 || id->text[0] != '0' || id->text[1] != 'x' || (id->text[2] == '0' && id->len > 3))
        return false;
    for (size_t i = 2; i < id->len; i++) {
        uint8_t c = id->text[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *v = *v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* Finds the number of an id that is not part of its number. */
static enum tm_status find_wide(struct tm_json_id_numbers *n, uint64_t key, uint64_t *number)
{
    uint32_t max = n->max ? n->max : TM_JSON_ID_NUMBERS_MAX, place;
    *number = UINT64_C(1) << WIDE_AT;
    if (!tm_map_find(&n->wide, key, &place)) {
        if (n->wide.count >= max) {
            *number |= UINT64_C(1) << HASH_AT | key >> (64 - HASH_AT);
            return TM_OK;
        }
        place = n->wide.count;
        if (tm_map_set(&n->wide, key, place) < 0)
            return TM_E_SYSTEM;
    }
    *number += place;
    return TM_OK;
}

enum tm_status tm_json_id_numbers_find(struct tm_json_id_numbers *n, uint32_t order, enum tm_json_id_kind kind,
                                       const struct tm_json_id *id, uint64_t *number)
{
    bool is_flow = kind == TM_JSON_ID_OF_FLOW, is_text = id->is_text && !is_flow;
    uint64_t v = is_flow ? tm_json_id_flow(id) : id->number;
    bool is_short = (!is_text || read_hex(id, &v)) && v >> TEXT_AT == 0 && order >> ORDER_BITS == 0;
    if (is_short && kind != TM_JSON_ID_OF_TRACK) {
        *number = (uint64_t)order << ORDER_AT | (uint64_t)is_text << TEXT_AT | v;
        return TM_OK;
    }
    uint64_t key = tm_hash_u64((uint64_t)order << 8 | (uint64_t)kind << 1 | is_text);
    return find_wide(n, is_text ? tm_hash64_seed(id->text, id->len, key) : tm_hash_u64(key ^ v), number);
}

void tm_json_id_numbers_release(struct tm_json_id_numbers *n)
{
    tm_map_release(&n->wide);
}
