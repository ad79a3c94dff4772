#include "emit/chrome_json/object_draft.h"

#include "emit/out.h"

#include <stddef.h>

size_t tm_json_object_draft_bytes(const struct tm_json_object_draft *draft)
{
    return offsetof(struct tm_json_object_draft, gaps) + draft->gap_count * sizeof *draft->gaps;
}

void tm_json_object_format(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len)
{
    struct tm_json_object_draft d;
    size_t from = 0;
    memcpy(&d, data, len);
    tm_out_str(out, d.follows ? ",\n" : "\n");
    for (unsigned i = 0; i < d.gap_count; i++) {
        tm_out_bytes(out, text.data + from, d.gaps[i].at - from);
        if (d.times >> i & 1)
            tm_out_micros(out, d.ts_ns);
        else
            tm_out_i64(out, d.pid);
        from = (size_t)d.gaps[i].at + d.gaps[i].len;
    }
    tm_out_bytes(out, text.data + from, text.len - from);
}
