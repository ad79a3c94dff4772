/* The words for kinds of events, as outputs show them and --only takes them. */
#ifndef TM_STREAM_KIND_NAME_H
#define TM_STREAM_KIND_NAME_H

#include <stdint.h>

/* Returns "slice_begin", "instant", ...; NULL for a kind that this version does not know. */
const char *tm_name_of_kind(uint32_t kind);

#endif
