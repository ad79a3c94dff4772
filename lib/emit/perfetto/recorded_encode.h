/* Encodes drafts of recorded packets, most of them by packet_splice.h, the others by rewrite.h. */
#ifndef TM_EMIT_PERFETTO_RECORDED_ENCODE_H
#define TM_EMIT_PERFETTO_RECORDED_ENCODE_H

#include "base/buf.h"
#include "emit/perfetto/recorded_draft.h"

/* Appends the packet of DRAFT to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_recorded_encode(const struct tm_recorded_draft *draft, struct tm_buf *out);

#endif
