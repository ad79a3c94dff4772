/* The machine table of several streams. Raw ids below 2^32 (the host and ids found in traces) are the same machine in
 * all streams. Named machines are identified by name and get the raw ids 2^32, 2^32 + 1, … in order of appearance
 * (doc/rules.md section 4). */
#ifndef TM_SORT_UNION_MACHINE_UNION_H
#define TM_SORT_UNION_MACHINE_UNION_H

#include "base/index.h"
#include "base/map.h"
#include "stream/writer.h"

struct tm_union_machine {
    int64_t raw_id;
    bool has_name;
    uint8_t *name; /* owned by the table */
    size_t name_bytes;
};

/* Zero-initialise. A row's number is its index. */
struct tm_machine_union {
    struct tm_union_machine *rows;
    uint32_t count;
    /* private */
    uint32_t cap;
    uint32_t named_count; /* raw ids used from 2^32 on */
    struct tm_map by_raw_id;       /* rows with raw ids below 2^32 */
    struct tm_index by_name;       /* the first row of each name */
    struct tm_index by_name_alone; /* the same of rows with raw ids from 2^32 on */
};

/* Finds the row of the machine with RAW_ID and NAME (NULL: none), or adds one. TM_OK; TM_E_INPUT beyond the limit of
 * machines; TM_E_SYSTEM. */
enum tm_status tm_machine_union_add(struct tm_machine_union *machines, int64_t raw_id,
                                    const ProtobufCBinaryData *name, uint32_t *row, struct tm_error *err);

/* Returns the first row with NAME, or count. */
uint32_t tm_machine_union_find_name(const struct tm_machine_union *machines, const ProtobufCBinaryData *name);

void tm_machine_union_release(struct tm_machine_union *machines);

#endif
