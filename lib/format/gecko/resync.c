#include "format/gecko/resync.h"

#include <string.h>

/* Limits of the search, in bytes: a row, a thread up to its first table, a key. A thread may have MEMBERS_MAX members
 * before its first table. WORK_FACTOR bounds the bytes that are parsed without success, as a multiple of the bytes
 * passed. */
enum { ROW_MAX = 1 << 20, HEAD_MAX = 1 << 16, KEY_MAX = 256, MEMBERS_MAX = 64, WORK_FACTOR = 16 };

static bool is_in(const struct tm_json_value *key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tm_json_is(key, names[i]))
            return true;
    return false;
}

#define IS_IN(key, names) is_in(key, names, sizeof(names) / sizeof *(names))

/* Parses the key at the quote P and the bracket that begins its value. False if it is not a key or its value is not a
 * container. */
static bool key_at(const uint8_t *p, const uint8_t *end, struct tm_json_value *key, uint8_t *bracket)
{
    struct tm_json_scan scan = tm_json_scan_bytes(p, end - p > KEY_MAX ? p + KEY_MAX : end, true);
    if (p == end || *p != '"' || tm_json_string(&scan, key) != TM_JSON_OK || !tm_json_space(&scan) || *scan.p != ':')
        return false;
    scan.p++;
    *bracket = tm_json_space(&scan) ? *scan.p : 0;
    return *bracket == '[' || *bracket == '{';
}

static enum tm_gecko_point key_point(const struct tm_gecko_resync *r, const uint8_t *p, const uint8_t *end, int table)
{
    static const char *const lists[] = {"threads", "counters", "processes"};
    struct tm_json_value key;
    uint8_t bracket;
    if (!key_at(p, end, &key, &bracket))
        return TM_GECKO_NO_POINT;
    if (table >= 0 && tm_gecko_parts_lack_column(r->parts, table, &key))
        return TM_GECKO_AT_COLUMN;
    if (r->in_thread && tm_gecko_parts_lack_table(r->parts, &key))
        return TM_GECKO_AT_TABLE;
    return bracket == '[' && IS_IN(&key, lists) ? TM_GECKO_AT_LIST : TM_GECKO_NO_POINT;
}

/* True if P is a thread: it has a member of OWN before one of TABLES. No other object in a profile has both. */
static bool is_thread(const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    static const char *const own[] = {"tid", "registerTime", "processType", "isMainThread"};
    static const char *const tables[] = {"samples",    "markers",     "stackTable",
                                         "frameTable", "stringTable", "stringArray"};
    struct tm_json_scan scan = tm_json_scan_bytes(p + 1, end - p > HEAD_MAX ? p + HEAD_MAX : end, true);
    struct tm_json_value key, value;
    bool found = false, has_own = false;
    for (int i = 0; i < MEMBERS_MAX && !found && tm_json_key(&scan, &key) == TM_JSON_OK; i++) {
        has_own = has_own || IS_IN(&key, own);
        found = has_own && IS_IN(&key, tables) && tm_json_space(&scan) && (*scan.p == '{' || *scan.p == '[');
        if (!found && (tm_json_value(&scan, &value) != TM_JSON_OK || tm_json_comma(&scan, '}') != TM_JSON_OK))
            break;
    }
    *work += scan.p > p && scan.p <= end ? (uint64_t)(scan.p - p) : HEAD_MAX;
    return found;
}

static enum tm_gecko_point object_point(const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    static const char *const heads[] = {"meta", "libs"};
    struct tm_json_scan scan = tm_json_scan_bytes(p + 1, end, true);
    struct tm_json_value key;
    uint8_t bracket;
    if (!tm_json_space(&scan))
        return TM_GECKO_NO_POINT;
    if (key_at(scan.p, end, &key, &bracket) && IS_IN(&key, heads))
        return TM_GECKO_AT_PROFILE;
    return is_thread(p, end, work) ? TM_GECKO_AT_THREAD : TM_GECKO_NO_POINT;
}

/* True if another row or the end of the table follows. */
static bool row_ends(struct tm_json_scan *scan)
{
    if (!tm_json_space(scan) || (*scan->p != ',' && *scan->p != ']'))
        return false;
    bool more = *scan->p++ == ',';
    return tm_json_space(scan) && (more ? *scan->p == '[' : *scan->p == '}' || *scan->p == ',');
}

/* True if P is a row: an array of at least two values, none of which is an array or a string. */
static bool is_row(const uint8_t *p, const uint8_t *end, uint64_t *work)
{
    struct tm_json_scan scan = tm_json_scan_bytes(p, end - p > ROW_MAX ? p + ROW_MAX : end, true);
    struct tm_json_value row, value;
    bool good = tm_json_value(&scan, &row) == TM_JSON_OK && row_ends(&scan);
    *work += scan.p > p && scan.p <= scan.end ? (uint64_t)(scan.p - p) : ROW_MAX;
    if (!good)
        return false;
    scan = tm_json_scan_of(&row);
    scan.p++;
    int count = 0;
    for (; good && tm_json_element(&scan, &value) == TM_JSON_OK; count++)
        good = value.type != TM_JSON_ARRAY && value.type != TM_JSON_STRING;
    return good && count > 1;
}

