/* Packets about code that V8 compiled or moved: the process and the thread that they name. Rules:
 * importers/proto/v8_module.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_V8_CODE_H
#define TM_FORMAT_PERFETTO_V8_CODE_H

#include "format/perfetto/internal.h"

/* True if BODY is the field of such a packet. */
static inline bool tm_proto_v8_code_in(uint32_t body)
{
    return body >= TM_PACKET_V8_JS_CODE && body <= TM_PACKET_V8_CODE_MOVE;
}

/* Adds the packet's row, and DERIVED rows: the PROCESS of its isolate, which the sequence's interned data has, and if
 * the isolate states where its code is, the THREAD, which the packet or the sequence's defaults state. */
enum tm_status tm_proto_v8_code_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err);

#endif
