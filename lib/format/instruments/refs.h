/* The content of elements, for later references by their ids. Records are stored in memory up to a bound, and in
 * temporary files beyond it. */
#ifndef TM_FORMAT_INSTRUMENTS_REFS_H
#define TM_FORMAT_INSTRUMENTS_REFS_H

#include "base/buf.h"
#include "os/paged_file.h"

/* Zero-initialise, then init. */
struct tm_instruments_refs {
    /* private */
    struct tm_paged_file ids;     /* 8 bytes for each id: the place of its record, 0: none */
    struct tm_paged_file records; /* 4 bytes length, 1 byte kind, payload */
    uint64_t id_count;       /* number of ids bound */
};

/* The temporary files are made in DIR (borrowed; NULL: as tm_io_temporary). */
void tm_instruments_refs_init(struct tm_instruments_refs *refs, const char *dir);
void tm_instruments_refs_release(struct tm_instruments_refs *refs);

/* Adds a record of KIND. Sets *PLACE, which identifies it and is never 0. TM_OK or an error. */
enum tm_status tm_instruments_refs_add(struct tm_instruments_refs *refs, uint8_t kind, const struct tm_buf *payload,
                                       uint64_t *place, struct tm_error *err);

/* Binds ID to the record at PLACE from now on. TM_OK; TM_END: ID is so much larger than the number of ids that the
 * table would be mostly empty, and nothing was bound; or an error. */
enum tm_status tm_instruments_refs_bind(struct tm_instruments_refs *refs, uint64_t id, uint64_t place,
                                        struct tm_error *err);

/* Sets *PLACE to the place of the record bound to ID. TM_OK; TM_END: there is none, or it has another kind; or an
 * error. */
enum tm_status tm_instruments_refs_find(struct tm_instruments_refs *refs, uint64_t id, uint8_t kind, uint64_t *place,
                                        struct tm_error *err);

/* Appends the payload of the record at PLACE, which an earlier call returned, to OUT. TM_OK or an error. */
enum tm_status tm_instruments_refs_get(struct tm_instruments_refs *refs, uint64_t place, struct tm_buf *out,
                                       struct tm_error *err);

/* Sets the first payload byte of the record at PLACE. TM_OK or an error. */
enum tm_status tm_instruments_refs_mark(struct tm_instruments_refs *refs, uint64_t place, uint8_t byte,
                                        struct tm_error *err);

#endif
