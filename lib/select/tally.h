/* Counts the events that were left out, by file, machine and clock: the accounts "filtered". */
#ifndef TM_SELECT_TALLY_H
#define TM_SELECT_TALLY_H

#include "base/table.h"
#include "stream/event.h"

struct tm_tally_row {
    uint32_t file, machine, clock;
    uint64_t count;
};

/* Zero-initialise. */
struct tm_tally {
    struct tm_tally_row *rows;
    uint32_t count;
    /* private */
    uint32_t cap, last;
    struct tm_table by_key;
};

/* Counts an event of FILE, MACHINE and CLOCK. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tally_add(struct tm_tally *tally, uint32_t file, uint32_t machine, uint32_t clock,
                            struct tm_error *err);

void tm_tally_release(struct tm_tally *tally);

#endif
