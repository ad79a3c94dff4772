/* A gzip stream of any number of members (RFC 1952), as the files it holds. A member whose header names another file
 * than the member before begins a new file; all others continue the file (doc/rules.md section 3). Zero bytes after
 * the last member are padding. */
#ifndef TM_CONTAINER_GZIP_READER_H
#define TM_CONTAINER_GZIP_READER_H

#include "base/buf.h"
#include "os/input.h"
#include "container/damage.h"
#include "container/inflater.h"

#include <pthread.h>
#include <stdbool.h>

/* Offsets in a file's data at which members of its name begin, among 64 of them. */
struct tm_gzip_starts {
    uint64_t at;   /* the first of the 64 */
    uint64_t bits; /* bit N: a member begins at offset at + N */
};

struct tm_gzip_reader {
    struct tm_input *in; /* borrowed; the compressed bytes */
    struct tm_buf name;  /* FNAME of the current file; empty if it has none */
    bool is_one_file;    /* names in headers are ignored, so that all members are one file */
    enum tm_on_damage on_damage; /* skip: damage ends the stream; salvage: reading continues at the next member found */
    struct tm_damage damage;     /* what was found; offsets are of compressed bytes */
    /* private */
    struct tm_inflater inflater;
    bool begun;
    uint64_t member_at; /* offset of the current member in the compressed bytes */
    enum { TM_GZIP_BETWEEN, TM_GZIP_IN_MEMBER, TM_GZIP_AT_FILE, TM_GZIP_ENDED } state;
    struct tm_buf next_name;
    pthread_mutex_t lock;   /* of starts: tm_gzip_is_start reads it while another thread may read the input */
    struct tm_gzip_starts *starts; /* from starts_first to starts_end, in order; without those that have no member */
    uint32_t starts_first, starts_end, starts_cap;
    uint64_t file_bytes;    /* bytes of this file read so far */
};

/* Initialises GZIP to read IN, which is at the first member. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gzip_reader_init(struct tm_gzip_reader *gzip, struct tm_input *in, struct tm_error *err);

/* Opens the next file. INPUT reads its data and may be left before its end; release it before the next call. TM_OK;
 * TM_END: there are no more, and the input is at the end of the gzip stream; TM_E_INPUT. */
enum tm_status tm_gzip_next(struct tm_gzip_reader *gzip, struct tm_input *input, struct tm_error *err);

/* True if a member that states the file's name begins at an offset from FROM to TO of the file's data. A document that
 * ended at FROM is then followed, at TO, by a new file of that name. A later call for this file has no smaller FROM.
 * Only the last of these offsets are known: all in the last 512 MiB of the data that was read, or in more of it where
 * they are more than 64 bytes apart. */
bool tm_gzip_is_start(struct tm_gzip_reader *gzip, uint64_t from, uint64_t to);

void tm_gzip_reader_release(struct tm_gzip_reader *gzip);

#endif
