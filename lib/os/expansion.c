#include "os/expansion.h"

static uint64_t limit(const struct tm_expansion *expansion)
{
    if (expansion->max_bytes > 0)
        return expansion->max_bytes;
    if (expansion->input_bytes > UINT64_MAX / TM_EXPANSION_FACTOR)
        return UINT64_MAX;
    uint64_t bytes = expansion->input_bytes * TM_EXPANSION_FACTOR;
    return bytes > TM_EXPANSION_BYTES_MIN ? bytes : TM_EXPANSION_BYTES_MIN;
}

enum tm_status tm_expansion_add(struct tm_expansion *expansion, uint64_t bytes, struct tm_error *err)
{
    uint64_t max = limit(expansion);
    expansion->bytes += bytes < UINT64_MAX - expansion->bytes ? bytes : UINT64_MAX - expansion->bytes;
    if (expansion->bytes <= max)
        return TM_OK;
    return tm_error_set(err, TM_E_INPUT,
                        "compressed input expands to more than the limit of %llu bytes in all "
                        "(--max-expansion raises it)", (unsigned long long)max);
}
