/* A TAR archive of regular files, front to back: the same bytes for the same members whenever and
 * by whomever it is written.
 *
 *     tm_tar_writer_begin()  once
 *     tm_tar_writer_member() then exactly as many bytes as it said by tm_tar_writer_data(), for each member
 *     tm_tar_writer_end()    once
 *
 * With IN_ORDER it begins with a global PAX header that promises the members in order of processing
 * (doc/containers.md); keeping that promise is the caller's. A name of more than 100 bytes is in a PAX
 * record and, for readers that look there, in a GNU long name; a size from 8 GiB on in a PAX record and
 * base-256. Source: POSIX.1-2008, pax; the GNU tar manual, "Basic Tar Format". */
#ifndef TM_PACK_TAR_WRITER_H
#define TM_PACK_TAR_WRITER_H

#include "pack/byte_out.h"

#include <stdbool.h>

struct tm_tar_writer {
    struct tm_byte_out *out; /* borrowed */
};

/* All return TM_OK or TM_E_SYSTEM. */
enum tm_status tm_tar_writer_begin(struct tm_tar_writer *tar, bool in_order, struct tm_error *err);
enum tm_status tm_tar_writer_member(struct tm_tar_writer *tar, const char *name, uint64_t size_bytes,
                                    struct tm_error *err);
enum tm_status tm_tar_writer_data(struct tm_tar_writer *tar, const void *data, size_t len, struct tm_error *err);
enum tm_status tm_tar_writer_end(struct tm_tar_writer *tar, struct tm_error *err);

#endif
