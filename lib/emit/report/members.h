/* Members of JSON objects in a report. All but tm_member_key put a comma first. */
#ifndef TM_EMIT_REPORT_MEMBERS_H
#define TM_EMIT_REPORT_MEMBERS_H

#include "emit/report/report.h"

/* Puts the key and its colon. COMMA: a comma precedes it. */
void tm_member_key(struct tm_report *report, bool comma, const char *key);

/* Put a member with a number, or true or false. */
void tm_member_u64(struct tm_report *report, const char *key, uint64_t v);
void tm_member_i64(struct tm_report *report, const char *key, int64_t v);
void tm_member_bool(struct tm_report *report, const char *key, bool v);

/* Puts null if TEXT has no data. */
void tm_member_text(struct tm_report *report, const char *key, struct tm_text text);

/* Puts names as in the text of a report. A clock of 0 is null. */
void tm_member_machine(struct tm_report *report, const char *key, uint32_t machine);
void tm_member_clock(struct tm_report *report, const char *key, uint32_t clock);

/* Turns the text after FROM in out.buf into a JSON string, without surrounding blanks. */
void tm_member_quote(struct tm_report *report, size_t from);

#endif
