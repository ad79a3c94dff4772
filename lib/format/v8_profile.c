#include "format/v8_profile.h"

#include "base/checked.h"
#include "base/decimal.h"
#include "base/pb.h"
#include "base/table.h"
#include "json/number.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { NS_SCALE = 3 /* of times in microseconds */ };
enum { STRINGS_MAX = 1 << 17, STRING_BYTES_MAX = 16 << 20, STRING_BYTES_OF_ONE_MAX = 4096 };

/* A few bytes can name a node that stands for a whole stack. So the stacks of one chunk are limited to
 * STACKS_BYTES_FREE bytes plus STACKS_GROWTH_MAX times the length of its text. Samples beyond the limit have no
 * stack. */
enum { STACKS_BYTES_FREE = 1 << 20, STACKS_GROWTH_MAX = 512 };

void tm_v8_profile_free(struct tm_v8_profile *profile)
{
    if (profile == NULL)
        return;
    free(profile->nodes);
    tm_map_release(&profile->node_of);
    tm_intern_release(&profile->strings);
    tm_buf_release(&profile->scratch);
    free(profile);
}

static bool take_array(const struct tm_json_value *v, struct tm_json_value *out)
{
    *out = *v;
    return v->type == TM_JSON_ARRAY;
}

static void read_cpu_profile(const struct tm_json_value *text, struct tm_v8_chunk *c)
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

bool tm_v8_chunk_read(const struct tm_json_value *data, struct tm_v8_chunk *c)
{
    struct tm_json_value k, v;
    struct tm_json_scan scan = tm_json_scan_of(data);
    scan.p++;
    *c = (struct tm_v8_chunk){.text_bytes = data->len};
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "startTime"))
            c->has_start = tm_json_decimal(&v, NS_SCALE, &c->start_ns) == TM_OK;
        else if (tm_json_is(&k, "timeDeltas"))
            c->has_deltas = take_array(&v, &c->deltas);
        else if (tm_json_is(&k, "cpuProfile") && v.type == TM_JSON_OBJECT)
            read_cpu_profile(&v, c);
    }
    return c->has_start || c->has_nodes || c->has_samples || c->has_deltas;
}

/* Finds the session KEY. If CHUNK starts it, makes it if it is new, and sets its time. NULL: it is not known, or there
 * are too many sessions. */
static struct tm_v8_session *find_session(struct tm_v8_profile *p, uint64_t key, const struct tm_v8_chunk *chunk)
{
    uint32_t i = 0;
    while (i < p->session_count && p->sessions[i].key != key)
        i++;
    if (i == p->session_count) {
        if (!chunk->has_start || i == TM_PROFILE_SESSIONS_MAX)
            return NULL;
        p->sessions[p->session_count++].key = key;
    }
    if (chunk->has_start)
        p->sessions[i].time_ns = chunk->start_ns;
    return &p->sessions[i];
}

/* Finds or makes the node (SESSION, ID). *NODE is NULL if there are too many. */
static enum tm_status get_node(struct tm_v8_profile *p, uint32_t session, uint32_t id, struct tm_v8_node **node)
{
    uint64_t key = (uint64_t)session << 32 | id;
    uint32_t number = p->node_count;
    *node = NULL;
    if (!tm_map_find(&p->node_of, key, &number)) {
        if (number == TM_PROFILE_NODES_MAX)
            return TM_OK;
        if (tm_array_grow(&p->nodes, &p->node_cap, number, sizeof *p->nodes, NULL) < 0 ||
            tm_map_set(&p->node_of, key, number) < 0)
            return TM_E_SYSTEM;
        p->nodes[p->node_count++] = (struct tm_v8_node){.id = id};
    }
    *node = &p->nodes[number];
    return TM_OK;
}

static bool get_id(const struct tm_json_value *v, uint32_t *id)
{
    int64_t n;
    if (v->type != TM_JSON_NUMBER || tm_decimal_int((const char *)v->data, v->len, &n) != TM_OK || n < 0 ||
        n > UINT32_MAX)
        return false;
    *id = (uint32_t)n;
    return true;
}

