#include "emit/perfetto/recorded_draft.h"

#include "emit/perfetto/packet_changes.h"

bool tm_recorded_draft_takes(struct tm_text raw)
{
    struct tm_pb pb = tm_pb_of(raw.data, raw.len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (tm_packet_change_of(f.id) > TM_PACKET_CHANGE_EVENT)
            return false;
    return st == TM_END;
}
