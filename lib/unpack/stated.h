/* The origin of a file, read before its turn: its rank in a distributed job ("distributedInfo" of PyTorch's profiles
 * (Kineto), which precedes the events; source: Kineto's output_json.cpp), and its host. */
#ifndef TM_UNPACK_STATED_H
#define TM_UNPACK_STATED_H

#include "os/input.h"
#include "unpack/file_type.h"
#include "unpack/stated_host.h"

/* Zero: the file states none. */
struct tm_stated_rank {
    bool is_known;
    int64_t rank, world_size; /* at least 0; world_size 0: not stated */
};

/* Zero: the file states none of this. */
struct tm_stated {
    struct tm_stated_rank rank;
    struct tm_stated_host host;
    bool is_archive; /* it is a compressed file with a TAR or ZIP inside */
};

/* Reads the facts that a file of TYPE states in its first bytes, at the front of IN; at most WANT of these are its own.
 * Compressed files are looked into, also if they were compressed several times. TM_OK, also if there are no facts or
 * early damage; TM_E_SYSTEM. */
enum tm_status tm_stated_read(struct tm_stated *stated, const struct tm_file_type *type, struct tm_input *in,
                              uint64_t want, struct tm_error *err);

enum { TM_STATED_BYTES = 64 << 10 };

/* Reads the facts of a file that begins with the LEN bytes at DATA: its first TM_STATED_BYTES, or all of it. Results
 * are those of tm_stated_read. */
enum tm_status tm_stated_read_head(struct tm_stated *stated, const struct tm_file_type *type, const uint8_t *data,
                                   size_t len, struct tm_error *err);

#endif
