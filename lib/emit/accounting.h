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
    uint64_t dropped;       /* of accounts, once summed */
    uint64_t lost;          /* those of them that --strict minds */
    uint64_t lost_definitions; /* of tracks, threads and the like, for the same reasons */
    uint64_t skipped_bytes; /* bytes that were jumped over */
};

/* Zero-initialise. */
struct tm_accounting {
    struct tm_accounting_file *files; /* file_count of them */
    uint32_t file_count;
    /* Over all files, once summed. */
    uint64_t read;
    struct tm_accounting_file total;
};

/* What --strict and --max-dropped allow. */
struct tm_accounting_limit {
    bool strict;          /* nothing may be lost */
    bool no_guess;        /* nothing may be placed by assumption (emit/notices.h) */
    bool has_max;
    bool is_percent;
    uint64_t max;         /* events; or where is_percent, millionths of what was read */
};

/* TM_OK when the files of BATCH are in CATALOG, and its machines too where PLACED; else TM_E_INPUT. */
enum tm_status tm_accounting_check_places(const struct tm_catalog *catalog, const struct tm_batch *batch, bool placed,
                                          struct tm_error *err);

/* Counts BATCH, whose files must be in CATALOG, and its machines too where PLACED. TM_E_INPUT when
 * they are not. */
enum tm_status tm_accounting_add(struct tm_accounting *balance, const struct tm_catalog *catalog,
                                 const struct tm_batch *batch, bool placed, struct tm_error *err);

/* Counts also the events of those rows of BATCH that are messages of several events. BATCH was just counted. */
void tm_accounting_add_messages(struct tm_accounting *balance, const struct tm_batch *batch);

/* Adds the catalog's accounts, at the end of the stream. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_accounting_sum(struct tm_accounting *balance, const struct tm_catalog *catalog, struct tm_error *err);

/* Whether FILE balances. Call after sum. */
bool tm_accounting_holds(const struct tm_accounting *balance, const struct tm_catalog *catalog, uint32_t file);

/* TM_OK, or TM_E_SYSTEM that names the first file that does not balance. */
enum tm_status tm_accounting_check(const struct tm_accounting *balance, const struct tm_catalog *catalog,
                                   struct tm_error *err);

/* TM_OK, or TM_E_STRICT when more was lost than LIMIT allows. */
enum tm_status tm_accounting_within(const struct tm_accounting *balance, const struct tm_accounting_limit *limit,
                                    struct tm_error *err);

/* LIMIT's maximum from "N" or "P%". TM_OK or TM_E_USAGE. */
enum tm_status tm_accounting_limit_parse(struct tm_accounting_limit *limit, const char *text);

/* Reasons of accounts with a meaning of their own. */
enum tm_drop_reason tm_accounting_reason(const Tracemerge__Account *account);
bool tm_accounting_is_bytes(const Tracemerge__Account *account);  /* counts bytes, not events */
bool tm_accounting_is_a_loss(const Tracemerge__Account *account); /* --strict minds it */

void tm_accounting_release(struct tm_accounting *balance);

#endif
