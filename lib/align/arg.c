/* Hashes the arguments of events by which rules match. */
#include "align/rule.h"

#include "base/decimal.h"
#include "base/hash.h"

uint64_t tm_align_arg_hash(const struct tm_align_arg *arg, uint64_t seed)
{
    char digits[TM_DECIMAL_TEXT_MAX];
    if (arg->text.data)
        return tm_hash64_seed(arg->text.data, arg->text.len, seed);
    return tm_hash64_seed(digits, tm_decimal_format((int64_t)arg->number, 0, digits), seed);
}
