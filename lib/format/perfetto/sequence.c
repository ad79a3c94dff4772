#include "format/perfetto/sequence.h"

#include "base/table.h"
#include "format/perfetto/count.h"
#include "format/perfetto/heap_state.h"

#include <stdlib.h>

enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { KEEP_BYTES = 1 << 18 }; /* larger buffers of a cleared sequence are freed */
enum { REPEATED_TIMES = 16 };

enum tm_status tm_proto_sequence_find(struct tm_proto_sequences *sequences, uint32_t machine, uint32_t id,
                                      struct tm_proto_sequence **sequence, struct tm_error *err)
{
    struct tm_proto_map_entry *entry = tm_proto_map_find(&sequences->index, machine, id);
    if (entry == NULL) {
        if (tm_array_grow(&sequences->all, &sequences->cap, sequences->count, sizeof *sequences->all, NULL) < 0)
            return tm_error_nomem(err);
        enum tm_status st = tm_proto_map_add(&sequences->index, machine, id, TM_PROTO_SEQUENCES_MAX, &entry);
        if (st == TM_END)
            return tm_error_set(err, TM_E_INPUT, "more than %d packet sequences", TM_PROTO_SEQUENCES_MAX);
        if (st < 0)
            return tm_error_nomem(err);
        entry->v1 = sequences->count++;
        sequences->all[entry->v1] = (struct tm_proto_sequence){.machine = machine, .id = id};
    }
    sequences->last = (uint32_t)entry->v1;
    *sequence = &sequences->all[entry->v1];
    return TM_OK;
}

void tm_proto_sequence_clear(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence)
{
    sequences->bytes -= sequence->interned.len;
    sequence->interned.len = 0;
    if (sequence->interned.cap > KEEP_BYTES)
        tm_buf_release(&sequence->interned);
    tm_proto_map_clear(&sequence->interned_index);
    tm_proto_map_clear(&sequence->counters);
    tm_proto_heap_state_clear(sequences, sequence);
    sequence->generation = sequence->first_generation = 0;
    sequence->used = false;
    sequence->valid = true;
    sequence->awaits_thread = false;
    sequence->has_reference = false;
    sequence->default_clock = 0;
    sequence->has_default_track = false;
    sequence->defaults.len = 0;
    tm_extra_tracks_clear(&sequence->extra_tracks);
}

enum tm_status tm_proto_sequence_begin_generation(struct tm_proto_sequence *sequence, struct tm_proto_rows *rows,
                                                  struct tm_error *err)
{
    if (sequence->generation)
        return TM_OK;
    enum tm_status st =
        tm_event_sink_generation(rows->sink, sequence->machine, sequence->id, &sequence->generation, err);
    if (st >= 0 && sequence->first_generation == 0)
        sequence->first_generation = sequence->generation;
    return st;
}

/* Adds the SEQUENCE_STATE row: a TracePacket of the fields in rows->text. */
static enum tm_status add_state(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    enum tm_status st = tm_proto_sequence_begin_generation(sequence, rows, err);
    if (st < 0)
        return st;
    struct tm_event event = {
        .kind = TM_KIND_SEQUENCE_STATE,
        .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | tm_event_raw_flags(TM_RAW_PACKET),
        .machine = sequence->machine,
        .sequence = sequence->id,
        .generation = sequence->generation,
        .raw = rows->text.data,
        .raw_bytes = (uint32_t)rows->text.len,
    };
    return tm_event_sink_add(rows->sink, &event, err);
}

static enum tm_status take_track_defaults(struct tm_proto_sequence *sequence, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == TM_TRACK_EVENT_TRACK_UUID && f.type == TM_PB_VARINT) {
            sequence->has_default_track = true;
            sequence->default_track = f.value;
        } else if ((st = tm_extra_tracks_add(&sequence->extra_tracks, &f)) < 0) {
            return st;
        }
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status take_defaults(struct tm_proto_sequence *sequence, const struct tm_pb_field *defaults)
{
    struct tm_pb pb = tm_pb_of(defaults->data, defaults->len);
    struct tm_pb_field f;
    enum tm_status st;
    sequence->default_clock = 0;
    sequence->has_default_track = false;
    tm_extra_tracks_clear(&sequence->extra_tracks);
    sequence->defaults.len = 0;
    if (tm_buf_add(&sequence->defaults, defaults->data, defaults->len) != TM_OK)
        return TM_E_SYSTEM;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == DEFAULTS_CLOCK && f.type == TM_PB_VARINT)
            sequence->default_clock = (uint32_t)f.value;
        else if (f.id == DEFAULTS_TRACK_EVENT && f.type == TM_PB_LEN)
            st = take_track_defaults(sequence, &f);
        if (st < 0)
            return st;
    }
    return st == TM_END ? TM_OK : st;
}

