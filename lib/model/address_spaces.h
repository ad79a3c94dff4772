/* Remembers which thread last stated the memory of an address space. A counter of memory is about the address space of
 * the thread that runs, or about another one. Memory grows with the number of address spaces. Rules:
 * importers/ftrace/rss_stat_tracker.cc of Perfetto. */
#ifndef TM_MODEL_ADDRESS_SPACES_H
#define TM_MODEL_ADDRESS_SPACES_H

#include "base/table.h"
#include "model/stats.h"

/* An address space as a counter states it. */
struct tm_address_space {
    struct tm_place place;
    uint64_t number;
    bool is_own; /* it is that of the thread that runs */
};

/* Zero-initialise, then set STATS. */
struct tm_address_spaces {
    struct tm_model_stats *stats; /* borrowed; counts what the limit leaves out */
    struct tm_table threads; /* private */
};

/* True with *SPACE if EVENT, a counter of memory, states an address space. */
bool tm_address_space_of(const struct tm_event *event, struct tm_address_space *space);

/* Notes that thread UTID stated the memory of SPACE. At most TM_ADDRESS_SPACES_MAX are kept; what is beyond
 * them is counted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_address_spaces_note(struct tm_address_spaces *spaces, const struct tm_address_space *space,
                                      int64_t utid, struct tm_error *err);

/* Returns the thread that last stated the memory of SPACE, or TM_TABLE_NONE. */
int64_t tm_address_spaces_find(const struct tm_address_spaces *spaces, const struct tm_address_space *space);

/* Forgets the thread of SPACE, if there is one. */
void tm_address_spaces_remove(struct tm_address_spaces *spaces, const struct tm_address_space *space);

void tm_address_spaces_release(struct tm_address_spaces *spaces);

#endif
