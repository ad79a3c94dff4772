/* The evidence of each pair of files: the constraints of their matches as hulls, and samples. Memory grows with the
 * pairs, not with the matches. */
#ifndef TM_ALIGN_PAIR_TABLE_H
#define TM_ALIGN_PAIR_TABLE_H

#include "align/consensus.h"
#include "align/corridor.h"
#include "align/local_bounds.h"
#include "align/trend.h"
#include "base/table.h"

/* Zero-initialise except first and second. x is a reading of the first file, z the difference to the second's. */
struct tm_pair {
    uint32_t first, second; /* nodes; first < second */
    struct tm_hull above, below;
    struct tm_constraint *constraints; /* every 2^constraint_shift-th of each kind */
    uint32_t constraint_count, constraint_cap;
    unsigned constraint_shift;
    struct tm_sample *samples; /* every 2^sample_shift-th */
    uint32_t sample_count, sample_cap;
    unsigned sample_shift;
    uint64_t seen[2]; /* number of upper and of lower constraints */
    uint64_t samples_seen;
    uint64_t left_out; /* number of constraints that disagree with the consensus */
    bool is_sifted; /* not all constraints can be true; the hulls have those that agree with the consensus */
    struct tm_consensus consensus;
    struct tm_corridor corridor;
    bool has_estimate, is_trend; /* is_trend: from a trend of samples; otherwise the middle of the corridor */
    struct tm_line estimate;
    struct tm_trend trend; /* of the samples; its count is 0 if there are none */
    struct tm_local_part *local; /* the corridors near each time; NULL: too few constraints, the whole one counts */
    bool is_testable;            /* the constraints are enough to test whether the clocks drift evenly */
    bool is_uneven;              /* the clocks do not drift evenly: the band around the estimate bounds the offset */
    struct tm_band band;
};

/* Zero-initialise. */
struct tm_pair_table {
    struct tm_pair *pairs;
    uint32_t count;
    uint32_t samples_max; /* of a pair; 0: the limit depends on the number of pairs */
    /* private */
    uint32_t cap;
    struct tm_table index;
    uint32_t last; /* the pair found last; matches look up one pair several times */
};

/* An event of the file NODE at NS of its clock. */
struct tm_node_event {
    uint32_t node;
    int64_t ns;
};

/* Adds the constraint that CAUSE was not after EFFECT. With SIFTED only sifted pairs receive it, if it agrees with
 * their consensus. Otherwise only the other pairs do. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pair_table_order(struct tm_pair_table *table, struct tm_node_event cause, struct tm_node_event effect,
                                   bool sifted, struct tm_error *err);

/* Adds a sample: A and B were at one time, except for a delay. ORDERS: how many members of the match came before each.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pair_table_sample(struct tm_pair_table *table, struct tm_node_event a, struct tm_node_event b,
                                    const uint8_t orders[2], struct tm_error *err);

/* Return the greatest and the least possible offset of PAIR at the reading X_NS; TM_UNBOUNDED_*: no bound. */
int64_t tm_pair_high(const struct tm_pair *pair, int64_t x_ns);
int64_t tm_pair_low(const struct tm_pair *pair, int64_t x_ns);

/* Returns the range of slopes that PAIR's offset can have near the reading X_NS. */
int64_t tm_pair_slopes(const struct tm_pair *pair, int64_t x_ns);

/* Returns how many constraints of both kinds the matches of PAIR gave. */
static inline uint64_t tm_pair_constraint_total(const struct tm_pair *pair)
{
    return pair->seen[0] + pair->seen[1];
}

/* Returns the constraints of PAIR and its estimate. */
struct tm_local_constraints tm_pair_constraints(const struct tm_pair *pair);

void tm_pair_table_release(struct tm_pair_table *table);

#endif
