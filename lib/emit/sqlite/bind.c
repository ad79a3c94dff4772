#include "base/bytes.h"
#include "base/utf8.h"
#include "emit/sqlite/internal.h"

enum tm_status tm_sqlite_fail(struct tm_sqlite *s, struct tm_error *err)
{
    const bool is_full = s->db && sqlite3_errcode(s->db) == SQLITE_FULL;
    return tm_error_set(err, TM_E_SYSTEM, "%s: sqlite: %s%s",
                        s->context->options->out_path ? s->context->options->out_path : s->context->path,
                        s->db ? sqlite3_errmsg(s->db) : "out of memory",
                        is_full ? ", or that of temporary files is" : "");
}

/* True if all bytes of WORD are ASCII and none is NUL. */
static bool is_plain_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    return ((word | (word - ones)) & highs) == 0; /* subtracting makes a byte of 0 0xff */
}

/* True if TEXT is ASCII without NUL. The last bytes are read together with some before them. */
static bool is_plain(struct tm_text text)
{
    enum { WORD = 8, HALF = 4 };
    size_t i = 0;
    if (text.len >= WORD) {
        for (; text.len - i > WORD; i += WORD)
            if (!is_plain_word(tm_get_le64(text.data + i)))
                return false;
        return is_plain_word(tm_get_le64(text.data + text.len - WORD));
    }
    if (text.len >= HALF)
        return is_plain_word(tm_get_le32(text.data) | (uint64_t)tm_get_le32(text.data + text.len - HALF) << 32);
    while (i < text.len && text.data[i] && text.data[i] < 0x80)
        i++;
    return i == text.len;
}

/* True if TEXT is valid UTF-8 without NUL. */
static bool is_clean(struct tm_text text)
{
    return is_plain(text) || (memchr(text.data, 0, text.len) == NULL && tm_utf8_valid(text.data, text.len));
}

static enum tm_status make_valid(struct tm_buf *out, struct tm_text text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    tm_buf_clear(out);
    for (size_t i = 0; i < text.len;) {
        size_t n = text.data[i] ? tm_utf8_length(text.data + i, text.len - i) : 0;
        enum tm_status st = n ? tm_buf_add(out, text.data + i, n) : tm_buf_add_str(out, replacement);
        if (st < 0)
            return st;
        i += n ? n : 1;
    }
    return TM_OK;
}

enum tm_status tm_sqlite_make_valid(struct tm_sqlite *s, struct tm_text *text, struct tm_error *err)
{
    if (make_valid(&s->text, *text) < 0)
        return tm_error_nomem(err);
    *text = (struct tm_text){s->text.data, s->text.len};
    return TM_OK;
}

enum tm_status tm_sqlite_bind_text(struct tm_sqlite *s, sqlite3_stmt *stmt, int column, struct tm_text text,
                                   struct tm_error *err)
{
    int rc;
    if (text.data == NULL) {
        rc = sqlite3_bind_null(stmt, column);
    } else if (is_clean(text)) {
        /* the caller's text stays valid until the statement has run */
        rc = sqlite3_bind_text64(stmt, column, (const char *)text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        if (make_valid(&s->text, text) < 0)
            return tm_error_nomem(err);
        rc = sqlite3_bind_text64(stmt, column, (const char *)s->text.data, s->text.len, SQLITE_TRANSIENT,
                                 SQLITE_UTF8);
    }
    return rc == SQLITE_OK ? TM_OK : tm_sqlite_fail(s, err);
}

void tm_sqlite_bind_maybe(sqlite3_stmt *stmt, int column, bool has, int64_t value)
{
    if (has)
        sqlite3_bind_int64(stmt, column, value);
    else
        sqlite3_bind_null(stmt, column);
}

void tm_sqlite_bind_id(sqlite3_stmt *stmt, int column, int64_t id)
{
    tm_sqlite_bind_maybe(stmt, column, id != TM_NO_ID, id);
}

void tm_sqlite_bind_word(sqlite3_stmt *stmt, int column, const char *word)
{
    sqlite3_bind_text(stmt, column, word, -1, SQLITE_STATIC);
}

void tm_sqlite_put_text(struct tm_sqlite *s, struct tm_text text)
{
    struct tm_error err;
    if (text.data && !is_clean(text) && tm_sqlite_make_valid(s, &text, &err) < 0)
        s->record.failed = TM_E_SYSTEM;
    else
        tm_sqlite_record_text(&s->record, text);
}

void tm_sqlite_put_word(struct tm_sqlite *s, const char *word)
{
    tm_sqlite_record_text(&s->record, word ? tm_text_at(word, strlen(word)) : (struct tm_text){0});
}

enum tm_status tm_sqlite_run(struct tm_sqlite *s, sqlite3_stmt *stmt, struct tm_error *err)
{
    int rc = sqlite3_step(stmt);
    if (rc != SQLITE_DONE)
        return tm_sqlite_fail(s, err);
    sqlite3_reset(stmt);
    return TM_OK;
}

enum tm_status tm_sqlite_exec(struct tm_sqlite *s, const char *sql, struct tm_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TM_OK : tm_sqlite_fail(s, err);
}
