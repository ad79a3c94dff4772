/* The accounts and statistics of a Gecko profile. They are written at its end. */
#ifndef TM_FORMAT_GECKO_COUNTS_H
#define TM_FORMAT_GECKO_COUNTS_H

#include "format/gecko/account.h"
#include "stream/event_sink.h"

/* Zero-initialise. */
struct tm_gecko_counts {
    struct tm_gecko_account damaged, skipped, no_time, no_stack, not_shown;
    uint64_t stacks_cut, no_start, tracks_shared, args_cut;
};

/* Writes COUNTS to SINK. BROKEN_STACKS is the number of stacks whose prefix was ignored (tables.h). TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_gecko_counts_write(const struct tm_gecko_counts *counts, uint64_t broken_stacks,
                                     struct tm_event_sink *sink, struct tm_error *err);

#endif
