/* Totals of allocated and freed memory by call stack, for the heap profiles of a sequence. A heap profile states totals
 * for each stack; rows have the change since the dump before. The rules are those of perfetto's
 * profile_packet_sequence_state. Zero-initialise. Memory grows with distinct stacks, and TM_HEAP_TOTALS_MAX is the
 * limit. */
#ifndef TM_FORMAT_PERFETTO_HEAP_TOTALS_H
#define TM_FORMAT_PERFETTO_HEAP_TOTALS_H

#include "base/table.h"

enum { TM_HEAP_TOTALS_MAX = 1 << 20 };

/* Bytes and objects. */
struct tm_heap_counts {
    int64_t allocated_bytes, allocated_count, freed_bytes, freed_count;
};

struct tm_heap_totals {
    /* private */
    struct tm_table stacks; /* hash of the frames to a number */
    struct tm_table totals; /* (process, stack) to the index of its counts */
    struct tm_table seen;   /* (process, heap, the recorder's id of a stack, stack) */
    /* the recorder's id to the index of the totals that its stack had when the recorder began to count with this id */
    struct tm_table bases;
    struct tm_heap_counts *counts;
    uint32_t count, cap;
};

/* A stack of one dump. */
struct tm_heap_sample {
    uint64_t pid;
    uint64_t heap;     /* hash of the heap's name */
    uint64_t stack_id; /* the recorder's */
    uint64_t frames[2]; /* two hashes of the frames */
    struct tm_heap_counts counts; /* as the recorder states them */
};

/* Sets *CHANGE to the change of the totals by SAMPLE. The recorder discards a stack that has no memory any more. If the
 * stack comes again, it has another id, and its totals begin at 0. TM_OK; TM_END: totals went down, and the sample is
 * left out; TM_E_INPUT: the limit is exceeded; TM_E_SYSTEM. */
enum tm_status tm_heap_totals_add(struct tm_heap_totals *totals, const struct tm_heap_sample *sample,
                                  struct tm_heap_counts *change, struct tm_error *err);

/* Frees all memory; the totals are as zero-initialised. */
void tm_heap_totals_release(struct tm_heap_totals *totals);

#endif
