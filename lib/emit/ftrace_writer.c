#include "emit/ftrace_writer.h"

#include <stdlib.h>

enum {
    BUNDLE_BYTES = 32 << 10, /* of events before a bundle is written */
    BUNDLES_MAX = 4096,      /* open at once; more (hostile cpu numbers) flush all */
    BUNDLE_CPU = 1,
    BUNDLE_EVENT = 2,
    BUNDLE_COMPACT = 4,
    EVENT_TIMESTAMP = 1,
    EVENT_PID = 2,
    EVENT_PRINT = 3,
    EVENT_SCHED_SWITCH = 4,
    EVENT_SCHED_WAKING = 20,
    EVENT_TASK_NEWTASK = 235,
    EVENT_TASK_RENAME = 236,
    EVENT_GENERIC = 327
};

static enum tm_status write_bundle(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    size_t mark;
    if (b->events.len == 0)
        return TM_OK;
    enum tm_status st = tm_packet_begin(w->packets, b->machine, err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_PACKET_FTRACE_EVENTS, &mark) != TM_OK || tm_pb_put_varint(out, BUNDLE_CPU, b->cpu) != TM_OK ||
        tm_buf_add(out, b->events.data, b->events.len) != TM_OK || tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(err);
    tm_buf_clear(&b->events);
    return tm_packet_end(w->packets, err);
}

enum tm_status tm_ftrace_writer_flush(struct tm_ftrace_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < w->count && st == TM_OK; i++)
        st = write_bundle(w, &w->bundles[i], err);
    return st;
}

/* The open bundle of MACHINE and CPU, with room for more. */
static enum tm_status open_bundle(struct tm_ftrace_writer *w, uint32_t machine, uint32_t cpu,
                                  struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct tm_ftrace_bundle *b = &w->bundles[i];
        if (b->cpu != cpu || b->machine != machine)
            continue;
        *bundle = b;
        return b->events.len < BUNDLE_BYTES ? TM_OK : write_bundle(w, b, err);
    }
    if (w->count == BUNDLES_MAX) {
        enum tm_status st = tm_ftrace_writer_flush(w, err);
        if (st < 0)
            return st;
        w->bundles[0].machine = machine;
        w->bundles[0].cpu = cpu;
        *bundle = &w->bundles[0];
        return TM_OK;
    }
    if (w->count == w->cap) {
        uint32_t cap = w->cap ? w->cap * 2 : 16;
        struct tm_ftrace_bundle *bundles = realloc(w->bundles, cap * sizeof *bundles);
        if (bundles == NULL)
            return tm_error_nomem(err);
        w->bundles = bundles;
        w->cap = cap;
    }
    *bundle = &w->bundles[w->count++];
    **bundle = (struct tm_ftrace_bundle){.machine = machine, .cpu = cpu};
    return TM_OK;
}

/* A packed field of one number. */
static bool put_packed(struct tm_buf *out, uint32_t id, uint64_t value)
{
    uint8_t wire[TM_VARINT_MAX];
    return tm_pb_put_bytes(out, id, wire, (size_t)(tm_varint_put(wire, value) - wire)) == TM_OK;
}

/* The first switch of a cpu in compact_sched does not say who ran before; only compact_sched can say
 * that again. */
static enum tm_status write_first_switch(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_buf *out = &w->packets->out;
    struct tm_text comm = tm_catalog_string(w->packets->catalog, e->name, e);
    size_t bundle, compact;
    enum tm_status st = tm_packet_begin(w->packets, e->machine, err);
    if (st < 0)
        return st;
    bool good = tm_pb_begin(out, TM_PACKET_FTRACE_EVENTS, &bundle) == TM_OK &&
                tm_pb_put_varint(out, BUNDLE_CPU, e->cpu) == TM_OK &&
                tm_pb_begin(out, BUNDLE_COMPACT, &compact) == TM_OK && put_packed(out, 1, (uint64_t)e->time_ns) &&
                put_packed(out, 2, e->value & UINT32_MAX) && put_packed(out, 3, (uint64_t)e->pid) &&
                put_packed(out, 4, e->value >> 32 & 0xffff) &&
                tm_pb_put_bytes(out, 5, comm.data ? comm.data : (const uint8_t *)"", comm.len) == TM_OK &&
                put_packed(out, 6, 0) && tm_pb_end(out, compact) == TM_OK && tm_pb_end(out, bundle) == TM_OK;
    return good ? tm_packet_end(w->packets, err) : tm_error_nomem(err);
}

