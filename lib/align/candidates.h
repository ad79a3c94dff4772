/* The events of a placed stream that rules look at, as records. */
#ifndef TM_ALIGN_CANDIDATES_H
#define TM_ALIGN_CANDIDATES_H

#include "align/nodes.h"
#include "align/open_spans.h"
#include "align/record_store.h"
#include "align/rule.h"

enum { TM_CANDIDATES_PARTS = 128, TM_CANDIDATES_BLOCK_RECORDS = 256, TM_CANDIDATES_USES_MAX = 32 };

/* Of a file's own marks the first are kept, fewer where no system trace has shown any yet. */
enum { TM_CANDIDATES_COPIES_MAX = 1 << 16, TM_CANDIDATES_EARLY_COPIES_MAX = 1 << 11 };

/* Zero-initialise but for the fd of stores, which is -1. */
struct tm_candidates {
    struct tm_align_use uses[TM_CANDIDATES_USES_MAX];
    uint32_t use_count;
    struct tm_catalog catalog;
    Tracemerge__Config *config; /* the manifest of the input; owned; NULL: none */
    struct tm_align_nodes nodes;
    struct tm_record_store numbered; /* a part is of the keys with the same low bits */
    struct tm_record_store ordinal;  /* a part a node */
    struct tm_record_store copies;   /* those of TM_ROLE_COPY, a part a node */
    bool has_marks;                  /* a system trace has marks of programs */
    /* private */
    struct tm_table threads; /* of files and tracks, a tid */
    struct tm_open_spans open;
    bool has_file;
    uint32_t file, node; /* of the event looked at last */
};

/* Uses RULES (a list with commas, NULL: all that need no parameter). TM_OK, TM_E_USAGE or TM_E_SYSTEM. */
enum tm_status tm_candidates_use(struct tm_candidates *candidates, const char *rules, struct tm_error *err);

/* Takes the next frame of a placed stream, and BATCH, its view if it is a batch. TM_OK; TM_E_INPUT, TM_E_SYSTEM. */
enum tm_status tm_candidates_add(struct tm_candidates *candidates, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err);

/* Reads the placed stream on FD to its end. TM_OK; TM_E_INPUT, TM_E_SYSTEM. */
enum tm_status tm_candidates_read(struct tm_candidates *candidates, int fd, struct tm_error *err);

/* The part of `numbered' that KEY is in. */
static inline uint32_t tm_candidates_part(uint64_t key)
{
    return (uint32_t)key % TM_CANDIDATES_PARTS;
}

void tm_candidates_release(struct tm_candidates *candidates);

#endif
