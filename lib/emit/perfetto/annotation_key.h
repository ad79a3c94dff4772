/* The parts of an argument's key, "a.b[0]": names and indices. A bracket without an index is part of a name. */
#ifndef TM_EMIT_PERFETTO_ANNOTATION_KEY_H
#define TM_EMIT_PERFETTO_ANNOTATION_KEY_H

#include "base/text.h"

enum { TM_ANNOTATION_DEPTH_MAX = 32 }; /* deeper nesting stays in the name */

/* Returns KEY without the prefix of keys of Chrome JSON. */
struct tm_text tm_annotation_key_bare(struct tm_text key);

/* Returns the end of "[12]" at AT of KEY, if it is an index at the end of KEY or before another part; otherwise 0. */
uint32_t tm_annotation_index_end(struct tm_text key, uint32_t at);

/* Returns the end of the name that starts at FROM in DEPTH groups. A bracket without an index is part of the name,
 * which can be empty. */
uint32_t tm_annotation_name_end(struct tm_text key, uint32_t from, uint32_t depth);

/* A group, in DEPTH others, has a name or index that ends at END of KEY. Sets *FROM to where the parts in it begin.
 * True: it is an array, so these are indices. */
bool tm_annotation_is_array(struct tm_text key, uint32_t end, uint32_t depth, uint32_t *from);

/* Walks the names of a key: zero-initialise with .key set. */
struct tm_annotation_name_walk {
    struct tm_text key; /* without prefix */
    /* private */
    uint32_t from, depth;
    bool is_array, is_over;
};

/* Sets *NAME to the next name. False: there is none. */
bool tm_annotation_name_next(struct tm_annotation_name_walk *walk, struct tm_text *name);

#endif
