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
    bool has_profile = false;
    scan.p++;
    *c = (struct tm_v8_chunk){.text_bytes = data->len};
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "startTime"))
            c->has_start = tm_json_decimal(&v, NS_SCALE, &c->start_ns) == TM_OK;
        else if (tm_json_is(&k, "timeDeltas"))
            c->has_deltas = take_array(&v, &c->deltas);
        else if (tm_json_is(&k, "cpuProfile") && v.type == TM_JSON_OBJECT) {
            has_profile = true;
            read_cpu_profile(&v, c);
        }
    }
    return c->has_start || has_profile || c->has_deltas;
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

/* Sets *STRING to 1 + the number of string V; 0: V is not a string, is empty, or exceeds a limit, which cuts NODE. */
static enum tm_status get_string(struct tm_v8_profile *p, const struct tm_json_value *v, struct tm_v8_node *node,
                                 uint32_t *string)
{
    const uint8_t *s;
    size_t len;
    uint32_t id;
    enum tm_status st = TM_END;
    *string = 0;
    if (v->type != TM_JSON_STRING || v->len == 0)
        return TM_OK;
    if (v->len <= STRING_BYTES_OF_ONE_MAX) {
        if (!tm_json_text(v, &p->scratch, &s, &len))
            return TM_E_SYSTEM;
        st = tm_intern_add(&p->strings, s, len, &id, NULL);
    }
    *string = st == TM_OK ? id + 1 : 0;
    node->is_cut |= st == TM_END;
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
            st = get_string(p, &v, out, &out->function);
        else if (tm_json_is(&k, "url"))
            st = get_string(p, &v, out, &out->url);
    }
    return st;
}

/* Makes PARENT the parent of the nodes in CHILDREN. Nodes that are not known yet are made. TM_OK; TM_END: one is the
 * child of another node already, and those after it have not been looked at; TM_E_SYSTEM. */
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
        if (child && child->is_child)
            return TM_END;
        if (child) {
            child->parent = parent;
            child->has_parent = child->is_child = true;
        }
    }
    return TM_OK;
}

/* True if node ID of SESSION was read. */
static bool is_read(const struct tm_v8_profile *p, uint32_t session, uint32_t id)
{
    uint32_t node;
    return tm_map_find(&p->node_of, (uint64_t)session << 32 | id, &node) && p->nodes[node].is_read;
}

/* Adds NODE, whose children are CHILDREN. TM_OK; TM_END: it is bad; TM_E_SYSTEM. */
static enum tm_status add_node(struct tm_v8_profile *p, uint32_t session, struct tm_v8_node node,
                               const struct tm_json_value *children)
{
    struct tm_v8_node *known;
    enum tm_status st = get_node(p, session, node.id, &known);
    if (st < 0 || known == NULL)
        return st;
    if (!node.has_parent && known->is_child) {
        node.has_parent = true;
        node.parent = known->parent;
    }
    if (known->is_read || (node.has_parent && !is_read(p, session, node.parent)))
        return TM_END;
    node.is_child = known->is_child;
    node.is_read = true;
    *known = node;
    return children->type == TM_JSON_ARRAY ? adopt(p, session, node.id, children) : TM_OK;
}

/* Reads and adds the node TEXT. Status is that of add_node. */
static enum tm_status read_node(struct tm_v8_profile *p, uint32_t session, const struct tm_json_value *text)
{
    struct tm_v8_node node = {0};
    struct tm_json_value k, v, children = {.type = TM_JSON_NULL};
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(text);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "id"))
            (void)get_id(&v, &node.id);
        else if (tm_json_is(&k, "parent"))
            node.has_parent = get_id(&v, &node.parent);
        else if (tm_json_is(&k, "children") && v.type == TM_JSON_ARRAY)
            children = v;
        else if (tm_json_is(&k, "callFrame") && v.type == TM_JSON_OBJECT)
            st = read_frame(p, &v, &node);
    }
    return st < 0 ? st : add_node(p, session, node, &children);
}

/* Adds the nodes of the array NODES (valid JSON) to SESSION, or to none if that is NULL. Counts bad ones in *BAD. */
static enum tm_status add_nodes(struct tm_v8_profile *profile, const struct tm_v8_session *session,
                                const struct tm_json_value *nodes, uint64_t *bad)
{
    struct tm_json_value v;
    struct tm_json_scan scan = tm_json_scan_of(nodes);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (v.type != TM_JSON_OBJECT)
            continue;
        enum tm_status st =
            session ? read_node(profile, (uint32_t)(session - profile->sessions), &v) : TM_END;
        if (st < 0)
            return st;
        *bad += st == TM_END;
    }
    return TM_OK;
}

static enum tm_status put_frame(const struct tm_v8_profile *p, const struct tm_v8_node *n, struct tm_buf *detail)
{
    size_t mark, function_len = 0, url_len = 0;
    const uint8_t *function = n->function ? tm_intern_get(&p->strings, n->function - 1, &function_len) : NULL;
    const uint8_t *url = n->url ? tm_intern_get(&p->strings, n->url - 1, &url_len) : NULL;
    if (tm_pb_begin(detail, TM_DETAIL_FRAMES, &mark) != TM_OK ||
        (function && tm_pb_put_bytes(detail, TM_STACK_FRAME_FUNCTION, function, function_len) != TM_OK) ||
        (url && tm_pb_put_bytes(detail, TM_STACK_FRAME_FILE, url, url_len) != TM_OK))
        return TM_E_SYSTEM;
    return tm_pb_end(detail, mark);
}

