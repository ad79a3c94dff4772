/* Ids of flows, tracks and legacy events in the output. Files must not share one by accident, so the ids of a file are
 * mixed with a number of that file. */
#ifndef TM_EMIT_PERFETTO_ID_MIX_H
#define TM_EMIT_PERFETTO_ID_MIX_H

#include "base/hash.h"

/* How ids of a file become ids of the output; 0: they stay. */
struct tm_id_mix {
    uint64_t ids, flows;
};

/* Returns the output's id for ID of a file with MIX; not 0 unless MIX is 0. */
static inline uint64_t tm_id_mixed(uint64_t mix, uint64_t id)
{
    if (mix == 0)
        return id;
    uint64_t mixed = tm_hash_u64(id ^ mix);
    return mixed ? mixed : 1;
}

/* Returns the output's uuid for ID, the uuid of a track in a recorded packet; 0 is no track and stays 0. */
static inline uint64_t tm_id_mixed_recorded(uint64_t mix, uint64_t id)
{
    return id ? tm_id_mixed(mix, id) : 0;
}

#endif
