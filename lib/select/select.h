/* The filter of --only. It takes the batches of a placed, sorted stream. It passes on the rows that are wanted, and the
 * rows that these need to stand alone. doc/selecting.md gives the rules.
 *
 * Where tm_select_spec_looks_ahead, the stream is read twice: a first filter learns, and shows nothing; a second one
 * uses what it has learned.
 *
 * An event and the rows derived from it stay together. Memory grows with the slices open at one time and with
 * threads, tracks and counters, never with the number of events. Beyond a limit, payloads of pending rows go to a
 * temporary file. */
#ifndef TM_SELECT_SELECT_H
#define TM_SELECT_SELECT_H

#include "select/facts.h"
#include "select/spec.h"
#include "select/tally.h"
#include "stream/batch.h"

struct tm_catalog;
struct tm_select;

/* Makes a filter. SPEC and CATALOG are borrowed; CATALOG already holds what precedes the events. TEMPORARY_DIR may be
 * NULL. TM_OK with *SELECT, to be freed, or TM_E_SYSTEM. A filter whose SPEC looks ahead learns until
 * tm_select_use. */
enum tm_status tm_select_new(struct tm_select **select, const struct tm_select_spec *spec,
                             const struct tm_catalog *catalog, const char *temporary_dir, struct tm_error *err);

/* Gives the filter FACTS, borrowed, before its first batch. NULL: this is the first reading. */
void tm_select_use(struct tm_select *select, struct tm_select_facts *facts);

/* Ends the first reading. TM_OK with *FACTS, to be freed; else an error of tm_select_batch. */
enum tm_status tm_select_learned(struct tm_select *select, struct tm_select_facts **facts, struct tm_error *err);

/* Takes BATCH, whose files and machines are in the catalog. Kept rows go to RECEIVER, now or later. TM_OK; TM_E_INPUT
 * if rows are not in order, or past a limit; TM_E_SYSTEM; or the error of RECEIVER. */
enum tm_status tm_select_batch(struct tm_select *select, const struct tm_batch *batch,
                               const struct tm_batch_receiver *receiver, struct tm_error *err);

/* Ends the stream. The last rows go to RECEIVER. Returns what tm_select_batch returns. */
enum tm_status tm_select_finish(struct tm_select *select, const struct tm_batch_receiver *receiver,
                                struct tm_error *err);

/* Writes the I-th value of a key for machines, files or tasks that matches nothing in the stream to TEXT, as
 * "machine=x". TM_END if there is no I-th. TM_E_SYSTEM. */
enum tm_status tm_select_unknown(struct tm_select *select, uint32_t i, char *text, size_t size, struct tm_error *err);

/* True once the first event has arrived, with its time in *NS. Relative times count from it. */
bool tm_select_origin(const struct tm_select *select, int64_t *ns);

/* Returns how many events were wanted themselves, so far. */
uint64_t tm_select_count(const struct tm_select *select);

/* Returns the counts of events that were left out. */
const struct tm_tally *tm_select_tally(const struct tm_select *select);

void tm_select_free(struct tm_select *select);

#endif