/* Appends the interned data of PACKET's sequence to rows->text, for a new generation. */
static enum tm_status repeat_interned(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, struct tm_error *err)
{
    const struct tm_buf *interned = &packet->sequence->interned;
    if (interned->len == 0)
        return TM_OK;
    sequences->repeated_bytes += interned->len;
    if (sequences->repeated_bytes > TM_PROTO_REPEATED_BYTES_FREE + REPEATED_TIMES * packet->byte)
        return tm_error_set(err, TM_E_INPUT, "changes of defaults and losses repeat more than %d bytes of interned "
                                             "data and %d times the bytes before them", TM_PROTO_REPEATED_BYTES_FREE,
                            REPEATED_TIMES);
    enum tm_status st = tm_pb_put_bytes(&rows->text, TM_PACKET_INTERNED_DATA, interned->data, interned->len);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_proto_sequence_lose(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    const struct tm_buf *defaults = &sequence->defaults;
    sequence->valid = false;
    sequence->has_reference = false;
    tm_proto_map_clear(&sequence->counters);
    if (sequence->heap == NULL)
        return TM_OK;
    tm_proto_heap_state_clear(sequences, sequence);
    sequence->generation = 0;
    sequence->used = false;
    rows->text.len = 0;
    if (defaults->len && tm_pb_put_bytes(&rows->text, TM_PACKET_DEFAULTS, defaults->data, defaults->len) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = repeat_interned(sequences, rows, packet, err);
    return st < 0 || rows->text.len == 0 ? st : add_state(rows, packet, err);
}

enum tm_status tm_proto_sequence_defaults(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                          struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    const struct tm_pb_field *f = &packet->defaults;
    bool again = sequence->generation && sequence->defaults.len == f->len && f->len &&
                 memcmp(sequence->defaults.data, f->data, f->len) == 0;
    if (again)
        return TM_OK;
    bool afresh = sequence->used;
    if (afresh) {
        sequence->generation = 0;
        sequence->used = false;
    }
    enum tm_status st = tm_proto_count_inner(&rows->counts, packet->machine, take_defaults(sequence, f), err);
    if (st < 0)
        return st;
    rows->text.len = 0;
    if (tm_buf_add(&rows->text, f->start, (size_t)(f->end - f->start)) != TM_OK)
        return tm_error_nomem(err);
    if (afresh)
        st = repeat_interned(sequences, rows, packet, err);
    return st < 0 ? st : add_state(rows, packet, err);
}

/* Sets an entry of interned_index. v1 is the place of the message in the sequence's interned bytes: its offset from bit
 * 32 on, and its length below. v2 has from bit 32 on where in the message its TEXT begins, plus 1 (0: it has none), and
 * below the number of the text as a string (0: it has none yet). */
static void set_place(struct tm_proto_map_entry *entry, size_t offset, size_t len, uint32_t text)
{
    entry->v1 = (uint64_t)offset << 32 | len;
    entry->v2 = (uint64_t)text << 32;
}

enum tm_status tm_proto_interned_index(struct tm_proto_sequence *sequence, const struct tm_pb_field *field,
                                       size_t offset, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_proto_map_entry *entry;
    struct tm_pb_field f;
    uint64_t iid = 0;
    uint32_t text = 0;
    bool has_iid = false;
    while (!(has_iid && text) && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_INTERNED_IID && !has_iid) {
            has_iid = true;
            iid = f.value;
        } else if (f.id == TM_INTERNED_TEXT && f.type == TM_PB_LEN && text == 0) {
            text = (uint32_t)(f.start - field->data) + 1;
        }
    }
    if (!has_iid)
        return TM_END;
    if (tm_proto_map_find(&sequence->interned_index, field->id, iid))
        return TM_OK;
    enum tm_status st = tm_proto_map_add(&sequence->interned_index, field->id, iid, TM_PROTO_INTERNED_MAX, &entry);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "sequence %u holds more than %d interned messages", sequence->id,
                            TM_PROTO_INTERNED_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    set_place(entry, offset, field->len, text);
    return TM_OK;
}

static enum tm_status index_messages(struct tm_proto_rows *rows, struct tm_proto_sequence *sequence,
                                     const struct tm_pb_field *interned, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(interned->data, interned->len);
    struct tm_pb_field f;
    size_t base = sequence->interned.len - interned->len;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_LEN)
            continue;
        st = tm_proto_interned_index(sequence, &f, base + (size_t)(f.data - interned->data), err);
        if (st == TM_END)
            st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_INTERNED_ERRORS, sequence->machine, 1, err);
        if (st < 0)
            return st;
    }
    if (st == TM_E_INPUT)
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_INTERNED_ERRORS, sequence->machine, 1, err);
    return TM_OK;
}

