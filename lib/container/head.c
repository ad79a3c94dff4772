#include "container/head.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { WINDOW_ANY_HEADER = 15 + 16 /* of zlib: the header is gzip's */, ZSTD_WINDOW_LOG_MAX = 27 };

static size_t gzip_head(const uint8_t *data, size_t len, uint8_t *out, size_t cap)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)cap};
    if (inflateInit2(&z, WINDOW_ANY_HEADER) != Z_OK)
        return 0;
    (void)inflate(&z, Z_SYNC_FLUSH);
    (void)inflateEnd(&z);
    return cap - z.avail_out;
}

static size_t zstd_head(const uint8_t *data, size_t len, uint8_t *out, size_t cap)
{
    ZSTD_inBuffer in = {.src = data, .size = len};
    ZSTD_outBuffer to = {.dst = out, .size = cap};
    ZSTD_DStream *z = ZSTD_createDStream();
    size_t left = 1;
    if (z == NULL)
        return 0;
    (void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
    while (left != 0 && !ZSTD_isError(left) && to.pos < to.size && in.pos < in.size)
        left = ZSTD_decompressStream(z, &to, &in);
    (void)ZSTD_freeDStream(z);
    return to.pos;
}

size_t tm_container_head(const uint8_t *data, size_t len, uint8_t *out, size_t cap)
{
    if (len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0)
        return gzip_head(data, len, out, cap);
    if (len >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0)
        return zstd_head(data, len, out, cap);
    return 0;
}
