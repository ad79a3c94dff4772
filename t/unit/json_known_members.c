/* Unit tests of remembered members and arguments: an event gives the same result after any other events as when it is
 * read alone. */
#include "format/chrome_json/event.h"
#include "json/fast_path.h"
#include "json/number.h"
#include "stream/arg_keys.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

static void pick(struct tm_buf *out, uint64_t *seed, const char *const *parts, size_t count)
{
    (void)tm_buf_add_str(out, parts[(random_next(seed) >> 8) % count]);
}

#define PICK(out, seed, parts) pick(out, seed, parts, sizeof parts / sizeof *parts)

/* Few keys and values, so most members repeat. Some have a common beginning, some are too long to be remembered. */
static void put_members(struct tm_buf *out, uint64_t *seed, bool args)
{
    static const char long_text[] =
        "\"a text of more bytes than a remembered member may have, which is one hundred and "
        "twelve; so it is read each time, whether it is the same or not\"";
    static const char *const keys[] = {"\"ph\"",   "\"ts\"",    "\"pid\"",   "\"name\"",     "\"cat\"", "\"name\" ",
                                       "\"nam\"",  "\"id\"",    "\"id2\"",   "\"x\\u0041\"", "\"\"",    "\"tid\"",
                                       "\"caté\"", "\"args2\"", "\"stack\"", "\"dur\"",      "\"tts\"",
                                       "\"a\"",    "\"a.b\""};
    static const char *const gaps[] = {":", ":", ":", ": ", " :\n "};
    static const char *const values[] = {"\"X\"",     "1",
                                         "12",        "12.5",
                                         "-1e3",      "true",
                                         "null",      "\"\"",
                                         "\"é\"",     "{}",
                                         "[]",        "NaN",
                                         "false",     "123456789012345678901234567890",
                                         "\"a\\nb\"", "{\"a\":1}",
                                         "[1,\"b\"]", long_text,
                                         "1792.4",    "4312345678916.126",
                                         "0.25",      "{\"a\":true,\"b\":[null,\"\\t\",false]}",
                                         "[[2, 5], [6]]", "[[2, 5], []]",
                                         "[null,5]",  "[5,null,{\"a\":[]},6]",
                                         "[5,[5]]",   "{\"a\":1,}",
                                         "{\"b.c\":1,\"d\":2}", "{\"c\":1,\"d\":2}",
                                         "{\"b.c\":1,\"e\":2}", "{\"b.c\":1,\"f\":[3]}",
                                         "{\"c\":1,\"e\":[3]}", "{\"c\":1,\"f\":2}"};
    static const char *const commas[] = {",", ",", ",", ", ", " ,", ",\n"};
    uint64_t members = random_next(seed) >> 60;
    (void)tm_buf_add_byte(out, '{');
    for (uint64_t i = 0; i < members; i++) {
        if (i)
            PICK(out, seed, commas);
        if (!args && random_next(seed) >> 61 == 0) {
            (void)tm_buf_add_str(out, "\"args\":");
            put_members(out, seed, true);
            continue;
        }
        PICK(out, seed, keys);
        PICK(out, seed, gaps);
        PICK(out, seed, values);
    }
    (void)tm_buf_add_byte(out, '}');
}

