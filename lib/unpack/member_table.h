/* The members of an archive: the facts about each before its turn, and the order of their turns. */
#ifndef TM_UNPACK_MEMBER_TABLE_H
#define TM_UNPACK_MEMBER_TABLE_H

#include "base/buf.h"
#include "stream/drop_reason.h"
#include "unpack/stated.h"
#include "container/limits.h"

struct tm_member {
    const char *name_text;  /* for add: the name, NUL-terminated; NULL in the table */
    size_t name;            /* its start in the table's names; NUL-terminated */
    uint32_t name_bytes;
    uint64_t size_bytes;
    uint64_t place[2];   /* the place of the member, as the archive defines it */
    uint64_t missing_bytes; /* bytes of its data that the archive has lost */
    bool is_once;        /* its bytes can be read only once, and reading may have to wait for them */
    bool is_shared;      /* another member has the same data */
    const char *unknown_cause; /* why its type is unknown by its first bytes; NULL: it is known; static */
    bool has_placed_type; /* its type is known by its place, whatever its first bytes show */
    bool is_left_out;    /* it is no trace by its place, and not read */
    bool has_own_streams; /* the metadata of a folder with streams that are recognized by their first bytes */
    enum tm_drop_reason reason; /* why it cannot be read; TM_DROP_NONE: it can be read */
    const char *cause_text; /* for add: the message at its turn, such as the reason; NULL in the table */
    size_t cause;           /* its start in the table's names, NUL-terminated; 0: no message */
    struct tm_file_type type;
    struct tm_stated_rank rank;
    const char *host_text;  /* for add: the host that it states, or NULL; NULL in the table */
    size_t host;            /* its start in the table's names, NUL-terminated; 0: none */
    bool is_host_of_several;
    bool has_archive; /* a compressed file with a TAR or ZIP inside */
};

/* Zero-initialise. */
struct tm_member_table {
    struct tm_member *members; /* in archive order; owned */
    uint32_t count;
    uint32_t *order;           /* indices of members in order of processing, after sort; owned */
    /* private */
    struct tm_buf names;
    uint32_t cap;
};

/* True for a member that is ignored: a component of its path starts with "." and is neither "." nor
 * ".." (doc/rules.md section 2). */
bool tm_member_is_hidden(const char *name, size_t len);

/* Appends a copy of MEMBER with its name_text, cause_text and host_text. TM_OK; TM_E_INPUT: a limit is exceeded;
 * TM_E_SYSTEM. */
enum tm_status tm_member_table_add(struct tm_member_table *table, const struct tm_member *member, struct tm_error *err);

static inline const char *tm_member_name(const struct tm_member_table *table, const struct tm_member *member)
{
    return (const char *)table->names.data + member->name;
}

/* Returns the cause of a member that has one. */
static inline const char *tm_member_cause(const struct tm_member_table *table, const struct tm_member *member)
{
    return (const char *)table->names.data + member->cause;
}

/* Returns the host that a member states, or NULL. */
static inline const char *tm_member_host(const struct tm_member_table *table, const struct tm_member *member)
{
    return member->host ? (const char *)table->names.data + member->host : NULL;
}

/* Returns a number below, equal to or above 0 if A comes before, with or after B in the order of processing, without
 * regard to position. */
int tm_member_compare(const struct tm_member_table *table, const struct tm_member *a, const struct tm_member *b);

/* Fills order: by priority, then name bytewise, then position. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_member_table_sort(struct tm_member_table *table, struct tm_error *err);

void tm_member_table_release(struct tm_member_table *table);

#endif
