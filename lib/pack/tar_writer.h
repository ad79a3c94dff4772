/* A TAR archive of regular files, written front to back. Equal members give equal bytes at any time.
 *
 *     tm_tar_writer_begin()  once
 *     tm_tar_writer_member() and then tm_tar_writer_data() for exactly as many bytes, for each member
 *     tm_tar_writer_end()    once
 *
 * With IN_ORDER it begins with a global PAX header that promises the members in order of processing
 * (doc/containers.md); the caller must keep the promise. A name of more than 100 bytes is in a PAX record and, for
 * other readers, in a GNU long name. A size from 8 GiB on is in a PAX record and in base-256. Source: POSIX.1-2008,
 * pax; the GNU tar manual, "Basic Tar Format". */
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
