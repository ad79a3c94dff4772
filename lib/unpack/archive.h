/* What all archives have in common: members that become known one by one and have their turns in order of
 * processing (doc/rules.md section 2). Private to this room. */
#ifndef TM_UNPACK_ARCHIVE_H
#define TM_UNPACK_ARCHIVE_H

#include "unpack/internal.h"

/* How an archive opens what MEMBER holds. CONTENT can be released also after an error. DAMAGE: where to note
 * what is jumped over while it is read; NULL when damage is an error. */
typedef enum tm_status tm_archive_open(void *state, const struct tm_member *member, struct tm_content *content,
                                       struct tm_damage *damage, struct tm_error *err);

/* Zero-initialise with open and state set. */
struct tm_archive {
    struct tm_member_table table;
    tm_archive_open *open;
    void *state; /* what open works with; borrowed */
    struct tm_damage damage; /* of the archive and of members' containers, jumped over */
};

/* Adds MEMBER (name_text, size_bytes and place are set), whose first bytes are at the front of IN; no more than
 * WANT of them are its own. An unknown type is an error, unless the options say otherwise. */
enum tm_status tm_archive_add(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                              struct tm_input *in, uint64_t want);

/* All members' rows, then all their turns inside that of NODE, of which SIZE_BYTES were read. */
enum tm_status tm_archive_turns(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                uint64_t size_bytes);

#endif
