/* Args: one row for each set. The view `args' shows one row for each arg. doc/model.md describes how they are
 * stored. */
#include "base/decimal.h"
#include "base/search.h"
#include "base/table.h"
#include "emit/sqlite/internal.h"

#include <math.h>
#include <stdlib.h>

/* The window is small so that its text is still in the processor's cache when it is written. */
enum { SETS_WINDOW = 1 << 9, SETS_TEXT_MAX = 8 << 20, KEYS_MAX = 1 << 16, KEY_BYTES_MAX = 8 << 20 };
enum { HOLDERS = 1 << 12 }; /* a limit for sets that have one key twice */

/* A real of a set, by its row in tm_arg_real. */
struct tm_sqlite_arg_real {
    int64_t id;
    double value;
};

void tm_sqlite_args_init(struct tm_sqlite *s)
{
    tm_intern_init(&s->args.keys, KEYS_MAX, KEY_BYTES_MAX);
    tm_out_init(&s->args.text, -1, NULL);
}

void tm_sqlite_args_release(struct tm_sqlite *s)
{
    free(s->args.sets);
    free(s->args.reals);
    tm_intern_release(&s->args.keys);
    tm_buf_release(&s->args.text.buf);
    tm_buf_release(&s->args.flat_key);
    tm_buf_release(&s->args.member);
    tm_buf_release(&s->args.array);
    tm_buf_release(&s->args.element);
    free(s->args.holders);
    free(s->args.followers);
}

/* Ends the last set. */
static void close_set(struct tm_sqlite_args *w)
{
    if (w->count == 0 || w->sets[w->count - 1].len)
        return;
    struct tm_sqlite_arg_set *set = &w->sets[w->count - 1];
    tm_out_char(&w->text, '}');
    set->len = w->text.buf.len - set->text;
}

static enum tm_status write_set(struct tm_sqlite *s, const struct tm_sqlite_arg_set *set, struct tm_error *err)
{
    tm_sqlite_record_begin(&s->record);
    tm_sqlite_record_null(&s->record);
    tm_sqlite_record_long_text(&s->record, (struct tm_text){s->args.text.buf.data + set->text, set->len});
    return tm_sqlite_btree_add(&s->args.table, set->id, &s->record, err);
}

static enum tm_status write_real(struct tm_sqlite *s, const struct tm_sqlite_arg_real *real, struct tm_error *err)
{
    tm_sqlite_record_begin(&s->record);
    tm_sqlite_record_null(&s->record);
    tm_sqlite_record_real(&s->record, real->value);
    return tm_sqlite_btree_add(&s->args.real_table, real->id, &s->record, err);
}

enum tm_status tm_sqlite_args_flush(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    if (w->count == 0)
        return TM_OK;
    close_set(w);
    if (w->text.failed)
        return tm_error_nomem(err);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < w->count; i++)
        st = write_set(s, &w->sets[i], err);
    for (uint32_t i = 0; st == TM_OK && i < w->real_count; i++)
        st = write_real(s, &w->reals[i], err);
    w->count = w->real_count = 0;
    tm_buf_clear(&w->text.buf);
    return st;
}

/* Begins set ID. */
static enum tm_status open_set(struct tm_sqlite *s, int64_t id, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    enum tm_status st;
    if ((w->sets == NULL && (w->sets = calloc(SETS_WINDOW, sizeof *w->sets)) == NULL) ||
        (w->followers == NULL && (w->followers = calloc(KEYS_MAX + 1, sizeof *w->followers)) == NULL) ||
        (w->holders == NULL && (w->holders = calloc(HOLDERS, sizeof *w->holders)) == NULL))
        return tm_error_nomem(err);
    close_set(w);
    if ((w->count == SETS_WINDOW || w->text.buf.len > SETS_TEXT_MAX) && (st = tm_sqlite_args_flush(s, err)) < 0)
        return st;
    w->sets[w->count++] = (struct tm_sqlite_arg_set){.id = id, .text = w->text.buf.len};
    tm_out_char(&w->text, '{');
    w->last_key = 0;
    return TM_OK;
}