enum tm_status tm_ftrace_write_raw(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    if (e->kind == TM_KIND_SCHED_SWITCH && !(e->flags & TM_EVENT_HAS_TID))
        return write_first_switch(w, e, err);
    struct tm_ftrace_bundle *b;
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    size_t mark;
    enum tm_status st = open_bundle(w, e->machine, e->cpu, &b, err);
    if (st < 0)
        return st;
    struct tm_buf *out = &b->events;
    if (tm_pb_begin(out, BUNDLE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(out, EVENT_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK)
        return tm_error_nomem(err);
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (f.id != EVENT_TIMESTAMP && tm_buf_add(out, f.start, (size_t)(f.end - f.start)) != TM_OK)
            return tm_error_nomem(err);
    if (st < 0)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are no valid FtraceEvent",
                            (unsigned long long)e->position);
    return tm_pb_end(out, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status put_text(const struct tm_ftrace_writer *w, struct tm_buf *out, uint32_t id, uint32_t string,
                               const struct tm_event *e)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, string, e);
    return text.data ? tm_pb_put_bytes(out, id, text.data, text.len) : TM_OK;
}

static bool put_switch(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    return tm_pb_begin(out, EVENT_SCHED_SWITCH, &mark) == TM_OK && put_text(w, out, 1, e->category, e) == TM_OK &&
           tm_pb_put_varint(out, 2, (uint64_t)e->tid) == TM_OK && tm_pb_put_varint(out, 3, e->value >> 48) == TM_OK &&
           tm_pb_put_varint(out, 4, e->value & UINT32_MAX) == TM_OK && put_text(w, out, 5, e->name, e) == TM_OK &&
           tm_pb_put_varint(out, 6, (uint64_t)e->pid) == TM_OK &&
           tm_pb_put_varint(out, 7, e->value >> 32 & 0xffff) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

static bool put_waking(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    return tm_pb_begin(out, EVENT_SCHED_WAKING, &mark) == TM_OK && put_text(w, out, 1, e->name, e) == TM_OK &&
           tm_pb_put_varint(out, 2, (uint64_t)e->tid) == TM_OK &&
           tm_pb_put_varint(out, 3, e->value & UINT32_MAX) == TM_OK && tm_pb_put_varint(out, 4, 1) == TM_OK &&
           tm_pb_put_varint(out, 5, e->value >> 32) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

static bool put_task(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    bool is_new = e->kind == TM_KIND_TASK_NEW;
    return tm_pb_begin(out, is_new ? EVENT_TASK_NEWTASK : EVENT_TASK_RENAME, &mark) == TM_OK &&
           tm_pb_put_varint(out, 1, (uint64_t)e->tid) == TM_OK &&
           put_text(w, out, is_new ? 2 : 3, e->name, e) == TM_OK &&
           (!is_new || tm_pb_put_varint(out, 3, e->value) == TM_OK) && tm_pb_end(out, mark) == TM_OK;
}

/* What follows "NAME: " in a line, or NULL. */
static const uint8_t *after_name(const struct tm_event *e, const char *name, size_t *len)
{
    size_t n = strlen(name);
    for (size_t i = 0; i + n <= e->raw_bytes; i++) {
        if (memcmp(e->raw + i, name, n) == 0) {
            *len = e->raw_bytes - i - n;
            return e->raw + i + n;
        }
    }
    return NULL;
}

static bool put_print(struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark, len = 0;
    const uint8_t *text = after_name(e, "tracing_mark_write: ", &len);
    if (text == NULL && (text = after_name(e, "print: ", &len)) == NULL)
        return false;
    const uint8_t *at = memchr(text, '|', len); /* "0xffff: B|1|x" and "func: B|1|x" carry an address first */
    if (at && at - text > 2 && memchr(text, ' ', (size_t)(at - text))) {
        const uint8_t *space = text;
        while (space < at && *space != ' ')
            space++;
        len -= (size_t)(space + 1 - text);
        text = space + 1;
    }
    tm_buf_clear(&w->line);
    return tm_buf_add(&w->line, text, len) == TM_OK && tm_buf_add_byte(&w->line, '\n') == TM_OK &&
           tm_pb_begin(out, EVENT_PRINT, &mark) == TM_OK &&
           tm_pb_put_bytes(out, 2, w->line.data, w->line.len) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

/* Any other event: its name, and its line as the one field. */
static bool put_generic(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark, field;
    return tm_pb_begin(out, EVENT_GENERIC, &mark) == TM_OK && put_text(w, out, 1, e->name, e) == TM_OK &&
           tm_pb_begin(out, 2, &field) == TM_OK && tm_pb_put_str(out, 1, "line") == TM_OK &&
           tm_pb_put_bytes(out, 3, e->raw, e->raw_bytes) == TM_OK && tm_pb_end(out, field) == TM_OK &&
           tm_pb_end(out, mark) == TM_OK;
}

static bool put_line(struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        return put_switch(w, out, e);
    case TM_KIND_SCHED_WAKING:
        return put_waking(w, out, e);
    case TM_KIND_TASK_NEW:
    case TM_KIND_TASK_RENAME:
        return put_task(w, out, e);
    case TM_KIND_FTRACE:
        return put_generic(w, out, e);
    default:
        return put_print(w, out, e);
    }
}

enum tm_status tm_ftrace_write_line(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    size_t mark;
    uint64_t pid = (uint64_t)(e->kind == TM_KIND_SCHED_WAKING ? e->pid : e->tid);
    enum tm_status st = open_bundle(w, e->machine, e->cpu, &b, err);
    if (st < 0)
        return st;
    size_t before = b->events.len;
    if (tm_pb_begin(&b->events, BUNDLE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(&b->events, EVENT_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
        tm_pb_put_varint(&b->events, EVENT_PID, pid) != TM_OK)
        return tm_error_nomem(err);
    if (!put_line(w, &b->events, e)) {
        b->events.len = before;
        return TM_END;
    }
    return tm_pb_end(&b->events, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_ftrace_writer_release(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        tm_buf_release(&w->bundles[i].events);
    free(w->bundles);
    tm_buf_release(&w->line);
    *w = (struct tm_ftrace_writer){0};
}
