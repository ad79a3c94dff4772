#include "format/gecko/account.h"

#include <stdio.h>

uint64_t tm_gecko_error_byte(const struct tm_error *err)
{
    unsigned long long byte = 0;
    return sscanf(err->text, "byte %llu", &byte) == 1 ? byte : 0;
}
