/* The evidence that matches give for pairs of files: certain constraints, and samples of events near each other. */
#ifndef TM_ALIGN_EVIDENCE_H
#define TM_ALIGN_EVIDENCE_H

#include "align/match_log.h"
#include "align/nodes.h"
#include "align/pair_table.h"

/* In a match with more members than this, each is compared only with the first one, and the last to begin with the
 * first to end. Those two give all the bounds. */
enum { TM_EVIDENCE_MEMBERS_MAX = 8 };

/* Facts about a file's matches. */
struct tm_evidence_node {
    uint64_t matches;
    uint32_t rules;       /* a bit for each rule that matched something */
    int64_t truncated_ns; /* an event can be this much later than its reading: the clock's granularity minus 1 */
    int64_t jitter_ns;    /* that of the node */
    bool is_uneven;       /* its clock does not drift evenly */
    struct tm_line rough; /* a rough line to the first file of its group of collectives; zero: none */
};

/* Zero-initialise. */
struct tm_evidence {
    uint32_t node_count;
    struct tm_evidence_node *nodes;
    struct tm_pair_table pairs; /* corridors and estimates are set where the evidence has some */
};

/* Reads LOG, whose members are NODES, as often as needed. A constraint is loosened by the granularity of the effect's
 * clock and by the jitter of both. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_evidence_find(struct tm_evidence *evidence, const struct tm_align_nodes *nodes,
                                struct tm_match_log *log, struct tm_error *err);

/* Calls ORDER for each constraint of MATCH between two of its members, the cause first, with the times as read. Of a
 * match with more than TM_EVIDENCE_MEMBERS_MAX members, only some constraints are passed. Ends at the first status of
 * ORDER other than TM_OK and returns it. */
typedef enum tm_status tm_evidence_order(void *context, const struct tm_match_member *cause, int64_t cause_ns,
                                         const struct tm_match_member *effect, int64_t effect_ns);
enum tm_status tm_evidence_orders(const struct tm_match *match, const struct tm_evidence_node *nodes,
                                  tm_evidence_order *order, void *context);

void tm_evidence_release(struct tm_evidence *evidence);

#endif
