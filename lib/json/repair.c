#include "json/repair.h"

#include "json/fast_path.h"

/* Copies the string at P, from after its first quote, and returns the byte after it. NULL, with *STATUS set, if it does
 * not end or there is no memory. */
static const uint8_t *repair_string(const uint8_t *p, const uint8_t *end, struct tm_buf *out,
                                    enum tm_json_status *status)
{
    bool non_ascii = false; /* not used */
    for (;;) {
        const uint8_t *special = tm_json_special(p, end, &non_ascii);
        size_t more = special < end && *special == '\\' ? 2 : special < end && *special == '"' ? 1 : 0;
        *status = (size_t)(end - special) < more || special == end ? TM_JSON_MORE : TM_JSON_BAD;
        if (*status == TM_JSON_MORE || tm_buf_add(out, p, (size_t)(special - p) + more) != TM_OK)
            return NULL;
        p = special + more;
        if (more == 1)
            return p;
        if (more == 0 && tm_json_put_escape(out, *p++) != TM_OK)
            return NULL;
    }
}

enum tm_json_status tm_json_repair(const uint8_t *p, const uint8_t *end, struct tm_buf *out, const uint8_t **after)
{
    enum tm_json_status status;
    for (uint64_t depth = 0; p < end;) {
        const uint8_t *start = p;
        while (p < end && *p != '"' && *p != '{' && *p != '}' && *p != '[' && *p != ']')
            p++;
        if (p == end)
            return TM_JSON_MORE;
        uint8_t c = *p++;
        if (tm_buf_add(out, start, (size_t)(p - start)) != TM_OK)
            return TM_JSON_BAD;
        if (c == '"') {
            if ((p = repair_string(p, end, out, &status)) == NULL)
                return status;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (depth == 0 || --depth == 0) {
            *after = p;
            return TM_JSON_OK;
        }
    }
    return TM_JSON_MORE;
}