static bool same_bytes(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

/* True if FIELD was not converted, or to the integer that it is. */
static bool same_int(const struct tm_json_event *event, enum tm_json_field field)
{
    const struct tm_json_value *v = &event->value[field];
    uint64_t now, exact;
    bool is_double;
    return !tm_json_event_converted(event, field, &now) ||
           (tm_json_number(v->data, v->len, &is_double, &exact) && !is_double && now == exact);
}

/* Both events come from one text. */
static bool same_event(const struct tm_json_event *a, const struct tm_json_event *b)
{
    bool same = a->fields == b->fields && a->raw == b->raw && a->raw_len == b->raw_len && a->empty == b->empty &&
                a->repeated == b->repeated && a->non_ascii == b->non_ascii;
    for (enum tm_json_field f = 0; f < TM_JF_COUNT && same; f++) {
        const struct tm_json_value *x = tm_json_event_get(a, f), *y = tm_json_event_get(b, f);
        int64_t now = -1, exact = -1;
        if (x && (f == TM_JF_PID || f == TM_JF_TID))
            same = same_int(a, f);
        else if (x)
            same = tm_json_event_time(a, f, &now) == tm_json_time(x, &exact) && now == exact;
        same = same && (x == NULL || (x->data == y->data && x->len == y->len && x->type == y->type &&
                                      x->escaped == y->escaped && x->non_ascii == y->non_ascii));
    }
    return same;
}

/* A reader of events, with or without remembered members. */
struct reader {
    struct tm_json_event event;
    struct tm_json_args args;
    struct tm_json_arg_places places;
    struct tm_json_arg_shapes shapes;
    struct tm_event_sink sink; /* only its strings are used */
    struct tm_json_scan scan;
    enum tm_json_status status;
};

static void read_event(struct reader *r, const uint8_t *text, size_t len, bool ended, bool with_args)
{
    r->scan = tm_json_scan_bytes(text, text + len, ended);
    tm_buf_clear(&r->args.detail);
    r->args.shape.count = 0;
    r->args.key_bytes = 0;
    r->args.cut = false;
    r->status = tm_json_event_parse(&r->scan, &r->event, with_args ? &r->args : NULL);
}

static struct tm_text find_string(const void *sink, uint32_t string, const struct tm_event *event)
{
    const struct tm_event_sink *s = sink;
    size_t len = 0;
    const uint8_t *text = event && string <= s->strings.count ? tm_intern_get(&s->strings, string - 1, &len) : NULL;
    return tm_text_at(text, len);
}

/* Puts the keys that R's arguments lack into them. */
static bool state_keys(struct reader *r)
{
    struct tm_arg_expander expander = {.strings = &r->sink, .find = find_string};
    struct tm_buf detail = {0};
    struct tm_event e = {.detail = r->args.detail.data, .detail_bytes = (uint32_t)r->args.detail.len};
    size_t size = tm_json_args_size(&r->args);
    bool good = tm_json_args_keys(&r->args, &detail, &e.arg_keys, NULL) == TM_OK && detail.len == 0 &&
                (e.arg_keys != 0) == (r->args.shape.count != 0) && tm_arg_expand(&expander, &e, NULL) == TM_OK &&
                e.detail_bytes == size;
    if (e.detail != r->args.detail.data) {
        tm_buf_clear(&r->args.detail);
        good = good && tm_buf_add(&r->args.detail, e.detail, e.detail_bytes) == TM_OK;
    }
    tm_arg_expander_release(&expander);
    return good;
}

static bool same_result(const struct reader *a, const struct reader *b)
{
    if (a->status != b->status)
        return false;
    if (a->status == TM_JSON_BAD)
        return a->scan.p == b->scan.p && a->scan.cause == b->scan.cause;
    return a->status != TM_JSON_OK ||
           (a->scan.p == b->scan.p && same_event(&a->event, &b->event) && a->args.cut == b->args.cut &&
            same_bytes(a->args.detail.data, a->args.detail.len, b->args.detail.data, b->args.detail.len));
}

/* Makes EVENT one that has remembered no keys. */
static void forget(struct tm_json_event *event)
{
    event->keys.count = 0;
    memset(event->keys.slots, 0, sizeof event->keys.slots);
    memset(event->keys.keys, 0, (TM_JSON_KNOWN_START + 1) * sizeof *event->keys.keys);
    memset(event->slots, 0, sizeof event->slots);
}

/* Compares events of one file. KEEPS: the wanted arguments; NULL: all. */
static void test_events(const char *keeps, const char *name)
{
    enum { ROOM = 112 /* bytes that members are compared or converted with */ };
    static const char bytes[] = "{}[],:\"\\0123456789.eE+- \ntfn\x01\x80x";
    struct reader *with = calloc(1, sizeof *with), *without = calloc(1, sizeof *without);
    struct tm_buf text = {0};
    struct tm_name_set set = {0};
    uint64_t seed = 7;
    bool same = with && without;
    long good = 0, bad = 0, with_keys = 0;
    tm_event_sink_init(&with->sink, NULL);
    with->shapes = (struct tm_json_arg_shapes){.places = &with->places, .sink = &with->sink};
    if (keeps) {
        (void)tm_name_set_add(&set, keeps);
        with->args.wanted = without->args.wanted = &set;
    }
    for (int i = 0; i < 200000 && same; i++) {
        tm_buf_clear(&text);
        put_members(&text, &seed, false);
        uint64_t r = random_next(&seed);
        size_t len = text.len;
        if (r >> 61 == 0)
            text.data[(r >> 32) % text.len] = (uint8_t)bytes[(r >> 8) % (sizeof bytes - 1)];
        /* Most events have bytes after them; without these no member near the end is compared. */
        if (r & 4)
            (void)tm_buf_reserve(&text, 2 * ROOM);
        if (r & 4) {
            memset(text.data + len, ' ', 2 * ROOM);
            len += 2 * ROOM;
        }
        if (r >> 58 == 1)
            len = (r >> 16) % len + 1;
        if (text.data[0] != '{')
            continue;
        forget(&without->event);
        with->args.places = &with->places;
        with->args.shapes = i % 3 ? &with->shapes : NULL;
        read_event(with, text.data, len, r & 1, r & 2);
        read_event(without, text.data, len, r & 1, r & 2);
        with_keys += with->args.shape.count != 0;
        same = (with->status != TM_JSON_OK || state_keys(with)) && same_result(with, without);
        good += with->status == TM_JSON_OK;
        bad += with->status == TM_JSON_BAD;
        if (!same)
            printf("# event %d: %d (%s at %td) and %d for %.*s\n", i, with->status,
                   with->scan.cause ? with->scan.cause : "", with->scan.p - text.data, without->status, (int)text.len,
                   (const char *)text.data);
    }
    printf("# %ld events lacked keys\n", with_keys);
    ok_named(same && good > 100000 && bad > 1000 && with_keys > 1000, name);
    tm_event_sink_release(&with->sink);
    tm_json_arg_shapes_release(&with->shapes);
    tm_json_args_release(&with->args);
    tm_json_args_release(&without->args);
    tm_name_set_release(&set);
    tm_buf_release(&text);
    free(with);
    free(without);
}

/* Reads an object whose "ts" is NUMBER. The fast path reads a number only if more text follows. */
static enum tm_json_status read_number(struct reader *r, const char *number, bool has_more, int64_t *ns)
{
    char text[160];
    int len = snprintf(text, sizeof text, "{\"ts\":%s}%80s", number, "");
    forget(&r->event);
    read_event(r, (const uint8_t *)text, (size_t)(has_more ? len : len - 80), true, false);
    *ns = -1;
    if (r->status != TM_JSON_OK)
        return r->status;
    return tm_json_event_time(&r->event, TM_JF_TS, ns) == TM_OK ? TM_JSON_OK : TM_JSON_CLOSE;
}

/* Numbers of up to 20 digits with a fraction of up to 5, some with a sign, an exponent, zeros in front or damage. */
static void test_numbers(void)
{
    static const char *const ends[] = {"", "", "", "", "", "e2", "E-1", ".", "x", " 1"};
    struct reader *r = calloc(1, sizeof *r);
    uint64_t seed = 11;
    bool same = r != NULL;
    long good = 0;
    for (int i = 0; i < 200000 && same; i++) {
        char number[64];
        uint64_t a = random_next(&seed), b = random_next(&seed);
        int digits = (int)(a >> 59) % 20 + 1, fraction = (int)(b >> 61) - 2;
        int n = snprintf(number, sizeof number, "%s%.*s", a & 7 ? "" : "-", digits, "00000000000000000000");
        for (int k = 0; k < digits; k++)
            number[n - digits + k] = (char)('0' + (k || a & 56 ? (random_next(&seed) >> 32) % 10 : 0));
        if (fraction > 0)
            n += snprintf(number + n, sizeof number - (size_t)n, ".%0*d", fraction, (int)(b % 1000) % (fraction * 10));
        (void)snprintf(number + n, sizeof number - (size_t)n, "%s", ends[b >> 8 & 7]);
        int64_t fast, slow;
        enum tm_json_status first = read_number(r, number, true, &fast), second = read_number(r, number, false, &slow);
        same = first == second && fast == slow;
        good += first == TM_JSON_OK;
        if (!same)
            printf("# %s: %d %lld and %d %lld\n", number, first, (long long)fast, second, (long long)slow);
    }
    ok_named(same && good > 50000, "a time has the same value by the fast path");
    free(r);
}

/* Numbers with a point become the doubles that strtod makes of them. */
static void test_doubles(void)
{
    uint64_t seed = 13;
    long doubles = 0;
    bool same = true;
    for (int i = 0; i < 200000 && same; i++) {
        char text[64];
        bool is_double;
        uint64_t bits;
        int whole = (int)(random_next(&seed) >> 60), fraction = (int)(random_next(&seed) >> 60) + 1;
        const char *sign = random_next(&seed) >> 62 ? "" : "-";
        int n = snprintf(text, sizeof text, "%s%.*s.", sign, whole + 1, "0000000000000000");
        for (int k = 0; k < whole; k++)
            text[n - 2 - k] = (char)('0' + (random_next(&seed) >> 32) % 10);
        for (int k = 0; k < fraction; k++)
            text[n++] = (char)('0' + (random_next(&seed) >> 32) % 10);
        text[n] = 0;
        double exact = strtod(text, NULL);
        same = tm_json_number((const uint8_t *)text, (size_t)n, &is_double, &bits);
        if (is_double)
            same = same && memcmp(&exact, &bits, sizeof bits) == 0;
        doubles += is_double;
        if (!same)
            printf("# %s\n", text);
    }
    ok_named(same && doubles > 100000, "a number with a point is the nearest double");
}

/* Words and short escapes inside containers; damage is refused at the same byte with and without them. */
static void test_containers(void)
{
    static const struct {
        const char *text;
        int bad_at; /* -1: good */
    } cases[] = {{"{\"args\":{\"a\":true,\"b\":[false,null]}}", -1},
                 {"{\"args\":{\"a\":\"\\n\\\"x\\/\",\"b\":[\"\\\\\"]}}", -1},
                 {"{\"args\":{\"a\":truex}}", 13},
                 {"{\"args\":{\"a\":nul}}", 13},
                 {"{\"args\":[true false]}", 14},
                 {"{\"args\":{\"a\":\"\\x\"}}", 14},
                 {"{\"args\":{\"a\":\"\\u12g4\"}}", 14},
                 {"{\"args\":[NaN,-Infinity,1e5,{},[]]}", -1}};
    struct reader *r = calloc(1, sizeof *r);
    bool right = r != NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && right; i++) {
        char text[200];
        int len = snprintf(text, sizeof text, "%s%100s", cases[i].text, "");
        read_event(r, (const uint8_t *)text, (size_t)len, true, false);
        right = cases[i].bad_at < 0 ? r->status == TM_JSON_OK && r->event.raw_len == strlen(cases[i].text)
                                    : r->status == TM_JSON_BAD && r->scan.p == (const uint8_t *)text + cases[i].bad_at;
        if (!right)
            printf("# %s: %d at %td\n", cases[i].text, r->status, r->scan.p - (const uint8_t *)text);
    }
    ok_named(right, "words and escapes in containers are read, damage is found");
    free(r);
}

