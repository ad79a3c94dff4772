/* Unit tests of stream/arg_keys.h: args get back the keys that the stream states once. */
#include "base/pb.h"
#include "stream/arg_keys.h"

#include "tap.h"

static const char keys_text[] = "args.a\0args.b\0"; /* and one NUL that is no key's */

static struct tm_text find(const void *strings, uint32_t number, const struct tm_event *event)
{
    (void)event;
    return number == 7 ? tm_text_at(strings, sizeof keys_text - 1) : tm_text_at(NULL, 0);
}

/* Appends an arg with an int. KEY: NULL if it does not state one. */
static void put_arg(struct tm_buf *detail, const char *key, int64_t value)
{
    size_t mark;
    tm_pb_begin(detail, TM_DETAIL_ARGS, &mark);
    if (key)
        tm_pb_put_str(detail, TM_ARG_KEY, key);
    tm_pb_put_varint(detail, TM_ARG_INT, tm_zigzag(value));
    tm_pb_end(detail, mark);
}

/* Appends TEXT as an inline string and returns its number. */
static uint32_t put_text(struct tm_buf *detail, const char *text)
{
    uint32_t at = (uint32_t)detail->len + 1;
    tm_pb_put_str(detail, TM_DETAIL_TEXT, text);
    return TM_STRING_INLINE | at;
}

/* Makes a detail with inline name and category around args. LACKING: these lack their keys. */
static void fill(struct tm_buf *detail, struct tm_event *e, bool lacking)
{
    e->name = put_text(detail, "the name");
    tm_pb_put_i64(detail, TM_DETAIL_FLOW_IDS, 5);
    put_arg(detail, lacking ? NULL : "args.a", 1);
    put_arg(detail, "args.x", 2);
    put_arg(detail, lacking ? NULL : "args.b", 3);
    e->category = put_text(detail, "the category");
    put_arg(detail, lacking ? NULL : "", 4); /* there is no third key */
    e->detail = detail->data;
    e->detail_bytes = (uint32_t)detail->len;
    e->arg_keys = lacking ? 7 : 0;
}

int main(void)
{
    struct tm_arg_expander expander = {.strings = keys_text, .find = find};
    struct tm_buf with = {0}, without = {0};
    struct tm_event e = {0}, wanted = {0};
    struct tm_error err = {0};
    fill(&with, &wanted, false);
    fill(&without, &e, true);
    ok(tm_arg_expand(&expander, &e, &err) == TM_OK);
    ok(e.detail_bytes == wanted.detail_bytes && memcmp(e.detail, wanted.detail, e.detail_bytes) == 0);
    ok(e.name == wanted.name && e.category == wanted.category && e.arg_keys == 0);
    const uint8_t *expanded = e.detail;
    ok_named(tm_arg_expand(&expander, &e, &err) == TM_OK && e.detail == expanded, "an event is expanded once");

    /* an unknown string has no keys; damaged bytes stay as they are */
    tm_buf_clear(&without);
    put_arg(&without, NULL, 1);
    tm_buf_add(&without, "\x0a\x7f!", 3);
    e = (struct tm_event){.detail = without.data, .detail_bytes = (uint32_t)without.len, .arg_keys = 8};
    tm_buf_clear(&with);
    put_arg(&with, "", 1);
    tm_buf_add(&with, "\x0a\x7f!", 3);
    ok(tm_arg_expand(&expander, &e, &err) == TM_OK && e.detail_bytes == with.len &&
       memcmp(e.detail, with.data, with.len) == 0);

    struct tm_text keys = tm_text_at(keys_text, sizeof keys_text - 1);
    ok(tm_text_is(tm_arg_keys_next(&keys), "args.a") && tm_text_is(tm_arg_keys_next(&keys), "args.b") &&
       tm_arg_keys_next(&keys).len == 0 && tm_arg_keys_next(&keys).len == 0);
    keys = tm_text_at("no end", 6);
    ok_named(tm_arg_keys_next(&keys).len == 0 && keys.len == 0, "a key has a NUL after it; a text without one is none");
    tm_arg_expander_release(&expander);
    tm_buf_release(&with);
    tm_buf_release(&without);
    return tap_done();
}
