/* A part of a paged file as an input, for bytes that were put aside to be parsed later. */
#ifndef TM_OS_PAGED_INPUT_H
#define TM_OS_PAGED_INPUT_H

#include "os/input.h"
#include "os/paged_file.h"

struct tm_paged_input {
    struct tm_input in;
    /* private */
    struct tm_paged_file *paged;
    uint64_t at, end;
};

/* Initialises INPUT over LEN bytes of PAGED from AT on. PAGED must outlive it and must not move. OFFSET is in.offset of
 * the first byte. */
void tm_paged_input_init(struct tm_paged_input *input, struct tm_paged_file *paged, uint64_t at, uint64_t len,
                         uint64_t offset);

void tm_paged_input_release(struct tm_paged_input *input);

#endif
