/* What elements with an id said, for those that refer to them later: records of bytes, kept in
 * memory up to a bound and in temporary files beyond it. */
#ifndef TM_FORMAT_INSTRUMENTS_REFS_H
#define TM_FORMAT_INSTRUMENTS_REFS_H

#include "base/buf.h"
#include "os/paged_file.h"

/* Zero-initialise, then init. */
struct tm_instruments_refs {
    /* private */
    struct tm_paged_file ids;     /* 8 bytes an id: the place of its record, 0 none */
    struct tm_paged_file records; /* 4 bytes length, 1 byte kind, payload */
    uint64_t id_count;       /* ids that were bound */
};

void tm_instruments_refs_init(struct tm_instruments_refs *refs);
void tm_instruments_refs_release(struct tm_instruments_refs *refs);

/* A new record of KIND; *PLACE (never 0) finds it again. */
enum tm_status tm_instruments_refs_add(struct tm_instruments_refs *refs, uint8_t kind, const struct tm_buf *payload,
                                       uint64_t *place, struct tm_error *err);

/* ID stands for the record at PLACE from now on. TM_END: ID is so far beyond the number of ids so
 * far that a table of them would be mostly empty; nothing was bound. */
enum tm_status tm_instruments_refs_bind(struct tm_instruments_refs *refs, uint64_t id, uint64_t place,
                                        struct tm_error *err);

/* The record that ID stands for. TM_END: none, or one of another kind. */
enum tm_status tm_instruments_refs_find(struct tm_instruments_refs *refs, uint64_t id, uint8_t kind, uint64_t *place,
                                        struct tm_error *err);

/* Appends the payload of the record at PLACE, which an earlier call gave, to OUT. */
enum tm_status tm_instruments_refs_get(struct tm_instruments_refs *refs, uint64_t place, struct tm_buf *out,
                                       struct tm_error *err);

/* Sets the first payload byte of the record at PLACE. */
enum tm_status tm_instruments_refs_mark(struct tm_instruments_refs *refs, uint64_t place, uint8_t byte,
                                        struct tm_error *err);

#endif
