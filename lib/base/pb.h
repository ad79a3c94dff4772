/* The protobuf wire format, field by field, for the paths where a generated codec is too slow.
 * https://protobuf.dev/programming-guides/encoding/
 *
 * Reading borrows the caller's bytes and copies nothing. Groups (wire types 3 and 4) are refused, because no schema
 * that we read has them. */
#ifndef TM_BASE_PB_H
#define TM_BASE_PB_H

#include "base/buf.h"
#include "base/bytes.h"

enum tm_pb_type { TM_PB_VARINT = 0, TM_PB_I64 = 1, TM_PB_LEN = 2, TM_PB_I32 = 5 };

/* One field. For TM_PB_LEN, data and len are its bytes. For other types, value is the number (TM_PB_I32 zero-extended).
 * start and end bound the whole field with its tag.
 *
 * id and type are not neighbours: compilers would read both at once to compare them, which has to wait until the two
 * writes before it are in the cache. */
struct tm_pb_field {
    uint32_t id;
    uint64_t value;
    const uint8_t *data;
    size_t len;
    const uint8_t *start;
    const uint8_t *end;
    enum tm_pb_type type;
};

/* The position in a message. Set p and end, then call next as long as it returns TM_OK. */
struct tm_pb {
    const uint8_t *p;
    const uint8_t *end;
};

static inline struct tm_pb tm_pb_of(const uint8_t *data, size_t len)
{
    return (struct tm_pb){data, len ? data + len : data};
}

/* Reads the next field. TM_OK with *FIELD set. TM_END at the end of the message. TM_E_INPUT if the field is cut short,
 * has number 0 or a wire type not listed above; p then stays at the field's tag. */
TM_ALWAYS_INLINE /* as a call it would keep FIELD in memory instead of registers */
static inline enum tm_status tm_pb_next(struct tm_pb *pb, struct tm_pb_field *field)
{
    const uint8_t *p = pb->p;
    uint64_t tag;
    if (p == pb->end)
        return TM_END;
    field->start = p;
    if (*p < 0x80)
        tag = *p++;
    else if ((p = tm_varint_get(p, pb->end, &tag)) == NULL || tag >> 3 > 0x1fffffff)
        return TM_E_INPUT;
    if (tag >> 3 == 0)
        return TM_E_INPUT;
    field->id = (uint32_t)(tag >> 3);
    field->type = (enum tm_pb_type)(tag & 7);
    field->data = NULL;
    field->len = 0;
    if (field->type == TM_PB_VARINT) {
        if ((p = tm_varint_get(p, pb->end, &field->value)) == NULL)
            return TM_E_INPUT;
    } else if (field->type == TM_PB_LEN) {
        if ((p = tm_varint_get(p, pb->end, &field->value)) == NULL || field->value > (uint64_t)(pb->end - p))
            return TM_E_INPUT;
        field->data = p;
        field->len = (size_t)field->value;
        p += field->len;
    } else if (field->type == TM_PB_I64) {
        if (pb->end - p < 8)
            return TM_E_INPUT;
        field->value = tm_get_le64(p);
        p += 8;
    } else if (field->type == TM_PB_I32) {
        if (pb->end - p < 4)
            return TM_E_INPUT;
        field->value = tm_get_le32(p);
        p += 4;
    } else {
        return TM_E_INPUT;
    }
    field->end = p;
    pb->p = p;
    return TM_OK;
}

/* The double with BITS, as in a fixed64 field, and the bits of D. */
static inline double tm_pb_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint64_t tm_pb_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* The largest size of a field without bytes, its tag included. */
enum { TM_PB_FIELD_MAX = 2 * TM_VARINT_MAX };

/* Writes a tag at P, which has room for TM_VARINT_MAX bytes. If the number is a constant, this is one store. */
static inline uint8_t *tm_pb_tag_put(uint8_t *p, uint32_t id, enum tm_pb_type type)
{
    uint32_t tag = id << 3 | (uint32_t)type;
    if (tag < 0x80) {
        *p = (uint8_t)tag;
        return p + 1;
    }
    if (tag < 0x4000) {
        tm_put_le16(p, (uint16_t)((tag & 0x7f) | 0x80 | tag >> 7 << 8));
        return p + 2;
    }
    return tm_varint_put(p, (uint64_t)id << 3 | type);
}

/* These write a whole field at P and return the byte after it. P has room for TM_PB_FIELD_MAX bytes, and for LEN more
 * if the field has bytes. */
static inline uint8_t *tm_pb_varint_at(uint8_t *p, uint32_t id, uint64_t value)
{
    p = tm_pb_tag_put(p, id, TM_PB_VARINT);
    return value < 0x4000 ? tm_varint_put_two(p, value) : tm_varint_put_over(p, value);
}

static inline uint8_t *tm_pb_bytes_at(uint8_t *p, uint32_t id, const void *data, size_t len)
{
    p = tm_varint_put_over(tm_pb_tag_put(p, id, TM_PB_LEN), len);
    if (len)
        memcpy(p, data, len);
    return p + len;
}

/* These append one field to BUF. TM_OK, or TM_E_SYSTEM if out of memory. */
static inline enum tm_status tm_pb_put_varint(struct tm_buf *buf, uint32_t id, uint64_t value)
{
    if (tm_buf_reserve(buf, TM_PB_FIELD_MAX) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_pb_tag_put(buf->data + buf->len, id, TM_PB_VARINT);
    buf->len = (size_t)(tm_varint_put_over(p, value) - buf->data);
    return TM_OK;
}

/* Append the field ID: eight bytes, four bytes, or LEN bytes of data. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pb_put_i64(struct tm_buf *buf, uint32_t id, uint64_t value);
enum tm_status tm_pb_put_i32(struct tm_buf *buf, uint32_t id, uint32_t value);
static inline enum tm_status tm_pb_put_bytes(struct tm_buf *buf, uint32_t id, const void *data, size_t len)
{
    if (len > SIZE_MAX - TM_PB_FIELD_MAX || tm_buf_reserve(buf, TM_PB_FIELD_MAX + len) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_varint_put_over(tm_pb_tag_put(buf->data + buf->len, id, TM_PB_LEN), len);
    if (len)
        memcpy(p, data, len);
    buf->len = (size_t)(p - buf->data) + len;
    return TM_OK;
}

/* Appends the bytes of S, without its NUL, as the field ID. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pb_put_str(struct tm_buf *buf, uint32_t id, const char *s);

/* These write a submessage whose length is not known yet. begin sets *MARK to the buffer's length before the length
 * bytes. end writes the length there; the bytes in between move by at most 9. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pb_begin(struct tm_buf *buf, uint32_t id, size_t *mark);

/* The slow path of tm_pb_end, for a length of more than one byte. */
enum tm_status tm_pb_end_long(struct tm_buf *buf, size_t mark);

static inline enum tm_status tm_pb_end(struct tm_buf *buf, size_t mark)
{
    size_t len = buf->len - mark - 1;
    if (len >= 0x80)
        return tm_pb_end_long(buf, mark);
    buf->data[mark] = (uint8_t)len;
    return TM_OK;
}

#endif
