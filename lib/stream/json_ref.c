#include "stream/json_ref.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

enum { FIELD_OFFSET = 1, FIELD_BYTES = 2, FIELD_CHECKSUM = 3, FIELD_OFFSETS = 4, FIELD_BEFORE = 5 };

enum {
    TAG_OFFSET = FIELD_OFFSET << 3 | TM_PB_VARINT,
    TAG_BYTES = FIELD_BYTES << 3 | TM_PB_VARINT,
    TAG_CHECKSUM = FIELD_CHECKSUM << 3 | TM_PB_I32,
    TAG_OFFSETS = FIELD_OFFSETS << 3 | TM_PB_LEN,
    TAG_BEFORE = FIELD_BEFORE << 3 | TM_PB_VARINT
};

/* An offset is two varints: the number of bytes since the end of the previous value; the value's length, with its kind
 * in the low bits. */
enum { OFFSET_STRING = 8, OFFSET_KIND = 7, OFFSET_BITS = 4, OFFSET_BYTES_MAX = 2 * TM_VARINT_MAX };

/* Five tags, the length of the offsets in one byte, the fields themselves. */
enum { BODY_BYTES_MAX = 6 + 3 * TM_VARINT_MAX + 4 + TM_VALUE_OFFSETS_MAX * OFFSET_BYTES_MAX };

uint32_t tm_json_ref_checksum(const void *text, size_t len)
{
    return (uint32_t)tm_hash64(text, len);
}

static uint8_t *put_offsets(uint8_t *p, const struct tm_json_ref *ref)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < ref->offset_count; i++) {
        const struct tm_json_value_offset *s = &ref->offsets[i];
        p = tm_varint_put(p, s->at - end);
        p = tm_varint_put(p, (uint64_t)s->len << OFFSET_BITS | (s->is_string ? OFFSET_STRING : 0) | (unsigned)s->of);
        end = s->at + s->len;
    }
    return p;
}

/* Puts the fields of REF at P, where BODY_BYTES_MAX bytes may be overwritten. Returns the byte after them. */
static uint8_t *put_body(uint8_t *p, const struct tm_json_ref *ref)
{
    if (ref->is_elsewhere) {
        *p++ = TAG_OFFSET;
        p = tm_varint_put_over(p, ref->offset);
        *p++ = TAG_BYTES;
        p = tm_varint_put(p, ref->bytes);
        *p++ = TAG_CHECKSUM;
        tm_put_le32(p, ref->checksum);
        p += 4;
        if (ref->before) {
            *p++ = TAG_BEFORE;
            p = tm_varint_put(p, ref->before);
        }
    }
    if (ref->has_offsets) {
        *p++ = TAG_OFFSETS;
        uint8_t *len = p++;
        p = put_offsets(p, ref);
        *len = (uint8_t)(p - len - 1);
    }
    return p;
}

