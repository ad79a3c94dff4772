#include "stream/placement_rule.h"

static const char *const names[TM_RULES] = {
    [TM_RULE_NONE] = "none",
    [TM_RULE_TRACE_TIME] = "trace_time",
    [TM_RULE_SNAPSHOT] = "snapshot",
    [TM_RULE_MANIFEST] = "manifest",
    [TM_RULE_HINT] = "hint",
    [TM_RULE_RENDEZVOUS] = "rendezvous",
    [TM_RULE_SAME_DOMAIN] = "same_domain",
    [TM_RULE_PRIVATE] = "private",
};

const char *tm_placement_rule_name(enum tm_placement_rule rule)
{
    return names[rule];
}

enum tm_placement_rule tm_placement_rule_of(struct tm_text name)
{
    for (int i = TM_RULE_OTHER + 1; i < TM_RULES; i++)
        if (tm_text_is(name, names[i]))
            return (enum tm_placement_rule)i;
    return TM_RULE_OTHER;
}
