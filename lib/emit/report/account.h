/* Explains dropped events, and the change that would place them. */
#ifndef TM_EMIT_REPORT_ACCOUNT_H
#define TM_EMIT_REPORT_ACCOUNT_H

#include "emit/report/suggestion.h"

/* Explains ACCOUNT, an account of dropped events. P is the placement of the same file, machine and clock, or NULL. A
 * possible change of the manifest is added to SUGGESTION. */
void tm_report_explain_account(struct tm_report *report, const Tracemerge__Account *account,
                               const Tracemerge__Placement *p, struct tm_suggestion *suggestion);

/* Writes ACCOUNT as a JSON object without its last brace, so that more members can follow. */
void tm_report_put_account_json(struct tm_report *report, const Tracemerge__Account *account);

#endif
