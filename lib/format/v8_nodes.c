#include "format/v8_nodes.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "base/table.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { STRINGS_MAX = 1 << 17, STRING_BYTES_MAX = 16 << 20, STRING_BYTES_OF_ONE_MAX = 4096 };

/* What tm_v8_nodes_end knows of a node. */
enum { MARK_NONE, MARK_ON_PATH, MARK_GOOD, MARK_BAD };

void tm_v8_nodes_init(struct tm_v8_nodes *nodes, bool is_document)
{
    nodes->is_document = is_document;
    tm_intern_init(&nodes->strings, STRINGS_MAX, STRING_BYTES_MAX);
}

void tm_v8_nodes_release(struct tm_v8_nodes *nodes)
{
    free(nodes->all);
    tm_map_release(&nodes->number_of);
    tm_intern_release(&nodes->strings);
    tm_buf_release(&nodes->scratch);
}

enum tm_v8_member tm_v8_member_of(const struct tm_json_value *key)
{
    static const char *const names[] = {
        [TM_V8_ID] = "id",
        [TM_V8_PARENT] = "parent",
        [TM_V8_CHILDREN] = "children",
        [TM_V8_CALL_FRAME] = "callFrame",
        [TM_V8_FUNCTION] = "functionName",
        [TM_V8_URL] = "url",
    };
    for (int member = TM_V8_ID; member <= TM_V8_URL; member++)
        if (tm_json_is(key, names[member]))
            return (enum tm_v8_member)member;
    return TM_V8_OTHER;
}

static uint64_t key_of(uint32_t session, uint32_t id)
{
    return (uint64_t)session << 32 | id;
}

enum tm_status tm_v8_nodes_child(struct tm_v8_nodes *nodes, uint32_t parent, uint32_t *number)
{
    if (nodes->count == TM_PROFILE_NODES_MAX)
        return TM_END;
    if (tm_array_grow(&nodes->all, &nodes->cap, nodes->count, sizeof *nodes->all, NULL) < 0)
        return TM_E_SYSTEM;
    *number = nodes->count++;
    nodes->all[*number] = (struct tm_v8_node){.is_read = true};
    if (parent != UINT32_MAX) {
        nodes->all[*number].has_parent = true;
        nodes->all[*number].parent = parent;
    }
    return TM_OK;
}

enum tm_status tm_v8_nodes_name(struct tm_v8_nodes *nodes, uint32_t session, uint32_t number, uint32_t id)
{
    uint32_t known;
    if (tm_map_find(&nodes->number_of, key_of(session, id), &known))
        return TM_END;
    return tm_map_set(&nodes->number_of, key_of(session, id), number) < 0 ? TM_E_SYSTEM : TM_OK;
}

/* Finds or makes the node (SESSION, ID), and sets *NUMBER to its number. TM_OK; TM_END: there are too many;
 * TM_E_SYSTEM. */
static enum tm_status get_node(struct tm_v8_nodes *nodes, uint32_t session, uint32_t id, uint32_t *number)
{
    if (tm_map_find(&nodes->number_of, key_of(session, id), number))
        return TM_OK;
    enum tm_status st = tm_v8_nodes_child(nodes, UINT32_MAX, number);
    if (st != TM_OK)
        return st;
    nodes->all[*number].is_read = false;
    return tm_v8_nodes_name(nodes, session, *number, id);
}

bool tm_v8_node_id(const struct tm_json_value *v, uint32_t *id)
{
    int64_t n;
    if (v->type != TM_JSON_NUMBER || tm_decimal_int((const char *)v->data, v->len, &n) != TM_OK || n < 0 ||
        n > UINT32_MAX)
        return false;
    *id = (uint32_t)n;
    return true;
}

/* Sets *STRING to 1 + the number of string V; 0: V is not a string, is empty, or exceeds a limit, which cuts NODE. */
static enum tm_status get_string(struct tm_v8_nodes *nodes, const struct tm_json_value *v, struct tm_v8_node *node,
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
        if (!tm_json_text(v, &nodes->scratch, &s, &len))
            return TM_E_SYSTEM;
        st = tm_intern_add(&nodes->strings, s, len, &id, NULL);
    }
    *string = st == TM_OK ? id + 1 : 0;
    node->is_cut |= st == TM_END;
    return st < 0 ? st : TM_OK;
}

