#include "pack/zip_writer.h"

#include "base/utf8.h"

#include <errno.h>
#include <minizip/zip.h>
#include <string.h>

enum {
    DOS_DATE_FIRST = (1 << 21 | 1 << 16), /* 1980-01-01, the earliest date in a ZIP */
    FLAG_UTF8 = 1 << 11,
    MADE_BY = 3 << 8 | 45 /* Unix; version 4.5 has ZIP64 */
};
#define ZIP64_FROM (UINT64_C(0xfff00000)) /* below 4 GiB: deflate can make data a little longer */

/* Reports a failed call of minizip. errno was 0 before it, because not all failures set errno. */
static enum tm_status failed(struct tm_error *err)
{
    return tm_error_errno(err, errno ? errno : EIO, "cannot write");
}

enum tm_status tm_zip_writer_begin(struct tm_zip_writer *zip, const char *path, struct tm_error *err)
{
    errno = 0;
    zip->zip = zipOpen64(path, APPEND_STATUS_CREATE);
    return zip->zip ? TM_OK : failed(err);
}

static enum tm_status close_member(struct tm_zip_writer *zip, struct tm_error *err)
{
    if (!zip->in_member)
        return TM_OK;
    zip->in_member = false;
    errno = 0;
    return zipCloseFileInZip(zip->zip) == ZIP_OK ? TM_OK : failed(err);
}

enum tm_status tm_zip_writer_member(struct tm_zip_writer *zip, const char *name, uint64_t size_bytes,
                                    struct tm_error *err)
{
    zip_fileinfo info = {.dosDate = DOS_DATE_FIRST, .external_fa = (uLong)0100644 << 16};
    uLong flags = tm_utf8_valid((const uint8_t *)name, strlen(name)) ? FLAG_UTF8 : 0;
    enum tm_status st = close_member(zip, err);
    if (st < 0)
        return st;
    errno = 0;
    if (zipOpenNewFileInZip4_64(zip->zip, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0,
                                -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, NULL, 0, MADE_BY, flags,
                                size_bytes >= ZIP64_FROM) != ZIP_OK)
        return failed(err);
    zip->in_member = true;
    return TM_OK;
}

enum tm_status tm_zip_writer_data(struct tm_zip_writer *zip, const void *data, size_t len, struct tm_error *err)
{
    enum { PIECE = 1 << 30 };
    const uint8_t *p = data;
    for (size_t n; len > 0; p += n, len -= n) {
        n = len < PIECE ? len : PIECE;
        errno = 0;
        if (zipWriteInFileInZip(zip->zip, p, (unsigned)n) != ZIP_OK)
            return failed(err);
    }
    return TM_OK;
}

enum tm_status tm_zip_writer_end(struct tm_zip_writer *zip, struct tm_error *err)
{
    enum tm_status st = close_member(zip, err);
    if (st < 0)
        return st;
    void *handle = zip->zip;
    zip->zip = NULL;
    errno = 0;
    return zipClose(handle, NULL) == ZIP_OK ? TM_OK : failed(err);
}

void tm_zip_writer_release(struct tm_zip_writer *zip)
{
    if (zip->zip)
        (void)zipClose(zip->zip, NULL);
    zip->zip = NULL;
}
