/* Members of the object in a line of JSON lines. Each is written with a comma before it. */
#ifndef TM_EMIT_TEXT_JSON_MEMBERS_H
#define TM_EMIT_TEXT_JSON_MEMBERS_H

#include "emit/out.h"

static inline void tm_member_put_key(struct tm_out *out, const char *key)
{
    tm_out_str(out, ",\"");
    tm_out_str(out, key);
    tm_out_str(out, "\":");
}

static inline void tm_member_put_i64(struct tm_out *out, const char *key, int64_t v)
{
    tm_member_put_key(out, key);
    tm_out_i64(out, v);
}

/* Writes nothing if TEXT has no data. */
static inline void tm_member_put_text(struct tm_out *out, const char *key, struct tm_text text)
{
    if (text.data == NULL)
        return;
    tm_member_put_key(out, key);
    tm_out_json(out, text);
}

#endif
