/* Finds the parts of a thread's tables while its text is copied to the paged file. */
#ifndef TM_FORMAT_GECKO_PART_FINDER_H
#define TM_FORMAT_GECKO_PART_FINDER_H

#include "format/gecko/resync.h"

/* Reads the value of member KEY of a thread's object. CURSOR is at the value and copies to the paged file. TM_OK: it
 * was a table, and CURSOR is after it. TM_END: it is not a table, and nothing was read. After an error the bytes of the
 * table read so far are a part, too. With RESYNC (may be NULL) damage inside a table is skipped where possible; an
 * error then means that this is impossible. */
enum tm_status tm_gecko_parts_take(struct tm_gecko_parts *parts, const struct tm_json_value *key,
                                   struct tm_json_cursor *cursor, struct tm_gecko_resync *resync, struct tm_error *err);

#endif
