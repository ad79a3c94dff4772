/* Arrays in args. If the end of a slice has elements of an array that its begin has too, they come after those of the
 * begin, as in the reference importer. That is so for arrays of JSON and of debug annotations. Repeated fields of a
 * message are replaced. */
#include "emit/sqlite/internal.h"

enum { INDEX_DIGITS_MAX = 18 };

/* An element of an array, "args.list[3].name": the index is that of the outermost array. */
struct element {
    struct tm_text array; /* "args.list" */
    uint64_t index;       /* 3 */
    struct tm_text rest;  /* ".name" */
};

static bool begins_with(struct tm_text key, const char *start)
{
    size_t len = strlen(start);
    return key.len > len && memcmp(key.data, start, len) == 0;
}

/* Reads KEY. False: it is that of no element. */
static bool read_element(struct tm_text key, struct element *e)
{
    const uint8_t *bracket = key.len ? memchr(key.data, '[', key.len) : NULL;
    if (bracket == NULL)
        return false;
    size_t at = (size_t)(bracket - key.data), digits = at + 1, end = digits;
    e->index = 0;
    for (; end < key.len && end - digits < INDEX_DIGITS_MAX && key.data[end] >= '0' && key.data[end] <= '9'; end++)
        e->index = e->index * 10 + (key.data[end] - '0');
    if (end == digits || end == key.len || key.data[end] != ']')
        return false;
    e->array = tm_text_at(key.data, at);
    e->rest = tm_text_at(key.data + end + 1, key.len - end - 1);
    return true;
}

static bool is_text(const struct tm_buf *buf, struct tm_text text)
{
    return buf->len == text.len && memcmp(buf->data, text.data, text.len) == 0;
}

struct tm_sqlite_arg_member tm_sqlite_arg_member_at(const struct tm_buf *text, size_t at)
{
    const uint8_t *p = text->data;
    struct tm_sqlite_arg_member m = {.at = at++};
    for (; p[at] >= '0' && p[at] <= '9'; at++)
        m.key = m.key * 10 + (p[at] - '0');
    m.type = p[at];
    for (at++; p[at] >= '0' && p[at] <= '9'; at++)
        m.place = m.place * 10 + (p[at] - '0');
    at += 2;
    if (at < text->len && p[at] == '"') {
        for (at++; p[at] != '"'; at++)
            at += p[at] == '\\';
        at++;
    }
    while (at < text->len && p[at] != ',')
        at++;
    m.end = at;
    return m;
}

/* Raises s->args.array_count to the number of the elements that the key with NUMBER proves. */
static enum tm_status count_key(struct tm_sqlite *s, int64_t number, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    sqlite3_stmt *stmt = s->statements[TM_SQL_ARG_KEY_TEXT];
    struct element e;
    struct tm_text key = {NULL, 0};
    if (number >= w->keys_removed && number - w->keys_removed < w->keys.count) {
        key.data = tm_intern_get(&w->keys, (uint32_t)(number - w->keys_removed), &key.len);
    } else {
        sqlite3_bind_int64(stmt, 1, number);
        int answer = sqlite3_step(stmt);
        if (answer != SQLITE_ROW && answer != SQLITE_DONE)
            return tm_sqlite_fail(s, err);
        if (answer == SQLITE_ROW)
            key = tm_text_at(sqlite3_column_text(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
    }
    if (read_element(key, &e) && is_text(&w->array, e.array) && e.index >= w->array_count)
        w->array_count = e.index + 1;
    sqlite3_reset(stmt);
    return TM_OK;
}

/* Sets s->args.array to ARRAY, and counts its elements in the open SET. */
static enum tm_status begin_array(struct tm_sqlite *s, const struct tm_sqlite_arg_set *set, struct tm_text array,
                                  struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    enum tm_status st = TM_OK;
    tm_buf_clear(&w->array);
    w->array_count = 0;
    if (tm_buf_add(&w->array, array.data, array.len) < 0)
        return tm_error_nomem(err);
    if (set->count > TM_SQLITE_SEARCHED_ARGS_MAX)
        return TM_OK;
    for (size_t at = set->text + 1; st == TM_OK && at < w->text.buf.len;) {
        struct tm_sqlite_arg_member m = tm_sqlite_arg_member_at(&w->text.buf, at);
        st = count_key(s, m.key, err);
        at = m.end + 1;
    }
    return st;
}

enum tm_status tm_sqlite_arg_renumber(struct tm_sqlite *s, const struct tm_sqlite_arg_set *set, struct tm_arg_row *row,
                                      struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    struct element e;
    if (!(begins_with(row->key, "args.") || begins_with(row->key, "debug.")) || !read_element(row->key, &e))
        return TM_OK;
    enum tm_status st = is_text(&w->array, e.array) ? TM_OK : begin_array(s, set, e.array, err);
    if (st < 0 || w->array_count == 0)
        return st;
    tm_buf_clear(&w->element);
    if (tm_buf_add(&w->element, e.array.data, e.array.len) < 0 || tm_buf_add_byte(&w->element, '[') < 0 ||
        tm_buf_add_decimal(&w->element, w->array_count + e.index, 1) < 0 || tm_buf_add_byte(&w->element, ']') < 0 ||
        tm_buf_add(&w->element, e.rest.data, e.rest.len) < 0)
        return tm_error_nomem(err);
    row->key = tm_text_at(w->element.data, w->element.len);
    return TM_OK;
}
