/* The members of the inputs' top-level objects by key and by file, and which of them the inputs share. A shared member
 * is written once, at the top; the others are listed by file. Made once, when all members are known. */
#ifndef TM_EMIT_CHROME_JSON_SHARED_MEMBERS_H
#define TM_EMIT_CHROME_JSON_SHARED_MEMBERS_H

#include "base/intern.h"
#include "emit/chrome_json/frames.h"

/* A member. Its texts are borrowed from the struct tm_json_top_members. */
struct tm_json_keyed_member {
    struct tm_json_top_member member;
    uint32_t key; /* the number of its key */
};

/* What the members with one key have in common. */
struct tm_json_member_key {
    uint32_t first; /* index of the first member of the first file that has the key */
    uint32_t count; /* members with the key */
    bool agree;     /* they have equal values */
    bool is_shared;
};

/* Zero-initialise. */
struct tm_json_shared_members {
    struct tm_json_keyed_member *members; /* in the order of the stream */
    uint32_t count;
    uint32_t *by_file; /* their indexes in the order of files; those of a file are in the order of the stream */
    /* private */
    uint32_t cap, key_cap;
    struct tm_intern names; /* of the keys */
    struct tm_json_member_key *keys;
};

/* Reads the members of FRAMES, which stay as they are until release. TM_OK or TM_E_SYSTEM; release in both cases. */
enum tm_status tm_json_shared_members_read(struct tm_json_shared_members *shared, const struct tm_json_frames *frames,
                                           struct tm_error *err);

/* True if the inputs share a member with M's key. */
static inline bool tm_json_shared_members_has(const struct tm_json_shared_members *shared,
                                              const struct tm_json_keyed_member *m)
{
    return shared->keys[m->key].is_shared;
}

/* True if M is the shared member of its key: it is of the first file that has the key. */
static inline bool tm_json_shared_members_is(const struct tm_json_shared_members *shared,
                                             const struct tm_json_keyed_member *m)
{
    const struct tm_json_member_key *key = &shared->keys[m->key];
    return key->is_shared && m->member.file == shared->members[key->first].member.file;
}

void tm_json_shared_members_release(struct tm_json_shared_members *shared);

#endif