/* What the fast path takes as a container is one: the scanner, made to read it by an exponent after it, accepts it. */
static void test_fast_containers(void)
{
    static const char *const tokens[] = {"{", "}", "[", "]", ",", ":", "\"a\"", "\"b\":", "\"c\": 1", "0", "12", "-3",
                                         "1.5", "01", "1.", "-", "true", "null", "nul", " ", "\n      ", "1e5", "\"x",
                                         "123456789012345678", "0.12345678901234567", "{\"d\":[1, 2]}", "[[3], {}]",
                                         ", ", "\"\\n\"", "\"\\u0041\"", ",\"e\":"};
    uint64_t seed = 17;
    struct tm_buf text = {0}, checked = {0};
    struct tm_json_value value;
    long taken = 0;
    bool right = true;
    for (int i = 0; i < 2000000 && right; i++) {
        uint64_t count = random_next(&seed) >> 60;
        tm_buf_clear(&text);
        tm_buf_clear(&checked);
        (void)tm_buf_add_str(&text, random_next(&seed) >> 63 ? "{\"f\":" : "[");
        for (uint64_t k = 0; k < count; k++)
            PICK(&text, &seed, tokens);
        (void)tm_buf_add_str(&text, random_next(&seed) >> 63 ? "}" : "]");
        size_t len = text.len;
        if (random_next(&seed) >> 63)
            (void)tm_buf_addf(&text, "%80s", "");
        const uint8_t *after = tm_json_fast_container(text.data, text.data + text.len);
        if (after == NULL)
            continue;
        size_t used = (size_t)(after - text.data);
        (void)tm_buf_add_byte(&checked, '[');
        (void)tm_buf_add(&checked, text.data, used);
        (void)tm_buf_add_str(&checked, ",1e5]");
        struct tm_json_scan scan = tm_json_scan_bytes(checked.data, checked.data + checked.len, true);
        right = used <= len && tm_json_value(&scan, &value) == TM_JSON_OK && value.len == checked.len;
        taken++;
        if (!right)
            printf("# %.*s\n", (int)len, (const char *)text.data);
    }
    ok_named(right && taken > 20000, "the fast path accepts nothing that the scanner refuses");
    tm_buf_release(&text);
    tm_buf_release(&checked);
}