/* Interns every occurrence of the field interned_data. */
static enum tm_status intern_all(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                 struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    struct tm_pb pb = tm_pb_of(packet->data, packet->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_INTERNED_DATA || f.type != TM_PB_LEN)
            continue;
        if (f.len > TM_PROTO_INTERNED_BYTES_MAX - sequences->bytes)
            return tm_error_set(err, TM_E_INPUT, "interned data of all sequences exceeds %d bytes",
                                TM_PROTO_INTERNED_BYTES_MAX);
        if (tm_buf_add(&sequence->interned, f.data, f.len) != TM_OK ||
            tm_buf_add(&rows->text, f.start, (size_t)(f.end - f.start)) != TM_OK)
            return tm_error_nomem(err);
        sequences->bytes += f.len;
        st = index_messages(rows, sequence, &f, err);
    }
    return st;
}

enum tm_status tm_proto_sequence_intern(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                        struct tm_proto_packet *packet, struct tm_error *err)
{
    if (!packet->sequence->valid)
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_INTERNED_SKIPPED, packet->machine, 1, err);
    rows->text.len = 0;
    enum tm_status st = intern_all(sequences, rows, packet, err);
    return st < 0 ? st : add_state(rows, packet, err);
}

bool tm_proto_interned_find(const struct tm_proto_sequence *sequence, uint32_t field, uint64_t iid,
                            const uint8_t **data, size_t *len)
{
    const struct tm_proto_map_entry *entry =
        sequence ? tm_proto_map_find(&sequence->interned_index, field, iid) : NULL;
    if (entry == NULL)
        return false;
    *data = sequence->interned.data + (entry->v1 >> 32);
    *len = (size_t)(entry->v1 & UINT32_MAX);
    return true;
}

/* Returns field 2 of the message at ENTRY; an empty field if the message has none. */
static struct tm_pb_field text_of(const struct tm_proto_sequence *sequence, const struct tm_proto_map_entry *entry)
{
    const size_t text = (size_t)(entry->v2 >> 32);
    struct tm_pb pb = tm_pb_of(sequence->interned.data + (entry->v1 >> 32), (size_t)(entry->v1 & UINT32_MAX));
    struct tm_pb_field f;
    if (text) {
        pb.p += text - 1;
        if (tm_pb_next(&pb, &f) == TM_OK)
            return f;
    }
    return (struct tm_pb_field){.data = (const uint8_t *)""};
}

struct tm_pb_field tm_proto_interned_text(const struct tm_proto_sequence *sequence, uint32_t field, uint64_t iid)
{
    const struct tm_proto_map_entry *entry =
        sequence ? tm_proto_map_find(&sequence->interned_index, field, iid) : NULL;
    return entry ? text_of(sequence, entry) : (struct tm_pb_field){0};
}

enum tm_status tm_proto_interned_string(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence,
                                        struct tm_proto_map_entry *entry, uint32_t *string, struct tm_error *err)
{
    if (entry->v2 & UINT32_MAX) {
        *string = (uint32_t)(entry->v2 & UINT32_MAX);
        return TM_OK;
    }
    struct tm_pb_field text = text_of(sequence, entry);
    enum tm_status st = tm_proto_string(rows, text.data, text.len, string, err);
    if (st >= 0 && !(*string & TM_STRING_INLINE))
        entry->v2 |= *string;
    return st;
}

void tm_proto_sequences_release(struct tm_proto_sequences *sequences)
{
    for (uint32_t i = 0; i < sequences->count; i++) {
        struct tm_proto_sequence *sequence = &sequences->all[i];
        tm_buf_release(&sequence->defaults);
        tm_extra_tracks_release(&sequence->extra_tracks);
        tm_buf_release(&sequence->interned);
        tm_proto_map_release(&sequence->interned_index);
        tm_proto_map_release(&sequence->counters);
        tm_proto_heap_state_clear(sequences, sequence);
    }
    free(sequences->all);
    sequences->all = NULL;
    sequences->count = 0;
    tm_proto_map_release(&sequences->index);
}
