/* Markers that the user names by a regular expression: the nth of one file is the nth of every other. */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_NAME = 5, NAME_MAX_BYTES = 512 };

void tm_align_take_name(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                        void *context)
{
    char name[NAME_MAX_BYTES];
    if (event->name.data == NULL || event->name.len >= sizeof name)
        return;
    memcpy(name, event->name.data, event->name.len);
    name[event->name.len] = '\0';
    if (regexec(&use->pattern, name, 0, NULL, 0) != 0)
        return;
    struct tm_record record = {.key = tm_hash64_seed(use->given, strlen(use->given), SEED_NAME),
                               .symbol = tm_hash64(name, event->name.len),
                               .begin_ns = use->end_only ? event->end_ns : event->begin_ns,
                               .end_ns = use->begin_only ? event->begin_ns : event->end_ns,
                               .role = TM_ROLE_EQUAL,
                               .form = event->is_slice && !use->begin_only && !use->end_only ? TM_MATCH_COLLECTIVE
                                                                                             : TM_MATCH_SAME};
    put(context, &record, true);
}
