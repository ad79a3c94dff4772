#include "format/text_pid.h"

#include "base/hash.h"

enum tm_status tm_text_pid(struct tm_event_sink *sink, const void *s, size_t len, int64_t *number,
                           struct tm_error *err)
{
    struct tm_buf unused = {0};
    uint32_t id;
    enum tm_status st = tm_event_sink_string(sink, tm_text_at(s, len), &unused, &id, err);
    tm_buf_release(&unused);
    if (st == TM_OK)
        st = tm_event_sink_run_string(sink, &id, err);
    if (st >= 0 && id & TM_STRING_INLINE)
        *number = tm_text_pid_hashed(tm_hash64(s, len));
    else
        *number = TM_TEXT_PID_FIRST + (int64_t)id;
    return st;
}
