#include "emit/svg/xml_out.h"

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

/* Returns the length of the character at S; 0: it is not UTF-8 or becomes U+FFFD (xml_out.h). */
static size_t character(const uint8_t *s, size_t len)
{
    size_t n = tm_utf8_length(s, len);
    bool is_control = n == 1 && (s[0] < 0x20 || s[0] == 0x7f) && s[0] != '\t' && s[0] != '\n';
    bool is_c1 = n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    bool is_none = n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return is_control || is_c1 || is_none ? 0 : n;
}

/* Puts the first character and returns its length in TEXT. */
static size_t put_character(struct tm_out *out, struct tm_text text)
{
    size_t n = character(text.data, text.len);
    if (n == 0)
        tm_out_str(out, REPLACEMENT);
    else if (*text.data == '&')
        tm_out_str(out, "&amp;");
    else if (*text.data == '<')
        tm_out_str(out, "&lt;");
    else if (*text.data == '>')
        tm_out_str(out, "&gt;");
    else if (*text.data == '"')
        tm_out_str(out, "&quot;");
    else
        tm_out_bytes(out, text.data, n);
    return n ? n : 1;
}

static size_t step(struct tm_text text)
{
    size_t n = character(text.data, text.len);
    return n ? n : 1;
}

void tm_out_xml(struct tm_out *out, struct tm_text text)
{
    while (text.len > 0) {
        size_t n = put_character(out, text);
        text.data += n;
        text.len -= n;
    }
}

void tm_out_xml_cut(struct tm_out *out, struct tm_text text, size_t max)
{
    size_t count = 0;
    for (struct tm_text t = text; t.len > 0; count++) {
        size_t n = step(t);
        t.data += n;
        t.len -= n;
    }
    size_t head = count <= max ? count : (max - 1) / 2, tail = count <= max ? 0 : max - 1 - head;
    for (size_t i = 0; i < count; i++) {
        if (i == head && count > max)
            tm_out_str(out, ELLIPSIS);
        size_t n = i < head || i >= count - tail ? put_character(out, text) : step(text);
        text.data += n;
        text.len -= n;
    }
}
