#include "format/perfetto/sequence_loss.h"

enum { SEQ_CLEARED = 1, SEQ_NEEDS_STATE = 2 };

/* A packet of the shadow. */
struct shadow {
    uint32_t flags;
    uint32_t dropped;  /* 0: the packet has no such field */
    bool has_interned; /* an empty interned_data */
};

static enum tm_status add_row(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct shadow shadow,
                              struct tm_error *err)
{
    struct tm_event row = {
        .kind = TM_KIND_METADATA,
        .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | tm_event_raw_flags(TM_RAW_PACKET),
        .machine = packet->machine,
        .sequence = packet->sequence_id,
    };
    rows->text.len = 0;
    if (tm_pb_put_varint(&rows->text, TM_PACKET_SEQUENCE_FLAGS, shadow.flags) != TM_OK ||
        (shadow.dropped && tm_pb_put_varint(&rows->text, TM_PACKET_PREVIOUS_PACKET_DROPPED, shadow.dropped) != TM_OK) ||
        (shadow.has_interned && tm_pb_put_bytes(&rows->text, TM_PACKET_INTERNED_DATA, "", 0) != TM_OK))
        return tm_error_nomem(err);
    row.raw = rows->text.data;
    row.raw_bytes = (uint32_t)rows->text.len;
    return tm_event_sink_add(rows->sink, &row, err);
}

enum tm_status tm_proto_sequence_loss_note(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                           bool is_skipped, struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    bool needs_state = packet->flags & SEQ_NEEDS_STATE && !is_skipped;
    bool has_interned = packet->interned.id && !sequence->valid;
    enum tm_status st = TM_OK;
    if (!packet->is_loss && !is_skipped && !has_interned) {
        sequence->needs_state |= needs_state;
        if (!needs_state || !sequence->is_lossy || sequence->needs_state_shown)
            return TM_OK;
        sequence->needs_state_shown = true;
        return add_row(rows, packet, (struct shadow){.flags = SEQ_CLEARED | SEQ_NEEDS_STATE}, err);
    }
    if (!sequence->is_lossy && packet->is_loss) { /* a loss before the first packet of a sequence does not count */
        const struct shadow before = {.flags = sequence->needs_state ? SEQ_CLEARED | SEQ_NEEDS_STATE : 0};
        st = add_row(rows, packet, before, err);
        sequence->needs_state_shown = sequence->needs_state;
    }
    sequence->is_lossy = true;
    sequence->needs_state |= needs_state;
    sequence->needs_state_shown |= needs_state;
    const struct shadow shadow = {.flags = (packet->flags & SEQ_NEEDS_STATE) | (packet->cleared ? SEQ_CLEARED : 0),
                                  .dropped = packet->is_loss ? packet->dropped : 0,
                                  .has_interned = has_interned};
    return st < 0 ? st : add_row(rows, packet, shadow, err);
}
