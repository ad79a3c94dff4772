/* Finds spans in a damaged text, or in pending text, which may be damaged. */
#include "format/spans/internal.h"

/* Limits of the search. OBJECT_MAX is the size in bytes of the largest object that it finds. WORK_FACTOR bounds the
 * bytes that are parsed without success, as a multiple of the bytes skipped. Beyond it, the search skips what it has
 * parsed. */
enum { OBJECT_MAX = 1 << 20, WORK_FACTOR = 16, FIRST_FILL = 64 << 10 };

static bool is_separator(uint8_t c)
{
    return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '[' || c == ']' || c == '}';
}

/* Skips N bytes. Separators of values do not count as a loss. */
static void pass(struct tm_spans *x, size_t n)
{
    struct tm_input *in = x->cursor->in;
    size_t from = 0;
    while (from < n && is_separator(in->data[from]))
        from++;
    if (n > from)
        tm_spans_count(&x->skipped, n - from, in->offset + from);
    tm_input_skip(in, n);
}

/* Handles the first member of the object at the front. TM_OK: it was consumed; TM_END: it has no facts about spans; or
 * an error. */
static enum tm_status take_head(struct tm_spans *x)
{
    struct tm_input *in = x->cursor->in;
    struct tm_json_scan scan = tm_json_scan_bytes(in->data + 1, in->data + in->len, in->ended);
    struct tm_json_value key, value;
    if (x->grammar->head == NULL || tm_json_key(&scan, &key) != TM_JSON_OK)
        return TM_END;
    const uint8_t *after_key = scan.p;
    bool is_whole = tm_json_value(&scan, &value) == TM_JSON_OK;
    enum tm_status st = x->grammar->head(x, &key, is_whole ? &value : NULL);
    if (st == TM_OK)
        pass(x, (size_t)((is_whole ? scan.p : after_key) - in->data));
    return st;
}

/* Parses the object at the front. Widens the window until the object is complete or the limit is reached. */
static enum tm_json_status read_object(struct tm_spans *x, struct tm_json_scan *scan, struct tm_json_value *object)
{
    struct tm_input *in = x->cursor->in;
    for (;;) {
        bool far = in->len > OBJECT_MAX; /* the result must not depend on the window's size */
        *scan = tm_json_scan_bytes(in->data, in->data + (far ? OBJECT_MAX : in->len), in->ended && !far);
        enum tm_json_status st = tm_json_value(scan, object);
        if (st != TM_JSON_MORE || in->ended || in->len >= OBJECT_MAX)
            return st;
        if (tm_input_fill(in, in->len < FIRST_FILL ? FIRST_FILL : in->len * 2, x->err) < 0)
            return TM_JSON_CLOSE;
    }
}

/* Handles the object at the front, which begins with '{'. TM_OK: all or a part of it was consumed; or an error. *WORK
 * counts the bytes that were parsed without success. */
static enum tm_status take_object(struct tm_spans *x, uint64_t *work)
{
    struct tm_input *in = x->cursor->in;
    struct tm_json_scan scan;
    struct tm_json_value object;
    enum tm_json_status read = read_object(x, &scan, &object);
    if (read == TM_JSON_CLOSE)
        return x->err->status;
    enum tm_status st = read == TM_JSON_OK ? x->grammar->found(x, &object, in->offset) : TM_END;
    if (st < 0)
        return st;
    if (st == TM_OK) {
        tm_input_skip(in, object.len);
        return TM_OK;
    }
    if ((st = take_head(x)) != TM_END)
        return st;
    size_t looked = (size_t)((read == TM_JSON_MORE ? scan.end : scan.p) - in->data);
    *work += looked;
    bool is_much = *work > WORK_FACTOR * (x->skipped.count + OBJECT_MAX);
    pass(x, is_much && looked ? looked : 1);
    return TM_OK;
}

enum tm_status tm_spans_salvage(struct tm_spans *x)
{
    struct tm_input *in = x->cursor->in;
    const bool is_main = x->cursor == &x->main;
    uint64_t work = 0;
    enum tm_status st;
    while ((st = tm_input_fill(in, 1, x->err)) == TM_OK) {
        const uint8_t *brace = memchr(in->data, '{', in->len);
        pass(x, brace ? (size_t)(brace - in->data) : in->len);
        if (brace == NULL)
            continue;
        if ((st = tm_input_fill(in, TM_SNIFF_BYTES, x->err)) < 0)
            return st;
        if (is_main && x->grammar->begins(in->data, in->len < TM_SNIFF_BYTES ? in->len : TM_SNIFF_BYTES))
            return TM_OK;
        if ((st = take_object(x, &work)) < 0)
            return st;
    }
    return st;
}
