#include "pack/byte_out.h"

#include "os/io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16, GZIP_MEMORY = 8, GZIP_OUT_BYTES = 64 << 10 };

struct tm_gzip_out {
    z_stream z;
    uint8_t data[GZIP_OUT_BYTES];
};

enum tm_status tm_byte_out_gzip(struct tm_byte_out *out, struct tm_error *err)
{
    struct tm_gzip_out *gzip = calloc(1, sizeof *gzip);
    if (gzip == NULL)
        return tm_error_nomem(err);
    if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return tm_error_nomem(err);
    }
    out->gzip = gzip;
    return TM_OK;
}

/* Writes bytes of the archive. Names the output of a failure if it is standard output; the caller names a file. */
static enum tm_status put(const struct tm_byte_out *out, const void *data, size_t len, struct tm_error *err)
{
    enum tm_status st = tm_io_write(out->fd, data, len, err);
    return st < 0 && out->fd == STDOUT_FILENO ? tm_error_prefix(err, "standard output") : st;
}

/* Compresses the bytes given to the stream and writes the result. */
static enum tm_status run_gzip(struct tm_byte_out *out, int flush, struct tm_error *err)
{
    struct tm_gzip_out *gzip = out->gzip;
    enum tm_status st = TM_OK;
    do {
        gzip->z.next_out = gzip->data;
        gzip->z.avail_out = sizeof gzip->data;
        if (deflate(&gzip->z, flush) == Z_STREAM_ERROR)
            return tm_error_set(err, TM_E_SYSTEM, "zlib refused to compress");
        st = put(out, gzip->data, sizeof gzip->data - gzip->z.avail_out, err);
    } while (st == TM_OK && gzip->z.avail_out == 0);
    return st;
}

enum tm_status tm_byte_out_write(struct tm_byte_out *out, const void *data, size_t len, struct tm_error *err)
{
    enum { PIECE = 1 << 30 }; /* zlib counts in unsigned int */
    const uint8_t *p = data;
    enum tm_status st = TM_OK;
    out->bytes += len;
    if (out->gzip == NULL)
        return put(out, data, len, err);
    while (len > 0 && st == TM_OK) {
        size_t n = len < PIECE ? len : PIECE;
        out->gzip->z.next_in = (z_const Bytef *)(uintptr_t)p;
        out->gzip->z.avail_in = (uInt)n;
        st = run_gzip(out, Z_NO_FLUSH, err);
        p += n;
        len -= n;
    }
    return st;
}

enum tm_status tm_byte_out_finish(struct tm_byte_out *out, struct tm_error *err)
{
    if (out->gzip == NULL)
        return TM_OK;
    out->gzip->z.next_in = NULL;
    out->gzip->z.avail_in = 0;
    return run_gzip(out, Z_FINISH, err);
}

void tm_byte_out_release(struct tm_byte_out *out)
{
    if (out->gzip)
        (void)deflateEnd(&out->gzip->z);
    free(out->gzip);
    out->gzip = NULL;
}
