/* Reads deflate data (gzip, zlib or raw) from an input. It uses ISA-L if configure found it, which takes half the time,
 * else zlib. Both leave the input just after the stream's last byte and fail for the same data. The byte that an error
 * states may differ by the bytes read ahead. */
#ifndef TM_CONTAINER_INFLATER_H
#define TM_CONTAINER_INFLATER_H

#include "os/input.h"

enum tm_inflater_format {
    TM_INFLATER_GZIP, /* one member (RFC 1952), its CRC and length checked */
    TM_INFLATER_ZLIB, /* RFC 1950, its checksum checked */
    TM_INFLATER_RAW   /* RFC 1951 */
};

/* Zero-initialise. */
struct tm_inflater {
    struct tm_input *in; /* borrowed */
    /* private */
    enum tm_inflater_format format;
    void *state; /* state of the library */
    size_t buffered; /* bytes at the front of the input that the library has taken already */
};

/* Prepares to read a stream of FORMAT from IN. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_inflater_init(struct tm_inflater *inflater, enum tm_inflater_format format, struct tm_input *in,
                                struct tm_error *err);

/* Prepares to read another stream. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_inflater_reset(struct tm_inflater *inflater, struct tm_error *err);

/* Reads up to LEN bytes into DATA. *GOT may be 0 before the end. TM_OK. TM_END: the stream has ended with *GOT bytes,
 * and the input is after it. TM_E_INPUT "compressed byte N: the gzip data is cut short" or "… damaged (cause)"; only
 * reset or release may follow. TM_E_SYSTEM. */
enum tm_status tm_inflater_read(struct tm_inflater *inflater, uint8_t *data, size_t len, size_t *got,
                                struct tm_error *err);

/* Returns CRC, the CRC-32 of the bytes so far (0 at the start), extended by the LEN bytes at DATA. */
uint32_t tm_inflater_crc32(uint32_t crc, const uint8_t *data, size_t len);

void tm_inflater_release(struct tm_inflater *inflater);

#endif