/* Reads an event with a name and MEMBER, and bytes after it. */
static void read_named(struct tm_json_event *event, struct tm_buf *text, const char *member)
{
    tm_buf_clear(text);
    (void)tm_buf_addf(text, "{\"name\":\"a name\",%s}%80s", member, "");
    struct tm_json_scan scan = tm_json_scan_bytes(text->data, text->data + text->len, true);
    (void)tm_json_event_parse(&scan, event, NULL);
}

/* Once there are too many keys, all are forgotten, here at the category of an event. It gets the number that the name
 * had. What the name of this event is converted to must not become the category of the next one. */
static void test_forgotten_keys(void)
{
    struct tm_json_event *event = calloc(1, sizeof *event);
    struct tm_buf text = {0};
    uint64_t v = 0;
    uint32_t count = 0;
    char member[40];
    for (int i = 0; event && event->keys.count + TM_JSON_KNOWN_START + 1 < TM_JSON_KNOWN_KEYS && i < 2000; i++) {
        snprintf(member, sizeof member, "\"k%d\":1", i);
        read_named(event, &text, member);
    }
    for (int i = 0; event && i < 2; i++) {
        count = i ? count : event->keys.count;
        read_named(event, &text, "\n\"cat\":\"a category\"");
        if (i == 0) {
            tm_json_event_keep(event, TM_JF_CAT, 2);
            tm_json_event_keep(event, TM_JF_NAME, 1);
        }
    }
    ok_named(event && event->keys.count < count, "too many keys are forgotten");
    ok_named(event && (!tm_json_event_converted(event, TM_JF_CAT, &v) || v == 2),
             "a member keeps its own converted value when keys are forgotten");
    tm_buf_release(&text);
    free(event);
}