/* Puts KEY without its indices into OUT: "a.b[3]" becomes "a.b". */
static enum tm_status put_flat_key(struct tm_buf *out, struct tm_text key)
{
    size_t from = 0;
    for (size_t i = 0; i < key.len; i++) {
        size_t digits = i + 1;
        if (key.data[i] != '[')
            continue;
        while (digits < key.len && key.data[digits] >= '0' && key.data[digits] <= '9')
            digits++;
        if (digits == i + 1 || digits == key.len || key.data[digits] != ']')
            continue;
        if (tm_buf_add(out, key.data + from, i - from) < 0)
            return TM_E_SYSTEM;
        from = digits + 1;
        i = digits;
    }
    return tm_buf_add(out, key.data + from, key.len - from);
}

/* Forgets all keys. They get new numbers when they occur again. */
static void forget_keys(struct tm_sqlite_args *w)
{
    w->keys_removed += w->keys.count;
    tm_intern_clear(&w->keys);
    memset(w->followers, 0, (KEYS_MAX + 1) * sizeof *w->followers);
    w->last_key = 0;
}

/* Finds the number of KEY in tm_arg_key. If too many keys are remembered, all are forgotten. */
static enum tm_status add_key(struct tm_sqlite *s, struct tm_text key, int64_t *number, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    sqlite3_stmt *stmt = s->statements[TM_SQL_ARG_KEY];
    uint32_t id = 0;
    bool is_new = true;
    enum tm_status st = tm_intern_add(&w->keys, key.data, key.len, &id, &is_new);
    if (st == TM_END) {
        forget_keys(w);
        st = tm_intern_add(&w->keys, key.data, key.len, &id, &is_new);
        if (st == TM_END)
            w->keys_removed++; /* a key too long to remember */
    }
    *number = w->keys_removed + (st == TM_END ? -1 : (int64_t)id);
    if (st < 0)
        return tm_error_nomem(err);
    if (!is_new && st == TM_OK)
        return TM_OK;
    tm_buf_clear(&w->flat_key);
    if (put_flat_key(&w->flat_key, key) < 0)
        return tm_error_nomem(err);
    sqlite3_bind_int64(stmt, 1, *number);
    if ((st = tm_sqlite_bind_text(s, stmt, 2, (struct tm_text){w->flat_key.data, w->flat_key.len}, err)) < 0 ||
        (st = tm_sqlite_bind_text(s, stmt, 3, key, err)) < 0)
        return st;
    return tm_sqlite_run(s, stmt, err);
}

/* True if the key with NUMBER (plus 1; 0: none) is KEY. */
static bool is_key(const struct tm_sqlite_args *w, uint32_t number, struct tm_text key)
{
    size_t len = 0;
    const uint8_t *text = number ? tm_intern_get(&w->keys, number - 1, &len) : NULL;
    return text && len == key.len && (len == 0 || memcmp(text, key.data, len) == 0);
}

/* Sets *NUMBER to that of KEY in tm_arg_key. Most sets have the keys of an earlier one in the same order. */
static enum tm_status key_number(struct tm_sqlite *s, struct tm_text key, int64_t *number, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    const uint32_t follower = w->followers[w->last_key];
    if (is_key(w, follower, key)) {
        w->last_key = follower;
        *number = w->keys_removed + (int64_t)follower - 1;
        return TM_OK;
    }
    enum tm_status st = add_key(s, key, number, err);
    uint32_t added = st == TM_OK && *number >= w->keys_removed ? (uint32_t)(*number - w->keys_removed) + 1 : 0;
    w->followers[w->last_key] = added;
    w->last_key = added;
    return st;
}

/* Puts TEXT as a JSON string. The text of a database must not contain NUL. */
static enum tm_status put_string(struct tm_sqlite *s, struct tm_text text, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (text.len && memchr(text.data, 0, text.len))
        st = tm_sqlite_make_valid(s, &text, err);
    tm_out_json(&s->args.text, text);
    return st;
}

/* Adds real ID to the pending ones, or replaces the one that has ID. */
static enum tm_status add_real(struct tm_sqlite_args *w, int64_t id, double value, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&w->reals, &w->real_cap, w->real_count, sizeof *w->reals, err);
    uint32_t i = w->real_count;
    if (st < 0)
        return st;
    while (i && w->reals[i - 1].id >= id) /* only if a key of the last set has another value */
        i--;
    if (i == w->real_count || w->reals[i].id != id) {
        memmove(w->reals + i + 1, w->reals + i, (w->real_count - i) * sizeof *w->reals);
        w->real_count++;
    }
    w->reals[i] = (struct tm_sqlite_arg_real){id, value};
    return TM_OK;
}

