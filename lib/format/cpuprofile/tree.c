#include "format/cpuprofile/internal.h"

enum { NO_NODE = UINT32_MAX /* beyond the limit of nodes */ };

/* The nodes whose objects have begun, outermost first. */
struct open_nodes {
    uint32_t numbers[TM_PROFILE_DEPTH_MAX];
    uint32_t depth;
};

/* Enters the object of a node. */
static enum tm_status begin_node(struct tm_cpuprofile *x, struct open_nodes *open, struct tm_error *err)
{
    const uint32_t parent = open->depth ? open->numbers[open->depth - 1] : UINT32_MAX;
    uint32_t number = NO_NODE;
    if (open->depth == TM_PROFILE_DEPTH_MAX)
        return tm_error_at(err, x->context.input->offset, "the tree has more levels than the limit of %d",
                           TM_PROFILE_DEPTH_MAX);
    if (tm_v8_nodes_child(&x->nodes, parent, &number) < 0)
        return tm_error_nomem(err);
    open->numbers[open->depth++] = number;
    return tm_json_cursor_enter(&x->cursor, err);
}

/* Reads MEMBER of node NUMBER, whose value is next. */
static enum tm_status read_member(struct tm_cpuprofile *x, uint32_t number, enum tm_v8_member member,
                                  struct tm_error *err)
{
    struct tm_json_value value;
    uint32_t id;
    if (number == NO_NODE || member == TM_V8_OTHER)
        return tm_json_cursor_skip(&x->cursor, err);
    enum tm_status st = tm_json_cursor_value(&x->cursor, &value, err);
    if (st < 0)
        return st;
    if (member != TM_V8_ID) {
        st = tm_v8_nodes_function(&x->nodes, &x->nodes.all[number], member, &value);
    } else if (tm_v8_node_id(&value, &id)) {
        st = tm_v8_nodes_name(&x->nodes, 0, number, id);
        x->bad_nodes += st == TM_END;
    }
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Moves to the next node within the list that the cursor is in and enters it. TM_OK; TM_END: the list has ended. */
static enum tm_status next_child(struct tm_cpuprofile *x, struct open_nodes *open, struct tm_error *err)
{
    enum tm_json_type type;
    enum tm_status st;
    while ((st = tm_json_cursor_element(&x->cursor, err)) == TM_OK &&
           (st = tm_json_cursor_type(&x->cursor, &type, err)) == TM_OK) {
        if (type == TM_JSON_OBJECT)
            return begin_node(x, open, err);
        if ((st = tm_json_cursor_skip(&x->cursor, err)) < 0)
            return st;
    }
    return st;
}

/* Reads members of the innermost node up to its list of children, and enters the first of these, if it has one. TM_OK;
 * TM_END: the node has ended. */
static enum tm_status read_members(struct tm_cpuprofile *x, struct open_nodes *open, struct tm_error *err)
{
    struct tm_json_value key;
    enum tm_json_type type;
    enum tm_status st;
    while ((st = tm_json_cursor_key(&x->cursor, &key, err)) == TM_OK) {
        const enum tm_v8_member member = tm_v8_member_of(&key);
        if ((st = tm_json_cursor_type(&x->cursor, &type, err)) < 0)
            return st;
        if (member != TM_V8_CHILDREN || type != TM_JSON_ARRAY) {
            if ((st = read_member(x, open->numbers[open->depth - 1], member, err)) < 0)
                return st;
            continue;
        }
        if ((st = tm_json_cursor_enter(&x->cursor, err)) == TM_OK)
            st = next_child(x, open, err);
        if (st != TM_END)
            return st;
    }
    return st;
}

enum tm_status tm_cpuprofile_tree_read(struct tm_cpuprofile *x, struct tm_error *err)
{
    struct open_nodes open = {.depth = 0};
    enum tm_status st = begin_node(x, &open, err);
    while (st == TM_OK) {
        st = read_members(x, &open, err);
        /* A node that ends is followed by its next sibling, or by further members of its parent. */
        if (st == TM_END && --open.depth > 0) {
            st = next_child(x, &open, err);
            st = st == TM_END ? TM_OK : st;
        }
    }
    return st == TM_END ? TM_OK : st;
}
