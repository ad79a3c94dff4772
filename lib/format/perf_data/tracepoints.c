#include "format/perf_data/tracepoints.h"

#include "base/table.h"
#include "kernel/sched_state.h"

#include <stdlib.h>

enum { SHOWN_BYTES_MAX = 64, NAME_BYTES_MAX = 256 };

static struct tm_text trim(struct tm_text s)
{
    while (s.len && (s.data[0] == ' ' || s.data[0] == '\t'))
        s = tm_text_after(s, 1);
    while (s.len && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t' || s.data[s.len - 1] == '\r'))
        s.len--;
    return s;
}

static struct tm_text next_line(struct tm_text *rest)
{
    struct tm_text line;
    if (!tm_text_cut(rest, "\n", &line)) {
        line = *rest;
        *rest = tm_text_at(rest->data + rest->len, 0);
    }
    return trim(line);
}

/* Reads the number after KEY in "key:number;", a part of a field's line. False: there is none. */
static bool number_of(struct tm_text line, const char *key, uint32_t *value)
{
    struct tm_text head, text;
    int64_t number;
    if (!tm_text_cut(&line, key, &head) || !tm_text_cut(&line, ";", &text) || !tm_text_int(trim(text), &number) ||
        number < 0 || number > UINT16_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

/* Fields that a reader of ftrace text uses and that the kernel prints in a form other than name=value. */
static const struct special {
    const char *event, *field, *key;
    enum tm_tracepoint_how how;
} specials[] = {
    {"sched_switch", "prev_state", "prev_state", TM_TRACEPOINT_STATE},
    {"sched_switch", "next_comm", "==> next_comm", TM_TRACEPOINT_PLAIN},
    {"task_newtask", "clone_flags", "clone_flags", TM_TRACEPOINT_HEX},
    {"workqueue_execute_start", "work", "work struct", TM_TRACEPOINT_WORD},
    {"workqueue_execute_start", "function", "function", TM_TRACEPOINT_WORD},
    {"binder_transaction", "debug_id", "transaction", TM_TRACEPOINT_PLAIN},
    {"binder_transaction", "target_node", "dest_node", TM_TRACEPOINT_PLAIN},
    {"binder_transaction", "to_proc", "dest_proc", TM_TRACEPOINT_PLAIN},
    {"binder_transaction", "to_thread", "dest_thread", TM_TRACEPOINT_PLAIN},
    {"binder_transaction", "flags", "flags", TM_TRACEPOINT_HEX},
    {"binder_transaction", "code", "code", TM_TRACEPOINT_HEX},
    {"binder_transaction_received", "debug_id", "transaction", TM_TRACEPOINT_PLAIN},
    {"binder_transaction_alloc_buf", "debug_id", "transaction", TM_TRACEPOINT_PLAIN},
};

static void find_special(struct tm_text event, struct tm_tracepoint_field *field)
{
    field->key = field->name;
    field->how = TM_TRACEPOINT_PLAIN;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (tm_text_is(event, specials[i].event) && tm_text_is(field->name, specials[i].field)) {
            field->key = tm_text_str(specials[i].key);
            field->how = specials[i].how;
            return;
        }
}

/* Returns the type of a field from its C declaration without the name. */
static enum tm_tracepoint_type type_of(struct tm_text declaration, bool is_array, uint32_t size)
{
    bool is_char = tm_text_find(declaration, "char") != NULL;
    if (tm_text_begins(declaration, "__data_loc"))
        return is_char && size == 4 ? TM_TRACEPOINT_DATA_LOC : TM_TRACEPOINT_BYTES;
    if (tm_text_begins(declaration, "__rel_loc"))
        return is_char && size == 4 ? TM_TRACEPOINT_REL_LOC : TM_TRACEPOINT_BYTES;
    if (is_array)
        return is_char ? TM_TRACEPOINT_TEXT : TM_TRACEPOINT_BYTES;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return TM_TRACEPOINT_BYTES;
    return tm_text_ends(declaration, "*") ? TM_TRACEPOINT_ADDRESS : TM_TRACEPOINT_NUMBER;
}

/* Parses "field:char comm[16];	offset:8;	size:16;	signed:0;". False: a field of another form, or with a name of more
 * than NAME_BYTES_MAX. */
static bool parse_field(struct tm_text line, struct tm_tracepoint_field *field)
{
    struct tm_text head, name;
    uint32_t is_signed = 0;
    if (!tm_text_cut(&line, "field:", &head) || !tm_text_cut(&line, ";", &name) ||
        !number_of(line, "offset:", &field->offset) || !number_of(line, "size:", &field->size))
        return false;
    (void)number_of(line, "signed:", &is_signed);
    name = trim(name);
    size_t at = name.len;
    while (at > 0 && name.data[at - 1] != ' ')
        at--;
    struct tm_text declaration = trim(tm_text_at(name.data, at));
    name = tm_text_after(name, at);
    const uint8_t *bracket = name.len ? memchr(name.data, '[', name.len) : NULL;
    field->name = name;
    if (bracket)
        field->name.len = (size_t)(bracket - name.data);
    field->is_signed = is_signed != 0;
    field->type = type_of(declaration, bracket != NULL, field->size);
    return field->name.len > 0 && field->name.len <= NAME_BYTES_MAX;
}

static enum tm_status add_fields(struct tm_tracepoints *t, struct tm_text text, struct tm_tracepoint *point,
                                 struct tm_error *err)
{
    point->first_field = t->field_count;
    while (text.len) {
        struct tm_text line = next_line(&text);
        struct tm_tracepoint_field field;
        if (tm_text_begins(line, "print fmt:"))
            break;
        if (!parse_field(line, &field))
            continue;
        if (tm_text_is(field.name, "common_pid") && field.size == sizeof(int32_t))
            point->tid_offset = field.offset;
        if (tm_text_begins(field.name, "common_"))
            continue;
        if (t->field_count == TM_TRACEPOINT_FIELDS_MAX)
            return tm_error_set(err, TM_E_INPUT, "more than the limit of %d fields of tracepoints",
                                TM_TRACEPOINT_FIELDS_MAX);
        if (t->field_count - point->first_field == TM_TRACEPOINT_OWN_FIELDS_MAX)
            return tm_error_set(err, TM_E_INPUT, "more than the limit of %d fields of one tracepoint",
                                TM_TRACEPOINT_OWN_FIELDS_MAX);
        enum tm_status st = tm_array_grow(&t->fields, &t->field_cap, t->field_count, sizeof *t->fields, err);
        if (st < 0)
            return st;
        find_special(point->name, &field);
        t->fields[t->field_count++] = field;
    }
    point->field_count = t->field_count - point->first_field;
    return TM_OK;
}

/* Adds the format "name: sched_switch", "ID: 372", "format:", fields, "print fmt: …". Ignores one with a name of more
 * than NAME_BYTES_MAX. */
static enum tm_status add_format(struct tm_tracepoints *t, struct tm_text system, struct tm_text text,
                                 struct tm_error *err)
{
    struct tm_tracepoint point = {.system = system};
    int64_t id = -1;
    struct tm_text rest = text, head;
    for (int i = 0; i < 2; i++) {
        struct tm_text line = next_line(&rest);
        if (tm_text_cut(&line, "name:", &head))
            point.name = trim(line);
        else if (tm_text_cut(&line, "ID:", &head) && !tm_text_int(trim(line), &id))
            id = -1;
    }
    if (point.name.len == 0 || point.name.len > NAME_BYTES_MAX || id < 0)
        return TM_OK;
    if (t->count == TM_TRACEPOINTS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d tracepoints", TM_TRACEPOINTS_MAX);
    enum tm_status st = tm_array_grow(&t->list, &t->cap, t->count, sizeof *t->list, err);
    if (st == TM_OK)
        st = add_fields(t, rest, &point, err);
    if (st < 0)
        return st;
    t->list[t->count] = point;
    return tm_map_set(&t->of_id, (uint64_t)id, t->count++) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Takes a text that ends with a NUL. */
static struct tm_text c_string(struct tm_perf_cursor *c)
{
    const uint8_t *nul = memchr(c->p, 0, (size_t)(c->end - c->p));
    struct tm_text s = {c->p, nul ? (size_t)(nul - c->p) : 0};
    (void)tm_perf_take(c, nul ? s.len + 1 : UINT64_MAX);
    return s;
}

static enum tm_status read_system(struct tm_tracepoints *t, struct tm_perf_cursor *c, struct tm_text system,
                                  uint32_t count, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && !c->failed && st == TM_OK; i++) {
        uint64_t len = tm_perf_u64(c);
        const uint8_t *text = tm_perf_take(c, len);
        if (text)
            st = add_format(t, system, tm_text_at(text, (size_t)len), err);
    }
    return st;
}

enum tm_status tm_tracepoints_read(struct tm_tracepoints *t, const uint8_t *data, size_t len, struct tm_error *err)
{
    static const char magic[] = "\x17\x08\x44tracing", ftrace[] = "ftrace";
    enum tm_status st = TM_OK;
    if (len > TM_TRACEPOINT_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "formats of tracepoints exceed the limit of %d bytes",
                            TM_TRACEPOINT_BYTES_MAX);
    if (len < sizeof magic - 1 || memcmp(data, magic, sizeof magic - 1) != 0)
        return TM_END;
    if (tm_buf_add(&t->text, data, len) != TM_OK)
        return tm_error_nomem(err);
    struct tm_perf_cursor c = {t->text.data + sizeof magic - 1, t->text.data + len, false, false};
    (void)c_string(&c); /* the version */
    const uint8_t *order = tm_perf_take(&c, 2); /* byte order, and the size of a long */
    t->is_big = c.is_big = order && order[0] != 0;
    (void)tm_perf_u32(&c); /* page size */
    for (int i = 0; i < 2; i++) { /* header_page, header_event */
        (void)c_string(&c);
        uint64_t skipped = tm_perf_u64(&c);
        (void)tm_perf_take(&c, skipped);
    }
    uint32_t count = tm_perf_u32(&c);
    st = read_system(t, &c, tm_text_at(ftrace, sizeof ftrace - 1), count, err);
    uint32_t systems = tm_perf_u32(&c);
    for (uint32_t i = 0; i < systems && !c.failed && st == TM_OK; i++) {
        struct tm_text system = c_string(&c);
        count = tm_perf_u32(&c);
        st = read_system(t, &c, system, count, err);
    }
    return st < 0 ? st : c.failed ? TM_END : TM_OK;
}

const struct tm_tracepoint *tm_tracepoints_find(const struct tm_tracepoints *t, uint64_t id)
{
    uint32_t at;
    return tm_map_find(&t->of_id, id, &at) ? &t->list[at] : NULL;
}

/* Reads the number in the SIZE bytes at P, with its sign if IS_SIGNED. */
static uint64_t number_at(const uint8_t *p, uint32_t size, bool is_big, bool is_signed)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v |= (uint64_t)p[i] << 8 * (is_big ? size - 1 - i : i);
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return is_signed && size < 8 ? (v ^ sign) - sign : v;
}

static enum tm_status put_hex(const uint8_t *p, size_t len, struct tm_buf *out)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < len && i < SHOWN_BYTES_MAX && st == TM_OK; i++)
        st = tm_buf_add_hex(out, p[i], 2);
    return st == TM_OK && len > SHOWN_BYTES_MAX ? tm_buf_add_str(out, "...") : st;
}

/* Appends a text of the event, which may contain any byte. Bytes that would end the line become blanks. */
static enum tm_status put_text(const uint8_t *p, size_t len, struct tm_buf *out)
{
    const uint8_t *nul = memchr(p, 0, len);
    size_t from = out->len;
    enum tm_status st = tm_buf_add(out, p, nul ? (size_t)(nul - p) : len);
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    return st;
}

static enum tm_status put_number(const struct tm_tracepoint_field *f, uint64_t value, uint32_t version,
                                 struct tm_buf *out)
{
    char state[TM_SCHED_STATE_TEXT_MAX];
    if (f->how == TM_TRACEPOINT_STATE) {
        tm_sched_state_text((uint32_t)value & INT32_MAX, version, '|', state);
        return tm_buf_add_str(out, state);
    }
    if (f->how == TM_TRACEPOINT_HEX)
        return tm_buf_add_hex(out, value, 1);
    if (f->type == TM_TRACEPOINT_ADDRESS) {
        enum tm_status st = tm_buf_add_str(out, "0x");
        return st == TM_OK ? tm_buf_add_hex(out, value, 1) : st;
    }
    bool is_negative = f->is_signed && (int64_t)value < 0;
    enum tm_status st = is_negative ? tm_buf_add_byte(out, '-') : TM_OK;
    return st == TM_OK ? tm_buf_add_decimal(out, is_negative ? 0 - value : value, 1) : st;
}

static enum tm_status put_value(const struct tm_tracepoints *t, const struct tm_tracepoint_event *event,
                                const struct tm_tracepoint_field *f, struct tm_buf *out)
{
    const uint8_t *p = event->raw + f->offset;
    if (f->type == TM_TRACEPOINT_TEXT)
        return put_text(p, f->size, out);
    if (f->type == TM_TRACEPOINT_BYTES)
        return put_hex(p, f->size, out);
    uint64_t value = number_at(p, f->size, t->is_big, f->is_signed);
    if (f->type != TM_TRACEPOINT_DATA_LOC && f->type != TM_TRACEPOINT_REL_LOC)
        return put_number(f, value, event->kernel_version, out);
    uint64_t at = (value & UINT16_MAX) + (f->type == TM_TRACEPOINT_REL_LOC ? f->offset + f->size : 0);
    uint64_t size = value >> 16 & UINT16_MAX;
    return at <= event->len && size <= event->len - at ? put_text(event->raw + at, (size_t)size, out) : TM_OK;
}

int32_t tm_tracepoints_tid(const struct tm_tracepoints *t, const struct tm_tracepoint_event *event)
{
    uint32_t at = event->point->tid_offset;
    if (at == 0 || event->len < sizeof(int32_t) || at > event->len - sizeof(int32_t))
        return -1;
    int32_t tid = (int32_t)number_at(event->raw + at, sizeof(int32_t), t->is_big, false);
    return tid < 0 ? -1 : tid;
}

static enum tm_status put_field(const struct tm_tracepoints *t, const struct tm_tracepoint_event *event,
                                const struct tm_tracepoint_field *f, struct tm_buf *out)
{
    enum tm_status st = tm_buf_add(out, f->key.data, f->key.len);
    if (st == TM_OK)
        st = tm_buf_add_byte(out, f->how == TM_TRACEPOINT_WORD ? ' ' : '=');
    return st == TM_OK ? put_value(t, event, f, out) : st;
}

enum tm_status tm_tracepoints_put(const struct tm_tracepoints *t, const struct tm_tracepoint_event *event,
                                  struct tm_buf *out)
{
    const struct tm_tracepoint *point = event->point;
    const size_t start = out->len;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < point->field_count && st == TM_OK; i++) {
        const struct tm_tracepoint_field *f = &t->fields[point->first_field + i];
        const size_t before = out->len;
        if ((uint64_t)f->offset + f->size > event->len || f->size == 0)
            continue;
        if (i > 0)
            st = tm_buf_add_byte(out, ' ');
        if (st == TM_OK)
            st = put_field(t, event, f, out);
        if (st == TM_OK && out->len - start > TM_TRACEPOINT_TEXT_MAX) {
            out->len = before;
            return TM_END;
        }
    }
    return st;
}

void tm_tracepoints_release(struct tm_tracepoints *t)
{
    free(t->list);
    free(t->fields);
    tm_map_release(&t->of_id);
    tm_buf_release(&t->text);
    *t = (struct tm_tracepoints){0};
}
