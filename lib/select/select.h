/* The filter of --only: a placed, sorted stream's batches go in, those rows come out that are wanted
 * or that the wanted ones need to stand alone. doc/selecting.md tells which and why.
 *
 * An event and the rows derived from it stay together. Memory grows with the slices open at one time,
 * with threads, tracks and counters, never with the number of events; payloads kept back past a bound
 * wait in a temporary file. */
#ifndef TM_SELECT_SELECT_H
#define TM_SELECT_SELECT_H

#include "select/spec.h"
#include "select/tally.h"
#include "stream/batch.h"

struct tm_catalog;
struct tm_select;

/* Where batches of kept rows go; BATCH is the callee's until it returns. */
struct tm_select_sink {
    enum tm_status (*show)(void *self, const struct tm_batch *batch, struct tm_error *err);
    void *self;
};

/* SPEC and CATALOG, which already holds what comes before the events, stay the caller's. SPILL_DIR may be NULL.
 * TM_OK with *SELECT, to be freed, or TM_E_SYSTEM. */
enum tm_status tm_select_new(struct tm_select **select, const struct tm_select_spec *spec,
                             const struct tm_catalog *catalog, const char *spill_dir, struct tm_error *err);

/* Takes in BATCH, whose files and machines are in the catalog; what is kept goes to SINK, also later. TM_OK,
 * TM_E_SYSTEM, or what SINK said. */
enum tm_status tm_select_batch(struct tm_select *select, const struct tm_batch *batch,
                               const struct tm_select_sink *sink, struct tm_error *err);

/* The stream has ended: the last rows go to SINK. */
enum tm_status tm_select_finish(struct tm_select *select, const struct tm_select_sink *sink, struct tm_error *err);

/* Values of machine and file keys that mean nothing in the catalog: TEXT is "machine=x" for the I-th of
 * them. TM_END when there is no I-th. TM_E_SYSTEM. */
enum tm_status tm_select_unknown(struct tm_select *select, uint32_t i, char *text, size_t size, struct tm_error *err);

/* True once the first event has come, at *NS: what relative times count from. */
bool tm_select_origin(const struct tm_select *select, int64_t *ns);

/* Events that were wanted for themselves, so far. */
uint64_t tm_select_count(const struct tm_select *select);

/* What was left out. */
const struct tm_tally *tm_select_tally(const struct tm_select *select);

void tm_select_free(struct tm_select *select);

#endif
