/* The files that become members of an archive: their types, names and order.
 *
 * Names are base names; a file in a given directory has its path inside that directory. The order is that of
 * processing: priority of the type, then name bytewise (doc/rules.md sections 1 and 2). */
#ifndef TM_PACK_MEMBERS_H
#define TM_PACK_MEMBERS_H

#include "unpack/file_list.h"
#include "unpack/stated.h"

struct tm_pack_member {
    const char *path; /* lies in the list of the members, as name does */
    const char *name;
    struct tm_file_type type;
    struct tm_stated_rank rank;
    char *host; /* that it states; NULL: none; owned */
    bool is_host_of_several;
    uint64_t size_bytes;
};

/* Zero-initialise. */
struct tm_members {
    struct tm_pack_member *members; /* owned */
    size_t count;
    struct tm_file_list list; /* owned; paths and names lie there */
    const struct tm_pack_member *manifest; /* the one that is a manifest, the first of them; NULL: none */
};

/* Reads the COUNT files and directories of PATHS. May be called once. TM_OK. TM_E_INPUT if one is no regular file, is
 * of unknown type, is hidden or is a second manifest, or if two have one name. TM_E_SYSTEM. */
enum tm_status tm_members_read(struct tm_members *members, const char *const *paths, size_t count,
                               struct tm_error *err);

/* Opens a member to be read. TM_OK; TM_E_INPUT when it is no regular file of the size seen before; TM_E_SYSTEM. */
enum tm_status tm_members_open(const struct tm_pack_member *member, int *fd, struct tm_error *err);

void tm_members_release(struct tm_members *members);

#endif
