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
    /* What errors call MEMBER; NULL: its name. */
    const char *(*path_of)(const void *state, const struct tm_member *member);
    void *state; /* argument of open and path_of; borrowed */
    /* Makes *COPY, with which another thread can call open; NULL: all threads can use state. free_state frees it. */
    enum tm_status (*copy_state)(void *state, void **copy, struct tm_error *err);
    void (*free_state)(void *copy);
    /* Called when the turn of MEMBER, which a worker ran, has ended. May be NULL. */
    void (*done)(void *state, const struct tm_member *member);
    bool lacks_paths; /* its members are not files with paths of their own */
    bool is_compressed; /* its members are decompressed, which counts as expansion */
    uint32_t left_out_count; /* members that is_left_out */
    struct tm_damage damage; /* skipped damage of the archive and of members' containers */
};

/* Adds MEMBER, with name_text, size_bytes and place set. Its first bytes are at the front of IN, and at most WANT of
 * them are its own. */
enum tm_status tm_archive_add(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                              struct tm_input *in, uint64_t want);

/* Adds MEMBER as tm_archive_add does. IN has its bytes alone and may skip damage, which DAMAGE counts. If the type
 * is unknown after damage, the member cannot be read. */
enum tm_status tm_archive_add_tolerant(struct tm_unpack_run *run, struct tm_archive *archive,
                                       struct tm_member *member, struct tm_input *in, const struct tm_damage *damage);

/* Why a member cannot be read. */
enum tm_refusal { TM_REFUSAL_DAMAGED, TM_REFUSAL_UNSUPPORTED };

/* Adds MEMBER, which cannot be read because of CAUSE. It will be accounted for. TM_E_INPUT with CAUSE if the options do
 * not go on after REFUSAL. */
enum tm_status tm_archive_refuse(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                                 enum tm_refusal refusal, const char *cause);

/* Runs the turn of MEMBER of TABLE, which has row NODE and cannot be read: warns and accounts for it. */
enum tm_status tm_archive_refused_turn(struct tm_unpack_run *run, struct tm_node *node,
                                       const struct tm_member_table *table, const struct tm_member *member);

/* Writes the rows of all members, then gives them their turns inside the turn of NODE, of which SIZE_BYTES were read. A
 * member of unknown type is an error (TM_E_INPUT), unless it is part of a trace that is a folder or the options leave
 * it out. */
enum tm_status tm_archive_turns(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                uint64_t size_bytes);

#endif
