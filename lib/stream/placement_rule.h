/* What placed events on trace time, as Placement.rule, PlacementHop.origin and ClockRow.origin name it
 * (tm-stream(5)). */
#ifndef TM_STREAM_PLACEMENT_RULE_H
#define TM_STREAM_PLACEMENT_RULE_H

#include "base/text.h"

enum tm_placement_rule {
    TM_RULE_OTHER, /* one that this version does not know */
    TM_RULE_NONE,  /* nothing was placed */
    TM_RULE_TRACE_TIME,
    TM_RULE_SNAPSHOT,
    TM_RULE_MANIFEST,
    TM_RULE_HINT,
    TM_RULE_RENDEZVOUS,
    TM_RULE_SAME_DOMAIN,
    TM_RULE_PRIVATE,
    TM_RULES
};

/* Returns "trace_time", "snapshot", …; NULL for TM_RULE_OTHER. */
const char *tm_placement_rule_name(enum tm_placement_rule rule);

/* Returns the rule called NAME, or TM_RULE_OTHER. */
enum tm_placement_rule tm_placement_rule_of(struct tm_text name);

#endif
