/* Counts of the events that damage removes from a Gecko profile. */
#ifndef TM_FORMAT_GECKO_ACCOUNT_H
#define TM_FORMAT_GECKO_ACCOUNT_H

#include <stdint.h>

/* COUNT events that are not shown, the first at BYTE of the input. */
struct tm_gecko_account {
    uint64_t count, byte;
};

/* Adds N events, the first at BYTE of the input, to ACCOUNT. */
static inline void tm_gecko_count(struct tm_gecko_account *account, uint64_t n, uint64_t byte)
{
    if (account->count == 0)
        account->byte = byte;
    account->count += n;
}

#endif
