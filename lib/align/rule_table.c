#include "align/rule.h"

const struct tm_align_rule tm_align_rules[] = {
    {"flows", NULL, tm_align_take_flows},
    {"spans", NULL, tm_align_take_spans},
    {"collectives", NULL, tm_align_take_collectives},
    {"recorded-twice", NULL, tm_align_take_twice},
    {"key", "args.NAME", tm_align_take_key},
    {"name", "REGEX", tm_align_take_name},
    {NULL, NULL, NULL},
};
