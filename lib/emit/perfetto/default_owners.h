/* Which file has the default track of each machine: the track that readers give to events that name none. Each recorded
 * file has its own default track, but the output has only one for each machine. The first file keeps it; later files
 * get a track of their own, so that the end of one file's slice does not end that of another. */
#ifndef TM_EMIT_PERFETTO_DEFAULT_OWNERS_H
#define TM_EMIT_PERFETTO_DEFAULT_OWNERS_H

#include "base/map.h"
#include "model/catalog.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_default_owners {
    bool is_shared; /* some machine has packet sequences of several files */
    uint32_t *files; /* by Machine.id: the first file in order of processing with a sequence of the machine, plus 1 */
    uint32_t machine_count;
    struct tm_map described; /* own default tracks that have a descriptor in the output */
};

/* Finds the owners by the sequences of CATALOG. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_default_owners_init(struct tm_default_owners *owners, const struct tm_catalog *catalog);

/* True if a row with FLAGS and KIND, of a track event, is on TRACK because it names none: on the default track. */
static inline bool tm_is_on_default_track(uint32_t flags, uint32_t kind, uint64_t track)
{
    return track == 0 && flags & TM_EVENT_HAS_TRACK && tm_event_scope(flags) == TM_SCOPE_TRACK &&
           kind - TM_KIND_SLICE_BEGIN <= TM_KIND_INSTANT - TM_KIND_SLICE_BEGIN;
}

/* True if the default track of MACHINE belongs to another file than FILE. */
static inline bool tm_default_owners_is_other(const struct tm_default_owners *owners, uint32_t machine, uint32_t file)
{
    return machine < owners->machine_count && owners->files[machine] && owners->files[machine] != file + 1;
}

/* Returns TM_END if UUID, an own default track, has a descriptor in the output, and notes that it has one now. TM_OK:
 * it had none. TM_E_SYSTEM. */
enum tm_status tm_default_owners_describe(struct tm_default_owners *owners, uint64_t uuid);

void tm_default_owners_release(struct tm_default_owners *owners);

#endif