/* More arguments than there are places: all are forgotten several times, and some are read again. */
static void test_forgotten_arguments(void)
{
    struct reader *with = calloc(1, sizeof *with), *without = calloc(1, sizeof *without);
    bool same = with && without;
    bool is_forgotten = false, lacked_keys = false;
    uint32_t most = 0;
    char text[200];
    tm_event_sink_init(&with->sink, NULL);
    with->shapes = (struct tm_json_arg_shapes){.places = &with->places, .sink = &with->sink};
    for (int i = 0; i < 6 * TM_JSON_ARG_PLACES && same; i++) {
        int len = snprintf(text, sizeof text,
                           "{\"args\":{\"a\":1,\"k%d\":{\"b\":[2,%d],\"c\":\"x\"},\"k%d\":3}}%80s", i / 2, i,
                           i % 7, "");
        with->args.places = &with->places;
        with->args.shapes = &with->shapes;
        read_event(with, (const uint8_t *)text, (size_t)len, true, true);
        read_event(without, (const uint8_t *)text, (size_t)len, true, true);
        lacked_keys |= with->args.shape.count > 3;
        same = state_keys(with) && same_result(with, without) && with->args.detail.len > 50;
        most = with->places.count > most ? with->places.count : most;
        is_forgotten |= with->places.count < most;
    }
    ok_named(same && most > TM_JSON_ARG_PLACES - 10 && is_forgotten,
             "arguments are the same when places are forgotten");
    ok_named(lacked_keys && with->args.shape.count == 0 && with->sink.strings.count <= TM_JSON_ARG_STRINGS_MAX,
             "arguments of a file with very many keys state them");
    is_int(with->shapes.string_count, with->sink.strings.count);
    is_int((long)with->shapes.string_bytes, (long)with->sink.strings.bytes.len);
    tm_json_arg_shapes_release(&with->shapes);
    with->shapes = (struct tm_json_arg_shapes){.string_bytes = TM_JSON_ARG_STRING_BYTES_MAX - 1};
    ok(tm_json_arg_shapes_has_room(&with->shapes));
    with->shapes.string_bytes++;
    ok_named(!tm_json_arg_shapes_has_room(&with->shapes), "so do those of a file with very long keys");
    tm_event_sink_release(&with->sink);
    tm_json_arg_shapes_release(&with->shapes);
    tm_json_args_release(&with->args);
    tm_json_args_release(&without->args);
    free(with);
    free(without);
}

