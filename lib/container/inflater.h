/* Deflate data read off an input, as gzip, zlib or bare: by ISA-L where configure found it (in half the time),
 * else by zlib. Both leave the input behind the last byte of the stream and fail for the same data; the byte of a
 * failure may differ by what was read ahead. */
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
    void *state; /* the library's */
    size_t held; /* bytes at the front of the input that the library has taken already */
};

/* Makes ready to read a stream of FORMAT off IN. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_inflater_init(struct tm_inflater *inflater, enum tm_inflater_format format, struct tm_input *in,
                                struct tm_error *err);

/* Makes ready for another stream. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_inflater_reset(struct tm_inflater *inflater, struct tm_error *err);

/* Up to LEN bytes into DATA; *GOT may be 0 before the end too. TM_OK; TM_END: the stream has ended (with *GOT bytes)
 * and the input stands behind it; TM_E_INPUT "compressed byte N: the gzip data is cut short", "… damaged (cause)";
 * then only reset or release may follow. TM_E_SYSTEM. */
enum tm_status tm_inflater_read(struct tm_inflater *inflater, uint8_t *data, size_t len, size_t *got,
                                struct tm_error *err);

/* Goes on with the CRC-32 of the bytes before (0 at the start). */
uint32_t tm_inflater_crc32(uint32_t crc, const uint8_t *data, size_t len);

void tm_inflater_release(struct tm_inflater *inflater);

#endif
