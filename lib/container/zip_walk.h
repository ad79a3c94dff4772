/* The members of a ZIP whose central directory is lost, found by the header in front of each (--on-damage salvage). A
 * header that was written before its data lacks some values; they are found by inflating the data. */
#ifndef TM_CONTAINER_ZIP_WALK_H
#define TM_CONTAINER_ZIP_WALK_H

#include "container/limits.h"
#include "container/zip_reader.h"

struct tm_zip_walk {
    uint64_t skipped_bytes; /* bytes that belong to no member found */
    /* private */
    uint64_t end;
    struct tm_input in;     /* the whole ZIP, read once from front to back */
    char name[TM_NAME_BYTES_MAX + 1];
};

/* Begins a walk of EXTENT, whose descriptor must outlive it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_zip_walk_init(struct tm_zip_walk *walk, const struct tm_extent *extent, struct tm_error *err);

/* Finds the next member; its place is for tm_zip_walk_open. Members that are encrypted or use another method count as
 * skipped bytes. TM_OK; TM_END; TM_E_SYSTEM. */
enum tm_status tm_zip_walk_next(struct tm_zip_walk *walk, struct tm_zip_entry *entry, struct tm_error *err);

void tm_zip_walk_release(struct tm_zip_walk *walk);

/* Makes INPUT an input over the data of the member at PLACE of EXTENT, as far as they are there. Damage of the data is
 * noted in DAMAGE, which must outlive INPUT. TM_OK; TM_E_INPUT if no header of a readable member is at PLACE;
 * TM_E_SYSTEM. */
enum tm_status tm_zip_walk_open(const struct tm_extent *extent, const uint64_t place[2], struct tm_damage *damage,
                                struct tm_input *input, struct tm_error *err);

#endif
