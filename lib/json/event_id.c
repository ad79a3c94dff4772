#include "json/event_id.h"

#include "base/decimal.h"
#include "base/hash.h"

bool tm_json_id_of(const struct tm_json_value *value, struct tm_buf *scratch, struct tm_json_id *id)
{
    int64_t n = 0;
    if (value == NULL)
        return false;
    id->is_text = value->type == TM_JSON_STRING;
    if (!id->is_text &&
        (value->type != TM_JSON_NUMBER || tm_decimal_int((const char *)value->data, value->len, &n) != TM_OK))
        return false;
    id->number = (uint64_t)n;
    return tm_json_text(value, scratch, &id->text, &id->len);
}

uint64_t tm_json_id_flow(const struct tm_json_id *id)
{
    uint64_t v = 0;
    const uint8_t *p = id->text, *end = p + id->len;
    if (!id->is_text)
        return id->number;
    if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
        p += 2;
    if (p == end || end - p > 16)
        return tm_hash64(id->text, id->len);
    for (; p < end; p++) {
        uint8_t c = *p | 0x20;
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return tm_hash64(id->text, id->len);
        v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return v;
}
