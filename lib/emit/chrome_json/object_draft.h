/* An object of a file that is copied with another time and pid, as a draft (event_draft.h). */
#ifndef TM_EMIT_CHROME_JSON_OBJECT_DRAFT_H
#define TM_EMIT_CHROME_JSON_OBJECT_DRAFT_H

#include "emit/late_parts.h"
#include "stream/json_ref.h"

/* The record is this as far as there are gaps. It has the text of the object. */
struct tm_json_object_draft {
    int64_t ts_ns, pid; /* of the output */
    bool follows;       /* there is an event before it */
    uint8_t times;      /* a bit for each gap: it is filled by the time, else by the pid */
    uint8_t gap_count;
    struct tm_json_object_gap {
        uint32_t at, len; /* bytes of the text that are left out; in order */
    } gaps[TM_VALUE_OFFSETS_MAX];
};

/* Returns the bytes of the record of DRAFT. */
size_t tm_json_object_draft_bytes(const struct tm_json_object_draft *draft);

/* Copies the object. */
tm_late_format tm_json_object_format;

#endif
