/* The members of the inputs' top-level objects, other than traceEvents. Their bytes are kept until the end, at most
 * TM_JSON_TOP_BYTES_MAX. */
#ifndef TM_EMIT_CHROME_JSON_TOP_MEMBERS_H
#define TM_EMIT_CHROME_JSON_TOP_MEMBERS_H

#include "base/buf.h"
#include "base/pb.h"
#include "base/text.h"
#include "stream/event.h"

enum { TM_JSON_TOP_BYTES_MAX = 64 << 20 };

/* Zero-initialise. */
struct tm_json_top_members {
    /* private */
    struct tm_buf bytes;
};

/* Adds the member in E's raw payload, "key":value. A key with escapes is stored in its usual form, so equal keys have
 * equal bytes. Other payloads are ignored. TM_OK; TM_END: there is no room for it; TM_E_SYSTEM. */
enum tm_status tm_json_top_members_add(struct tm_json_top_members *members, const struct tm_event *e,
                                       struct tm_error *err);

struct tm_json_top_member {
    uint32_t file;
    struct tm_text key, value; /* as in the input's text */
};

/* An iteration over the members, in order. They are valid until the next add. */
static inline struct tm_pb tm_json_top_members_all(const struct tm_json_top_members *members)
{
    return tm_pb_of(members->bytes.data, members->bytes.len);
}
bool tm_json_top_next(struct tm_pb *all, struct tm_json_top_member *member);

void tm_json_top_members_release(struct tm_json_top_members *members);

#endif
