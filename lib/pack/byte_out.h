/* The output of an archive's bytes: a file descriptor, directly or through gzip. */
#ifndef TM_PACK_BYTE_OUT_H
#define TM_PACK_BYTE_OUT_H

#include "base/status.h"

#include <stdint.h>

struct tm_gzip_out;

/* Zero-initialise. */
struct tm_byte_out {
    int fd; /* borrowed */
    uint64_t bytes; /* bytes taken so far */
    /* private */
    struct tm_gzip_out *gzip;
};

/* Compresses by gzip before FD; the header has no name and no time. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_byte_out_gzip(struct tm_byte_out *out, struct tm_error *err);

/* Writes all LEN bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_byte_out_write(struct tm_byte_out *out, const void *data, size_t len, struct tm_error *err);

/* Writes the bytes that gzip has buffered. Nothing may be written afterwards. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_byte_out_finish(struct tm_byte_out *out, struct tm_error *err);

void tm_byte_out_release(struct tm_byte_out *out);

#endif
