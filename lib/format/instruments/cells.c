#include "format/instruments/internal.h"

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/hex.h"
#include "base/pb.h"

#include <stdio.h>

static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static enum tm_status set_text(struct tm_instruments *x, struct tm_buf *buf, const char *s)
{
    size_t len = s ? strlen(s) : 0;
    tm_buf_clear(buf);
    return tm_buf_add(buf, s, len < TM_INSTRUMENTS_TEXT_MAX ? len : TM_INSTRUMENTS_TEXT_MAX) == TM_OK
               ? TM_OK
               : tm_error_nomem(x->err);
}

/* Reads "0x" and up to 16 hexadecimal digits. */
static bool hex(const char *s, uint64_t *value)
{
    uint64_t v = 0;
    if (s == NULL || s[0] != '0' || s[1] != 'x' || s[2] == '\0' || strlen(s) > 18)
        return false;
    for (s += 2; *s; s++) {
        int d = tm_hex_value(*s);
        if (d < 0)
            return false;
        v = v << 4 | (uint64_t)d;
    }
    *value = v;
    return true;
}

/* Reads a decimal number of up to 64 bits. White space around it is ignored. */
static bool number(const uint8_t *s, size_t len, uint64_t *value)
{
    uint64_t v = 0;
    while (len && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
        s++, len--;
    while (len && (s[len - 1] == ' ' || (s[len - 1] >= '\t' && s[len - 1] <= '\r')))
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned d = (unsigned)s[i] - '0';
        if (d > 9 || v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *value = v;
    return len > 0;
}

/* Reads a decimal number that may have a sign. White space around it is ignored. */
static bool signed_number(const struct tm_buf *text, int64_t *value)
{
    const char *s = (const char *)text->data;
    size_t len = text->len;
    while (len && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
        s++, len--;
    while (len && (s[len - 1] == ' ' || (s[len - 1] >= '\t' && s[len - 1] <= '\r')))
        len--;
    return tm_decimal_int(s, len, value) == TM_OK;
}

static enum tm_status put_u64(struct tm_instruments *x, struct tm_buf *buf, uint64_t v)
{
    uint8_t bytes[8];
    tm_put_le64(bytes, v);
    return tm_buf_add(buf, bytes, sizeof bytes) == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

/* Sets a cell of the row. The first cell of a kind counts. */
static void apply_to_row(struct tm_instruments *x, enum tm_instruments_kind kind, uint64_t place, uint64_t value)
{
    struct tm_instruments_row *row = &x->row;
    if ((kind == TM_IK_SAMPLE_TIME || kind == TM_IK_EVENT_TIME) && !row->has_time) {
        row->has_time = true;
        row->is_sample = kind == TM_IK_SAMPLE_TIME;
        row->time_ns = (int64_t)value;
    } else if (kind == TM_IK_START_TIME) {
        row->has_start = true;
    } else if (kind == TM_IK_CORE && !row->has_core) {
        row->has_core = value <= UINT32_MAX;
        row->core = value;
    } else if ((kind == TM_IK_WEIGHT || kind == TM_IK_CYCLES) && !row->has_weight) {
        row->has_weight = true;
        row->is_cycles = kind == TM_IK_CYCLES;
        row->weight = value;
    } else if (kind == TM_IK_LOG && row->message == 0) {
        row->has_log = x->record.data[0] != 0;
        row->log = tm_get_le64(x->record.data + 1);
    }
    uint64_t *cell = kind == TM_IK_THREAD          ? &row->thread
                     : kind == TM_IK_PROCESS       ? &row->process
                     : kind == TM_IK_BACKTRACE     ? &row->backtrace
                     : kind == TM_IK_SUBSYSTEM     ? &row->subsystem
                     : kind == TM_IK_CATEGORY      ? &row->category
                     : kind == TM_IK_EVENT_TYPE    ? &row->type
                     : kind == TM_IK_SIGNPOST_NAME ? &row->name
                     : kind == TM_IK_SIGNPOST_ID   ? &row->identifier
                     : kind == TM_IK_LOG           ? &row->message
                     : kind == TM_IK_COUNTS        ? &row->counts
                                                   : NULL;
    if (cell && *cell == 0)
        *cell = place;
}

/* Adds a part to the open element around it. */
static enum tm_status apply_to_element(struct tm_instruments *x, enum tm_instruments_kind kind, uint64_t place,
                                       uint64_t value)
{
    enum tm_instruments_kind parent = tm_instruments_parent(x);
    if (kind == TM_IK_TID && parent == TM_IK_THREAD) {
        x->thread.has_tid = true;
        x->thread.tid = (int64_t)value;
    } else if (kind == TM_IK_PROCESS && parent == TM_IK_THREAD) {
        x->thread.process = place;
    } else if (kind == TM_IK_PID && parent == TM_IK_PROCESS) {
        x->process.has_pid = true;
        x->process.pid = (int64_t)value;
    } else if (kind == TM_IK_BINARY && parent == TM_IK_FRAME) {
        x->frame.binary = place;
    } else if (kind == TM_IK_PATH && parent == TM_IK_SOURCE) {
        x->frame.path = place;
    } else if (kind == TM_IK_UINT64 && parent == TM_IK_LOG) {
        x->has_log = true;
        x->log = value;
    } else if (kind == TM_IK_BACKTRACE && parent == TM_IK_BACKTRACE) {
        tm_buf_clear(&x->frames);
        if (tm_buf_add(&x->frames, x->record.data, x->record.len) != TM_OK)
            return tm_error_nomem(x->err);
    }
    return TM_OK;
}

/* Applies the element of KIND, whose record is at PLACE, to the row or element around it. The element may be a
 * reference. */
static enum tm_status apply(struct tm_instruments *x, enum tm_instruments_kind kind, uint64_t place)
{
    enum tm_instruments_kind parent = tm_instruments_parent(x);
    if (kind == TM_IK_FRAME) {
        if (parent != TM_IK_BACKTRACE)
            return TM_OK;
        if (x->frames.len >= (size_t)8 * TM_INSTRUMENTS_FRAMES_MAX) {
            x->stacks_cut++;
            return TM_OK;
        }
        return put_u64(x, &x->frames, place);
    }
    tm_buf_clear(&x->record);
    enum tm_status st = tm_instruments_refs_get(&x->refs, place, &x->record, x->err);
    if (st < 0)
        return st;
    uint64_t value = x->record.len == 8 ? tm_get_le64(x->record.data) : 0;
    if (parent != TM_IK_ROW)
        return apply_to_element(x, kind, place, value);
    apply_to_row(x, kind, place, value);
    return TM_OK;
}

/* Sets the build id to the hexadecimal digits of UUID (NULL: none) in lower case. An odd number of digits means no
 * build id. */
static enum tm_status set_build_id(struct tm_instruments *x, const char *uuid)
{
    tm_buf_clear(&x->build_id);
    for (const char *s = uuid ? uuid : ""; *s; s++) {
        char c = *s >= 'A' && *s <= 'F' ? (char)(*s - 'A' + 'a') : *s;
        if (c == '-')
            continue;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) || x->build_id.len == UINT8_MAX) {
            tm_buf_clear(&x->build_id);
            return TM_OK;
        }
        if (tm_buf_add_byte(&x->build_id, (uint8_t)c) != TM_OK)
            return tm_error_nomem(x->err);
    }
    if (x->build_id.len % 2)
        tm_buf_clear(&x->build_id);
    return TM_OK;
}

/* Begins E, an element that repeats the earlier one with its id. */
static enum tm_status begin_reference(struct tm_instruments *x, struct tm_instruments_element *e)
{
    uint64_t place;
    e->is_ref = true;
    enum tm_status st = tm_instruments_refs_find(&x->refs, e->id, e->kind, &place, x->err);
    x->unknown_refs += st == TM_END;
    return st == TM_OK ? apply(x, (enum tm_instruments_kind)e->kind, place) : st < 0 ? st : TM_OK;
}

enum tm_status tm_instruments_begin(struct tm_instruments *x, const char **attributes)
{
    struct tm_instruments_element *e = &x->open[x->depth - 1];
    const char *ref = attribute(attributes, "ref"), *id = attribute(attributes, "id");
    const char *name = attribute(attributes, e->kind == TM_IK_FRAME ? "name" : "fmt");
    uint64_t line;
    tm_buf_clear(&x->text);
    if (ref || id) {
        const char *s = ref ? ref : id;
        if (!number((const uint8_t *)s, strlen(s), &e->id))
            e->id = 0;
    }
    if (ref)
        return begin_reference(x, e);
    switch (e->kind) {
    case TM_IK_THREAD:
        x->thread.has_tid = false;
        x->thread.process = 0;
        return set_text(x, &x->thread.name, name);
    case TM_IK_PROCESS:
        x->process.has_pid = false;
        return set_text(x, &x->process.name, name);
    case TM_IK_BACKTRACE:
        tm_buf_clear(&x->frames);
        return TM_OK;
    case TM_IK_FRAME:
        x->frame.binary = x->frame.path = x->frame.line = 0;
        x->frame.has_address = hex(attribute(attributes, "addr"), &x->frame.address);
        return set_text(x, &x->frame.name, name && *name ? name : attribute(attributes, "addr"));
    case TM_IK_BINARY:
        if (!hex(attribute(attributes, "load-addr"), &x->binary_address))
            x->binary_address = 0;
        if (set_build_id(x, attribute(attributes, "UUID")) < 0)
            return TM_E_SYSTEM;
        name = attribute(attributes, "path");
        return set_text(x, &x->binary_path, name && *name ? name : attribute(attributes, "name"));
    case TM_IK_SOURCE:
        name = attribute(attributes, "line");
        if (name && number((const uint8_t *)name, strlen(name), &line) && line <= UINT32_MAX)
            x->frame.line = (uint32_t)line;
        return TM_OK;
    case TM_IK_LOG:
        x->has_log = false;
        x->log = 0;
        return set_text(x, &x->log_text, name);
    default:
        return TM_OK;
    }
}

/* Returns the length of the name in "NAME  0xTID (PROCESS, pid: PID)". */
static size_t thread_name(const struct tm_instruments_thread *t)
{
    char tid[24];
    const char *s = (const char *)t->name.data;
    size_t len = t->name.len, n = (size_t)snprintf(tid, sizeof tid, "0x%llx", (unsigned long long)t->tid);
    for (size_t i = len >= n ? len - n : 0; t->has_tid && i > 0; i--) {
        if (memcmp(s + i, tid, n) != 0 || i + n == len || (s[i + n] != ' ' && s[i + n] != ')'))
            continue;
        while (i > 0 && (s[i - 1] == ' ' || s[i - 1] == '('))
            i--;
        return i;
    }
    return len;
}

/* Returns the length of the name in "NAME (PID)". Takes the pid from there if no element states it. */
static size_t process_name(struct tm_instruments_process *p)
{
    const char *s = (const char *)p->name.data;
    size_t len = p->name.len, i = len;
    int64_t pid;
    while (i > 0 && s[i - 1] != '(')
        i--;
    if (i < 2 || s[i - 2] != ' ' || s[len - 1] != ')' || tm_decimal_int(s + i, len - 1 - i, &pid) != TM_OK)
        return len;
    if (!p->has_pid) {
        p->has_pid = true;
        p->pid = pid;
    }
    return p->pid == pid ? i - 2 : len;
}

static enum tm_status put_owner(struct tm_instruments *x, bool has_number, int64_t n, const struct tm_buf *name,
                                size_t name_len)
{
    uint8_t flags[2] = {0, has_number};
    if (tm_buf_add(&x->record, flags, sizeof flags) != TM_OK || put_u64(x, &x->record, (uint64_t)n) < 0 ||
        put_u64(x, &x->record, x->thread.process) < 0 || tm_buf_add(&x->record, name->data, name_len) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Adds the mapping of a frame; x->other is the record of its binary. */
static bool put_mapping(struct tm_instruments *x, uint64_t base)
{
    const uint8_t *id = x->other.data + TM_BINARY_BUILD_ID, *path = id + x->other.data[TM_BINARY_BUILD_ID_LENGTH];
    size_t path_len = (size_t)(x->other.data + x->other.len - path);
    return tm_pb_put_bytes(&x->record, TM_STACK_FRAME_MAPPING, path, path_len) == TM_OK &&
           (path == id || tm_pb_put_bytes(&x->record, TM_STACK_FRAME_BUILD_ID, id, (size_t)(path - id)) == TM_OK) &&
           (base == 0 || tm_pb_put_varint(&x->record, TM_STACK_FRAME_MAPPING_START, base) == TM_OK);
}

/* Writes the record of a frame: its address in the binary, then function, mapping, file and line as in a StackFrame. */
static enum tm_status put_frame(struct tm_instruments *x)
{
    struct tm_instruments_frame *f = &x->frame;
    uint64_t base = 0;
    uint8_t head = f->has_address;
    enum tm_status st = TM_OK;
    tm_buf_clear(&x->other);
    if (f->binary && (st = tm_instruments_refs_get(&x->refs, f->binary, &x->other, x->err)) < 0)
        return st;
    if (f->binary)
        base = tm_get_le64(x->other.data);
    if (tm_buf_add_byte(&x->record, head) != TM_OK ||
        put_u64(x, &x->record, f->address >= base ? f->address - base : f->address) < 0 ||
        tm_pb_put_bytes(&x->record, TM_STACK_FRAME_FUNCTION, f->name.data, f->name.len) != TM_OK ||
        (f->binary && !put_mapping(x, f->address >= base ? base : 0)))
        return tm_error_nomem(x->err);
    tm_buf_clear(&x->other);
    if (f->path && (st = tm_instruments_refs_get(&x->refs, f->path, &x->other, x->err)) < 0)
        return st;
    if ((f->path && tm_pb_put_bytes(&x->record, TM_STACK_FRAME_FILE, x->other.data, x->other.len) != TM_OK) ||
        (f->line && tm_pb_put_varint(&x->record, TM_STACK_FRAME_LINE, f->line) != TM_OK))
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Writes the record of the element that ends. TM_END: there is nothing to record. */
static enum tm_status put_record(struct tm_instruments *x, enum tm_instruments_kind kind)
{
    struct tm_buf *r = &x->record;
    uint64_t value;
    int64_t time;
    tm_buf_clear(r);
    switch (kind) {
    case TM_IK_SAMPLE_TIME:
    case TM_IK_EVENT_TIME:
    case TM_IK_START_TIME:
        return signed_number(&x->text, &time) ? put_u64(x, r, (uint64_t)time) : TM_END;
    case TM_IK_TID:
    case TM_IK_PID:
    case TM_IK_CORE:
    case TM_IK_WEIGHT:
    case TM_IK_CYCLES:
    case TM_IK_UINT64:
        return number(x->text.data, x->text.len, &value) ? put_u64(x, r, value) : TM_END;
    case TM_IK_LOG:
        return tm_buf_add_byte(r, x->has_log) == TM_OK && put_u64(x, r, x->log) == TM_OK &&
                       tm_buf_add(r, x->log_text.data, x->log_text.len) == TM_OK
                   ? TM_OK
                   : tm_error_nomem(x->err);
    case TM_IK_THREAD:
        return put_owner(x, x->thread.has_tid, x->thread.tid, &x->thread.name, thread_name(&x->thread));
    case TM_IK_PROCESS: {
        size_t len = process_name(&x->process);
        return put_owner(x, x->process.has_pid, x->process.pid, &x->process.name, len);
    }
    case TM_IK_BACKTRACE:
        return tm_buf_add(r, x->frames.data, x->frames.len) == TM_OK ? TM_OK : tm_error_nomem(x->err);
    case TM_IK_FRAME:
        return put_frame(x);
    case TM_IK_BINARY:
        return put_u64(x, r, x->binary_address) == TM_OK &&
                       tm_buf_add_byte(r, (uint8_t)x->build_id.len) == TM_OK &&
                       tm_buf_add(r, x->build_id.data, x->build_id.len) == TM_OK &&
                       tm_buf_add(r, x->binary_path.data, x->binary_path.len) == TM_OK
                   ? TM_OK
                   : tm_error_nomem(x->err);
    case TM_IK_PATH:
    case TM_IK_SUBSYSTEM:
    case TM_IK_CATEGORY:
    case TM_IK_EVENT_TYPE:
    case TM_IK_SIGNPOST_NAME:
    case TM_IK_SIGNPOST_ID:
    case TM_IK_COUNTS:
        return tm_buf_add(r, x->text.data, x->text.len) == TM_OK ? TM_OK : tm_error_nomem(x->err);
    default:
        return TM_END;
    }
}

enum tm_status tm_instruments_finish(struct tm_instruments *x)
{
    const struct tm_instruments_element *e = &x->open[x->depth - 1];
    uint64_t place;
    if (e->kind == TM_IK_ROW)
        return tm_instruments_row_add(x);
    if (e->kind == TM_IK_OTHER || e->is_ref)
        return TM_OK;
    enum tm_status st = put_record(x, (enum tm_instruments_kind)e->kind);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_instruments_refs_add(&x->refs, e->kind, &x->record, &place, x->err);
    if (st == TM_OK && e->id)
        st = tm_instruments_refs_bind(&x->refs, e->id, place, x->err);
    return st < 0 ? st : apply(x, (enum tm_instruments_kind)e->kind, place);
}
