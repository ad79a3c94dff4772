#include "format/text_pid.h"

#include "base/hash.h"

/* The string's number in the stream, or, where the table is full, its hash in a range above those. */
enum { TEXT_PID_FIRST = 0x40000000, TEXT_PID_HASHED = 0x41000000, TEXT_PID_HASHES = 0x3e000000 };

enum tm_status tm_text_pid(struct tm_event_sink *sink, const void *s, size_t len, int64_t *number,
                           struct tm_error *err)
{
    struct tm_buf unused = {0};
    uint32_t id;
    enum tm_status st = tm_event_sink_string(sink, s, len, &unused, &id, err);
    tm_buf_release(&unused);
    if (st >= 0 && id & TM_STRING_INLINE)
        *number = TEXT_PID_HASHED + (int64_t)(tm_hash64(s, len) % TEXT_PID_HASHES);
    else
        *number = TEXT_PID_FIRST + (int64_t)id;
    return st;
}
