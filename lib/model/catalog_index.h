/* How the catalog finds the account or statistic that a frame adds to: open addressing over the array
 * of those it holds. */
#ifndef TM_MODEL_CATALOG_INDEX_H
#define TM_MODEL_CATALOG_INDEX_H

#include "model/catalog.h"

/* Of what must agree for two to be added up, and whether it does. */
uint64_t tm_account_hash(const Tracemerge__Account *account);
bool tm_account_equal(const Tracemerge__Account *a, const Tracemerge__Account *b);
uint64_t tm_stat_hash(const Tracemerge__Stat *stat);
bool tm_stat_equal(const Tracemerge__Stat *a, const Tracemerge__Stat *b);

/* Puts number N, of hash HASH, into the index, which has room. */
void tm_catalog_index_put(struct tm_catalog_index *index, uint32_t n, uint64_t hash);

/* Room for one more beside COUNT. TM_END: there was; TM_OK: it was made, and the index is empty now;
 * TM_E_SYSTEM. */
enum tm_status tm_catalog_index_grow(struct tm_catalog_index *index, uint32_t count, struct tm_error *err);

#endif
