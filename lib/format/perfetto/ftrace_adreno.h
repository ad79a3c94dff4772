/* Batches of commands to an Adreno GPU. Two events describe a batch. The sync event states readings of the kernel's
 * clock and the GPU's at one instant. The retired event states when the GPU began and finished, on the GPU's clock.
 * Either may come first. Zero-initialise. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_ADRENO_H
#define TM_FORMAT_PERFETTO_FTRACE_ADRENO_H

#include "format/perfetto/id_map.h"

/* A batch of which one event has been read. */
struct tm_proto_adreno_batch {
    uint32_t machine;
    uint32_t number;
    bool is_done; /* the event read is the retired event */
    uint32_t context;
    uint32_t priority;
    uint32_t clock;
    int64_t time_ns;     /* of the sync event, a reading of clock */
    uint64_t ticks;      /* the GPU's clock at that time */
    uint64_t start, end; /* on the GPU's clock */
};

struct tm_proto_adreno {
    struct tm_proto_map threads; /* (machine, context) to the first thread that queued a batch, and the time */
    /* private */
    struct tm_proto_adreno_batch *batches; /* a ring of as many as the limit allows */
    uint32_t count;
    uint32_t first; /* the place of the oldest */
};

void tm_proto_adreno_release(struct tm_proto_adreno *adreno);

#endif
