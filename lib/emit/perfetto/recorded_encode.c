#include "emit/perfetto/recorded_encode.h"

#include "emit/perfetto/packet_changes.h"
#include "emit/perfetto/packet_splice.h"
#include "emit/perfetto/rewrite.h"

/* Returns the flags of the packet's sequence: the recorded ones, and those of DRAFT. */
static uint64_t flags_of(const struct tm_recorded_draft *draft)
{
    struct tm_pb pb = tm_pb_of(draft->raw.data, draft->raw.len);
    struct tm_pb_field f;
    uint64_t flags = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_PACKET_SEQUENCE_FLAGS && f.type == TM_PB_VARINT)
            flags = f.value;
    return (flags & ~(uint64_t)TM_SEQUENCE_CLEARED) | draft->head.flags;
}

/* Writes the packet with all changes that a track event may need. */
static enum tm_status rewrite(const struct tm_recorded_draft *draft, struct tm_buf *out)
{
    struct tm_rewrite r = {.draft = draft, .out = out, .extras = draft->extras_from};
    struct tm_draft_head head = draft->head;
    struct tm_pb pb = tm_pb_of(draft->raw.data, draft->raw.len);
    struct tm_pb_field f;
    size_t mark;
    head.flags = flags_of(draft);
    if (tm_pb_begin(out, TM_TRACE_PACKET, &mark) != TM_OK || tm_buf_reserve(out, TM_DRAFT_HEAD_MAX) != TM_OK)
        return TM_E_SYSTEM;
    out->len = (size_t)(tm_draft_head_put(out->data + out->len, &head) - out->data);
    while (!r.failed && tm_pb_next(&pb, &f) == TM_OK) {
        enum tm_packet_change change = tm_packet_change_of(f.id);
        if (change == TM_PACKET_CHANGE_EVENT)
            tm_rewrite_event(&r, &f);
        else if (change != TM_PACKET_CHANGE_OF_RECORD)
            tm_rewrite_copy(&r, &f);
    }
    return r.failed ? TM_E_SYSTEM : tm_pb_end(out, mark);
}

enum tm_status tm_recorded_encode(const struct tm_recorded_draft *draft, struct tm_buf *out)
{
    enum tm_status st = tm_packet_splice(draft, out);
    return st == TM_END ? rewrite(draft, out) : st;
}
