/* Members of JSON objects about what a report tells. All but tm_member_key put a comma first. */
#ifndef TM_EMIT_REPORT_MEMBERS_H
#define TM_EMIT_REPORT_MEMBERS_H

#include "emit/report/report.h"

/* The key and its colon. COMMA: whether one comes before it. */
void tm_member_key(struct tm_report *report, bool comma, const char *key);

void tm_member_u64(struct tm_report *report, const char *key, uint64_t v);
void tm_member_i64(struct tm_report *report, const char *key, int64_t v);
void tm_member_bool(struct tm_report *report, const char *key, bool v);

/* null where TEXT is none. */
void tm_member_text(struct tm_report *report, const char *key, struct tm_text text);

/* Names as the text of a report shows them. A clock of 0 is null. */
void tm_member_machine(struct tm_report *report, const char *key, uint32_t machine);
void tm_member_clock(struct tm_report *report, const char *key, uint32_t clock);

/* What was put since out.buf.len was FROM becomes a JSON string, without blanks at its ends. */
void tm_member_quote(struct tm_report *report, size_t from);

#endif
