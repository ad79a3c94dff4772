#include "format/cpuprofile/internal.h"

#include "json/number.h"

#include <stdlib.h>

enum { MEMORY_BYTES = 4 << 20 /* of each list; the rest is in a temporary file */ };

/* The members of a document. */
enum member {
    OTHER,
    NODES,
    HEAD,
    SAMPLES,
    TIME_DELTAS,
    TIMESTAMPS,
    START_TIME, /* from here on single values, which may stand in front */
    END_TIME,
    TYPE_ID,
    UID,
    TITLE,
    MEMBERS
};

static enum member member_of(const struct tm_json_value *key)
{
    static const char *const names[MEMBERS] = {
        [NODES] = "nodes",
        [HEAD] = "head",
        [SAMPLES] = "samples",
        [TIME_DELTAS] = "timeDeltas",
        [TIMESTAMPS] = "timestamps",
        [START_TIME] = "startTime",
        [END_TIME] = "endTime",
        [TYPE_ID] = "typeId",
        [UID] = "uid",
        [TITLE] = "title",
    };
    for (int member = NODES; member < MEMBERS; member++)
        if (tm_json_is(key, names[member]))
            return (enum member)member;
    return OTHER;
}

/* True if TEXT stands in the bytes of SCAN. */
static bool has_text(const struct tm_json_scan *scan, const char *text)
{
    const size_t len = strlen(text);
    for (const uint8_t *p = scan->p; (size_t)(scan->end - p) >= len; p++)
        if (memcmp(p, text, len) == 0)
            return true;
    return false;
}

/* Skips white space. True if the next byte is C, which is skipped too. */
static bool skip(struct tm_json_scan *scan, uint8_t c)
{
    if (!tm_json_space(scan) || *scan->p != c)
        return false;
    scan->p++;
    return true;
}

/* True if the value at SCAN, that of MEMBER, shows a profile of V8. HAS_TIME: a time of it came before. */
static bool shows_profile(struct tm_json_scan *scan, enum member member, bool has_time)
{
    switch (member) {
    case NODES:
        return skip(scan, '[') && skip(scan, '{') &&
               (has_text(scan, "\"callFrame\"") || has_text(scan, "\"functionName\""));
    case HEAD: /* heap profiles have a head too, of other nodes */
        return skip(scan, '{') && has_text(scan, "\"functionName\"") && !has_text(scan, "\"callFrame\"");
    case SAMPLES:
    case TIME_DELTAS:
    case TIMESTAMPS:
        return has_time && skip(scan, '[') && tm_json_space(scan) && *scan->p >= '0' && *scan->p <= '9';
    default:
        return false;
    }
}

static bool cpuprofile_sniff(const uint8_t *head, size_t len)
{
    struct tm_json_scan scan = tm_json_scan_bytes(head, head + len, false);
    struct tm_json_value key, value;
    bool has_time = false;
    if (!skip(&scan, '{'))
        return false;
    while (tm_json_key(&scan, &key) == TM_JSON_OK) {
        const enum member member = member_of(&key);
        if (member < START_TIME)
            return shows_profile(&scan, member, has_time);
        has_time |= member == START_TIME || member == END_TIME;
        if (tm_json_value(&scan, &value) != TM_JSON_OK || !tm_json_is_scalar(&value) ||
            tm_json_comma(&scan, '}') != TM_JSON_OK)
            return false;
    }
    return false;
}

static enum tm_status cpuprofile_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_cpuprofile *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->shows_damaged = context->options && context->options->on_damage != TM_DAMAGE_HALT;
    x->cursor.in = context->input;
    tm_v8_nodes_init(&x->nodes, true);
    tm_paged_file_init(&x->samples.numbers, context->temporary_dir, MEMORY_BYTES);
    tm_paged_file_init(&x->times.numbers, context->temporary_dir, MEMORY_BYTES);
    *state = x;
    return TM_OK;
}

static void cpuprofile_close(void *state)
{
    struct tm_cpuprofile *x = state;
    if (x == NULL)
        return;
    tm_v8_nodes_release(&x->nodes);
    tm_paged_file_release(&x->samples.numbers);
    tm_paged_file_release(&x->times.numbers);
    tm_buf_release(&x->detail);
    free(x);
}

static int64_t read_sample(const struct tm_json_value *value)
{
    uint32_t id;
    return tm_v8_node_id(value, &id) ? id : TM_CPUPROFILE_NONE;
}

