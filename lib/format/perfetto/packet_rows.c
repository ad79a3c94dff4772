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
