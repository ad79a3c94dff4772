/* The arguments of an event by which rules match. */
#include "align/rule.h"

#include "base/decimal.h"
#include "base/hash.h"

const struct tm_align_arg *tm_align_arg_of(const struct tm_align_event *event, const char *key, size_t len)
{
    for (uint32_t i = 0; i < event->arg_count; i++) {
        const struct tm_text *has = &event->args[i].key;
        if (has->len == len && memcmp(has->data, key, len) == 0)
            return &event->args[i];
    }
    return NULL;
}

uint64_t tm_align_arg_hash(const struct tm_align_arg *arg, uint64_t seed)
{
    char digits[TM_DECIMAL_TEXT_MAX];
    if (arg->text.data)
        return tm_hash64_seed(arg->text.data, arg->text.len, seed);
    return tm_hash64_seed(digits, tm_decimal_format((int64_t)arg->number, 0, digits), seed);
}
