/* Machines named by rule instead of one by one:
 *
 *     dir      what tells the directory of a file from those of the others
 *     file     the base name of a file without its endings
 *     rank     the rank that a file states (distributedInfo of PyTorch's profiles), else the number after "rank" in
 *              its name
 *     host     the host that a file states (host.name of spans)
 *     s/R/T/   the path of the file with what the extended regular expression R matches replaced by T, in which \1 to
 *              \9 are parts of it and & is all of it; | or , and the like may stand for /
 *     R        what the parenthesis of R matches, without one what R does
 *     auto     rank, where two files or more state different ranks; else no file is named
 *     none     no file is named
 */
#ifndef TM_MANIFEST_MACHINE_RULE_H
#define TM_MANIFEST_MACHINE_RULE_H

#include "manifest/merge_plan.h"

/* Names the machine of each file of PLAN that has none, by the rule in TEXT. TM_OK; TM_E_USAGE when the rule is
 * malformed, or gives a file no name; TM_E_SYSTEM. */
enum tm_status tm_machine_rule_apply(struct tm_merge_plan *plan, const char *text, struct tm_error *err);

/* Writes to TEXT which ranks of the job are missing, by what the files of PLAN state. False if none are. */
bool tm_machine_rule_missing(const struct tm_merge_plan *plan, char *text, size_t size);

#endif
