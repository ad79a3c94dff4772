#include "base/bytes.h"
#include "format/journal/internal.h"
#include "format/journal/journal.h"

enum { FIRST_LOOK = 4096, LENGTH_BYTES = 8 };

static const char too_large[] = "an entry of the journal is larger than the limit of 16 MiB";
static const char cut_short[] = "the last entry of the journal is cut short";

/* Makes the first NEED bytes of IN visible. TM_OK; TM_END: there are fewer. TM_E_INPUT: NEED is beyond the limit. */
static enum tm_status show(struct tm_input *in, size_t need, const char **cause, struct tm_error *err)
{
    if (need <= in->len)
        return TM_OK;
    if (need > TM_JOURNAL_ENTRY_MAX) {
        *cause = too_large;
        return TM_E_INPUT;
    }
    return tm_input_fill(in, need, err);
}

/* Finds the end of the line that begins AT bytes after the front of IN and sets *LEN to its length. TM_END: the line
 * has no end. */
static enum tm_status find_line(struct tm_input *in, size_t at, size_t *len, const char **cause, struct tm_error *err)
{
    size_t seen = at, look = at + FIRST_LOOK;
    for (;;) {
        const uint8_t *eol = in->len > seen ? memchr(in->data + seen, '\n', in->len - seen) : NULL;
        if (eol) {
            *len = (size_t)(eol - in->data) - at;
            return TM_OK;
        }
        seen = in->len > seen ? in->len : seen;
        if (in->ended)
            return TM_END;
        if (seen > TM_JOURNAL_ENTRY_MAX) {
            *cause = too_large;
            return TM_E_INPUT;
        }
        enum tm_status st = tm_input_fill(in, look > seen ? look : seen * 2, err);
        if (st < 0)
            return st;
        if (st == TM_END && in->len == seen)
            return TM_END;
    }
}

/* An entry that is read from the front of IN. The next field begins AT bytes after the front. */
struct reading {
    struct tm_input *in;
    struct tm_journal_entry *entry;
    size_t at;
    const char **cause; /* of TM_E_INPUT */
};

/* Reads a field whose value is binary: NAME, a line end, 8 bytes of length (little endian), the bytes, a line end. The
 * name has LEN bytes. */
static enum tm_status add_binary(struct reading *r, size_t len, struct tm_error *err)
{
    const struct tm_input *in = r->in;
    size_t value = r->at + len + 1 + LENGTH_BYTES;
    enum tm_status st = show(r->in, value, r->cause, err);
    if (st != TM_OK)
        return st;
    uint64_t bytes = tm_get_le64(in->data + value - LENGTH_BYTES);
    if (bytes > TM_JOURNAL_ENTRY_MAX) {
        *r->cause = too_large;
        return TM_E_INPUT;
    }
    if ((st = show(r->in, value + (size_t)bytes + 1, r->cause, err)) != TM_OK)
        return st;
    if (in->data[value + bytes] != '\n') {
        *r->cause = "a field of the journal does not end where its length says";
        return TM_E_INPUT;
    }
    struct tm_text name = {in->data + r->at, len};
    st = tm_journal_entry_add(r->entry, name, in->data + value, (size_t)bytes);
    r->at = value + (size_t)bytes + 1;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the next field, whose first line has LEN bytes. */
static enum tm_status add_field(struct reading *r, size_t len, struct tm_error *err)
{
    const struct tm_input *in = r->in;
    const uint8_t *line = in->data + r->at, *equals = memchr(line, '=', len);
    struct tm_text name = {line, equals ? (size_t)(equals - line) : len};
    if (!tm_journal_is_field(name)) {
        *r->cause = "not a field of a journal";
        return TM_E_INPUT;
    }
    if (equals == NULL)
        return add_binary(r, len, err);
    r->at += len + 1;
    return tm_journal_entry_add(r->entry, name, equals + 1, len - name.len - 1) < 0 ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status export_read(struct tm_input *in, struct tm_journal_entry *entry, size_t *size,
                                  const char **cause, struct tm_error *err)
{
    struct reading r = {in, entry, 0, cause};
    size_t len = 0;
    bool has_field = false;
    *cause = NULL;
    tm_journal_entry_clear(entry);
    for (;;) {
        if (r.at > TM_JOURNAL_ENTRY_MAX) {
            *cause = too_large;
            return TM_E_INPUT;
        }
        enum tm_status st = find_line(in, r.at, &len, cause, err);
        if (st == TM_OK && len > 0) {
            has_field = true;
            st = add_field(&r, len, err);
        } else if (st == TM_OK && has_field) {
            *size = r.at + 1;
            return TM_OK;
        } else if (st == TM_OK) {
            tm_input_skip(in, 1);
        } else if (st == TM_END && in->len == r.at) {
            *size = r.at;
            return has_field ? TM_OK : TM_END;
        }
        if (st == TM_END)
            *cause = cut_short;
        if (st != TM_OK)
            return st == TM_END ? TM_E_INPUT : st;
    }
}

/* Finds an address field after an empty line: the start of an entry. */
static bool export_find(const uint8_t **p, const uint8_t *end)
{
    enum { FRONT = 4 }; /* "\n\n__" */
    const uint8_t *line;
    for (; (line = memchr(*p, '\n', (size_t)(end - *p))) != NULL; *p = line + 1) {
        if (end - line < FRONT) {
            *p = line;
            return false;
        }
        if (memcmp(line, "\n\n__", FRONT) == 0) {
            *p = line + 2;
            return true;
        }
    }
    *p = end;
    return false;
}

bool tm_journal_export_sniff(const uint8_t *head, size_t len)
{
    static const char *const first[] = {"__CURSOR=", "__REALTIME_TIMESTAMP=", "__MONOTONIC_TIMESTAMP="};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (len >= strlen(first[i]) && memcmp(head, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

const struct tm_journal_syntax tm_journal_export = {export_read, export_find};
