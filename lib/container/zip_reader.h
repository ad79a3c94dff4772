/* The members of a ZIP, through minizip: stored or deflated, ZIP64, checked by their CRC. */
#ifndef TM_CONTAINER_ZIP_READER_H
#define TM_CONTAINER_ZIP_READER_H

#include "container/damage.h"
#include "container/extent.h"

struct tm_zip_entry {
    const char *name; /* borrowed until the next call */
    size_t name_bytes;
    uint64_t size_bytes; /* size of its data, as the central directory states it */
    uint64_t place[2];   /* for tm_zip_open */
    bool is_file;        /* no directory and no symbolic link */
    const char *refusal; /* why its data cannot be read, as text of an error; NULL: it can; borrowed as name is */
    bool is_damaged;     /* the refusal is of damage, not of something that is not supported */
};

struct tm_zip_reader;

/* Opens the ZIP in EXTENT, whose descriptor must outlive it. TM_OK with *ZIP set; TM_E_INPUT if its central directory
 * cannot be found; TM_E_SYSTEM. */
enum tm_status tm_zip_new(struct tm_zip_reader **zip, const struct tm_extent *extent, struct tm_error *err);

/* Reads the next member of the central directory. TM_OK; TM_END; TM_E_INPUT if the directory is damaged; TM_E_SYSTEM.
 * A member is refused if it is encrypted, its method is neither stored nor deflated, its name has a NUL, or the members
 * so far state more compressed data than the file has. */
enum tm_status tm_zip_next(struct tm_zip_reader *zip, struct tm_zip_entry *entry, struct tm_error *err);

/* Finds the local header of the member at PLACE of the directory. Sets AT to the place for tm_zip_walk_open. TM_OK;
 * TM_E_INPUT if there is no room for a header; TM_E_SYSTEM. */
enum tm_status tm_zip_local(struct tm_zip_reader *zip, const uint64_t place[2], uint64_t at[2], struct tm_error *err);

/* Makes INPUT an input over the data of the member at PLACE. Release it before the next open or free. A wrong CRC or
 * length is TM_E_INPUT when the data ends. With DAMAGE (may be NULL) it is noted there instead. */
enum tm_status tm_zip_open(struct tm_zip_reader *zip, const uint64_t place[2], struct tm_damage *damage,
                           struct tm_input *input, struct tm_error *err);

/* Bytes of a file around the ZIP that its directory describes. */
struct tm_zip_rest {
    uint64_t before;
    uint64_t after; /* 0 also if all are blanks or zero */
};

/* Returns what is around the ZIP. Nothing of it is read. */
struct tm_zip_rest tm_zip_rest(const struct tm_zip_reader *zip);

void tm_zip_free(struct tm_zip_reader *zip);

#endif
