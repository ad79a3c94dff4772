#include "format/perfetto/element_counts.h"

enum tm_status tm_proto_element_count(struct tm_proto_element_counts *counts, uint64_t key, uint64_t **count)
{
    struct tm_proto_map_entry *entry;
    uint32_t i = 0;
    while (i < counts->used && counts->keys[i] != key)
        i++;
    if (i == TM_PROTO_FEW_ARRAYS) {
        enum tm_status st = tm_proto_map_add(&counts->more, 0, key, UINT32_MAX, &entry);
        if (st == TM_OK)
            *count = &entry->v1;
        return st;
    }
    if (i == counts->used) {
        counts->keys[counts->used++] = key;
        counts->counts[i] = 0;
    }
    *count = &counts->counts[i];
    return TM_OK;
}

void tm_proto_element_counts_release(struct tm_proto_element_counts *counts)
{
    tm_proto_map_release(&counts->more);
}
