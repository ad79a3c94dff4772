#include "emit/text/arg_tree.h"

#include "base/secret.h"

#include <stdlib.h>

struct tm_arg_node {
    struct tm_text name;
    bool is_index; /* name is the digits of an index in brackets */
    bool has_value, is_text;
    bool is_array; /* all children are indices 0, 1, 2, … */
    uint32_t child_count;
    uint32_t first, last, next; /* first and last child, and the next child of the same parent; 0: none */
    struct tm_text value;
};

/* One name of a path. */
struct part {
    struct tm_text name;
    bool is_index;
};

static size_t index_length(struct tm_text rest)
{
    size_t n = 1;
    if (rest.len == 0 || rest.data[0] != '[')
        return 0;
    while (n < rest.len && rest.data[n] >= '0' && rest.data[n] <= '9')
        n++;
    bool ends = n > 1 && n < rest.len && rest.data[n] == ']';
    return ends && (n + 1 == rest.len || rest.data[n + 1] == '.' || rest.data[n + 1] == '[') ? n + 1 : 0;
}

/* Takes the first name from *REST. IS_LAST: all the rest is one name. */
static struct part next_part(struct tm_text *rest, bool is_last)
{
    size_t n = index_length(*rest);
    struct part part = {*rest, false};
    if (is_last) {
        rest->len = 0;
        return part;
    }
    if (n) {
        part = (struct part){{rest->data + 1, n - 2}, true};
    } else {
        while (n < rest->len && (rest->data[n] != '.' || n + 1 == rest->len) &&
               !(n > 0 && index_length(tm_text_after(*rest, n))))
            n++;
        part.name.len = n;
    }
    *rest = tm_text_after(*rest, n);
    if (rest->len && rest->data[0] == '.')
        *rest = tm_text_after(*rest, 1);
    return part;
}

/* Returns KEY without the part that says where args come from. */
static struct tm_text own_path(struct tm_text key)
{
    static const char *const origins[] = {"args.", "debug."};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        if (key.len > strlen(origins[i]) && memcmp(key.data, origins[i], strlen(origins[i])) == 0)
            return tm_text_after(key, strlen(origins[i]));
    return key;
}

static bool is_called(const struct tm_arg_node *node, const struct part *part)
{
    return node->is_index == part->is_index && node->name.len == part->name.len &&
           (part->name.len == 0 || memcmp(node->name.data, part->name.data, part->name.len) == 0);
}

static struct tm_key key_of(uint32_t parent, const struct part *part)
{
    return (struct tm_key){parent, tm_keyed_bytes(tm_secret(), part->name.data, part->name.len), part->is_index};
}

static uint32_t find_child(const struct tm_arg_tree *t, uint32_t parent, const struct part *part)
{
    const struct tm_arg_node *p = &t->nodes[parent];
    if (p->last && is_called(&t->nodes[p->last], part))
        return p->last;
    if (t->count > TM_ARG_TREE_SMALL) {
        struct tm_key key = key_of(parent, part);
        int64_t found = tm_table_find(&t->children, &key);
        return found > 0 && is_called(&t->nodes[found], part) ? (uint32_t)found : 0;
    }
    uint32_t i = p->first;
    while (i && !is_called(&t->nodes[i], part))
        i = t->nodes[i].next;
    return i;
}

static enum tm_status note_child(struct tm_arg_tree *t, uint32_t parent, uint32_t child, struct tm_error *err)
{
    const struct part part = {t->nodes[child].name, t->nodes[child].is_index};
    struct tm_key key = key_of(parent, &part);
    return tm_table_set(&t->children, &key, child, err);
}

/* Adds all nodes to the table, once the tree is too large to search the children of a node one by one. */
static enum tm_status note_all(struct tm_arg_tree *t, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t child = t->nodes[i].first; child && st == TM_OK; child = t->nodes[child].next)
            st = note_child(t, i, child, err);
    return st;
}

static enum tm_status add_node(struct tm_arg_tree *t, const struct part *part, uint32_t *node, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&t->nodes, &t->cap, t->count, sizeof *t->nodes, err);
    if (st < 0)
        return st;
    *node = t->count++;
    t->nodes[*node] = (struct tm_arg_node){.name = part->name, .is_index = part->is_index};
    return TM_OK;
}

/* True if PART is the next index of PARENT, whose children so far are the indices before it. */
static bool continues_array(const struct tm_arg_node *parent, const struct part *part)
{
    uint64_t index = 0;
    for (size_t i = 0; i < part->name.len && index <= UINT32_MAX; i++)
        index = index * 10 + (part->name.data[i] - '0');
    return part->is_index && (parent->child_count == 0 || parent->is_array) && index == parent->child_count;
}

