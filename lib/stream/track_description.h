/* The description that the definition of a track has in its detail (TrackDescription in proto/tm_stream.proto), for
 * tracks that state no more than a name. */
#ifndef TM_STREAM_TRACK_DESCRIPTION_H
#define TM_STREAM_TRACK_DESCRIPTION_H

#include "base/text.h"
#include "stream/event_sink.h"

/* Adds to SINK the definition of the track UUID (not 0) of the current file, which is below no other track, with NAME.
 * DETAIL is memory that the call uses. TM_OK or an error of the sink. */
enum tm_status tm_track_description_add(struct tm_event_sink *sink, uint64_t uuid, struct tm_text name,
                                        struct tm_buf *detail, struct tm_error *err);

#endif
