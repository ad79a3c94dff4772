/* The parts of an argument's key, "a.b[0]": names and indices. A bracket without an index is part of a name. */
#ifndef TM_EMIT_PERFETTO_ANNOTATION_KEY_H
#define TM_EMIT_PERFETTO_ANNOTATION_KEY_H

#include "base/text.h"

enum { TM_ANNOTATION_DEPTH_MAX = 32 }; /* deeper nesting stays in the name */

/* Returns KEY without the prefix of keys of Chrome JSON. */
struct tm_text tm_annotation_key_bare(struct tm_text key);

/* Returns the end of "[12]" at AT of KEY, if it is an index at the end of KEY or before another part; otherwise 0. */
uint32_t tm_annotation_index_end(struct tm_text key, uint32_t at);

/* Returns the end of the name that starts at FROM. A bracket at FROM, or one without an index, is part of the name. */
uint32_t tm_annotation_name_end(struct tm_text key, uint32_t from);

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
