/* The members of a ZIP, through minizip: stored or deflated, ZIP64, checked by their CRC. */
#ifndef TM_CONTAINER_ZIP_READER_H
#define TM_CONTAINER_ZIP_READER_H

#include "base/buf.h"
#include "container/damage.h"
#include "container/extent.h"

struct tm_zip_entry {
    const char *name; /* borrowed until the next call */
    size_t name_bytes;
    uint64_t size_bytes; /* of its data, as the central directory says */
    uint64_t place[2];   /* for tm_zip_open */
    bool is_file;        /* no directory and no symbolic link */
};

struct tm_zip_reader;

/* Opens the ZIP in EXTENT, whose descriptor must outlive it. TM_OK with *ZIP set; TM_E_INPUT when its central
 * directory cannot be found; TM_E_SYSTEM. */
enum tm_status tm_zip_new(struct tm_zip_reader **zip, const struct tm_extent *extent, struct tm_error *err);

/* The next member of the central directory. TM_OK; TM_END; TM_E_INPUT, with the member's name where it has one:
 * directory damaged, method other than stored and deflated, encrypted, more compressed data than the file has. */
enum tm_status tm_zip_next(struct tm_zip_reader *zip, struct tm_zip_entry *entry, struct tm_error *err);

/* Makes INPUT one over the data of the member at PLACE; release it before the next open or free. A CRC or
 * length that does not match is TM_E_INPUT when the data ends, or, with DAMAGE (may be NULL), noted there. */
enum tm_status tm_zip_open(struct tm_zip_reader *zip, const uint64_t place[2], struct tm_damage *damage,
                           struct tm_input *input, struct tm_error *err);

void tm_zip_free(struct tm_zip_reader *zip);

#endif
