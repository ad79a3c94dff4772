#include "emit/span_flows.h"

#include "base/hash.h"
#include "base/name_set.h"
#include "base/pb.h"
#include "base/text.h"
#include "stream/detail_arg.h"
#include "stream/detail_fields.h"

#include <inttypes.h>
#include <stdio.h>

/* Hashes of the ids in a slice's args; 0: none. */
struct span {
    uint64_t trace, span, parent;
};

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

/* Reads an id as text: without leading zeros, letters in either case. An id of zeros counts as none. */
static uint64_t hash_of(const uint8_t *text, size_t len)
{
    uint64_t hash = 0;
    while (len > 0 && *text == '0')
        text++, len--;
    for (size_t i = 0; i < len; i++)
        hash = tm_hash_u64(hash ^ lower(text[i]));
    return len ? hash | 1 : 0;
}

static uint64_t value_of(const struct tm_pb_field *f)
{
    char text[24];
    if (f->id == TM_ARG_STRING && f->type == TM_PB_LEN)
        return hash_of(f->data, f->len);
    if ((f->id != TM_ARG_INT && f->id != TM_ARG_UINT) || f->type != TM_PB_VARINT)
        return 0;
    int len = f->id == TM_ARG_INT ? snprintf(text, sizeof text, "%" PRId64, tm_unzigzag(f->value))
                                  : snprintf(text, sizeof text, "%" PRIu64, f->value);
    return hash_of((const uint8_t *)text, (size_t)len);
}

static void read_arg(struct span *span, const struct tm_pb_field *arg)
{
    struct tm_pb pb = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f;
    struct tm_text key = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN) {
            if (f.len < 2 || lower(f.data[f.len - 1]) != 'd') /* all of these keys end with "id" */
                return;
            key = tm_detail_arg_name((struct tm_text){f.data, f.len});
        } else if (tm_name_is_like(key.data, key.len, "traceid")) {
            span->trace = value_of(&f);
        } else if (tm_name_is_like(key.data, key.len, "spanid")) {
            span->span = value_of(&f);
        } else if (tm_name_is_like(key.data, key.len, "parentspanid") ||
                   tm_name_is_like(key.data, key.len, "parentid")) {
            span->parent = value_of(&f);
        }
    }
}

/* Finds the ids of E, a slice of a thread. False: it has none. */
static bool read_span(const struct tm_event *e, struct span *span)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    *span = (struct span){0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN)
            read_arg(span, &f);
    return span->trace && (span->span || span->parent);
}

static bool may_be_span(const struct tm_event *e)
{
    return (e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_COMPLETE) && e->detail_bytes > 0 &&
           e->flags & TM_EVENT_HAS_TID && tm_event_scope(e->flags) == TM_SCOPE_THREAD &&
           !(e->flags & (TM_EVENT_ASYNC | TM_EVENT_DERIVED));
}

static bool find(const struct tm_span_flows *s, uint64_t id, uint32_t *file)
{
    return tm_map_find(&s->recent, id, file) || tm_map_find(&s->before, id, file);
}

static enum tm_status add_span(struct tm_span_flows *s, uint64_t id, uint32_t file)
{
    if (s->recent.count == TM_SPAN_FLOWS_MAX) {
        struct tm_map old = s->before;
        s->before = s->recent;
        tm_map_clear(&old);
        s->recent = old;
    }
    return tm_map_set(&s->recent, id, file);
}

/* Adds a row of KIND for the flow ID, at the time of E. */
static enum tm_status add_flow(struct tm_span_flows *s, const struct tm_event *e, uint32_t kind, uint64_t id,
                               struct tm_error *err)
{
    struct tm_event flow = {.time_ns = e->time_ns,
                            .position = e->position,
                            .kind = kind,
                            .flags = (e->flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID)) | TM_EVENT_HAS_TRACK |
                                     TM_EVENT_DERIVED | tm_event_scope_flags(TM_SCOPE_THREAD),
                            .file = e->file,
                            .machine = e->machine,
                            .clock = e->clock,
                            .sequence = e->sequence,
                            .generation = e->generation,
                            .pid = e->pid,
                            .tid = e->tid,
                            .track = id};
    return tm_batch_queue_add(&s->out, &flow, err);
}

/* Passes E. If it is a span, adds the end of its parent's flow, and the start of its own or, if its id is known, the
 * end of that. */
static enum tm_status add_event(struct tm_span_flows *s, const struct tm_event *e, struct tm_error *err)
{
    struct span span;
    uint32_t file;
    enum tm_status st = tm_batch_queue_add(&s->out, e, err);
    if (st < 0 || !may_be_span(e) || !read_span(e, &span))
        return st;
    uint64_t parent = tm_hash_u64(span.trace ^ tm_hash_u64(span.parent));
    uint64_t own = tm_hash_u64(span.trace ^ tm_hash_u64(span.span));
    if (span.parent && find(s, parent, &file) && file != e->file)
        st = add_flow(s, e, TM_KIND_FLOW_END, parent, err);
    if (st < 0 || span.span == 0)
        return st;
    if (find(s, own, &file))
        return file != e->file ? add_flow(s, e, TM_KIND_FLOW_END, own, err) : TM_OK;
    st = add_flow(s, e, TM_KIND_FLOW_START, own, err);
    return st < 0 ? st : add_span(s, own, e->file) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_span_flows_init(struct tm_span_flows *s, const struct tm_catalog *catalog, struct tm_batch_receiver receiver)
{
    *s = (struct tm_span_flows){.out = {.receiver = receiver}, .args = tm_catalog_expander(catalog)};
}

enum tm_status tm_span_flows_batch(struct tm_span_flows *s, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (!tm_batch_has_kind(batch, TM_KIND_SLICE_BEGIN, TM_KIND_SLICE_COMPLETE))
        return tm_batch_queue_pass(&s->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        if ((st = tm_arg_expand(&s->args, &e, err)) == TM_OK)
            st = add_event(s, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

void tm_span_flows_release(struct tm_span_flows *s)
{
    tm_map_release(&s->recent);
    tm_map_release(&s->before);
    tm_batch_queue_release(&s->out);
    tm_arg_expander_release(&s->args);
}
