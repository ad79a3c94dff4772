/* A gzip stream of any number of members (RFC 1952), as the files it holds: a member whose header
 * names another file than the one before begins a new file; all others continue (doc/rules.md
 * section 3). Zero bytes behind the last member are padding. */
#ifndef TM_CONTAINER_GZIP_READER_H
#define TM_CONTAINER_GZIP_READER_H

#include "base/buf.h"
#include "os/input.h"
#include "container/damage.h"
#include "container/inflater.h"

#include <pthread.h>
#include <stdbool.h>

struct tm_gzip_reader {
    struct tm_input *in; /* borrowed; the compressed bytes */
    struct tm_buf name;  /* FNAME of the file being read; empty if it has none */
    enum tm_on_damage on_damage; /* skip: damage ends the stream; salvage: go on at the next member found */
    struct tm_damage damage;     /* that was met then; bytes are compressed ones */
    /* private */
    struct tm_inflater inflater;
    bool begun;
    uint64_t member_at; /* where the member being read begins in the compressed bytes */
    enum { TM_GZIP_BETWEEN, TM_GZIP_IN_MEMBER, TM_GZIP_AT_FILE, TM_GZIP_ENDED } state;
    struct tm_buf next_name;
    pthread_mutex_t lock;   /* of starts, which tm_gzip_is_start reads while the input may be read by another thread */
    struct tm_buf starts;   /* offsets in the file's data of members named as the one before: uint64_t */
    uint64_t file_bytes;    /* given of this file */
};

/* IN stands at the first member. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gzip_reader_init(struct tm_gzip_reader *gzip, struct tm_input *in, struct tm_error *err);

/* Turns to the next file, whose data INPUT then reads (and may read to its end or not; release it
 * before the next call). TM_OK; TM_END: no more, and the input stands behind the gzip stream;
 * TM_E_INPUT. */
enum tm_status tm_gzip_next(struct tm_gzip_reader *gzip, struct tm_input *input, struct tm_error *err);

/* True when a member with a name of its own, equal to the file's, begins at an offset FROM to TO of its data:
 * if a document ended at FROM, the one that begins at TO is a new file of that name. */
bool tm_gzip_is_start(struct tm_gzip_reader *gzip, uint64_t from, uint64_t to);

void tm_gzip_reader_release(struct tm_gzip_reader *gzip);

#endif