/* Sets *STRING to 1 + the number of string V; 0: V is not a string, is empty, or exceeds a limit. */
static enum tm_status get_string(struct tm_v8_profile *p, const struct tm_json_value *v, uint32_t *string)
{
    const uint8_t *s;
    size_t len;
    uint32_t id;
    *string = 0;
    if (v->type != TM_JSON_STRING || v->len == 0 || v->len > STRING_BYTES_OF_ONE_MAX)
        return TM_OK;
    if (!tm_json_text(v, &p->scratch, &s, &len))
        return TM_E_SYSTEM;
    enum tm_status st = tm_intern_add(&p->strings, s, len, &id, NULL);
    *string = st == TM_OK ? id + 1 : 0;
    return st < 0 ? st : TM_OK;
}

static enum tm_status read_frame(struct tm_v8_profile *p, const struct tm_json_value *frame,
                                 struct tm_v8_node *out)
{
    struct tm_json_value k, v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(frame);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "functionName"))
            st = get_string(p, &v, &out->function);
        else if (tm_json_is(&k, "url"))
            st = get_string(p, &v, &out->url);
    }
    return st;
}

/* Makes PARENT the parent of the nodes in CHILDREN that have none. Nodes that are not known yet are made. */
static enum tm_status adopt(struct tm_v8_profile *p, uint32_t session, uint32_t parent,
                            const struct tm_json_value *children)
{
    struct tm_json_value v;
    struct tm_v8_node *child;
    uint32_t id;
    struct tm_json_scan scan = tm_json_scan_of(children);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (!get_id(&v, &id))
            continue;
        if (get_node(p, session, id, &child) != TM_OK)
            return TM_E_SYSTEM;
        if (child && !child->has_parent) {
            child->parent = parent;
            child->has_parent = true;
        }
    }
    return TM_OK;
}

static enum tm_status read_node(struct tm_v8_profile *p, uint32_t session, const struct tm_json_value *text)
{
    struct tm_v8_node node = {0}, *known;
    struct tm_json_value k, v, children = {.type = TM_JSON_NULL};
    bool has_id = false;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(text);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "id"))
            has_id = get_id(&v, &node.id);
        else if (tm_json_is(&k, "parent"))
            node.has_parent = get_id(&v, &node.parent);
        else if (tm_json_is(&k, "children") && v.type == TM_JSON_ARRAY)
            children = v;
        else if (tm_json_is(&k, "callFrame") && v.type == TM_JSON_OBJECT)
            st = read_frame(p, &v, &node);
    }
    if (st < 0 || !has_id || (st = get_node(p, session, node.id, &known)) < 0 || known == NULL)
        return st;
    known->function = node.function;
    known->url = node.url;
    if (node.has_parent) {
        known->parent = node.parent;
        known->has_parent = true;
    }
    return children.type == TM_JSON_ARRAY ? adopt(p, session, node.id, &children) : TM_OK;
}

/* Adds the nodes of the array NODES (valid JSON). */
static enum tm_status add_nodes(struct tm_v8_profile *profile, const struct tm_v8_session *session,
                                const struct tm_json_value *nodes)
{
    struct tm_json_value v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(nodes);
    scan.p++;
    while (st == TM_OK && tm_json_element(&scan, &v) == TM_JSON_OK)
        if (v.type == TM_JSON_OBJECT)
            st = read_node(profile, (uint32_t)(session - profile->sessions), &v);
    return st;
}

