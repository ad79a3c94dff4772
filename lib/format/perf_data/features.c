#include "format/perf_data/internal.h"

#include "kernel/sched_state.h"

enum { BUILD_ID_ROOM = 24, HAS_BUILD_ID_LEN = 1 << 15, RECORD_HEADER_LEN = 8 };

static enum tm_status put_metadata(struct tm_perf *p, const char *name, struct tm_text value, struct tm_error *err)
{
    Tracemerge__Metadata row = TRACEMERGE__METADATA__INIT;
    row.name = tm_bytes(name, strlen(name));
    row.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
    row.str_value = tm_bytes(value.data, value.len);
    row.has_file = true;
    row.file = p->context.sink->file;
    return tm_event_sink_message(p->context.sink, TM_FRAME_METADATA, &row.base, err);
}

static enum tm_status read_release(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    struct tm_text release = tm_perf_string(&c);
    if (release.len == 0)
        return c.failed ? TM_END : TM_OK;
    p->kernel_version = tm_kernel_version_parse(tm_text_chars(release), release.len);
    return put_metadata(p, "system_release", release, err);
}

/* Returns the result of reading C to its end: TM_END if it had too few bytes, unless ST is an error. */
static enum tm_status result(const struct tm_perf_cursor *c, enum tm_status st)
{
    return st == TM_OK && c->failed ? TM_END : st;
}

/* Reads the words of the command line. hiperf of OpenHarmony writes it as one string, whose length no number of words
 * can be. */
static enum tm_status read_cmdline(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    struct tm_perf_cursor words = c;
    uint32_t count = tm_perf_u32(&words);
    if (!words.failed && count > 0 && count == (uint64_t)(words.end - words.p))
        count = 1;
    else
        c = words;
    tm_buf_clear(&p->text);
    for (uint32_t i = 0; i < count && !c.failed; i++) {
        struct tm_text word = tm_perf_string(&c);
        if ((i > 0 && tm_buf_add_byte(&p->text, ' ') != TM_OK) || tm_buf_add(&p->text, word.data, word.len) != TM_OK)
            return tm_error_nomem(err);
    }
    struct tm_text line = {p->text.data, p->text.len};
    return result(&c, put_metadata(p, "perf_cmdline", line, err));
}

/* Reads the names of events. They refer to events by id, or by order if they have no ids. */
static enum tm_status read_names(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    uint32_t count = tm_perf_u32(&c), attr_size = tm_perf_u32(&c);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK && !c.failed; i++) {
        struct tm_perf_attr *attr = i < p->attrs.count ? &p->attrs.list[i] : NULL;
        (void)tm_perf_take(&c, attr_size);
        uint32_t ids = tm_perf_u32(&c);
        struct tm_text name = tm_perf_string(&c);
        struct tm_perf_cursor first = c;
        if (tm_perf_take(&c, (uint64_t)ids * 8) && ids > 0)
            attr = tm_perf_attrs_find(&p->attrs, tm_perf_u64(&first));
        if (attr && !c.failed)
            st = tm_perf_attrs_name(&p->attrs, attr, name, err);
    }
    return result(&c, st);
}

enum tm_status tm_perf_build_id_text(struct tm_perf *p, const uint8_t *id, size_t len, uint32_t *number,
                                     struct tm_error *err)
{
    static const char digits[] = "0123456789abcdef";
    char text[TM_PERF_BUILD_ID_MAX * 2];
    len = len < TM_PERF_BUILD_ID_MAX ? len : TM_PERF_BUILD_ID_MAX;
    for (size_t i = 0; i < len; i++) {
        text[i * 2] = digits[id[i] >> 4];
        text[i * 2 + 1] = digits[id[i] & 15];
    }
    return tm_perf_mappings_text(&p->mappings, tm_text_at(text, len * 2), number, err);
}

