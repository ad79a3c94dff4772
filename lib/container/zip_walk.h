/* The members of a ZIP whose central directory is lost, found by the headers in front of each (--on-damage
 * salvage). What such a header does not say, because it was written before the data, is found by inflating. */
#ifndef TM_CONTAINER_ZIP_WALK_H
#define TM_CONTAINER_ZIP_WALK_H

#include "container/limits.h"
#include "container/zip_reader.h"

struct tm_zip_walk {
    uint64_t skipped_bytes; /* that belong to no member found */
    /* private */
    uint64_t end;
    struct tm_input in;     /* all of the ZIP, read once from front to back */
    char name[TM_NAME_BYTES_MAX + 1];
};

/* Walks EXTENT, whose descriptor must outlive it. */
enum tm_status tm_zip_walk_init(struct tm_zip_walk *walk, const struct tm_extent *extent, struct tm_error *err);

/* The next member; place is for open. TM_OK; TM_END; TM_E_SYSTEM. Members that are encrypted or compressed by
 * another method are passed over as skipped bytes. */
enum tm_status tm_zip_walk_next(struct tm_zip_walk *walk, struct tm_zip_entry *entry, struct tm_error *err);

void tm_zip_walk_release(struct tm_zip_walk *walk);

/* Makes INPUT one over the data, as far as it goes, of the member at PLACE of EXTENT. What is wrong with the data
 * is noted in DAMAGE, which must outlive INPUT. */
enum tm_status tm_zip_walk_open(const struct tm_extent *extent, const uint64_t place[2], struct tm_damage *damage,
                                struct tm_input *input, struct tm_error *err);

#endif
