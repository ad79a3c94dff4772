/* Ids of the names of arguments. The keys of an event's arguments are a string of the stream (stream/arg_keys.h); the
 * names in them become entries of interned data. A name has one id on all sequences, and an entry on each that uses it.
 * There is one sequence for each machine. */
#ifndef TM_EMIT_PERFETTO_ANNOTATION_NAMES_H
#define TM_EMIT_PERFETTO_ANNOTATION_NAMES_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"

enum { TM_RECENT_ARG_KEYS = 256 }; /* a power of two */

enum { TM_ANNOTATION_ID_BYTES = 4 }; /* of the id of a name in a list of ids */

/* Zero-initialise. Memory grows with the strings of keys, and with the machines that use them. */
struct tm_annotation_names {
    /* private */
    struct tm_intern names; /* a name's id is its number plus 1 */
    struct tm_buf lists;    /* each: its length in four bytes, then ids as tm_annotation_names_find returns them */
    struct tm_map list_of;  /* from a string to the place of its list, plus 1; 0: its names have no ids */
    struct tm_map written;  /* strings and names that have their entries, each with its machine */
    struct tm_recent_arg_keys {
        uint32_t keys; /* 0: no entry */
        uint32_t machine;
        uint32_t list;
    } recent[TM_RECENT_ARG_KEYS];
};

/* The keys of an event. */
struct tm_used_arg_keys {
    uint32_t machine;
    uint32_t number; /* in the stream */
    struct tm_text text;
};

/* True if KEYS was found recently. Then sets *IDS as tm_annotation_names_find does. Does not use the text. */
bool tm_annotation_names_recent(const struct tm_annotation_names *names, const struct tm_used_arg_keys *keys,
                                struct tm_text *ids);

/* Sets *IDS to the ids of the names in KEYS, valid until the next call; empty: they have none, because there are too
 * many names or a name is too long. For each key: one byte, the number of its names, then four bytes for each. Appends
 * the entries that the machine's sequence lacks to ENTRIES, an InternedData. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_annotation_names_find(struct tm_annotation_names *names, const struct tm_used_arg_keys *keys,
                                        struct tm_buf *entries, struct tm_text *ids);

/* Has all entries written again, because the sequences begin again. Ids stay. */
void tm_annotation_names_restart(struct tm_annotation_names *names);

void tm_annotation_names_release(struct tm_annotation_names *names);

#endif
