/* Records with one key become matches. */
#ifndef TM_ALIGN_MATCHER_H
#define TM_ALIGN_MATCHER_H

#include "align/candidates.h"
#include "align/match_log.h"

/* Appends to LOG what GATHER's numbered records say of each other. Keys that are found in one file alone are none, and
 * keys that a file has several times are none unless they are as many in each. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_matcher_run(const struct tm_candidates *candidates, struct tm_match_log *log, struct tm_error *err);

#endif
