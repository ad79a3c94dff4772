/* RemoteClockSync: how far a machine's clocks are ahead of the host's, computed from rounds of readings in both
 * directions. Source: doc/rules.md section 5, "RemoteClockSync". */
#ifndef TM_CLOCKS_REMOTE_SYNC_H
#define TM_CLOCKS_REMOTE_SYNC_H

#include "tm_stream.pb-c.h"

#include "base/status.h"

/* One clock that both sides have read. */
struct tm_remote_offset {
    uint32_t clock;
    int64_t host_ns;   /* the last host reading */
    int64_t offset_ns; /* how far the client is ahead: the average over all round trips, rounded toward zero */
};

struct tm_remote_offsets {
    struct tm_remote_offset *offsets; /* owned, in ascending clock id */
    size_t count;
};

/* Finds the offsets that SYNC states. TM_OK, TM_E_INPUT ("more rounds than …") or TM_E_SYSTEM. */
enum tm_status tm_remote_offsets_find(struct tm_remote_offsets *out, const Tracemerge__RemoteClockSync *sync,
                                      struct tm_error *err);

void tm_remote_offsets_release(struct tm_remote_offsets *offsets);

#endif
