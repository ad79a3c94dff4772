#include "stream/json_ref.h"

#include "base/hash.h"
#include "base/pb.h"

enum { FIELD_JSON = 12, FIELD_OFFSET = 1, FIELD_BYTES = 2, FIELD_CHECKSUM = 3, FIELD_OFFSETS = 4, FIELD_BEFORE = 5 };

/* A spot is two varints: the number of bytes since the end of the previous spot; the spot's length, with its kind in
 * the low bits. */
enum { SPOT_STRING = 8, SPOT_OF = 7, SPOT_BITS = 4, SPOT_BYTES_MAX = 2 * TM_VARINT_MAX };

uint32_t tm_json_ref_checksum(const void *text, size_t len)
{
    return (uint32_t)tm_hash64(text, len);
}

static uint8_t *put_offsets(uint8_t *p, const struct tm_json_ref *ref)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < ref->spot_count; i++) {
        const struct tm_json_spot *s = &ref->offsets[i];
        p = tm_varint_put(p, s->at - end);
        p = tm_varint_put(p, (uint64_t)s->len << SPOT_BITS | (s->is_string ? SPOT_STRING : 0) | (unsigned)s->of);
        end = s->at + s->len;
    }
    return p;
}

enum tm_status tm_json_ref_put(const struct tm_json_ref *ref, struct tm_buf *detail)
{
    uint8_t offsets[TM_VALUE_OFFSETS_MAX * SPOT_BYTES_MAX], body[sizeof offsets + 6 * TM_VARINT_MAX], *p = body;
    if (ref->is_elsewhere) {
        *p++ = FIELD_OFFSET << 3 | TM_PB_VARINT;
        p = tm_varint_put(p, ref->offset);
        *p++ = FIELD_BYTES << 3 | TM_PB_VARINT;
        p = tm_varint_put(p, ref->bytes);
        *p++ = FIELD_CHECKSUM << 3 | TM_PB_I32;
        tm_put_le32(p, ref->checksum);
        p += 4;
        if (ref->before) {
            *p++ = FIELD_BEFORE << 3 | TM_PB_VARINT;
            p = tm_varint_put(p, ref->before);
        }
    }
    if (ref->has_offsets) {
        size_t len = (size_t)(put_offsets(offsets, ref) - offsets);
        *p++ = FIELD_OFFSETS << 3 | TM_PB_LEN;
        p = tm_varint_put(p, len);
        memcpy(p, offsets, len);
        p += len;
    }
    return tm_pb_put_bytes(detail, FIELD_JSON, body, (size_t)(p - body));
}

static enum tm_status read_offsets(const uint8_t *p, const uint8_t *end, struct tm_json_ref *ref)
{
    ref->has_offsets = true;
    ref->spot_count = 0;
    ref->spots_end = 0;
    while (p < end) {
        uint64_t gap, word;
        if (ref->spot_count == TM_VALUE_OFFSETS_MAX || (p = tm_varint_get(p, end, &gap)) == NULL ||
            (p = tm_varint_get(p, end, &word)) == NULL || gap > UINT32_MAX)
            return TM_E_INPUT;
        struct tm_json_spot *s = &ref->offsets[ref->spot_count++];
        uint64_t at = ref->spots_end + gap, len = word >> SPOT_BITS;
        s->is_string = word & SPOT_STRING;
        s->of = (enum tm_json_spot_of)(word & SPOT_OF);
        bool has_ends = s->is_string || s->of == TM_JSON_SPOT_ID2;
        if (len > UINT32_MAX || at + len > UINT32_MAX || s->of < TM_JSON_SPOT_TS || s->of > TM_JSON_SPOT_BIND_ID ||
            (has_ends && len < 2))
            return TM_E_INPUT;
        s->at = (uint32_t)at;
        s->len = (uint32_t)len;
        ref->spots_end = at + len;
    }
    return TM_OK;
}

static enum tm_status read_ref(const struct tm_pb_field *json, struct tm_json_ref *ref)
{
    struct tm_pb pb = tm_pb_of(json->data, json->len);
    struct tm_pb_field f;
    uint64_t bytes = 0;
    enum tm_status st;
    ref->is_elsewhere = ref->has_offsets = false;
    ref->offset = ref->before = ref->checksum = ref->spot_count = 0;
    ref->spots_end = 0;
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
        if (f.id == FIELD_JSON && f.type == TM_PB_LEN)
            return read_ref(&f, ref);
    return st;
}