/* Removes real ID, if the last set has it: its key has a value that is no number now. */
static void remove_real(struct tm_sqlite_args *w, int64_t id)
{
    uint32_t i = tm_search_i64(w->reals, w->real_count, TM_SEARCH_FIELD(struct tm_sqlite_arg_real, id), id);
    if (i == w->real_count || w->reals[i].id != id)
        return;
    w->real_count--;
    memmove(w->reals + i, w->reals + i + 1, (w->real_count - i) * sizeof *w->reals);
}

/* Writes real ID to a table of its own, since not every version of SQLite reads a real exactly from text. */
static enum tm_status put_real(struct tm_sqlite *s, double value, int64_t id, struct tm_error *err)
{
    tm_out_str(&s->args.text, "null");
    if (!isnan(value))
        return add_real(&s->args, id, value, err);
    remove_real(&s->args, id);
    return TM_OK;
}

static bool may_have(const struct tm_sqlite_args *w, const struct tm_sqlite_arg_set *set, int64_t key)
{
    return w->holders[key & (HOLDERS - 1)] == set->id + 1;
}

/* Finds the member of the open SET that has KEY. */
static bool find_member(const struct tm_sqlite_args *w, const struct tm_sqlite_arg_set *set, int64_t key,
                        struct tm_sqlite_arg_member *found)
{
    size_t at = set->text + 1;
    if (!may_have(w, set, key) || set->count > TM_SQLITE_SEARCHED_ARGS_MAX)
        return false;
    for (; at < w->text.buf.len; at = found->end + 1) {
        *found = tm_sqlite_arg_member_at(&w->text.buf, at);
        if (found->key == key)
            return true;
    }
    return false;
}

/* Replaces member OLD by the text from END on, which was appended for it. */
static enum tm_status replace(struct tm_sqlite_args *w, const struct tm_sqlite_arg_member *old, size_t end)
{
    struct tm_buf *text = &w->text.buf;
    size_t len = text->len - end, tail = end - old->end;
    tm_buf_clear(&w->member);
    if (tm_buf_add(&w->member, text->data + end, len) < 0)
        return TM_E_SYSTEM;
    memmove(text->data + old->at + len, text->data + old->end,
            tail); /* fits: the text was longer by that much before */
    memcpy(text->data + old->at, w->member.data, len);
    text->len = old->at + len + tail;
    return TM_OK;
}

static enum tm_status put_member(struct tm_sqlite *s, const struct tm_arg_row *row, int64_t key, int64_t place,
                                 struct tm_error *err)
{
    struct tm_out *out = &s->args.text;
    char head[3 * TM_DECIMAL_DIGITS_MAX + 5], *end = head + sizeof head, *p = end;
    if (row->has_int) { /* most values: one copy of all */
        p = tm_decimal_digits(p, tm_magnitude(row->int_value));
        if (row->int_value < 0)
            *--p = '-';
    }
    p -= 2;
    memcpy(p, "\":", 2);
    p = tm_decimal_digits(p, (uint64_t)place);
    *--p = *tm_arg_type_name(row->type);
    p = tm_decimal_digits(p, (uint64_t)key);
    *--p = '"';
    tm_out_bytes(out, p, (size_t)(end - p));
    if (row->has_int)
        return TM_OK;
    if (row->has_real)
        return put_real(s, row->real_value, s->args.sets[s->args.count - 1].id + place, err);
    if (row->string_value.data)
        return put_string(s, row->string_value, err);
    tm_out_str(out, "null");
    return TM_OK;
}

