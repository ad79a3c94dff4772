/* The members of a TAR archive, one after another: ustar with prefix, GNU long names, base-256 sizes, PAX path and
 * size. libtar decodes the headers. Reading, sizes and bounds are done here, because libtar's sizes have 32 bits and
 * its long names have no bound. */
#ifndef TM_CONTAINER_TAR_READER_H
#define TM_CONTAINER_TAR_READER_H

#include "base/buf.h"
#include "os/input.h"
#include "container/damage.h"
#include "container/limits.h"

struct tm_tar_entry {
    const char *name; /* borrowed until the next call */
    size_t name_bytes;
    uint64_t at;         /* offset of its data in the input */
    uint64_t size_bytes; /* of the data that is present */
    uint64_t missing_bytes; /* of its data that was cut off; 0 unless the reader is tolerant */
    bool is_file;        /* a regular file or a hard link: no directory, symbolic link or device */
    const char *link;    /* for a hard link: the name of the file with the data; otherwise NULL */
    const char *refusal; /* why its data cannot be read, as text of an error; NULL: it can; static */
};

struct tm_tar_reader {
    struct tm_input *in;  /* borrowed; at the first header, then after the header of the entry shown */
    uint64_t end;         /* offset of the end of the input; UINT64_MAX: unknown */
    bool tolerant;        /* damage is skipped and noted; it is no error */
    bool lacks_end;       /* set at TM_END: no end-of-archive block was there, so members may be missing */
    struct tm_damage damage;
    /* private */
    uint64_t next;        /* offset of the next header */
    uint64_t data_end;    /* offset of the end of the data of the member shown last */
    struct tm_buf name, long_name, link;
    bool has_size, has_path, has_link, is_sparse, jumping, is_cut;
    uint64_t pax_size;
};

/* Initialises TAR to read IN from its current position. IN ends at offset END (UINT64_MAX: not known). */
void tm_tar_reader_init(struct tm_tar_reader *tar, struct tm_input *in, uint64_t end);

/* True if HEAD, LEN bytes, begins with the header of a member: its checksum is right. Only the oldest form of TAR, and
 * headers of extensions such as the label of a volume, lack the mark "ustar". */
bool tm_tar_is_header(const uint8_t *head, size_t len);

/* Sets *PROMISED to true if the TAR at the front of IN begins with a global PAX header that promises its members in
 * order of processing, else to false. Consumes nothing of IN. TM_OK or an error. */
enum tm_status tm_tar_promises_order(struct tm_input *in, bool *promised, struct tm_error *err);

/* Reads the next member. The input is then at its data. Unread data of the previous member is skipped. Directories,
 * links and devices are shown too. TM_OK. TM_END at the end-of-archive blocks or the end of the bytes; zero bytes
 * that follow have been read. TM_E_INPUT "byte N: cause" or "MEMBER: byte N: cause", where N is an offset of the
 * input; or "MEMBER: cut short, ..." if an input whose end is not known ends in the data of the previous member. */
enum tm_status tm_tar_next(struct tm_tar_reader *tar, struct tm_tar_entry *entry, struct tm_error *err);

void tm_tar_reader_release(struct tm_tar_reader *tar);

#endif
