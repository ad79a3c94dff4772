/* Packets that are encoded later, with their places between the bytes of the output that exist already. */
#ifndef TM_EMIT_PERFETTO_PACKET_DRAFTS_H
#define TM_EMIT_PERFETTO_PACKET_DRAFTS_H

#include "emit/perfetto/event_draft.h"
#include "emit/perfetto/packet_sink.h"
#include "emit/perfetto/recorded_draft.h"

/* Zero-initialise. */
struct tm_packet_drafts {
    struct tm_buf payload; /* the texts of all drafts, in their order */
    uint32_t count;
    /* private */
    struct tm_placed_draft *drafts;
    uint32_t cap;
};

/* Returns the place of the next draft, for an event. It is valid until something is added. NULL: no memory. */
struct tm_event_draft *tm_packet_drafts_next(struct tm_packet_drafts *drafts, struct tm_error *err);

/* Each adds something that stands before byte AT of the output's bytes; AT does not decrease. The payload of a draft is
 * copied. The draft of an event is that of tm_packet_drafts_next. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_drafts_event(struct tm_packet_drafts *drafts, size_t at, struct tm_error *err);
enum tm_status tm_packet_drafts_recorded(struct tm_packet_drafts *drafts, size_t at,
                                         const struct tm_recorded_draft *recorded, struct tm_error *err);

/* Adds that PLACEHOLDER opens with VERSIONS, which are taken over, also if it fails. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_drafts_open(struct tm_packet_drafts *drafts, size_t at, uint32_t placeholder,
                                     struct tm_buf versions[2], struct tm_error *err);

/* Adds that version WHICH of PLACEHOLDER is chosen. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_drafts_decide(struct tm_packet_drafts *drafts, size_t at, uint32_t placeholder, int which,
                                       struct tm_error *err);

/* Scratch memory for tm_packet_drafts_encode. Zero-initialise. */
struct tm_draft_scratch {
    struct tm_event_scratch event;
    struct tm_buf packets;
};

/* Puts BYTES, the bytes of the output, into SINK with the packets of all drafts between them. Both are then empty and
 * keep their memory, or have other memory. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_drafts_encode(struct tm_packet_drafts *drafts, struct tm_buf *bytes,
                                       struct tm_draft_scratch *scratch, struct tm_packet_sink *sink,
                                       struct tm_error *err);

void tm_packet_drafts_release(struct tm_packet_drafts *drafts);

void tm_draft_scratch_release(struct tm_draft_scratch *scratch);

#endif
