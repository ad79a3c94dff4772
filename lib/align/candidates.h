/* The events of a placed stream that rules use, as records. */
#ifndef TM_ALIGN_CANDIDATES_H
#define TM_ALIGN_CANDIDATES_H

#include "align/nodes.h"
#include "align/open_spans.h"
#include "align/record_store.h"
#include "align/rule.h"
#include "base/map.h"

enum {
    TM_CANDIDATES_PARTS = 128,
    TM_CANDIDATES_PART_RECORDS = 1024, /* of a part of `numbered', in memory */
    TM_CANDIDATES_BLOCK_RECORDS = 256, /* of a node, in memory */
    TM_CANDIDATES_USES_MAX = 32
};

/* How many marks of one file are kept, from its first on. The lower limit holds until a system trace has shown a
 * mark. */
enum { TM_CANDIDATES_MARKS_MAX = 1 << 16, TM_CANDIDATES_EARLY_MARKS_MAX = 1 << 11 };

/* Receives each event that a rule uses, once. EVENT is borrowed. TM_OK, or an error that ends the reading. */
struct tm_align_watch {
    enum tm_status (*used)(void *self, const struct tm_align_event *event, struct tm_error *err);
    void *self;
};

/* Zero-initialise, and set file.dir of the stores. */
struct tm_candidates {
    const struct tm_align_watch *watch; /* gets the events, and no records are kept; NULL: records are kept */
    struct tm_align_use uses[TM_CANDIDATES_USES_MAX];
    uint32_t use_count;
    struct tm_catalog catalog;
    struct tm_arg_expander args; /* by the catalog */
    Tracemerge__Config *config; /* the manifest of the input; owned; NULL: none */
    struct tm_map entries; /* files that the manifest configures, to the number of their entry */
    struct tm_align_nodes nodes;
    struct tm_record_store numbered; /* a part holds the keys with equal low bits */
    struct tm_record_store ordinal;  /* a part for each node */
    struct tm_record_store marks;    /* records of TM_ROLE_MARK, a part for each node */
    bool has_kernel_marks;           /* a system trace has marks of programs */
    /* private */
    struct tm_table threads; /* from a file and track to its tid */
    struct tm_open_spans open;
    bool has_file;
    uint32_t file, node; /* of the last event */
};

/* Uses RULES (a list with commas; NULL: all that need no parameter). TM_OK, TM_E_USAGE or TM_E_SYSTEM. */
enum tm_status tm_candidates_use(struct tm_candidates *candidates, const char *rules, struct tm_error *err);

/* Reads the next frame of a placed stream; BATCH is its view if it is a batch. TM_OK; TM_E_INPUT, TM_E_SYSTEM. */
enum tm_status tm_candidates_add(struct tm_candidates *candidates, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err);

/* Reads the next event. The frames that describe it were added before. TM_OK or TM_E_SYSTEM, or what the watch
 * returned. */
enum tm_status tm_candidates_event(struct tm_candidates *candidates, const struct tm_event *event,
                                   struct tm_error *err);

/* Sets *END_NS to the end of E, which has a time. A complete slice ends after its duration. False if E or its end is
 * out of the range of times that are aligned. */
bool tm_candidates_end_of(const struct tm_event *e, int64_t *end_ns);

/* Reads the placed stream on FD to its end. TM_OK; TM_E_INPUT, TM_E_SYSTEM. */
enum tm_status tm_candidates_read(struct tm_candidates *candidates, int fd, struct tm_error *err);

/* Returns the part of `numbered' that holds KEY. */
static inline uint32_t tm_candidates_part(uint64_t key)
{
    return (uint32_t)key % TM_CANDIDATES_PARTS;
}

void tm_candidates_release(struct tm_candidates *candidates);

#endif
