#include "format/perfetto/sequence_stats.h"

#include "format/perfetto/count.h"
#include "format/perfetto/stated.h"

enum { STATS_WRITER = 18, WRITER_SEQUENCE = 1, WRITER_BUFFER = 4 };
enum {
    LOSSES_MAX = 1 << 18,
    BUFFERS_MAX = 128 /* of a recording: kMaxBuffersPerConsumer of the tracing service */
};

/* Causes are bits of previous_packet_dropped (DataLossReason of trace_packet.proto). The lowest bit is set with each of
 * them and is no cause. */
enum { CAUSES = 9 };

static uint64_t key_of(uint32_t sequence, uint32_t cause)
{
    return (uint64_t)sequence << 8 | cause;
}

enum tm_status tm_proto_sequence_stats_note(struct tm_proto_sequence_stats *stats, const struct tm_proto_packet *packet,
                                            struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    enum tm_status st = TM_OK;
    packet->sequence->loss_count++;
    for (uint32_t cause = 1; st >= 0 && cause < CAUSES; cause++) {
        if (!(packet->dropped >> cause & 1))
            continue;
        st = tm_proto_map_add(&stats->losses, packet->machine, key_of(packet->sequence_id, cause),
                              LOSSES_MAX, &entry);
        if (st == TM_OK)
            entry->v1++;
    }
    return st == TM_E_SYSTEM ? tm_error_nomem(err) : TM_OK;
}

/* The losses of the sequences of one buffer. */
struct sums {
    uint64_t of[TM_STATED_WRITER_COUNT];
};

static void add_sequence(const struct tm_proto_sequence_stats *stats, const struct tm_proto_sequence *sequence,
                         struct sums *sums)
{
    sums->of[TM_STATED_PACKET_LOSS] += sequence->loss_count;
    sums->of[TM_STATED_SEQUENCES_DROPPED] += sequence->was_skipped && !sequence->was_taken;
    for (uint32_t cause = 1; cause < CAUSES; cause++) {
        const struct tm_proto_map_entry *entry =
            tm_proto_map_find(&stats->losses, sequence->machine, key_of(sequence->id, cause));
        sums->of[TM_STATED_LOSS_OF_CAUSE + cause - 1] += entry ? entry->v1 : 0;
    }
}

/* Adds the losses of the writer in MESSAGE to the sums of its buffer, if its sequence had packets. */
static enum tm_status read_writer(struct tm_proto_sequences *sequences, const struct tm_proto_packet *packet,
                                  const struct tm_pb_field *message, struct tm_buf *sums, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_proto_map_entry *entry;
    uint64_t sequence = 0, buffer = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == WRITER_SEQUENCE && f.type == TM_PB_VARINT)
            sequence = f.value;
        else if (f.id == WRITER_BUFFER && f.type == TM_PB_VARINT)
            buffer = f.value;
    }
    const struct tm_proto_map_entry *known =
        tm_proto_map_find(&sequences->index, packet->machine, (uint32_t)sequence);
    if (known == NULL || buffer >= BUFFERS_MAX)
        return TM_OK;
    static const struct sums none = {{0}};
    while (sums->len <= buffer * sizeof none)
        if (tm_buf_add(sums, &none, sizeof none) != TM_OK)
            return tm_error_nomem(err);
    if (tm_proto_map_add(&sequences->stats.counted_writers, packet->machine, (uint32_t)sequence, LOSSES_MAX, &entry) ==
        TM_E_SYSTEM)
        return tm_error_nomem(err);
    struct sums *of_buffer = (struct sums *)(void *)(sums->data + buffer * sizeof none);
    add_sequence(&sequences->stats, &sequences->all[known->v1], of_buffer);
    of_buffer->of[TM_STATED_WRITERS]++;
    return TM_OK;
}

enum tm_status tm_proto_sequence_stats_read(struct tm_proto_sequences *sequences, struct tm_proto_map *stated,
                                            const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    struct tm_buf sums = {0};
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == STATS_WRITER && f.type == TM_PB_LEN)
            st = read_writer(sequences, packet, &f, &sums, err);
    for (uint32_t buffer = 0; st >= 0 && buffer < sums.len / sizeof(struct sums); buffer++) {
        const struct sums *of_buffer = (const struct sums *)(const void *)sums.data + buffer;
        for (uint32_t i = 0; st >= 0 && i < TM_STATED_WRITERS && of_buffer->of[TM_STATED_WRITERS]; i++) {
            const struct tm_stated_loss loss = {(enum tm_stated_writer)i, buffer, of_buffer->of[i]};
            st = tm_proto_stated_note_loss(stated, packet->machine, &loss, err);
        }
    }
    tm_buf_release(&sums);
    return st;
}

enum tm_status tm_proto_sequence_stats_flush(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                             struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st >= 0 && i < sequences->count; i++) {
        const struct tm_proto_sequence *sequence = &sequences->all[i];
        if (sequence->loss_count &&
            tm_proto_map_find(&sequences->stats.counted_writers, sequence->machine, sequence->id) == NULL)
            st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_PACKET_LOSS, sequence->machine, sequence->loss_count,
                                     err);
    }
    return st;
}
