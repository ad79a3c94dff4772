/* Reads packed repeated varints, many at a time. */
#ifndef TM_BASE_VARINTS_H
#define TM_BASE_VARINTS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads up to MAX varints from [*P, END) into NUMBERS and moves *P after the last one. Returns their count. Bits past
 * the 64th are dropped, as protobuf does. If a varint is cut short or longer than TM_VARINT_MAX bytes, *DAMAGED is set
 * and *P is END; the varints before it are read. */
uint32_t tm_varints_read(const uint8_t **p, const uint8_t *end, uint64_t *numbers, uint32_t max, bool *damaged);

#endif
