/* The fast path of recorded packets with track events: ranges of the recorded bytes are copied, with new fields between
 * them. */
#ifndef TM_EMIT_PERFETTO_PACKET_SPLICE_H
#define TM_EMIT_PERFETTO_PACKET_SPLICE_H

#include "emit/perfetto/recorded_draft.h"

/* Appends the packet of DRAFT to OUT, with the same bytes as tm_packet_rewrite. TM_OK, TM_E_SYSTEM, or TM_END: it needs
 * more changes or is damaged, and nothing was written. */
enum tm_status tm_packet_splice(const struct tm_recorded_draft *draft, struct tm_buf *out);

#endif
