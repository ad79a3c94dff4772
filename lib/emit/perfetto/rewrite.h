/* Rewriting of a recorded message, field by field. It handles all changes of packet_changes.h in track events; it is
 * the slow path of packet_splice.h. Private to recorded_encode.c and packet_retime.c. */
#ifndef TM_EMIT_PERFETTO_REWRITE_H
#define TM_EMIT_PERFETTO_REWRITE_H

#include "emit/perfetto/recorded_draft.h"

struct tm_rewrite {
    const struct tm_recorded_draft *draft; /* values and ids of a track event; RAW is not used */
    struct tm_buf *out;
    struct tm_extra_cursor extras; /* extras_from of the draft at first */
    bool failed;          /* out of memory */
};

/* Writes the field F to the output, changed or not. */
typedef void tm_rewrite_field(struct tm_rewrite *rewrite, const struct tm_pb_field *f);

/* Notes the status of a write. */
static inline void tm_rewrite_check(struct tm_rewrite *rewrite, enum tm_status st)
{
    rewrite->failed |= st != TM_OK;
}

/* Copies F. */
void tm_rewrite_copy(struct tm_rewrite *rewrite, const struct tm_pb_field *f);

/* Writes F, an id or several packed ones, with the output's ids: one field for each. Elements are varints. */
void tm_rewrite_ids(struct tm_rewrite *rewrite, const struct tm_pb_field *f);

/* Writes the message at F, each of its fields by EACH. Damaged bytes, which tm-unpack has counted, stay unchanged, so
 * that readers treat them alike. */
void tm_rewrite_message(struct tm_rewrite *rewrite, const struct tm_pb_field *f, tm_rewrite_field *each);

/* Writes F, a track event. An event that names no track gets the draft's. */
tm_rewrite_field tm_rewrite_event;

/* Writes F, a field of a track event. */
tm_rewrite_field tm_rewrite_event_field;

#endif
