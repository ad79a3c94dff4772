#include "format/gecko/account.h"

uint64_t tm_gecko_error_byte(const struct tm_error *err)
{
    return err->byte;
}