enum tm_status tm_json_ref_put(const struct tm_json_ref *ref, struct tm_buf *detail)
{
    if (tm_buf_reserve(detail, 1 + TM_VARINT_MAX + BODY_BYTES_MAX) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_pb_tag_put(detail->data + detail->len, TM_DETAIL_JSON, TM_PB_LEN);
    uint8_t *end = put_body(p + 1, ref);
    size_t len = (size_t)(end - p) - 1;
    if (len >= 0x80) { /* the length has two bytes */
        memmove(p + 2, p + 1, len);
        end++;
    }
    (void)tm_varint_put(p, len);
    detail->len = (size_t)(end - detail->data);
    return TM_OK;
}

static enum tm_status read_offsets(const uint8_t *p, const uint8_t *end, struct tm_json_ref *ref)
{
    ref->has_offsets = true;
    ref->offset_count = 0;
    ref->offsets_end = 0;
    while (p < end) {
        uint64_t gap, word;
        if (ref->offset_count == TM_VALUE_OFFSETS_MAX || (p = tm_varint_get(p, end, &gap)) == NULL ||
            (p = tm_varint_get(p, end, &word)) == NULL || gap > UINT32_MAX)
            return TM_E_INPUT;
        struct tm_json_value_offset *s = &ref->offsets[ref->offset_count++];
        uint64_t at = ref->offsets_end + gap, len = word >> OFFSET_BITS;
        s->is_string = word & OFFSET_STRING;
        s->of = (enum tm_json_value_kind)(word & OFFSET_KIND);
        bool has_ends = s->is_string || s->of == TM_JSON_VALUE_ID2;
        if (len > UINT32_MAX || at + len > UINT32_MAX || s->of < TM_JSON_VALUE_TS || s->of > TM_JSON_VALUE_BIND_ID ||
            (has_ends && len < 2))
            return TM_E_INPUT;
        s->at = (uint32_t)at;
        s->len = (uint32_t)len;
        ref->offsets_end = at + len;
    }
    return TM_OK;
}

/* Sets REF to one without fields. */
static void clear(struct tm_json_ref *ref)
{
    ref->is_elsewhere = ref->has_offsets = false;
    ref->bytes = ref->checksum = ref->offset_count = 0;
    ref->offset = ref->before = ref->offsets_end = 0;
}

/* Reads the fields from P to END if they have the order in which put_body writes them. False: they have another order,
 * or they are damaged. */
static bool read_in_order(const uint8_t *p, const uint8_t *end, struct tm_json_ref *ref)
{
    uint64_t bytes;
    clear(ref);
    if (p < end && *p == TAG_OFFSET) {
        if ((p = tm_varint_get_any(p + 1, end, &ref->offset)) == NULL || p == end || *p != TAG_BYTES ||
            (p = tm_varint_get_any(p + 1, end, &bytes)) == NULL || bytes > UINT32_MAX || end - p < 5 ||
            *p != TAG_CHECKSUM)
            return false;
        ref->is_elsewhere = true;
        ref->bytes = (uint32_t)bytes;
        ref->checksum = tm_get_le32(p + 1);
        p += 5;
        if (p < end && *p == TAG_BEFORE && (p = tm_varint_get(p + 1, end, &ref->before)) == NULL)
            return false;
    }
    if (end - p >= 2 && *p == TAG_OFFSETS && p[1] < 0x80 && p[1] == end - p - 2)
        return read_offsets(p + 2, end, ref) == TM_OK;
    return p == end;
}

/* Reads the fields of JSON in any order. */
static enum tm_status read_ref(const struct tm_pb_field *json, struct tm_json_ref *ref)
{
    struct tm_pb pb = tm_pb_of(json->data, json->len);
    struct tm_pb_field f;
    uint64_t bytes = 0;
    enum tm_status st;
    clear(ref);
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == FIELD_OFFSET && f.type == TM_PB_VARINT) {
            ref->is_elsewhere = true;
            ref->offset = f.value;
        } else if (f.id == FIELD_BYTES && f.type == TM_PB_VARINT) {
            bytes = f.value;
        } else if (f.id == FIELD_BEFORE && f.type == TM_PB_VARINT) {
            ref->before = f.value;
        } else if (f.id == FIELD_CHECKSUM && f.type == TM_PB_I32) {
            ref->checksum = (uint32_t)f.value;
        } else if (f.id == FIELD_OFFSETS && f.type == TM_PB_LEN &&
                   (st = read_offsets(f.data, f.data + f.len, ref)) < 0) {
            return st;
        }
    }
    ref->bytes = (uint32_t)bytes;
    return st < 0 || bytes > UINT32_MAX ? TM_E_INPUT : TM_OK;
}

enum tm_status tm_json_ref_find(const uint8_t *detail, size_t len, struct tm_json_ref *ref)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (f.id == TM_DETAIL_JSON && f.type == TM_PB_LEN)
            return read_in_order(f.data, f.data + f.len, ref) ? TM_OK : read_ref(&f, ref);
    return st;
}
