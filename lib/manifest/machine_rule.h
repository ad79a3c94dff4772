/* Machines named by rule instead of one by one:
 *
 *     dir      the part of a file's directory that differs from those of the other files
 *     file     the base name of a file without its endings
 *     rank     the rank that a file states (distributedInfo of PyTorch's profiles), else the number after "rank" in
 *              its name
 *     host     the host that a file states (host.name of spans)
 *     s/R/T/   the path of the file, in which T replaces the match of the extended regular expression R. In T, \1 to
 *              \9 are groups of the match and & is all of it. Another delimiter, such as | or a comma, may replace /
 *     R        the group of R in the path; without a group, the whole match of R
 *     auto     rank, if two or more files state different ranks; else no file is named
 *     none     no file is named
 */
#ifndef TM_MANIFEST_MACHINE_RULE_H
#define TM_MANIFEST_MACHINE_RULE_H

#include "manifest/draft.h"

/* Names the machine of each file of DRAFT that has none, by the rule in TEXT. TM_OK. TM_E_USAGE if the rule is
 * malformed or gives a file no name. TM_E_SYSTEM. */
enum tm_status tm_machine_rule_apply(struct tm_draft *draft, const char *text, struct tm_error *err);

/* Writes a sentence about missing ranks of the job to TEXT, by what the files of DRAFT state. False if no rank is known
 * to be missing. */
bool tm_machine_rule_missing(const struct tm_draft *draft, char *text, size_t size);

#endif
