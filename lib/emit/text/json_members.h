/* Members of the object in a line of JSON lines. Each is written with a comma before it. */
#ifndef TM_EMIT_TEXT_JSON_MEMBERS_H
#define TM_EMIT_TEXT_JSON_MEMBERS_H

#include "emit/out.h"
#include "stream/event.h"

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

/* Writes the value of EVENT, if it has one. */
static inline void tm_member_put_value(struct tm_out *out, const struct tm_event *event)
{
    if (!(event->flags & TM_EVENT_HAS_VALUE))
        return;
    tm_member_put_key(out, "value");
    if (event->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_json_double(out, event->value);
    else
        tm_out_i64(out, (int64_t)event->value);
}

#endif
