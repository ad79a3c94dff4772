/* The metadata of a plane: messages that events and stats refer to by number. They stay in the file; a cache contains
 * those used recently. */
#ifndef TM_FORMAT_XSPACE_NAMES_H
#define TM_FORMAT_XSPACE_NAMES_H

#include "base/map.h"
#include "base/text.h"
#include "container/extent.h"
#include "format/xspace/message.h"

/* Zero-initialise. */
struct tm_xspace_names {
    /* private */
    struct tm_map row_of; /* by number */
    struct tm_xspace_place *places;
    uint32_t count, cap;
    struct tm_xspace_slot *slots;
    size_t cached_bytes;
    struct tm_buf large; /* a message too large for the cache */
};

/* Adds FIELD of PLANE, an entry of a metadata map: a number and a message. A repeated number gets the new message.
 * TM_OK, also for a malformed entry, which is ignored; TM_E_INPUT: too many entries; TM_E_SYSTEM. */
enum tm_status tm_xspace_names_add(struct tm_xspace_names *names, struct tm_xspace_message *plane,
                                   const struct tm_xspace_field *field, struct tm_error *err);

/* Reads the message with number ID from FILE, at most TM_XSPACE_TEXT_MAX bytes of it. Valid until the next call for
 * NAMES. TM_OK; TM_END: there is none; TM_E_INPUT: the file has become shorter; TM_E_SYSTEM. */
enum tm_status tm_xspace_names_get(struct tm_xspace_names *names, const struct tm_extent *file, uint64_t id,
                                   struct tm_text *message, struct tm_error *err);

/* Removes all entries and frees the memory. */
void tm_xspace_names_release(struct tm_xspace_names *names);

#endif
