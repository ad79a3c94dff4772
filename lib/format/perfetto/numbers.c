#include "format/perfetto/numbers.h"

#include <stdlib.h>

bool tm_proto_number_of_text(struct tm_text text, int32_t *value)
{
    char digits[24], *end;
    if (text.len == 0 || text.len >= sizeof digits)
        return false;
    memcpy(digits, text.data, text.len);
    digits[text.len] = '\0';
    *value = (int32_t)(uint32_t)strtoll(digits, &end, 10);
    return *end == '\0';
}
