/* The JsonRef of a Chrome JSON event, field 12 of its Detail. It states where values that an output may have to change
 * are in the object's text. If the text is not in the stream, it also states where it is in the file (frame Source).
 *
 * tm-unpack writes it when it reads the object. No later stage needs to scan the object again. */
#ifndef TM_STREAM_JSON_REF_H
#define TM_STREAM_JSON_REF_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Which value of the object it is. Numbers are part of the stream format. */
enum tm_json_value_kind {
    TM_JSON_VALUE_TS = 1,
    TM_JSON_VALUE_PID = 2,
    TM_JSON_VALUE_ID = 3,
    TM_JSON_VALUE_ID2 = 4,
    TM_JSON_VALUE_BIND_ID = 5
};

enum { TM_VALUE_OFFSETS_MAX = 5 };

/* A value: its bytes in the text, with quotes or brackets. A string or an object has at least two. */
struct tm_json_value_offset {
    uint32_t at, len;
    enum tm_json_value_kind of;
    bool is_string;
};

struct tm_json_ref {
    bool is_elsewhere;  /* the text is not in the stream but in the event's Source */
    uint64_t offset;    /* its first byte there */
    uint32_t bytes;     /* its length */
    uint32_t checksum;  /* its tm_json_ref_checksum */
    uint64_t before; /* in a temporary file: bytes between the previous event's text and this one; no event uses them */
    bool has_offsets;     /* false: the text must be scanned for them */
    uint32_t offset_count;
    struct tm_json_value_offset
        offsets[TM_VALUE_OFFSETS_MAX]; /* in the order of the text; the last one ends at offsets_end */
    uint64_t offsets_end;
};

/* Returns the checksum of the LEN bytes at TEXT that a reference states. */
uint32_t tm_json_ref_checksum(const void *text, size_t len);

/* Appends REF, whose offsets must be in order, to DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_ref_put(const struct tm_json_ref *ref, struct tm_buf *detail);

/* Finds the JsonRef in a Detail of LEN bytes. TM_OK; TM_END if there is none; TM_E_INPUT if it is damaged. */
enum tm_status tm_json_ref_find(const uint8_t *detail, size_t len, struct tm_json_ref *ref);

#endif
