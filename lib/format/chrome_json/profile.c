#include "format/chrome_json/profile.h"

#include "base/decimal.h"
#include "base/table.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { STRINGS_MAX = 1 << 17, STRING_BYTES_MAX = 16 << 20, STRING_BYTES_OF_ONE_MAX = 4096 };

void tm_json_profile_init(struct tm_json_profile *profile)
{
    tm_intern_init(&profile->strings, STRINGS_MAX, STRING_BYTES_MAX);
}

void tm_json_profile_release(struct tm_json_profile *profile)
{
    free(profile->nodes);
    tm_map_release(&profile->node_of);
    tm_intern_release(&profile->strings);
}

struct tm_profile_session *tm_json_profile_session(struct tm_json_profile *p, uint64_t key, bool start,
                                                   int64_t time_ns)
{
    uint32_t i = 0;
    while (i < p->session_count && p->sessions[i].key != key)
        i++;
    if (i == p->session_count) {
        if (!start || i == TM_PROFILE_SESSIONS_MAX)
            return NULL;
        p->sessions[p->session_count++].key = key;
    }
    if (start)
        p->sessions[i].time_ns = time_ns;
    return &p->sessions[i];
}

/* Finds or makes the node (SESSION, ID). *NODE is NULL if there are too many. */
static enum tm_status get_node(struct tm_json_profile *p, uint32_t session, uint32_t id, struct tm_profile_node **node)
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
        p->nodes[p->node_count++] = (struct tm_profile_node){.id = id};
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
static enum tm_status get_string(struct tm_json_profile *p, const struct tm_json_value *v, struct tm_buf *scratch,
                                 uint32_t *string)
{
    const uint8_t *s;
    size_t len;
    uint32_t id;
    *string = 0;
    if (v->type != TM_JSON_STRING || v->len == 0 || v->len > STRING_BYTES_OF_ONE_MAX)
        return TM_OK;
    if (!tm_json_text(v, scratch, &s, &len))
        return TM_E_SYSTEM;
    enum tm_status st = tm_intern_add(&p->strings, s, len, &id, NULL);
    *string = st == TM_OK ? id + 1 : 0;
    return st < 0 ? st : TM_OK;
}

static enum tm_status read_frame(struct tm_json_profile *p, const struct tm_json_value *frame, struct tm_buf *scratch,
                                 struct tm_profile_node *out)
{
    struct tm_json_value k, v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(frame);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        if (tm_json_is(&k, "functionName"))
            st = get_string(p, &v, scratch, &out->function);
        else if (tm_json_is(&k, "url"))
            st = get_string(p, &v, scratch, &out->url);
    }
    return st;
}

/* Makes PARENT the parent of the nodes in CHILDREN that have none. Nodes that are not known yet are made. */
static enum tm_status adopt(struct tm_json_profile *p, uint32_t session, uint32_t parent,
                            const struct tm_json_value *children)
{
    struct tm_json_value v;
    struct tm_profile_node *child;
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

static enum tm_status read_node(struct tm_json_profile *p, uint32_t session, const struct tm_json_value *text,
                                struct tm_buf *scratch)
{
    struct tm_profile_node node = {0}, *known;
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
            st = read_frame(p, &v, scratch, &node);
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

enum tm_status tm_json_profile_nodes(struct tm_json_profile *profile, const struct tm_profile_session *session,
                                     const struct tm_json_value *nodes, struct tm_buf *scratch)
{
    struct tm_json_value v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(nodes);
    scan.p++;
    while (st == TM_OK && tm_json_element(&scan, &v) == TM_JSON_OK)
        if (v.type == TM_JSON_OBJECT)
            st = read_node(profile, (uint32_t)(session - profile->sessions), &v, scratch);
    return st;
}

static enum tm_status put_frame(const struct tm_json_profile *p, const struct tm_profile_node *n, struct tm_buf *detail)
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

enum tm_status tm_json_profile_stack(const struct tm_json_profile *profile, const struct tm_profile_session *session,
                                     uint32_t id, struct tm_buf *detail)
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