static enum tm_status put_frame(const struct tm_v8_profile *p, const struct tm_v8_node *n, struct tm_buf *detail)
{
    size_t mark, len;
    if (tm_pb_begin(detail, TM_DETAIL_FRAMES, &mark) != TM_OK)
        return TM_E_SYSTEM;
    if (n->function) {
        const uint8_t *s = tm_intern_get(&p->strings, n->function - 1, &len);
        if (tm_pb_put_bytes(detail, TM_STACK_FRAME_FUNCTION, s, len) != TM_OK)
            return TM_E_SYSTEM;
    }
    if (n->url) {
        const uint8_t *s = tm_intern_get(&p->strings, n->url - 1, &len);
        if (tm_pb_put_bytes(detail, TM_STACK_FRAME_FILE, s, len) != TM_OK)
            return TM_E_SYSTEM;
    }
    return tm_pb_end(detail, mark);
}

/* Appends the stack that ends in node ID to DETAIL as StackFrame messages, outermost first. Frames beyond
 * TM_PROFILE_DEPTH_MAX are left out, outermost first. No frame is added once DETAIL has TM_PROFILE_STACK_BYTES_MAX
 * bytes. */
static enum tm_status put_stack(const struct tm_v8_profile *profile, const struct tm_v8_session *session, uint32_t id,
                                struct tm_buf *detail)
{
    uint32_t stack[TM_PROFILE_DEPTH_MAX];
    uint32_t depth = 0, number = (uint32_t)(session - profile->sessions);
    enum tm_status st = TM_OK;
    for (;;) {
        uint32_t node;
        if (depth == TM_PROFILE_DEPTH_MAX || !tm_map_find(&profile->node_of, (uint64_t)number << 32 | id, &node))
            break;
        stack[depth++] = node;
        if (!profile->nodes[node].has_parent)
            break;
        id = profile->nodes[node].parent;
    }
    while (st == TM_OK && depth > 0 && detail->len < TM_PROFILE_STACK_BYTES_MAX)
        st = put_frame(profile, &profile->nodes[stack[--depth]], detail);
    return st;
}

enum tm_status tm_v8_profile_take(struct tm_v8_profile **profile, uint64_t key, const struct tm_v8_chunk *chunk,
                                  struct tm_v8_samples *samples)
{
    if (*profile == NULL) {
        if ((*profile = calloc(1, sizeof **profile)) == NULL)
            return TM_E_SYSTEM;
        tm_intern_init(&(*profile)->strings, STRINGS_MAX, STRING_BYTES_MAX);
    }
    struct tm_v8_session *session = find_session(*profile, key, chunk);
    if (session == NULL)
        return TM_END;
    *samples = (struct tm_v8_samples){.profile = *profile, .session = session};
    if (chunk->has_samples && chunk->has_deltas) {
        samples->nodes = tm_json_scan_of(&chunk->samples);
        samples->deltas = tm_json_scan_of(&chunk->deltas);
        samples->nodes.p++;
        samples->deltas.p++;
        samples->budget = STACKS_BYTES_FREE + (uint64_t)chunk->text_bytes * STACKS_GROWTH_MAX;
    }
    return chunk->has_nodes ? add_nodes(*profile, session, &chunk->nodes) : TM_OK;
}

enum tm_status tm_v8_samples_next(struct tm_v8_samples *s, struct tm_buf *detail)
{
    struct tm_json_value node, delta;
    uint32_t id;
    int64_t ns;
    if (s->nodes.p == s->nodes.end)
        return TM_END;
    enum tm_json_status more = tm_json_element(&s->nodes, &node);
    if (more == TM_JSON_CLOSE && tm_json_element(&s->deltas, &delta) == TM_JSON_CLOSE)
        return TM_END;
    if (more != TM_JSON_OK || tm_json_element(&s->deltas, &delta) != TM_JSON_OK || !get_id(&node, &id) ||
        tm_json_decimal(&delta, NS_SCALE, &ns) != TM_OK || !tm_add_i64(s->session->time_ns, ns, &ns))
        return TM_E_INPUT;
    s->time_ns = s->session->time_ns = ns;
    s->is_cut = s->budget == 0;
    if (s->is_cut)
        return TM_OK;
    size_t before = detail->len;
    enum tm_status st = put_stack(s->profile, s->session, id, detail);
    s->budget -= detail->len - before < s->budget ? detail->len - before : s->budget;
    return st;
}