static enum tm_status set_text(struct tm_v8_nodes *nodes, struct tm_v8_node *node, enum tm_v8_member member,
                               const struct tm_json_value *value)
{
    static const char anonymous[] = "(anonymous)";
    static const struct tm_json_value no_name = {
        .data = (const uint8_t *)anonymous, .len = sizeof anonymous - 1, .type = TM_JSON_STRING};
    const bool is_anonymous = nodes->is_document && value->type == TM_JSON_STRING && value->len == 0;
    return member == TM_V8_FUNCTION ? get_string(nodes, is_anonymous ? &no_name : value, node, &node->function)
           : member == TM_V8_URL    ? get_string(nodes, value, node, &node->url)
                                    : TM_OK;
}

static enum tm_status read_frame(struct tm_v8_nodes *nodes, struct tm_v8_node *node,
                                 const struct tm_json_value *frame)
{
    struct tm_json_value k, v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(frame);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK)
        st = set_text(nodes, node, tm_v8_member_of(&k), &v);
    return st;
}

enum tm_status tm_v8_nodes_function(struct tm_v8_nodes *nodes, struct tm_v8_node *node, enum tm_v8_member member,
                                    const struct tm_json_value *value)
{
    if (member == TM_V8_CALL_FRAME && value->type == TM_JSON_OBJECT)
        return read_frame(nodes, node, value);
    return nodes->is_document ? set_text(nodes, node, member, value) : TM_OK;
}

/* Makes node number PARENT the parent of the nodes in CHILDREN. Nodes that are not known yet are made. TM_OK; TM_END:
 * one is the child of another node already, and those after it have not been looked at; TM_E_SYSTEM. */
static enum tm_status adopt(struct tm_v8_nodes *nodes, uint32_t session, uint32_t parent,
                            const struct tm_json_value *children)
{
    struct tm_json_value v;
    uint32_t id, number;
    struct tm_json_scan scan = tm_json_scan_of(children);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (!tm_v8_node_id(&v, &id))
            continue;
        enum tm_status st = get_node(nodes, session, id, &number);
        if (st < 0)
            return st;
        if (st == TM_END)
            continue;
        struct tm_v8_node *child = &nodes->all[number];
        if (child->is_child)
            return TM_END;
        child->parent = parent;
        child->has_parent = child->is_child = true;
    }
    return TM_OK;
}

/* What a node states of itself. */
struct stated {
    struct tm_v8_node node; /* parent is not set */
    uint32_t id, parent_id;
    struct tm_json_value children;
};

/* Sets the parent of NODE to the one that it states. TM_OK; TM_END: it is not known; TM_E_SYSTEM. */
static enum tm_status find_parent(struct tm_v8_nodes *nodes, uint32_t session, const struct stated *stated,
                                  struct tm_v8_node *node)
{
    node->has_parent = true;
    if (!nodes->is_document && !tm_v8_nodes_has(nodes, session, stated->parent_id))
        return TM_END;
    return get_node(nodes, session, stated->parent_id, &node->parent);
}

/* Adds a node. TM_OK; TM_END: it is bad; TM_E_SYSTEM. */
static enum tm_status add_node(struct tm_v8_nodes *nodes, uint32_t session, const struct stated *stated)
{
    struct tm_v8_node node = stated->node;
    uint32_t number;
    enum tm_status st = get_node(nodes, session, stated->id, &number);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if (stated->node.has_parent) {
        st = find_parent(nodes, session, stated, &node);
    } else if (nodes->all[number].is_child) {
        node.has_parent = true;
        node.parent = nodes->all[number].parent;
        st = nodes->is_document || nodes->all[node.parent].is_read ? TM_OK : TM_END;
    }
    if (st != TM_OK || nodes->all[number].is_read)
        return st < 0 ? st : TM_END;
    node.is_child = nodes->all[number].is_child;
    node.is_read = true;
    nodes->all[number] = node;
    return stated->children.type == TM_JSON_ARRAY ? adopt(nodes, session, number, &stated->children) : TM_OK;
}

