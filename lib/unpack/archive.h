/* Common to all archives: members become known one by one and have their turns in order of processing (doc/rules.md
 * section 2). Private to this room. */
#ifndef TM_UNPACK_ARCHIVE_H
#define TM_UNPACK_ARCHIVE_H

#include "unpack/internal.h"

/* Opens the content of MEMBER. CONTENT can be released even after an error. Skipped damage is noted in DAMAGE; if
 * that is NULL, damage is an error. */
typedef enum tm_status tm_archive_open(void *state, const struct tm_member *member, struct tm_content *content,
                                       struct tm_damage *damage, struct tm_error *err);

/* Zero-initialise with open and state set. */
struct tm_archive {
    struct tm_member_table table;
    tm_archive_open *open;
    void *state; /* argument of open; borrowed */
    struct tm_damage damage; /* skipped damage of the archive and of members' containers */
};

/* Adds MEMBER, with name_text, size_bytes and place set. Its first bytes are at the front of IN, and at most WANT of
 * them are its own. An unknown type is an error unless the options say otherwise. */
enum tm_status tm_archive_add(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                              struct tm_input *in, uint64_t want);

/* Writes all members' rows, then gives them their turns inside that of NODE, of which SIZE_BYTES were read. */
enum tm_status tm_archive_turns(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                uint64_t size_bytes);

#endif
