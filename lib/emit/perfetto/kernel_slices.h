/* Threads with slices that readers make of kernel events, such as markers. Readers put them on the thread itself. So
 * slices of other files are on a track below the thread's there, and on the thread elsewhere. */
#ifndef TM_EMIT_PERFETTO_KERNEL_SLICES_H
#define TM_EMIT_PERFETTO_KERNEL_SLICES_H

#include "base/hash.h"
#include "base/map.h"
#include "model/catalog.h"

/* Zero-initialise. */
struct tm_kernel_slices {
    /* private */
    bool is_unknown; /* any thread may have some */
    struct tm_map threads; /* of tm_kernel_slices_key */
};

/* True for types of files with kernel events or track descriptors. */
bool tm_is_of_kernel_or_tracks(enum tm_input_type type);

static inline uint64_t tm_kernel_slices_key(uint32_t machine, int64_t tid)
{
    return tm_hash_u64(tm_hash_u64(machine) ^ (uint64_t)tid);
}

/* Finds the threads: those that FileEnd lists for a file, on the machines on which the file has placements. If some
 * file of the kernel has no list or no placement, every thread counts as one of them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kernel_slices_init(struct tm_kernel_slices *slices, const struct tm_catalog *catalog);

/* True if the thread TID of MACHINE is one of them. */
static inline bool tm_kernel_slices_has(const struct tm_kernel_slices *slices, uint32_t machine, int64_t tid)
{
    uint32_t unused;
    return slices->is_unknown ||
           (slices->threads.count && tm_map_find(&slices->threads, tm_kernel_slices_key(machine, tid), &unused));
}

void tm_kernel_slices_release(struct tm_kernel_slices *slices);

#endif
