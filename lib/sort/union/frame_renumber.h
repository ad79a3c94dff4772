/* Renumbers messages that need nothing but numbers changed to go from one stream into another. */
#ifndef TM_SORT_UNION_FRAME_RENUMBER_H
#define TM_SORT_UNION_FRAME_RENUMBER_H

#include "sort/union/stream_ids.h"
#include "stream/frame.h"
#include "tm_stream.pb-c.h"

/* Changes MESSAGE, of a frame of TYPE, in place; IDS learns generations and snapshots from it. Other
 * types than FileEnd, Manifest, Snapshot, RemoteClockSync, ClockHint, Sequence, ClockRow, Placement,
 * Account and Stat stay as they are. TM_OK; TM_E_INPUT for a number the stream never named. */
enum tm_status tm_frame_renumber(uint32_t type, ProtobufCMessage *message, struct tm_stream_ids *ids,
                                 struct tm_error *err);

#endif