/* Returns the point at P. BEFORE has the last two bytes before P that are not white space. Payloads of markers may
 * contain whole threads with tables. So a member's value is no thread and no row, and the first element of an array is
 * no row. While rows are sought, a key counts only after the end of an object or array. */
static enum tm_gecko_point point_at(struct tm_gecko_resync *r, const uint8_t *p, const uint8_t *end,
                                    const uint8_t before[2], const struct tm_gecko_sought *sought)
{
    switch (*p) {
    case '[':
        return sought->rows && before[1] == ',' && is_row(p, end, &r->work) ? TM_GECKO_AT_ROW : TM_GECKO_NO_POINT;
    case '"':
        return sought->rows && before[0] != '}' && before[0] != ']' ? TM_GECKO_NO_POINT
                                                                     : key_point(r, p, end, sought->table);
    case '{':
        return before[1] != ':' ? object_point(p, end, &r->work) : TM_GECKO_NO_POINT;
    default:
        return TM_GECKO_NO_POINT;
    }
}

/* Moves to the next point, or to the end. */
static enum tm_status seek(struct tm_gecko_resync *r, const struct tm_gecko_sought *sought, struct tm_error *err)
{
    struct tm_input *in = r->cursor->in;
    uint64_t start = in->offset;
    uint8_t before[2] = {0};
    enum tm_status st;
    r->work = 0;
    while ((st = tm_input_fill(in, ROW_MAX + KEY_MAX, err)) >= 0 && in->len > 0) {
        const uint8_t *p = in->data, *end = p + in->len;
        size_t passable = in->ended ? in->len
                                    : in->len - ROW_MAX; /* the result must not depend on the window's size */
        for (; p < in->data + passable && r->point == TM_GECKO_NO_POINT; p++) {
            if (r->work <= WORK_FACTOR * (in->offset + (uint64_t)(p - in->data) - start + ROW_MAX))
                r->point = point_at(r, p, end, before, sought);
            if (r->point != TM_GECKO_NO_POINT)
                break;
            if (*p != ' ' && (*p < '\t' || *p > '\r')) {
                before[0] = before[1];
                before[1] = *p;
            }
        }
        tm_input_skip(in, (size_t)(p - in->data));
        if (r->point != TM_GECKO_NO_POINT)
            return TM_OK;
    }
    r->point = TM_GECKO_AT_END;
    return st < 0 ? st : TM_OK;
}

/* Fills the gap in the copy with blanks. COMMA: the first one is a comma, which a row needs after another row. */
static enum tm_status fill_gap(struct tm_gecko_resync *r, uint64_t gap, bool comma, struct tm_error *err)
{
    struct tm_json_cursor *c = r->cursor;
    char blanks[4096];
    enum tm_status st = TM_OK;
    memset(blanks, ' ', sizeof blanks);
    blanks[0] = comma ? ',' : ' ';
    while (gap > 0 && st == TM_OK) {
        size_t n = gap < sizeof blanks ? (size_t)gap : sizeof blanks;
        st = tm_paged_file_write(c->copy, c->copied, blanks, n, err);
        c->copied += n;
        gap -= n;
        blanks[0] = ' ';
    }
    return st;
}

/* Sets *LAST to the last byte of the copy that is not white space. */
static enum tm_status last_copied(const struct tm_json_cursor *c, uint8_t *last, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    *last = ' ';
    for (uint64_t at = c->copied;
         at > 0 && st == TM_OK && (*last == ' ' || *last == '\n' || *last == '\r' || *last == '\t');)
        st = tm_paged_file_read(c->copy, --at, last, 1, err);
    return st;
}

enum tm_status tm_gecko_resync(struct tm_gecko_resync *r, const struct tm_gecko_sought *sought, struct tm_error *err)
{
    struct tm_json_cursor *c = r->cursor;
    struct tm_input *in = c->in;
    uint8_t last = 0;
    if (r->point != TM_GECKO_NO_POINT)
        return TM_OK;
    tm_gecko_count(r->damaged, 1, err->byte);
    *err = (struct tm_error){0};
    uint64_t broken = in->offset, from = broken > r->past ? broken : r->past; /* nothing is tried twice */
    enum tm_status st = in->offset < from ? tm_input_advance(in, from - in->offset, err) : TM_OK;
    if (st >= 0)
        st = seek(r, sought, err);
    r->past = in->offset + 1;
    if (in->offset > broken)
        tm_gecko_count(r->skipped, in->offset - broken, broken);
    if (c->copy == NULL || st < 0)
        return st;
    r->parts->torn = true;
    if (r->point == TM_GECKO_AT_ROW)
        st = last_copied(c, &last, err);
    return st < 0 ? st : fill_gap(r, in->offset - broken, last == ']', err);
}

bool tm_gecko_resync_take(struct tm_gecko_resync *r, enum tm_gecko_point point)
{
    if (r->point != point)
        return false;
    r->point = TM_GECKO_NO_POINT;
    r->cursor->fresh = true;
    return true;
}
