/* Batches of commands to an Adreno GPU. Two events tell of each: one states both the kernel's clock and the GPU's at
 * one moment, the other when the GPU began and finished, on its clock. Either may come first. Zero-initialise. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_ADRENO_H
#define TM_FORMAT_PERFETTO_FTRACE_ADRENO_H

#include "format/perfetto/id_map.h"

/* A batch of which one event has come. */
struct tm_proto_adreno_batch {
    uint32_t machine;
    uint32_t number;
    bool is_done; /* the event is that of its end */
    uint32_t context;
    uint32_t priority;
    uint32_t clock;
    int64_t time_ns;     /* of the moment, on that clock */
    uint64_t ticks;      /* the GPU's clock at that moment */
    uint64_t start, end; /* on the GPU's clock */
};

struct tm_proto_adreno {
    struct tm_proto_map threads; /* (machine, context) to the thread that first queued a batch of it, and when */
    /* private */
    struct tm_proto_adreno_batch *batches;
    uint32_t count;
    uint32_t oldest; /* the one to forget next when there are too many */
};

void tm_proto_adreno_release(struct tm_proto_adreno *adreno);

#endif
