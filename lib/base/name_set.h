/* Names, and a small set of them, compared by their letters: without case, and without '_', '-', '.' and blanks. So
 * "trace_id", "traceID" and "trace.id" are one name. */
#ifndef TM_BASE_NAME_SET_H
#define TM_BASE_NAME_SET_H

#include "base/buf.h"

#include <stdbool.h>

/* True if PATH of LEN bytes, or the part after its last dot ("otel.span_id"), is like NAME. NAME has no capitals and
 * none of the characters that are not compared: "spanid". */
bool tm_name_is_like(const uint8_t *path, size_t len, const char *name);

enum { TM_NAME_SET_MAX = 64, TM_NAME_SET_BYTES_MAX = 256 };

/* Zero-initialise. */
struct tm_name_set {
    uint32_t count;
    /* private */
    struct tm_buf text; /* the names as they are compared, each ended by a zero byte */
    uint32_t starts[TM_NAME_SET_MAX];
};

/* Adds the names of LIST, which are separated by commas. TM_E_INPUT if one has nothing to compare or more than
 * TM_NAME_SET_BYTES_MAX bytes, or if there are more than TM_NAME_SET_MAX; TM_E_SYSTEM. */
enum tm_status tm_name_set_add(struct tm_name_set *set, const char *list);

/* A cache of answers of tm_name_set_has, for one set and one thread. Zero-initialise. */
enum { TM_NAME_MEMO_SLOTS = 64, TM_NAME_MEMO_BYTES = 38 };
struct tm_name_memo {
    struct tm_name_memo_slot {
        uint8_t len; /* 0: empty */
        bool has;
        uint8_t path[TM_NAME_MEMO_BYTES];
    } slots[TM_NAME_MEMO_SLOTS];
};

/* True if the set has PATH of LEN bytes, or the part after its last dot. */
bool tm_name_set_has(const struct tm_name_set *set, const uint8_t *path, size_t len);

/* Returns what tm_name_set_has returns. Takes the answer from MEMO if it is there, else stores it there. */
bool tm_name_memo_has(struct tm_name_memo *memo, const struct tm_name_set *set, const uint8_t *path, size_t len);

void tm_name_set_release(struct tm_name_set *set);

#endif
