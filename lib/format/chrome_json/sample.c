#include "format/chrome_json/internal.h"

#include "base/checked.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

/* A few bytes can name a node that stands for a whole stack. So the stacks of one chunk are limited to
 * STACKS_BYTES_FREE bytes plus STACKS_GROWTH_MAX times the length of its text. Samples beyond the limit have no
 * stack. */
enum { STACKS_BYTES_FREE = 1 << 20, STACKS_GROWTH_MAX = 512 };

/* The content of a Profile or ProfileChunk. */
struct chunk {
    struct tm_json_value nodes, samples, deltas;
    bool has_nodes, has_samples, has_deltas, has_start;
    int64_t start_ns;
};

static bool take_array(const struct tm_json_value *v, struct tm_json_value *out)
{
    *out = *v;
    return v->type == TM_JSON_ARRAY;
}

static void read_cpu_profile(const struct tm_json_value *text, struct chunk *c)
{
    struct tm_json_value k, v;
    struct tm_json_scan scan = tm_json_scan_of(text);
    scan.p++;
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "nodes"))
            c->has_nodes = take_array(&v, &c->nodes);
        else if (tm_json_is(&k, "samples"))
            c->has_samples = take_array(&v, &c->samples);
    }
}

static void read_data(const struct tm_json_value *text, struct chunk *c)
{
    struct tm_json_value k, v;
    struct tm_json_scan scan = tm_json_scan_of(text);
    scan.p++;
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "startTime"))
            c->has_start = tm_json_time(&v, &c->start_ns) == TM_OK;
        else if (tm_json_is(&k, "timeDeltas"))
            c->has_deltas = take_array(&v, &c->deltas);
        else if (tm_json_is(&k, "cpuProfile") && v.type == TM_JSON_OBJECT)
            read_cpu_profile(&v, c);
    }
}

/* Finds the profile data of the event. False: there is none. */
static bool read_chunk(struct tm_json_row_builder *w, struct chunk *c)
{
    const struct tm_json_value *args = tm_json_event_get(w->json, TM_JF_ARGS);
    struct tm_json_value data;
    *c = (struct chunk){.start_ns = 0};
    if (args == NULL || !tm_json_find(args, "data", &data) || data.type != TM_JSON_OBJECT)
        return false;
    read_data(&data, c);
    return c->has_start || c->has_nodes || c->has_samples || c->has_deltas;
}

/* Adds one sample of the profile. It is a row of its own, since its time differs from the event's. */
static enum tm_status add_sample(struct tm_json_row_builder *w, struct tm_profile_session *session, uint32_t node,
                                 uint64_t *budget)
{
    struct tm_json_row_builder sample = *w;
    sample.event.kind = TM_KIND_SAMPLE;
    sample.event.time_ns = session->time_ns;
    sample.event.flags = w->event.flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID);
    sample.event.flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    sample.event.raw_bytes = 0;
    tm_buf_clear(&w->rows->detail);
    if (*budget == 0)
        w->rows->args_cut++;
    else if (tm_json_profile_stack(w->rows->profile, session, node, &w->rows->detail) != TM_OK)
        return tm_error_nomem(w->err);
    *budget -= w->rows->detail.len < *budget ? w->rows->detail.len : *budget;
    return tm_json_row_builder_add(&sample);
}

/* Adds a sample for each pair of a node id and a time delta. Ends at the first error in the two lists. */
static enum tm_status add_samples(struct tm_json_row_builder *w, struct tm_profile_session *session,
                                  const struct chunk *c)
{
    struct tm_json_scan nodes = tm_json_scan_of(&c->samples), deltas = tm_json_scan_of(&c->deltas);
    struct tm_json_value node, delta;
    uint64_t budget = STACKS_BYTES_FREE + (uint64_t)w->json->raw_len * STACKS_GROWTH_MAX;
    enum tm_status st = TM_OK;
    nodes.p++;
    deltas.p++;
    while (st == TM_OK) {
        enum tm_json_status more = tm_json_element(&nodes, &node);
        int64_t id, ns;
        if (more == TM_JSON_CLOSE && tm_json_element(&deltas, &delta) == TM_JSON_CLOSE)
            break;
        if (more != TM_JSON_OK || tm_json_element(&deltas, &delta) != TM_JSON_OK ||
            tm_decimal_int((const char *)node.data, node.len, &id) != TM_OK || id < 0 || id > UINT32_MAX ||
            tm_json_time(&delta, &ns) != TM_OK || !tm_add_i64(session->time_ns, ns, &ns)) {
            w->rows->parser_failures++; /* lists of unequal length, or an element that is not a number */
            break;
        }
        session->time_ns = ns;
        st = add_sample(w, session, (uint32_t)id, &budget);
    }
    return st;
}

/* Adds the event itself, then its samples. */
static enum tm_status add_chunk(struct tm_json_row_builder *w, const struct chunk *c)
{
    struct tm_json_id id;
    struct tm_json_rows *rows = w->rows;
    tm_json_row_builder_default(w);
    enum tm_status st = tm_json_row_builder_add(w);
    if (st < 0 || !tm_json_id_of(tm_json_event_get(w->json, TM_JF_ID), &rows->id, &id))
        return st;
    if (rows->profile == NULL) {
        if ((rows->profile = calloc(1, sizeof *rows->profile)) == NULL)
            return tm_error_nomem(w->err);
        tm_json_profile_init(rows->profile);
    }
    uint64_t key = tm_hash64_seed(id.text, id.len, (uint64_t)w->event.pid);
    struct tm_profile_session *session = tm_json_profile_session(rows->profile, key, c->has_start, c->start_ns);
    if (session == NULL) {
        rows->parser_failures++;
        return TM_OK;
    }
    if (c->has_nodes && tm_json_profile_nodes(rows->profile, session, &c->nodes, &rows->scratch) != TM_OK)
        return tm_error_nomem(w->err);
    return c->has_samples && c->has_deltas ? add_samples(w, session, c) : TM_OK;
}

/* Adds the frames of the member "stack", which lists their names, outermost first. */
static enum tm_status put_stack(struct tm_json_row_builder *w)
{
    const struct tm_json_value *stack = tm_json_event_of(w->json, TM_JF_STACK, TM_JSON_ARRAY);
    struct tm_json_value v;
    const uint8_t *s;
    size_t len, mark;
    if (stack == NULL)
        return TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(stack);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (v.type != TM_JSON_STRING)
            continue;
        if (!tm_json_text(&v, &w->rows->scratch, &s, &len) ||
            tm_pb_begin(&w->rows->detail, TM_DETAIL_FRAMES, &mark) != TM_OK ||
            tm_pb_put_bytes(&w->rows->detail, TM_STACK_FRAME_FUNCTION, s, len) != TM_OK ||
            tm_pb_end(&w->rows->detail, mark) != TM_OK)
            return tm_error_nomem(w->err);
    }
    return TM_OK;
}

enum tm_status tm_json_sample(struct tm_json_row_builder *w)
{
    struct chunk chunk;
    if (read_chunk(w, &chunk))
        return add_chunk(w, &chunk);
    w->event.kind = TM_KIND_SAMPLE;
    w->event.flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    enum tm_status st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    if (st >= 0)
        st = tm_json_row_builder_string(w, TM_JF_CAT, &w->event.category);
    if (st >= 0)
        st = put_stack(w);
    return st < 0 ? st : tm_json_row_builder_add(w);
}
