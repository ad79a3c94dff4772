#include "align/rule.h"

#define SPAN_ARGS "traceid,spanid,parentspanid,parentid,spankind"
#define COLLECTIVE_ARGS                                                                                                \
    "Collective name,Process Group Name,Process Group Ranks,Group size,Seq,Comms Id,In msg nelems,dtype,"              \
    "Src Rank,Dst Rank"

const struct tm_align_rule tm_align_rules[] = {
    {"flows", NULL, NULL, tm_align_take_flows},
    {"spans", NULL, SPAN_ARGS, tm_align_take_spans},
    {"collectives", NULL, COLLECTIVE_ARGS, tm_align_take_collectives},
    {"recorded-twice", NULL, NULL, tm_align_take_recorded_twice},
    {"key", "args.NAME", NULL, tm_align_take_key},
    {"name", "REGEX", NULL, tm_align_take_name},
    {NULL, NULL, NULL, NULL},
};
