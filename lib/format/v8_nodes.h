/* The call tree of a CPU profile of V8: nodes, each with a function, and the stack that ends in a node. Nodes have ids
 * of 32 bits within a session, which is a number of the caller. Source: the DevTools protocol's Profiler.ProfileNode.
 *
 * Nodes are objects of a list (tm_v8_nodes_add), or stand one inside the other (tm_v8_nodes_child). */
#ifndef TM_FORMAT_V8_NODES_H
#define TM_FORMAT_V8_NODES_H

#include "json/scan.h"

#include "base/intern.h"
#include "base/map.h"

/* Limits for the profiles of one file. Samples of nodes beyond them have no frames. Of a stack, frames beyond the
 * limits are left out, outermost first. */
enum { TM_PROFILE_NODES_MAX = 1 << 18, TM_PROFILE_DEPTH_MAX = 1024, TM_PROFILE_STACK_BYTES_MAX = 64 << 10 };

struct tm_v8_node {
    uint32_t parent; /* its number */
    bool has_parent;
    bool is_child; /* a node lists it among its children */
    bool is_read;  /* else nothing but that is known of it */
    bool is_cut;   /* a limit leaves out its function or url */
    uint8_t mark;  /* private */
    uint32_t function; /* string number + 1; 0: none */
    uint32_t url;
};

/* Zero-initialise, then init. */
struct tm_v8_nodes {
    struct tm_v8_node *all;
    uint32_t count;
    /* The nodes are those of a whole document: they may come before their parents, and have the members of their
     * callFrame themselves. Functions without a name are "(anonymous)". */
    bool is_document;
    /* private */
    uint32_t cap;
    struct tm_map number_of; /* session << 32 | id -> number */
    struct tm_intern strings;
    struct tm_buf scratch;
};

void tm_v8_nodes_init(struct tm_v8_nodes *nodes, bool is_document);
void tm_v8_nodes_release(struct tm_v8_nodes *nodes);

/* The members of a node that are read. */
enum tm_v8_member {
    TM_V8_OTHER,
    TM_V8_ID,
    TM_V8_PARENT,
    TM_V8_CHILDREN,
    TM_V8_CALL_FRAME,
    TM_V8_FUNCTION, /* in callFrame, or (is_document) in the node itself; TM_V8_URL too */
    TM_V8_URL
};

enum tm_v8_member tm_v8_member_of(const struct tm_json_value *key);

/* Sets *ID to the number V. False: it is no integer of 32 bits without a sign. */
bool tm_v8_node_id(const struct tm_json_value *v, uint32_t *id);

/* Adds the node OBJECT (valid JSON) to SESSION. TM_OK, also if a limit leaves it out; TM_END: it is bad, since a node
 * has its id already, or it lists the child of another one, or (unless is_document) its parent is not known;
 * TM_E_SYSTEM. */
enum tm_status tm_v8_nodes_add(struct tm_v8_nodes *nodes, uint32_t session, const struct tm_json_value *object);

/* Adds a node below node number PARENT (UINT32_MAX: it is a root), without id and function, and sets *NUMBER to its
 * number. TM_OK; TM_END: there are too many; TM_E_SYSTEM. */
enum tm_status tm_v8_nodes_child(struct tm_v8_nodes *nodes, uint32_t parent, uint32_t *number);

/* Sets the id of node NUMBER in SESSION. TM_OK; TM_END: a node has it already; TM_E_SYSTEM. */
enum tm_status tm_v8_nodes_name(struct tm_v8_nodes *nodes, uint32_t session, uint32_t number, uint32_t id);

/* Sets what VALUE, that of MEMBER, states of the function of NODE, if it does. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_v8_nodes_function(struct tm_v8_nodes *nodes, struct tm_v8_node *node, enum tm_v8_member member,
                                    const struct tm_json_value *value);

/* Ends a document: nodes from which no path of parents leads to a root, because one is not there or is below itself,
 * count as never read. Returns how many. */
uint64_t tm_v8_nodes_end(struct tm_v8_nodes *nodes);

/* True if node ID of SESSION was read. */
bool tm_v8_nodes_has(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id);

/* True if node ID of SESSION was read, or could be one of those beyond the limit. */
bool tm_v8_nodes_may_have(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id);

/* Appends the stack that ends in node ID of SESSION to DETAIL as StackFrame messages, outermost first. Frames beyond
 * TM_PROFILE_DEPTH_MAX are left out, outermost first. No frame is added once DETAIL has BYTES_MAX bytes. Returns TM_OK;
 * TM_END: a limit leaves out a part of it; TM_E_SYSTEM. */
enum tm_status tm_v8_nodes_stack(const struct tm_v8_nodes *nodes, uint32_t session, uint32_t id, size_t bytes_max,
                                 struct tm_buf *detail);

#endif
