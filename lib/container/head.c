#include "container/head.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { WINDOW_ANY_HEADER = 15 + 16 /* of zlib: the header is gzip's */, ZSTD_WINDOW_LOG_MAX = 27 };

static enum tm_status gzip_head(struct tm_text packed, size_t max, struct tm_buf *out, struct tm_error *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.len,
                  .next_out = out->data + out->len, .avail_out = (uInt)max};
    int answer = inflateInit2(&z, WINDOW_ANY_HEADER);
    if (answer == Z_OK) {
        answer = inflate(&z, Z_SYNC_FLUSH);
        (void)inflateEnd(&z);
    }
    out->len += max - z.avail_out;
    return answer == Z_MEM_ERROR ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status zstd_head(struct tm_text packed, size_t max, struct tm_buf *out, struct tm_error *err)
{
    ZSTD_inBuffer in = {.src = packed.data, .size = packed.len};
    ZSTD_outBuffer to = {.dst = out->data, .size = out->len + max, .pos = out->len};
    ZSTD_DStream *z = ZSTD_createDStream();
    size_t left = 1;
    if (z == NULL)
        return tm_error_nomem(err);
    (void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
    while (left != 0 && !ZSTD_isError(left) && to.pos < to.size && in.pos < in.size)
        left = ZSTD_decompressStream(z, &to, &in);
    (void)ZSTD_freeDStream(z);
    out->len = to.pos;
    return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_container_head(struct tm_text packed, size_t max, struct tm_buf *out, struct tm_error *err)
{
    if (tm_buf_reserve(out, max) < 0)
        return tm_error_nomem(err);
    if (packed.len >= 2 && memcmp(packed.data, "\x1f\x8b", 2) == 0)
        return gzip_head(packed, max, out, err);
    if (packed.len >= 4 && memcmp(packed.data, "\x28\xb5\x2f\xfd", 4) == 0)
        return zstd_head(packed, max, out, err);
    return TM_OK;
}
