/* A ZIP archive of regular files, deflated, by minizip: ZIP64 if a member or the archive needs it, no times.
 *
 * The order of calls is that of tar_writer.h. minizip opens the file by name, because it seeks. */
#ifndef TM_PACK_ZIP_WRITER_H
#define TM_PACK_ZIP_WRITER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct tm_zip_writer {
    /* private */
    void *zip;
    bool in_member;
};

/* All return TM_OK or TM_E_SYSTEM. */
enum tm_status tm_zip_writer_begin(struct tm_zip_writer *zip, const char *path, struct tm_error *err);
enum tm_status tm_zip_writer_member(struct tm_zip_writer *zip, const char *name, uint64_t size_bytes,
                                    struct tm_error *err);
enum tm_status tm_zip_writer_data(struct tm_zip_writer *zip, const void *data, size_t len, struct tm_error *err);
enum tm_status tm_zip_writer_end(struct tm_zip_writer *zip, struct tm_error *err);

/* Closes an archive that was not ended. */
void tm_zip_writer_release(struct tm_zip_writer *zip);

#endif
