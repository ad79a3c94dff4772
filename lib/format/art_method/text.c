/* The text of a method trace that states facts, line by line. */
#include "format/art_method/internal.h"

enum tm_status tm_art_line(struct tm_input *in, struct tm_text *line, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(in, TM_ART_LINE_MAX, err);
    const uint8_t *end = st < 0 || in->len == 0 ? NULL : memchr(in->data, '\n', in->len);
    if (st < 0)
        return st;
    if (end == NULL && in->len >= TM_ART_LINE_MAX)
        return tm_error_at(err, in->offset, "a line that is longer than %d bytes", TM_ART_LINE_MAX);
    if (in->len == 0)
        return TM_END;
    *line = tm_text_at(in->data, end ? (size_t)(end - in->data) : in->len);
    tm_input_skip(in, line->len + (end != NULL));
    return TM_OK;
}

enum tm_status tm_art_text(struct tm_art *a, struct tm_text text, uint64_t byte, struct tm_error *err)
{
    struct tm_text rest = text, line;
    enum tm_status st = TM_OK;
    while (st == TM_OK && rest.len > 0 && a->facts.section != TM_ART_SECTION_END) {
        const uint64_t at = byte + (uint64_t)(text.len - rest.len);
        if (!tm_text_cut(&rest, "\n", &line)) {
            line = rest;
            rest.len = 0;
        }
        st = tm_art_facts_line(&a->facts, line, err);
        if (st == TM_E_INPUT)
            tm_error_prefix(err, "byte %llu", (unsigned long long)at);
    }
    return st;
}
