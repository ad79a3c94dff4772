/* The number of elements that arrays in the args of an event have so far. */
#ifndef TM_FORMAT_PERFETTO_ELEMENT_COUNTS_H
#define TM_FORMAT_PERFETTO_ELEMENT_COUNTS_H

#include "format/perfetto/id_map.h"

enum { TM_PROTO_FEW_ARRAYS = 16 };

struct tm_proto_element_counts {
    /* private: the first arrays, then the others */
    uint64_t keys[TM_PROTO_FEW_ARRAYS], counts[TM_PROTO_FEW_ARRAYS];
    uint32_t used;
    struct tm_proto_map more;
};

/* Begins without arrays. Leaves the memory for the first ones as it is, because most events have none. */
static inline void tm_proto_element_counts_init(struct tm_proto_element_counts *counts)
{
    counts->used = 0;
    counts->more = (struct tm_proto_map){0};
}

/* Sets *COUNT to that of the array KEY, a number or a hash, for the caller to raise; it is valid until the next call.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_element_count(struct tm_proto_element_counts *counts, uint64_t key, uint64_t **count);

void tm_proto_element_counts_release(struct tm_proto_element_counts *counts);

#endif