enum tm_status tm_v8_nodes_add(struct tm_v8_nodes *nodes, uint32_t session, const struct tm_json_value *object)
{
    struct stated stated = {.children = {.type = TM_JSON_NULL}};
    struct tm_json_value k, v;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(object);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &k, &v) == TM_JSON_OK) {
        const enum tm_v8_member member = tm_v8_member_of(&k);
        if (member == TM_V8_ID)
            (void)tm_v8_node_id(&v, &stated.id);
        else if (member == TM_V8_PARENT)
            stated.node.has_parent = tm_v8_node_id(&v, &stated.parent_id);
        else if (member == TM_V8_CHILDREN && v.type == TM_JSON_ARRAY)
            stated.children = v;
        else
            st = tm_v8_nodes_function(nodes, &stated.node, member, &v);
    }
    return st < 0 ? st : add_node(nodes, session, &stated);
}

/* Marks node NUMBER and those above it, as far as they have no mark yet. */
static void mark_path(struct tm_v8_nodes *nodes, uint32_t number)
{
    uint32_t n = number;
    uint8_t end = MARK_NONE;
    while (end == MARK_NONE) {
        struct tm_v8_node *node = &nodes->all[n];
        if (node->mark != MARK_NONE || !node->is_read) {
            end = node->mark == MARK_GOOD ? MARK_GOOD : MARK_BAD;
        } else {
            node->mark = MARK_ON_PATH;
            end = node->has_parent ? MARK_NONE : MARK_GOOD;
            n = node->parent;
        }
    }
    for (n = number; nodes->all[n].mark == MARK_ON_PATH; n = nodes->all[n].parent)
        nodes->all[n].mark = end;
}

uint64_t tm_v8_nodes_end(struct tm_v8_nodes *nodes)
{
    uint64_t bad = 0;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->all[i].is_read)
            mark_path(nodes, i);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->all[i].mark == MARK_BAD) {
            nodes->all[i].is_read = false;
            bad++;
        }
    return bad;
}

bool tm_v8_nodes_has(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id)
{
    uint32_t number;
    return tm_map_find(&nodes->number_of, key_of(session, id), &number) && nodes->all[number].is_read;
}

bool tm_v8_nodes_may_have(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id)
{
    return nodes->count == TM_PROFILE_NODES_MAX || tm_v8_nodes_has(nodes, session, id);
}

static enum tm_status put_frame(const struct tm_v8_nodes *nodes, const struct tm_v8_node *n, struct tm_buf *detail)
{
    size_t mark, function_len = 0, url_len = 0;
    const uint8_t *function = n->function ? tm_intern_get(&nodes->strings, n->function - 1, &function_len) : NULL;
    const uint8_t *url = n->url ? tm_intern_get(&nodes->strings, n->url - 1, &url_len) : NULL;
    if (tm_pb_begin(detail, TM_DETAIL_FRAMES, &mark) != TM_OK ||
        (function && tm_pb_put_bytes(detail, TM_STACK_FRAME_FUNCTION, function, function_len) != TM_OK) ||
        (url && tm_pb_put_bytes(detail, TM_STACK_FRAME_FILE, url, url_len) != TM_OK))
        return TM_E_SYSTEM;
    return tm_pb_end(detail, mark);
}

enum tm_status tm_v8_nodes_stack(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id, size_t bytes_max,
                                 struct tm_buf *detail)
{
    uint32_t stack[TM_PROFILE_DEPTH_MAX];
    uint32_t depth = 0, number;
    bool is_cut = false, has_more = tm_map_find(&nodes->number_of, key_of(session, id), &number);
    enum tm_status st = TM_OK;
    if (!has_more)
        return TM_END;
    while (has_more && depth < TM_PROFILE_DEPTH_MAX) {
        stack[depth++] = number;
        has_more = nodes->all[number].has_parent;
        number = nodes->all[number].parent;
    }
    is_cut = has_more;
    while (st == TM_OK && depth > 0 && detail->len < bytes_max) {
        const struct tm_v8_node *node = &nodes->all[stack[--depth]];
        is_cut |= node->is_cut;
        st = put_frame(nodes, node, detail);
    }
    return st == TM_OK && (is_cut || depth > 0) ? TM_END : st;
}