/* The longest keys of a shape are one string, which the sink has. */
static void test_long_keys(void)
{
    struct reader *with = calloc(1, sizeof *with);
    struct tm_buf text = {0}, detail = {0};
    struct tm_error err = {0};
    uint32_t keys = 0;
    if (with == NULL)
        return;
    tm_event_sink_init(&with->sink, NULL);
    with->shapes = (struct tm_json_arg_shapes){.places = &with->places, .sink = &with->sink};
    with->args.places = &with->places;
    with->args.shapes = &with->shapes;
    tm_buf_add_str(&text, "{\"args\":{");
    for (int i = 0; i < 60; i++) {
        char member[TM_JSON_ARG_PLACE_KEY_MAX + 8];
        int len = snprintf(member, sizeof member, "%s\"%0*d\":1", i ? "," : "",
                           TM_JSON_ARG_PLACE_KEY_MAX - (int)strlen("args."), i);
        tm_buf_add(&text, member, (size_t)len);
    }
    tm_buf_add_str(&text, "}}");
    for (int i = 0; i < 80; i++)
        tm_buf_add_byte(&text, ' ');
    read_event(with, text.data, text.len, true, true);
    read_event(with, text.data, text.len, true, true);
    ok(with->args.shape.count == TM_JSON_ARG_SHAPE_MAX &&
       tm_json_args_keys(&with->args, &detail, &keys, &err) == TM_OK);
    ok_named(keys != 0 && !(keys & TM_STRING_INLINE) && detail.len == 0, "the longest keys have a number");
    tm_buf_release(&text);
    tm_buf_release(&detail);
    tm_event_sink_release(&with->sink);
    tm_json_arg_shapes_release(&with->shapes);
    tm_json_args_release(&with->args);
    free(with);
}

