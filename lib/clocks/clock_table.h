/* All clocks of a run: identity to index, and what is known of each clock.
 *
 * A clock is identified by (machine, tag, sequence, clock id); see doc/rules.md section 5. The tag is 0 for clocks that
 * the files of a machine share. A clock of one file has the tag of that file. */
#ifndef TM_CLOCKS_CLOCK_TABLE_H
#define TM_CLOCKS_CLOCK_TABLE_H

#include "base/table.h"
#include "stream/clock_id.h"

enum { TM_CLOCKS_MAX = 1 << 18 };

/* The tag of a file: its id + 1, or this bit with the number of the manifest entry that configures it. */
#define TM_TAG_ENTRY UINT32_C(0x80000000)

struct tm_clock_key {
    uint32_t machine;  /* Machine.id */
    uint32_t tag;
    uint32_t sequence; /* trusted_packet_sequence_id of a sequence-scoped clock, else 0 */
    uint32_t clock;
};

struct tm_clock {
    struct tm_clock_key key;
    bool is_known;       /* was in a snapshot, accepted or refused */
    bool is_registered;  /* unit and incremental flag are settled */
    bool is_incremental;
    bool runs_backwards; /* no path starts at it or leads through it any more */
    int64_t unit_ns;
    int64_t last_ns;     /* latest absolute value, from which an incremental clock counts on */
};

/* Zero-initialise. */
struct tm_clock_table {
    struct tm_clock *clocks;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_table by_key;
};

/* Compares identities in a total order: clock id, sequence, tag, machine. */
bool tm_clock_key_less(const struct tm_clock_key *a, const struct tm_clock_key *b);

/* True, with *INDEX set, if the table has the clock. */
bool tm_clock_table_find(const struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index);

/* Finds or adds a clock. TM_OK; TM_E_INPUT beyond TM_CLOCKS_MAX; TM_E_SYSTEM. */
enum tm_status tm_clock_table_add(struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index,
                                  struct tm_error *err);

void tm_clock_table_release(struct tm_clock_table *table);

#endif
