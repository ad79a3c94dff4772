/* Spans with equal values of an argument that the user names: the longer contains the shorter. */
#include "align/rule.h"

#include <string.h>

enum { SEED_KEY = 4 };

void tm_align_take_key(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                       void *context)
{
    const char *key = strncmp(use->parameter, "args.", 5) == 0 ? use->parameter + 5 : use->parameter;
    const struct tm_align_arg *arg = event->is_slice ? tm_align_arg(event, key) : NULL;
    if (arg == NULL || (arg->text.data && arg->text.len == 0))
        return;
    const struct tm_record record = {.key = tm_align_arg_hash(arg, SEED_KEY),
                                     .begin_ns = event->begin_ns,
                                     .end_ns = event->end_ns,
                                     .role = TM_ROLE_EQUAL,
                                     .form = TM_MATCH_LONGER};
    put(context, &record, false);
}