/* Appends the stack that ends in node ID to DETAIL as StackFrame messages, outermost first. Frames beyond
 * TM_PROFILE_DEPTH_MAX are left out, outermost first. No frame is added once DETAIL has TM_PROFILE_STACK_BYTES_MAX
 * bytes. Sets S->is_cut if a limit leaves out a part. */
static enum tm_status put_stack(struct tm_v8_samples *s, uint32_t id, struct tm_buf *detail)
{
    const struct tm_v8_profile *profile = s->profile;
    uint32_t stack[TM_PROFILE_DEPTH_MAX];
    uint32_t depth = 0, number = (uint32_t)(s->session - profile->sessions);
    enum tm_status st = TM_OK;
    for (bool has_more = true; has_more;) {
        uint32_t node;
        s->is_cut = depth == TM_PROFILE_DEPTH_MAX ||
                    !tm_map_find(&profile->node_of, (uint64_t)number << 32 | id, &node);
        if (s->is_cut)
            break;
        stack[depth++] = node;
        has_more = profile->nodes[node].has_parent;
        id = profile->nodes[node].parent;
    }
    while (st == TM_OK && depth > 0 && detail->len < TM_PROFILE_STACK_BYTES_MAX) {
        const struct tm_v8_node *node = &profile->nodes[stack[--depth]];
        s->is_cut |= node->is_cut;
        st = put_frame(profile, node, detail);
    }
    s->is_cut |= depth > 0;
    return st;
}

static bool is_id(const struct tm_json_value *v)
{
    uint32_t id;
    return get_id(v, &id);
}

static bool is_delta(const struct tm_json_value *v)
{
    int64_t ns;
    return tm_json_decimal(v, NS_SCALE, &ns) == TM_OK;
}

/* Returns the number of elements of LIST; 0 if one of them is not as IS_VALID demands, or if there is no list. */
static uint64_t count_valid(bool has_list, const struct tm_json_value *list,
                            bool (*is_valid)(const struct tm_json_value *))
{
    struct tm_json_value v;
    uint64_t count = 0;
    if (!has_list)
        return 0;
    struct tm_json_scan scan = tm_json_scan_of(list);
    scan.p++;
    for (; tm_json_element(&scan, &v) == TM_JSON_OK; count++)
        if (!is_valid(&v))
            return 0;
    return count;
}

/* Prepares to read the samples of CHUNK. TM_OK; TM_END: they are lost. */
static enum tm_status begin_samples(struct tm_v8_samples *samples, const struct tm_v8_chunk *chunk)
{
    const uint64_t count = count_valid(chunk->has_samples, &chunk->samples, is_id);
    if (count != count_valid(chunk->has_deltas, &chunk->deltas, is_delta) || (count && samples->session == NULL))
        return TM_END;
    if (count == 0)
        return TM_OK;
    samples->nodes = tm_json_scan_of(&chunk->samples);
    samples->deltas = tm_json_scan_of(&chunk->deltas);
    samples->nodes.p++;
    samples->deltas.p++;
    samples->budget = STACKS_BYTES_FREE + (uint64_t)chunk->text_bytes * STACKS_GROWTH_MAX;
    return TM_OK;
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
    *samples = (struct tm_v8_samples){.profile = *profile, .session = session};
    if (chunk->has_nodes && add_nodes(*profile, session, &chunk->nodes, &samples->bad_nodes) < 0)
        return TM_E_SYSTEM;
    return begin_samples(samples, chunk);
}

/* Reads the next pair of a node and a time. TM_OK; TM_END: there is none; TM_E_INPUT. */
static enum tm_status next_pair(struct tm_v8_samples *s, uint32_t *id)
{
    struct tm_json_value node, delta;
    int64_t ns;
    if (s->nodes.p == s->nodes.end || tm_json_element(&s->nodes, &node) != TM_JSON_OK ||
        tm_json_element(&s->deltas, &delta) != TM_JSON_OK || !get_id(&node, id))
        return TM_END;
    if (tm_json_decimal(&delta, NS_SCALE, &ns) != TM_OK || !tm_add_i64(s->session->time_ns, ns, &ns))
        return TM_E_INPUT;
    s->time_ns = s->session->time_ns = ns;
    return TM_OK;
}

/* True if node ID is known, or could be one of those beyond the limit. */
static bool may_have_node(const struct tm_v8_samples *s, uint32_t id)
{
    return s->profile->node_count == TM_PROFILE_NODES_MAX ||
           is_read(s->profile, (uint32_t)(s->session - s->profile->sessions), id);
}

enum tm_status tm_v8_samples_next(struct tm_v8_samples *s, struct tm_buf *detail)
{
    uint32_t id = 0;
    enum tm_status st;
    while ((st = next_pair(s, &id)) == TM_OK && !may_have_node(s, id))
        s->bad_samples++;
    if (st != TM_OK)
        return st;
    s->is_cut = s->budget == 0;
    if (s->is_cut)
        return TM_OK;
    size_t before = detail->len;
    st = put_stack(s, id, detail);
    s->budget -= detail->len - before < s->budget ? detail->len - before : s->budget;
    return st;
}
