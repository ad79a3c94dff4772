/* Functions with which every row of the document is written. */
#include "emit/chrome_json/internal.h"

#include "base/decimal.h"

enum { MICROSECOND_DIGITS = 3 };

void tm_json_out_next(struct tm_json_out *j)
{
    tm_out_str(&j->out, j->has_events ? ",\n" : "\n");
    j->has_events = true;
}

void tm_json_out_unsupported(struct tm_json_out *j, const struct tm_event *e)
{
    if (!tm_event_is_counted(e->flags))
        return;
    j->inexpressible++;
    tm_unsupported_counts_event(j->context->unsupported, e);
}

void tm_json_out_micros(struct tm_json_out *j, int64_t ns)
{
    char text[TM_DECIMAL_TEXT_MAX];
    tm_out_bytes(&j->out, text, tm_decimal_format(ns, MICROSECOND_DIGITS, text));
}

void tm_json_out_time(struct tm_json_out *j, int64_t time_ns)
{
    tm_json_out_micros(j, time_ns - j->base_ns);
}

bool tm_json_out_may_have(const struct tm_event *e, const char *ending)
{
    const uint8_t *p = e->raw, *end = e->raw + e->raw_bytes;
    while (end - p > 2 && (p = memchr(p + 1, ending[1], (size_t)(end - p - 2))) != NULL)
        if (p[-1] == (uint8_t)ending[0] && p[1] == '"')
            return true;
    return memchr(e->raw, '\\', e->raw_bytes) != NULL;
}

/* Layout of a kept member, as wire fields of j->top: 1 file, 2 key, 3 value. */
bool tm_json_top_next(struct tm_pb *pb, struct tm_json_top_member *m)
{
    struct tm_pb_field f, g;
    if (tm_pb_next(pb, &f) != TM_OK)
        return false;
    struct tm_pb inner = tm_pb_of(f.data, f.len);
    while (tm_pb_next(&inner, &g) == TM_OK) {
        if (g.id == 1)
            m->file = (uint32_t)g.value;
        else
            *(g.id == 2 ? &m->key : &m->value) = (struct tm_text){g.data, g.len};
    }
    return true;
}
