/* What a file says of where it was made, before its turn: which rank of a distributed job it is ("distributedInfo" of
 * PyTorch's profiles (Kineto), which stands before the events; source: Kineto's output_json.cpp), and its host. */
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

/* Zero: the file states neither. */
struct tm_stated {
    struct tm_stated_rank rank;
    struct tm_stated_host host;
};

/* What a file of TYPE, whose first bytes are at the front of IN, states within its first bytes; no more than WANT of
 * them are its own. Compressed files are looked into. TM_OK, also where it states none, or where it is damaged so
 * early; TM_E_SYSTEM. */
enum tm_status tm_stated_read(struct tm_stated *stated, const struct tm_file_type *type, struct tm_input *in,
                              uint64_t want, struct tm_error *err);

enum { TM_STATED_BYTES = 64 << 10 };

/* As tm_stated_read, for a file that begins with the LEN bytes at DATA: the first TM_STATED_BYTES of it, or
 * all. */
enum tm_status tm_stated_look(struct tm_stated *stated, const struct tm_file_type *type, const uint8_t *data,
                              size_t len, struct tm_error *err);

#endif
