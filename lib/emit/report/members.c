#include "emit/report/members.h"

#include "emit/report/words.h"

void tm_member_key(struct tm_report *r, bool comma, const char *key)
{
    if (comma)
        tm_out_char(&r->out, ',');
    tm_out_json_str(&r->out, key);
    tm_out_char(&r->out, ':');
}

void tm_member_u64(struct tm_report *r, const char *key, uint64_t v)
{
    tm_member_key(r, true, key);
    tm_out_u64(&r->out, v);
}

void tm_member_i64(struct tm_report *r, const char *key, int64_t v)
{
    tm_member_key(r, true, key);
    tm_out_i64(&r->out, v);
}

void tm_member_bool(struct tm_report *r, const char *key, bool v)
{
    tm_member_key(r, true, key);
    tm_out_str(&r->out, v ? "true" : "false");
}

void tm_member_text(struct tm_report *r, const char *key, struct tm_text text)
{
    tm_member_key(r, true, key);
    if (text.data)
        tm_out_json(&r->out, text);
    else
        tm_out_str(&r->out, "null");
}

void tm_member_machine(struct tm_report *r, const char *key, uint32_t machine)
{
    tm_member_key(r, true, key);
    size_t from = r->out.buf.len;
    tm_report_put_machine(r, machine);
    tm_member_quote(r, from);
}

void tm_member_clock(struct tm_report *r, const char *key, uint32_t clock)
{
    tm_member_key(r, true, key);
    size_t from = r->out.buf.len;
    if (clock == 0) {
        tm_out_str(&r->out, "null");
        return;
    }
    tm_report_put_clock(r, clock);
    tm_member_quote(r, from);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n';
}

void tm_member_quote(struct tm_report *r, size_t from)
{
    struct tm_buf copy = {0};
    size_t begin = from, end = r->out.buf.len;
    if (end < from) /* out of memory, which the output remembers */
        return;
    while (begin < end && is_blank(r->out.buf.data[begin]))
        begin++;
    while (end > begin && is_blank(r->out.buf.data[end - 1]))
        end--;
    if (tm_buf_add(&copy, r->out.buf.data + begin, end - begin) < 0) {
        r->out.failed = true;
    } else {
        r->out.buf.len = from;
        tm_out_json(&r->out, tm_text_given(copy.data, copy.len));
    }
    tm_buf_release(&copy);
}