/* Adds ROW to set ID. Its key may change. */
static enum tm_status put_arg(struct tm_sqlite *s, int64_t id, struct tm_arg_row *row, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    struct tm_sqlite_arg_member old;
    int64_t key;
    enum tm_status st = TM_OK;
    if (w->count == 0 || w->sets[w->count - 1].id != id)
        st = open_set(s, id, err);
    if (st == TM_OK && w->joins)
        st = tm_sqlite_arg_renumber(s, &w->sets[w->count - 1], row, err);
    if (st < 0 || (st = key_number(s, row->key, &key, err)) < 0)
        return st;
    struct tm_sqlite_arg_set *set = &w->sets[w->count - 1];
    if (find_member(w, set, key, &old)) { /* the last value of a key counts */
        size_t end = w->text.buf.len;
        st = put_member(s, row, key, old.place, err);
        if (st == TM_OK && !w->text.failed && replace(w, &old, end) < 0)
            return tm_error_nomem(err);
        return st;
    }
    if (set->count)
        tm_out_char(&w->text, ',');
    w->holders[key & (HOLDERS - 1)] = set->id + 1;
    return put_member(s, row, key, set->count++, err);
}

enum tm_status tm_sqlite_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row row;
    enum tm_status st = TM_OK;
    s->args.joins = s->args.count && s->args.sets[s->args.count - 1].id == set;
    tm_buf_clear(&s->args.array); /* the arrays of SET may have got elements since the last call */
    while (st == TM_OK && tm_arg_next(&pb, &row))
        st = put_arg(s, set, &row, err);
    return st;
}

/* Finds pending set FROM, or NULL. */
static const struct tm_sqlite_arg_set *find_pending(const struct tm_sqlite_args *w, int64_t from)
{
    uint32_t low = tm_search_i64(w->sets, w->count, TM_SEARCH_FIELD(struct tm_sqlite_arg_set, id), from);
    return low < w->count && w->sets[low].id == from ? &w->sets[low] : NULL;
}

/* Adds the members of set FROM to the open set. */
static enum tm_status copy_members(struct tm_sqlite *s, int64_t from, struct tm_error *err)
{
    struct tm_sqlite_args *w = &s->args;
    const struct tm_sqlite_arg_set *pending = find_pending(w, from);
    struct tm_text object;
    if (pending) {
        if (tm_buf_reserve(&w->text.buf, pending->len) < 0)
            return tm_error_nomem(err);
        tm_out_bytes(&w->text, w->text.buf.data + pending->text + 1, pending->len - 2);
        return TM_OK;
    }
    enum tm_status st = tm_sqlite_btree_find(&w->table, from, &w->member, err);
    if (st == TM_OK && tm_sqlite_record_get_text(w->member.data, w->member.len, 1, &object) == TM_OK)
        tm_out_bytes(&w->text, object.data + 1, object.len - 2);
    return st < 0 ? st : TM_OK;
}

/* Finds real ID, pending or written. TM_OK; TM_END: there is none; TM_E_SYSTEM. */
static enum tm_status find_real(struct tm_sqlite_args *w, int64_t id, double *value, struct tm_error *err)
{
    uint32_t low = tm_search_i64(w->reals, w->real_count, TM_SEARCH_FIELD(struct tm_sqlite_arg_real, id), id);
    if (low < w->real_count && w->reals[low].id == id) {
        *value = w->reals[low].value;
        return TM_OK;
    }
    enum tm_status st = tm_sqlite_btree_find(&w->real_table, id, &w->member, err);
    return st == TM_OK ? tm_sqlite_record_get_real(w->member.data, w->member.len, 1, value) : st;
}

/* Repeats the real at PLACE of set FROM in set INTO. */
static enum tm_status copy_real(struct tm_sqlite_args *w, int64_t from, int64_t into, int64_t place,
                                struct tm_error *err)
{
    double value;
    enum tm_status st = find_real(w, from + place, &value, err);
    return st == TM_OK ? add_real(w, into + place, value, err) : st < 0 ? st : TM_OK;
}

enum tm_status tm_sqlite_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_args *w = &s->args;
    enum tm_status st = open_set(s, into, err);
    if (st == TM_OK)
        st = copy_members(s, from, err);
    if (st < 0)
        return st;
    struct tm_sqlite_arg_set *set = &w->sets[w->count - 1];
    for (size_t at = set->text + 1; st == TM_OK && at < w->text.buf.len;) {
        struct tm_sqlite_arg_member m = tm_sqlite_arg_member_at(&w->text.buf, at);
        w->holders[m.key & (HOLDERS - 1)] = set->id + 1;
        set->count = m.place < set->count ? set->count : m.place + 1;
        if (m.type == 'r')
            st = copy_real(w, from, into, m.place, err);
        at = m.end + 1;
    }
    *id += set->count;
    return st;
}
