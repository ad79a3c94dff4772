/* Inputs over bytes in memory, for readers that are tested without a file. */
#ifndef TM_T_BYTES_INPUT_H
#define TM_T_BYTES_INPUT_H

#include "os/input.h"

/* Returns an input over LEN bytes, which stay the caller's and must outlive it. */
static inline struct tm_input bytes_input(const void *data, size_t len)
{
    return (struct tm_input){.data = data, .len = len, .ended = true};
}

#endif