static enum tm_status add_child(struct tm_arg_tree *t, uint32_t parent, const struct part *part, uint32_t *child,
                                struct tm_error *err)
{
    enum tm_status st = add_node(t, part, child, err);
    if (st < 0)
        return st;
    struct tm_arg_node *p = &t->nodes[parent];
    p->is_array = continues_array(p, part);
    p->child_count++;
    if (p->last)
        t->nodes[p->last].next = *child;
    else
        p->first = *child;
    p->last = *child;
    if (t->count == TM_ARG_TREE_SMALL + 1)
        return note_all(t, err);
    return t->count > TM_ARG_TREE_SMALL ? note_child(t, parent, *child, err) : TM_OK;
}

/* Sets the node at ARG's path, and makes the nodes of the path that are missing. */
static enum tm_status add_arg(struct tm_arg_tree *t, const struct tm_arg_value *arg, struct tm_error *err)
{
    struct tm_text rest = own_path(arg->key);
    uint32_t node = 0, child;
    int depth = 0;
    do {
        struct part part = next_part(&rest, ++depth == TM_ARG_TREE_DEPTH_MAX);
        enum tm_status st = TM_OK;
        if ((child = find_child(t, node, &part)) == 0)
            st = add_child(t, node, &part, &child, err);
        if (st < 0)
            return st;
        node = child;
    } while (rest.len);
    t->nodes[node].has_value = true;
    t->nodes[node].is_text = arg->is_text;
    t->nodes[node].value = arg->value;
    return TM_OK;
}

enum tm_status tm_arg_tree_read(struct tm_arg_tree *t, const uint8_t *list, size_t len, struct tm_error *err)
{
    static const struct part object = {{(const uint8_t *)"", 0}, false};
    struct tm_arg_value arg;
    uint32_t root;
    size_t at = 0;
    if (t->count > TM_ARG_TREE_SMALL)
        tm_table_clear(&t->children);
    t->count = 0;
    if (len == 0)
        return TM_OK;
    enum tm_status st = add_node(t, &object, &root, err);
    while (st == TM_OK && tm_arg_list_next(list, len, &at, &arg))
        st = add_arg(t, &arg, err);
    return st;
}

uint32_t tm_arg_tree_find(const struct tm_arg_tree *t, struct tm_text path)
{
    struct tm_text rest = own_path(path);
    uint32_t node = 0;
    int depth = 0;
    if (t->count == 0)
        return 0;
    do {
        struct part part = next_part(&rest, ++depth == TM_ARG_TREE_DEPTH_MAX);
        node = find_child(t, node, &part);
    } while (node && rest.len);
    return node;
}

static void put_value(const struct tm_arg_node *node, struct tm_out *out)
{
    if (node->is_text)
        tm_out_json(out, node->value);
    else
        tm_out_bytes(out, node->value.data, node->value.len);
}

void tm_arg_tree_json(const struct tm_arg_tree *t, uint32_t number, struct tm_out *out)
{
    const struct tm_arg_node *node = &t->nodes[number];
    bool is_array = node->is_array && !node->has_value && number != 0;
    if (node->first == 0) {
        put_value(node, out);
        return;
    }
    tm_out_char(out, is_array ? '[' : '{');
    if (node->has_value) { /* other paths continue this one */
        tm_out_str(out, "\"\":");
        put_value(node, out);
    }
    for (uint32_t i = node->first; i; i = t->nodes[i].next) {
        if (i != node->first || node->has_value)
            tm_out_char(out, ',');
        if (!is_array) {
            tm_out_json(out, t->nodes[i].name);
            tm_out_char(out, ':');
        }
        tm_arg_tree_json(t, i, out);
    }
    tm_out_char(out, is_array ? ']' : '}');
}

bool tm_arg_tree_text(const struct tm_arg_tree *t, uint32_t number, struct tm_text *text)
{
    const struct tm_arg_node *node = &t->nodes[number];
    *text = node->value;
    return node->first == 0 && node->is_text;
}

void tm_arg_tree_each(const struct tm_arg_tree *t, void (*show)(void *self, struct tm_text name, uint32_t node),
                      void *self)
{
    for (uint32_t i = t->count ? t->nodes[0].first : 0; i; i = t->nodes[i].next)
        show(self, t->nodes[i].name, i);
}

void tm_arg_tree_release(struct tm_arg_tree *t)
{
    free(t->nodes);
    tm_table_release(&t->children);
    *t = (struct tm_arg_tree){0};
}
