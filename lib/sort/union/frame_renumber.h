/* Renumbers messages in which only numbers change between streams. */
#ifndef TM_SORT_UNION_FRAME_RENUMBER_H
#define TM_SORT_UNION_FRAME_RENUMBER_H

#include "sort/union/stream_ids.h"
#include "tm_stream.pb-c.h"

/* Renumbers MESSAGE of a frame of TYPE in place: its file and machine (stream/frame_ids.h), the generation of a
 * Sequence, the snapshot of a ClockRow. IDS learns generations and snapshots from it. TM_OK; TM_E_INPUT for a number
 * that the stream never defined. */
enum tm_status tm_frame_renumber(uint32_t type, ProtobufCMessage *message, struct tm_stream_ids *ids,
                                 struct tm_error *err);

#endif
