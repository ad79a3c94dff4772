/* Rows on tracks that their detail describes (perfetto/named_tracks.h). */
#ifndef TM_FORMAT_PERFETTO_NAMED_ROW_H
#define TM_FORMAT_PERFETTO_NAMED_ROW_H

#include "format/perfetto/internal.h"
#include "perfetto/named_tracks.h"

struct tm_proto_named_row {
    enum tm_named_track type;
    uint16_t second; /* with INSTANCE what tells the slice, or the track, from others of the type */
    uint32_t instance;
    uint32_t gpu;
};

/* Puts ROW on the track with the name in p->key, unless that is empty, and the dimensions in p->text, both of which are
 * then free. The detail must be empty. ROW is asynchronous and global; the caller can change that. */
enum tm_status tm_proto_named_row(struct tm_proto *p, const struct tm_proto_named_row *named, struct tm_event *row,
                                  struct tm_error *err);

#endif
