/* The configuration of a recording as text, as in a .pbtxt file. Rules: util/protozero_to_text.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_CONFIG_TEXT_H
#define TM_FORMAT_PERFETTO_CONFIG_TEXT_H

#include "base/pb.h"

/* Appends the LEN bytes of a TraceConfig at DATA, a field a line. Fields that are not known (perfetto/config_fields.h)
 * have their number for a name. What follows damage is left out, and so is what nests deeper than TM_PROTO_DEPTH_MAX.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_config_text(struct tm_buf *out, const uint8_t *data, size_t len);

#endif