/* Converts microseconds to nanoseconds. */
static int64_t read_us(const struct tm_json_value *value)
{
    int64_t ns;
    return tm_json_decimal(value, 3, &ns) == TM_OK ? ns : TM_CPUPROFILE_NONE;
}

static enum tm_status read_nodes(struct tm_cpuprofile *x, struct tm_error *err)
{
    struct tm_json_value value;
    enum tm_status st = tm_json_cursor_enter(&x->cursor, err);
    x->has_nodes = true;
    while (st == TM_OK && (st = tm_json_cursor_element(&x->cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(&x->cursor, &value, err)) == TM_OK) {
        enum tm_status added = value.type == TM_JSON_OBJECT ? tm_v8_nodes_add(&x->nodes, 0, &value) : TM_END;
        if (added < 0)
            return tm_error_nomem(err);
        x->bad_nodes += added == TM_END;
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_time(struct tm_cpuprofile *x, struct tm_cpuprofile_time *time, struct tm_error *err)
{
    struct tm_json_value value;
    enum tm_status st = tm_json_cursor_value(&x->cursor, &value, err);
    if (st < 0)
        return st;
    time->has_us = tm_json_decimal(&value, 3, &time->us_ns) == TM_OK;
    time->has_s = tm_json_decimal(&value, 9, &time->s_ns) == TM_OK;
    return TM_OK;
}

/* Reads the value of MEMBER, which is of TYPE. */
static enum tm_status read_member(struct tm_cpuprofile *x, enum member member, enum tm_json_type type,
                                  struct tm_error *err)
{
    switch (member) {
    case NODES:
        return type == TM_JSON_ARRAY ? read_nodes(x, err) : tm_json_cursor_skip(&x->cursor, err);
    case HEAD:
        x->has_head = type == TM_JSON_OBJECT;
        return x->has_head ? tm_cpuprofile_tree_read(x, err) : tm_json_cursor_skip(&x->cursor, err);
    case SAMPLES:
        return tm_cpuprofile_column_read(&x->cursor, &x->samples, read_sample, err);
    case TIME_DELTAS:
    case TIMESTAMPS:
        if (type == TM_JSON_ARRAY)
            x->times_are = member == TIME_DELTAS ? TM_CPUPROFILE_DELTAS : TM_CPUPROFILE_ABSOLUTE;
        return tm_cpuprofile_column_read(&x->cursor, &x->times, read_us, err);
    case START_TIME:
    case END_TIME:
        return read_time(x, member == START_TIME ? &x->start : &x->end, err);
    default:
        return tm_json_cursor_skip(&x->cursor, err);
    }
}

static enum tm_status read_document(struct tm_cpuprofile *x, struct tm_error *err)
{
    struct tm_json_value key;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_enter(&x->cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, err)) == TM_OK) {
        const enum member member = member_of(&key);
        st = tm_json_cursor_type(&x->cursor, &type, err);
        if (st == TM_OK)
            st = read_member(x, member, type, err);
    }
    return st == TM_END ? TM_OK : st;
}

/* Shows what was read before the damage that *ERR describes, and skips the rest of the file. */
static enum tm_status show_damaged(struct tm_cpuprofile *x, struct tm_error *err)
{
    struct tm_input *in = x->context.input;
    const struct tm_loss damage = {TM_DROP_DAMAGED, 0, 1, err->byte};
    const uint64_t first = in->offset;
    *err = (struct tm_error){0};
    enum tm_status st = tm_cpuprofile_rows_add(x, err);
    if (st == TM_OK)
        st = tm_event_sink_account(x->context.sink, damage, err);
    while (st == TM_OK && (st = tm_input_fill(in, 1, err)) == TM_OK)
        tm_input_skip(in, in->len);
    if (st >= 0 && in->offset > first)
        st = tm_event_sink_account(x->context.sink,
                                   (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, in->offset - first, first}, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status cpuprofile_read(void *state, struct tm_error *err)
{
    struct tm_cpuprofile *x = state;
    enum tm_status st = read_document(x, err);
    if (st == TM_E_INPUT && x->shows_damaged)
        return show_damaged(x, err);
    if (st == TM_OK)
        st = tm_cpuprofile_rows_add(x, err);
    return st < 0 ? tm_error_recoverable(err) : TM_END;
}

const struct tm_format tm_format_cpuprofile = {
    .type = TM_INPUT_CPUPROFILE,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = cpuprofile_sniff,
    .open = cpuprofile_open,
    .read = cpuprofile_read,
    .close = cpuprofile_close,
    .is_text = true,
};
