#include "format/perfetto/packet_rows.h"

enum tm_status tm_proto_packet_rows_begin(struct tm_proto_packet_rows *w)
{
    struct tm_event row;
    enum tm_status st = tm_proto_add_packet(w->rows, w->packet, &row, w->err);
    w->like = tm_proto_derived(&row, TM_KIND_PACKET);
    w->like.raw = NULL;
    w->like.detail = NULL;
    return st;
}

void tm_proto_packet_rows_again(struct tm_proto_packet_rows *w)
{
    w->like = tm_proto_event(w->packet, TM_KIND_PACKET);
    w->like.flags = w->packet->has_time ? 0 : TM_EVENT_UNTIMED;
    w->like.raw = NULL;
    w->like.raw_bytes = 0;
    w->is_again = true;
}
