#include "format/perf_data/header.h"

enum { HEADER_LEN = 104, PIPE_HEADER_LEN = 16, SECTION_LEN = 16, ID_LEN = 8 };

static const char little[] = "PERFILE2", big[] = "2ELIFREP";

bool tm_perf_header_sniff(const uint8_t *head, size_t len)
{
    return len >= TM_PERF_MAGIC_LEN &&
           (memcmp(head, little, TM_PERF_MAGIC_LEN) == 0 || memcmp(head, big, TM_PERF_MAGIC_LEN) == 0);
}

static bool is_inside(struct tm_perf_section s, const struct tm_extent *whole)
{
    return s.at <= whole->len && s.len <= whole->len - s.at;
}

static struct tm_perf_section section(struct tm_perf_cursor *c)
{
    struct tm_perf_section s = {.at = tm_perf_u64(c)};
    s.len = tm_perf_u64(c);
    return s;
}

enum tm_status tm_perf_section_read(struct tm_perf_section s, const struct tm_extent *whole, struct tm_buf *out,
                                    struct tm_error *err)
{
    tm_buf_clear(out);
    if (!is_inside(s, whole))
        return tm_error_at(err, s.at, "a part of the header lies outside of the file");
    if (s.len > TM_PERF_SECTION_MAX)
        return tm_error_at(err, s.at, "a part of the header of more than the limit of %d bytes", TM_PERF_SECTION_MAX);
    if (tm_buf_reserve(out, (size_t)s.len) != TM_OK)
        return tm_error_nomem(err);
    out->len = (size_t)s.len;
    return s.len ? tm_extent_read(whole, s.at, out->data, out->len, err) : TM_OK;
}

/* Reads the table of features after the records. A truncated table is ignored. */
static enum tm_status read_features(struct tm_perf_header *h, const uint64_t bits[4], const struct tm_extent *whole,
                                    struct tm_error *err)
{
    uint8_t entry[SECTION_LEN];
    uint64_t at = h->records.at + h->records.len;
    for (unsigned i = 0; i < TM_PERF_FEATURES; i++) {
        if (!(bits[i / 64] >> i % 64 & 1))
            continue;
        if (!is_inside((struct tm_perf_section){at, SECTION_LEN}, whole)) {
            h->is_cut = true;
            return TM_OK;
        }
        enum tm_status st = tm_extent_read(whole, at, entry, sizeof entry, err);
        if (st < 0)
            return st;
        struct tm_perf_cursor c = {entry, entry + sizeof entry, h->is_big, false};
        h->features[i] = section(&c);
        if (!is_inside(h->features[i], whole)) {
            h->is_cut = true;
            h->features[i].len = 0;
        }
        at += SECTION_LEN;
    }
    return TM_OK;
}

enum tm_status tm_perf_header_read(struct tm_perf_header *h, const struct tm_extent *whole, struct tm_error *err)
{
    uint8_t data[HEADER_LEN];
    uint64_t bits[4];
    *h = (struct tm_perf_header){0};
    if (whole->len < PIPE_HEADER_LEN)
        return tm_error_at(err, whole->len, "cut short within the header");
    enum tm_status st = tm_extent_read(whole, 0, data, whole->len < HEADER_LEN ? PIPE_HEADER_LEN : HEADER_LEN, err);
    if (st < 0)
        return st;
    h->is_big = memcmp(data, big, TM_PERF_MAGIC_LEN) == 0;
    struct tm_perf_cursor c = {data + TM_PERF_MAGIC_LEN, data + HEADER_LEN, h->is_big, false};
    uint64_t size = tm_perf_u64(&c);
    if (size == PIPE_HEADER_LEN) {
        h->is_pipe = true;
        h->records = (struct tm_perf_section){PIPE_HEADER_LEN, whole->len - PIPE_HEADER_LEN};
        return TM_OK;
    }
    if (size < HEADER_LEN || whole->len < HEADER_LEN)
        return tm_error_set(err, TM_E_INPUT, "byte %d: a header of %llu bytes", TM_PERF_MAGIC_LEN,
                            (unsigned long long)size);
    h->attr_size = tm_perf_u64(&c);
    h->attrs = section(&c);
    h->records = section(&c);
    (void)section(&c); /* types of events, obsolete */
    for (int i = 0; i < 4; i++)
        bits[i] = tm_perf_u64(&c);
    if (h->records.at > whole->len || h->records.at < HEADER_LEN)
        return tm_error_set(err, TM_E_INPUT, "byte 40: records outside of the file");
    if (h->records.len == 0 || !is_inside(h->records, whole)) {
        h->is_cut = true;
        h->records.len = whole->len - h->records.at;
        return TM_OK;
    }
    return read_features(h, bits, whole, err);
}

static enum tm_status add_ids(struct tm_perf_section ids, const struct tm_perf_header *h, const struct tm_extent *whole,
                              struct tm_perf_attrs *attrs, struct tm_error *err)
{
    struct tm_buf text = {0};
    enum tm_status st = tm_perf_section_read(ids, whole, &text, err);
    struct tm_perf_cursor c = {text.data, text.data + text.len, h->is_big, false};
    while (st == TM_OK && c.end - c.p >= ID_LEN)
        st = tm_perf_attrs_id(attrs, tm_perf_u64(&c), attrs->count - 1, err);
    tm_buf_release(&text);
    return st;
}

enum tm_status tm_perf_header_attrs(const struct tm_perf_header *h, const struct tm_extent *whole,
                                    struct tm_perf_attrs *attrs, struct tm_error *err)
{
    struct tm_buf text = {0};
    if (h->is_pipe)
        return TM_OK;
    if (h->attr_size <= SECTION_LEN || h->attr_size > TM_PERF_ATTR_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "byte 16: descriptions of events of %llu bytes",
                            (unsigned long long)h->attr_size);
    enum tm_status st = tm_perf_section_read(h->attrs, whole, &text, err);
    struct tm_perf_cursor c = {text.data, text.data + text.len, h->is_big, false};
    while (st == TM_OK && (uint64_t)(c.end - c.p) >= h->attr_size) {
        st = tm_perf_attrs_add(attrs, &c, h->attr_size - SECTION_LEN, err);
        if (st == TM_OK)
            st = add_ids(section(&c), h, whole, attrs, err);
        else if (st == TM_END)
            st = tm_error_set(err, TM_E_INPUT, "byte 16: descriptions of events of %llu bytes",
                              (unsigned long long)h->attr_size);
    }
    tm_buf_release(&text);
    return st;
}
