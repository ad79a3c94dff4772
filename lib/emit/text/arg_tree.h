/* The args of a row as one JSON object. The keys of args are paths, as in the args table (doc/model.md): "args.grid[0]"
 * is the first element of the array "grid". The first part of a path that only says where args come from ("args.",
 * "debug.") is left out. If two args have the same path, the last one counts. */
#ifndef TM_EMIT_TEXT_ARG_TREE_H
#define TM_EMIT_TEXT_ARG_TREE_H

#include "base/table.h"
#include "emit/out.h"
#include "emit/text/arg_list.h"

/* Deeper paths end in one long name. Larger trees find children by a table. */
enum { TM_ARG_TREE_DEPTH_MAX = 64, TM_ARG_TREE_SMALL = 32 };

/* Zero-initialise. */
struct tm_arg_tree {
    struct tm_arg_node *nodes; /* [0] is the object; NULL without args */
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_table children; /* of large trees: from parent and name to node */
};

/* Sets TREE to the tree of LIST (arg_list.h), whose bytes must stay valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_arg_tree_read(struct tm_arg_tree *tree, const uint8_t *list, size_t len, struct tm_error *err);

/* The node at PATH, which has the form of a key; 0: none. */
uint32_t tm_arg_tree_find(const struct tm_arg_tree *tree, struct tm_text path);

/* Puts NODE as JSON. */
void tm_arg_tree_json(const struct tm_arg_tree *tree, uint32_t node, struct tm_out *out);

/* True if NODE is only a text; sets *TEXT to it. */
bool tm_arg_tree_text(const struct tm_arg_tree *tree, uint32_t node, struct tm_text *text);

/* Calls SHOW for each member of the object. */
void tm_arg_tree_each(const struct tm_arg_tree *tree, void (*show)(void *self, struct tm_text name, uint32_t node),
                      void *self);

void tm_arg_tree_release(struct tm_arg_tree *tree);

#endif