/* Returns the length of the build id at ID, to which zeros were added. Build ids have 20, 16 or 8 bytes. */
static size_t likely_len(const uint8_t id[TM_PERF_BUILD_ID_MAX])
{
    size_t len = TM_PERF_BUILD_ID_MAX;
    while (len > 0 && id[len - 1] == 0)
        len--;
    return len > 16 ? TM_PERF_BUILD_ID_MAX : len > 8 ? 16 : 8;
}

enum tm_status tm_perf_build_id_read(struct tm_perf *p, uint16_t misc, struct tm_perf_cursor c, struct tm_error *err)
{
    (void)tm_perf_u32(&c); /* the pid; the mappings of the process are more exact */
    const uint8_t *id = tm_perf_take(&c, BUILD_ID_ROOM);
    struct tm_text name = tm_perf_text(&c, (uint64_t)(c.end - c.p));
    uint32_t name_number, id_number;
    if (id == NULL || name.len == 0)
        return id ? TM_OK : TM_END;
    size_t len = misc & HAS_BUILD_ID_LEN ? id[TM_PERF_BUILD_ID_MAX] : likely_len(id);
    enum tm_status st = tm_perf_mappings_text(&p->mappings, name, &name_number, err);
    if (st == TM_OK)
        st = tm_perf_build_id_text(p, id, len, &id_number, err);
    return st != TM_OK ? st : tm_perf_mappings_build_id(&p->mappings, name_number, id_number, err);
}

/* Reads records of build ids. */
static enum tm_status read_build_ids(struct tm_perf *p, struct tm_perf_cursor c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && c.end - c.p > RECORD_HEADER_LEN) {
        (void)tm_perf_u32(&c);
        uint16_t misc = tm_perf_u16(&c), size = tm_perf_u16(&c);
        const uint8_t *body = size > RECORD_HEADER_LEN ? tm_perf_take(&c, size - RECORD_HEADER_LEN) : NULL;
        if (body == NULL)
            return TM_END;
        st = tm_perf_build_id_read(p, misc, (struct tm_perf_cursor){body, c.p, c.is_big, false}, err);
    }
    return st;
}

/* Reads CLOCK_DATA: a version (1), a clockid, the time of day and the clock's time. */
static enum tm_status read_clock_data(struct tm_perf *p, struct tm_perf_cursor c)
{
    uint32_t version = tm_perf_u32(&c), clockid = tm_perf_u32(&c);
    uint64_t wall = tm_perf_u64(&c), clock = tm_perf_u64(&c);
    if (version == 1 && !c.failed && wall <= INT64_MAX && clock <= INT64_MAX)
        p->clock_pair = (struct tm_perf_clock_pair){true, clockid, (int64_t)clock, (int64_t)wall};
    return result(&c, TM_OK);
}

enum tm_status tm_perf_feature_read(struct tm_perf *p, uint32_t id, struct tm_perf_cursor c, struct tm_error *err)
{
    switch (id) {
    case TM_PERF_FEATURE_TRACING_DATA:
        if (p->tracepoints.text.len > 0) /* only the first is used */
            return TM_OK;
        return tm_tracepoints_read(&p->tracepoints, c.p, (size_t)(c.end - c.p), err);
    case TM_PERF_FEATURE_BUILD_ID:
        return read_build_ids(p, c, err);
    case TM_PERF_FEATURE_OS_RELEASE:
        return read_release(p, c, err);
    case TM_PERF_FEATURE_CMDLINE:
        return read_cmdline(p, c, err);
    case TM_PERF_FEATURE_EVENT_DESC:
        return read_names(p, c, err);
    case TM_PERF_FEATURE_CLOCK_DATA:
        return read_clock_data(p, c);
    case TM_PERF_FEATURE_SIMPLEPERF_FILE:
    case TM_PERF_FEATURE_SIMPLEPERF_META_INFO:
    case TM_PERF_FEATURE_SIMPLEPERF_FILE2:
        return tm_perf_simpleperf_read(p, id, c, err);
    default:
        return TM_OK;
    }
}
