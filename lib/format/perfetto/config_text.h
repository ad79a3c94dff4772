/* The configuration of a recording as text, as in a .pbtxt file. Rules: util/protozero_to_text.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_CONFIG_TEXT_H
#define TM_FORMAT_PERFETTO_CONFIG_TEXT_H

#include "base/pb.h"

/* Appends the LEN bytes of a TraceConfig at DATA, one field on each line. A field that is not known
 * (perfetto/config_fields.h) has its number in place of a name. Fields after damage, and messages that nest deeper than
 * TM_PROTO_DEPTH_MAX, are left out. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_config_text(struct tm_buf *out, const uint8_t *data, size_t len);

#endif
