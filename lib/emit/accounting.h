/* The accounts of a merge: for each file, events read = events placed + events dropped. The parser counts what was read
 * (FileEnd). This counts what was placed, from the batches. The stages account for what was dropped. If the sums
 * differ, tracemerge has a bug; no input can cause that. */
#ifndef TM_EMIT_ACCOUNTING_H
#define TM_EMIT_ACCOUNTING_H

#include "model/catalog.h"
#include "stream/drop_reason.h"

struct tm_accounting_file {
    uint64_t placed;        /* counted events seen in batches */
    uint64_t others;        /* rows that are not counted: definitions, untimed, derived */
    uint64_t dropped;       /* sum of the accounts */
    uint64_t lost;          /* the part of it that --strict counts */
    uint64_t lost_definitions; /* descriptions of tracks, threads and the like in the accounts of LOST */
    uint64_t skipped_bytes; /* bytes that were skipped */
};

/* Zero-initialise. */
struct tm_accounting {
    struct tm_accounting_file *files; /* file_count of them */
    uint32_t file_count;
    /* Over all files, after sum. */
    uint64_t read;
    struct tm_accounting_file total;
};

/* What --strict and --max-dropped allow. */
struct tm_accounting_limit {
    bool strict;          /* nothing may be lost */
    bool no_guess;        /* nothing may be placed by assumption (emit/notices.h) */
    bool has_max;
    bool is_percent;
    uint64_t max;         /* number of events; or, if is_percent, millionths of the events read */
};

/* TM_OK if the files of BATCH are in CATALOG and, if PLACED, its machines; otherwise TM_E_INPUT. */
enum tm_status tm_accounting_check_places(const struct tm_catalog *catalog, const struct tm_batch *batch, bool placed,
                                          struct tm_error *err);

/* Counts BATCH. TM_OK; TM_E_INPUT if its files or, if PLACED, its machines are not in CATALOG; TM_E_SYSTEM. */
enum tm_status tm_accounting_add(struct tm_accounting *accounting, const struct tm_catalog *catalog,
                                 const struct tm_batch *batch, bool placed, struct tm_error *err);

/* Also counts the events in those rows of BATCH that are messages of several events. Call it after tm_accounting_add of
 * BATCH. */
void tm_accounting_add_messages(struct tm_accounting *accounting, const struct tm_batch *batch);

/* Adds the catalog's accounts, at the end of the stream. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_accounting_sum(struct tm_accounting *accounting, const struct tm_catalog *catalog,
                                 struct tm_error *err);

/* True if FILE balances. Call after sum. */
bool tm_accounting_holds(const struct tm_accounting *accounting, const struct tm_catalog *catalog, uint32_t file);

/* TM_OK, or TM_E_SYSTEM that names the first file that does not balance. */
enum tm_status tm_accounting_check(const struct tm_accounting *accounting, const struct tm_catalog *catalog,
                                   struct tm_error *err);

/* TM_OK, or TM_E_STRICT if more was lost than LIMIT allows. */
enum tm_status tm_accounting_within(const struct tm_accounting *accounting, const struct tm_accounting_limit *limit,
                                    struct tm_error *err);

/* Reads LIMIT's maximum from "N" or "P%". TM_OK or TM_E_USAGE. */
enum tm_status tm_accounting_limit_parse(struct tm_accounting_limit *limit, const char *text);

/* Properties of an account's reason. */
enum tm_drop_reason tm_accounting_reason(const Tracemerge__Account *account);
bool tm_accounting_is_bytes(const Tracemerge__Account *account);  /* counts bytes, not events */
bool tm_accounting_is_a_loss(const Tracemerge__Account *account); /* --strict counts it */

void tm_accounting_release(struct tm_accounting *accounting);

#endif
