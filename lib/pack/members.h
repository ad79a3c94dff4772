/* The files that become members of an archive: their types, names and order.
 *
 * Names are base names; a file in a given directory has its path inside that directory. The order is that of
 * processing: priority of the type, then name bytewise (doc/rules.md sections 1 and 2). */
#ifndef TM_PACK_MEMBERS_H
#define TM_PACK_MEMBERS_H

#include "unpack/file_list.h"
#include "unpack/stated.h"

struct tm_pack_member {
    const char *path; /* this and name point into the list of struct tm_members */
    const char *name;
    struct tm_file_type type;
    struct tm_stated_rank rank;
    char *host; /* stated by the file; NULL: none; owned */
    bool is_host_of_several;
    bool is_archive; /* a TAR or ZIP, also a compressed one */
    uint64_t size_bytes;
};

/* Zero-initialise. */
struct tm_members {
    struct tm_pack_member *members; /* owned */
    size_t count;
    struct tm_file_list list; /* owned; paths and names lie there */
    const struct tm_pack_member *manifest; /* the first member that is a manifest; NULL: none */
};

/* Reads the COUNT files and directories of PATHS. Call it once. TM_OK. TM_E_INPUT: a file is not regular, has an
 * unknown type, is hidden or is a second manifest, or two have one name. TM_E_SYSTEM. */
enum tm_status tm_members_read(struct tm_members *members, const char *const *paths, size_t count,
                               struct tm_error *err);

/* Opens a member for reading. TM_OK; TM_E_INPUT: it is not a regular file of its earlier size; TM_E_SYSTEM. */
enum tm_status tm_members_open(const struct tm_pack_member *member, int *fd, struct tm_error *err);

void tm_members_release(struct tm_members *members);

#endif