/* True if arguments within a name of NAME_LEN bytes are left out once they exceed the limit for the text up to the end
 * of the last value. */
static bool is_cut_at_limit(struct tm_json_args *args, size_t name_len)
{
    enum { GROWTH = 16, MEMBERS = 150 };
    struct tm_buf text = {0};
    struct tm_json_value value;
    size_t expected = 0;
    bool is_cut = false;
    char member[16];
    (void)tm_buf_add_str(&text, "{\"");
    for (size_t i = 0; i < name_len; i++)
        (void)tm_buf_add_byte(&text, 'k');
    (void)tm_buf_add_str(&text, "\":{");
    for (int i = 0; i < MEMBERS; i++) {
        int len = snprintf(member, sizeof member, "\"m%d\":\"x\"", i);
        (void)tm_buf_add(&text, member, (size_t)len);
        size_t key = 5 + name_len + (size_t)len - 5, arg = 1 + tm_varint_size(key) + key + 3;
        expected += is_cut ? 0 : 1 + tm_varint_size(arg) + arg;
        is_cut |= expected > TM_JSON_ARGS_BYTES_FREE + GROWTH * text.len;
        (void)tm_buf_add_str(&text, i + 1 < MEMBERS ? "," : "}}");
    }
    struct tm_json_scan scan = tm_json_scan_bytes(text.data, text.data + text.len, true);
    enum tm_json_status st = tm_json_args_read(args, "args", &scan, &value);
    tm_buf_release(&text);
    return st == TM_JSON_OK && is_cut && args->cut && tm_json_args_size(args) == expected;
}

static void test_limit(void)
{
    struct tm_json_args args = {.places = calloc(1, sizeof *args.places), .shapes = calloc(1, sizeof *args.shapes)};
    bool good = true;
    for (size_t len = 900; len < 1300 && good; len++)
        good = is_cut_at_limit(&args, len);
    ok_named(good, "arguments are left out from the same member on, whatever the lengths of names");
    free(args.places);
    free(args.shapes);
    tm_json_args_release(&args);
}

/* The time TEXT in microseconds is WANT ns; -1: it is none. */
static void time_is(const char *text, int64_t want)
{
    const struct tm_json_value value = {
        .type = TM_JSON_NUMBER, .data = (const uint8_t *)text, .len = (uint32_t)strlen(text)};
    int64_t ns = 0;
    const bool is_time = tm_json_time(&value, &ns) == TM_OK;
    ok_named(is_time ? ns == want : want == -1, text);
}

/* Short times are read by code of their own; the largest and those right above it are like others. */
static void test_times(void)
{
    time_is("0", 0);
    time_is("1.5", 1500);
    time_is("9223372036854775", INT64_C(9223372036854775000));
    time_is("9223372036854775.807", INT64_MAX);
    time_is("9223372036854775.808", -1);
    time_is("9999999999999999", -1);
    time_is("00000000000000017", 17000);
    time_is("18446744073709552", -1);
    time_is("18446744073709552000", -1);
}

int main(void)
{
    test_times();
    test_events(NULL, "an event after others is what it is alone");
    test_events("id,name", "the same where few arguments are wanted");
    test_numbers();
    test_doubles();
    test_containers();
    test_fast_containers();
    test_forgotten_keys();
    test_forgotten_arguments();
    test_long_keys();
    test_limit();
    return tap_done();
}
