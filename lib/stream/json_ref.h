/* The JsonRef of an event of Chrome JSON, field 12 of its Detail: where in the object's text the values are that an
 * output may have to change, and, where the text did not come along, where it is in the file (frame Source).
 *
 * It is what tm-unpack saw when it read the object, so that nobody has to look through it again. */
#ifndef TM_STREAM_JSON_REF_H
#define TM_STREAM_JSON_REF_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Whose value. Numbers are part of the stream format. */
enum tm_json_spot_of {
    TM_JSON_SPOT_TS = 1,
    TM_JSON_SPOT_PID = 2,
    TM_JSON_SPOT_ID = 3,
    TM_JSON_SPOT_ID2 = 4,
    TM_JSON_SPOT_BIND_ID = 5
};

enum { TM_VALUE_OFFSETS_MAX = 5 };

/* A value: its bytes in the text, quotes and brackets with it; at least two of them where it is a string or an object.
 */
struct tm_json_spot {
    uint32_t at, len;
    enum tm_json_spot_of of;
    bool is_string;
};

struct tm_json_ref {
    bool is_elsewhere;  /* the text is not in the stream but in the event's Source: */
    uint64_t offset;    /* from this byte on, */
    uint32_t bytes;     /* so many, */
    uint32_t checksum;  /* with this tm_json_ref_checksum */
    uint64_t before; /* of a temporary file: bytes before it, up to the text before, that no other event is asked for */
    bool has_spots;     /* else the text has to be read to find them */
    uint32_t spot_count;
    struct tm_json_spot
        spots[TM_VALUE_OFFSETS_MAX]; /* in the order of the text; all within a text of spots_end bytes */
    uint64_t spots_end;
};

uint32_t tm_json_ref_checksum(const void *text, size_t len);

/* Appends TEXT, whose spots must be in order, to DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_ref_put(const struct tm_json_ref *ref, struct tm_buf *detail);

/* The JsonRef in the Detail of LEN bytes. TM_OK; TM_END: there is none; TM_E_INPUT: it is damaged. */
enum tm_status tm_json_ref_find(const uint8_t *detail, size_t len, struct tm_json_ref *ref);

#endif
