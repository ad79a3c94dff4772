#include "format/text_lines.h"

#include <string.h>

enum { FIRST_LOOK = 4096 };

enum tm_status tm_text_line(struct tm_input *in, size_t max, const char **line, size_t *len, size_t *size,
                            struct tm_error *err)
{
    size_t seen = 0;
    for (size_t want = FIRST_LOOK;; want = in->len * 2) {
        enum tm_status st = tm_input_fill(in, want, err);
        if (st < 0)
            return st;
        if (in->len == 0)
            return TM_END;
        const uint8_t *end = memchr(in->data + seen, '\n', in->len - seen);
        if (end || st == TM_END) {
            size_t n = end ? (size_t)(end - in->data) : in->len;
            if (n > max)
                break;
            *line = (const char *)in->data;
            *size = end ? n + 1 : n;
            *len = n > 0 && in->data[n - 1] == '\r' ? n - 1 : n;
            return TM_OK;
        }
        seen = in->len;
        if (seen > max)
            break;
    }
    return tm_error_set(err, TM_E_INPUT, "byte %llu: a line is longer than the limit of %zu bytes",
                        (unsigned long long)in->offset, max);
}
