#include "emit/perfetto/packet_writer.h"

#include "base/hash.h"
#include "base/path.h"
#include "emit/paths.h"
#include "emit/perfetto/recorded_encode.h"

#include <stdlib.h>

enum { WRITE_BYTES = 256 << 10, DRAFTS_MAX = 2048 };

/* Sets the machine ids of packets. Recorded ids stay, those that the manifest made (2^32 and up) get the smallest free
 * numbers, and the host has none. */
static enum tm_status assign_machine_ids(struct tm_packet_writer *w, struct tm_error *err)
{
    const struct tm_catalog *c = w->catalog;
    uint32_t next = 1;
    bool *is_taken = calloc((size_t)c->machine_count + 1, sizeof *is_taken); /* a free number is at most their number */
    w->machine_ids = calloc((size_t)c->machine_count + 1, sizeof *w->machine_ids);
    if (w->machine_ids == NULL || is_taken == NULL) {
        free(is_taken);
        return tm_error_nomem(err);
    }
    w->machine_count = c->machine_count;
    for (uint32_t i = 0; i < c->machine_count; i++) {
        if (c->machines[i].raw_id > UINT32_MAX)
            continue;
        w->machine_ids[i] = (uint32_t)c->machines[i].raw_id;
        if (w->machine_ids[i] <= c->machine_count)
            is_taken[w->machine_ids[i]] = true;
    }
    for (uint32_t i = 0; i < c->machine_count; i++) {
        if (c->machines[i].raw_id <= UINT32_MAX)
            continue;
        while (is_taken[next])
            next++;
        w->machine_ids[i] = next++;
    }
    free(is_taken);
    return TM_OK;
}

/* True for files that may hold packets. A Fuchsia trace may hold some, too. */
static bool may_have_packets(Tracemerge__ClockPolicy policy)
{
    return policy == TRACEMERGE__CLOCK_POLICY__PROTO || policy == TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK;
}

/* True if flows of files of TYPE are rows, which become legacy events. */
static bool has_counted_flows(enum tm_input_type type)
{
    return type == TM_INPUT_JSON || type == TM_INPUT_FUCHSIA;
}

enum tm_status tm_packet_writer_init(struct tm_packet_writer *w, const struct tm_catalog *catalog, int fd,
                                     const char *name, struct tm_error *err)
{
    *w = (struct tm_packet_writer){.catalog = catalog, .next_sequence = 1, .first_proto = UINT32_MAX};
    tm_block_output_init(&w->sink.blocks, fd, name);
    for (uint32_t i = 0; i < catalog->file_count; i++) {
        const struct tm_catalog_file *file = &catalog->files[i];
        if (file->begun && may_have_packets(file->clock_policy) &&
            (w->first_proto == UINT32_MAX ||
             file->processing_order < catalog->files[w->first_proto].processing_order))
            w->first_proto = i;
        w->has_counted_flows |= file->begun && has_counted_flows(file->input_type);
    }
    w->sequence_count = catalog->sequence_count;
    w->sequences = calloc((size_t)w->sequence_count + 1, sizeof *w->sequences);
    if (w->sequences == NULL || tm_default_owners_init(&w->defaults, catalog) != TM_OK)
        return tm_error_nomem(err);
    return assign_machine_ids(w, err);
}

enum tm_status tm_packet_begin(struct tm_packet_writer *w, uint32_t machine, struct tm_error *err)
{
    uint32_t id = tm_packet_machine(w, machine);
    if (tm_pb_begin(&w->out, TM_TRACE_PACKET, &w->mark) != TM_OK ||
        (id && tm_pb_put_varint(&w->out, TM_PACKET_MACHINE_ID, id) != TM_OK))
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_packet_end(struct tm_packet_writer *w, struct tm_error *err)
{
    if (tm_pb_end(&w->out, w->mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_flush_full(w, err);
}

enum tm_status tm_packet_message(struct tm_packet_writer *w, struct tm_packet_head head, const struct iovec message[2],
                                 struct tm_error *err)
{
    uint32_t machine_id = tm_packet_machine(w, head.machine);
    size_t len = message[0].iov_len + message[1].iov_len;
    uint8_t fields[3 * TM_PB_FIELD_MAX], *p = fields;
    if (tm_buf_reserve(&w->out, sizeof fields + TM_PB_FIELD_MAX + len) != TM_OK)
        return tm_error_nomem(err);
    if (machine_id)
        p = tm_pb_varint_at(p, TM_PACKET_MACHINE_ID, machine_id);
    if (head.sequence)
        p = tm_pb_varint_at(p, TM_PACKET_SEQUENCE_ID, head.sequence);
    p = tm_varint_put_over(tm_pb_tag_put(p, head.id, TM_PB_LEN), len);
    uint8_t *start = tm_pb_tag_put(w->out.data + w->out.len, 1, TM_PB_LEN);
    start = tm_varint_put_over(start, (size_t)(p - fields) + len);
    w->out.len = (size_t)(start - w->out.data);
    tm_buf_add(&w->out, fields, (size_t)(p - fields));
    tm_buf_add(&w->out, message[0].iov_base, message[0].iov_len);
    tm_buf_add(&w->out, message[1].iov_base, message[1].iov_len);
    return tm_packet_flush_full(w, err);
}

/* Hands the bytes and drafts on. Once a thread writes the blocks, another one encodes the drafts. */
static enum tm_status hand_on(struct tm_packet_writer *w, struct tm_error *err)
{
    w->discard_mark = 0;
    if (!w->has_encoder && tm_block_output_is_async(&w->sink.blocks)) {
        w->encoder = tm_packet_encoder_new(&w->sink);
        w->has_encoder = true;
    }
    return w->encoder ? tm_packet_encoder_put(w->encoder, &w->out, &w->drafts, err)
                      : tm_packet_sink_put(&w->sink, &w->out, err);
}

enum tm_status tm_packet_flush_full(struct tm_packet_writer *w, struct tm_error *err)
{
    if (w->is_discarding && !w->is_collecting)
        w->out.len = w->discard_mark;
    bool is_full = w->out.len + w->drafts.payload.len >= WRITE_BYTES || w->drafts.count >= DRAFTS_MAX;
    return is_full && !w->is_collecting ? hand_on(w, err) : TM_OK;
}

/* True if drafts are noted; false: they are encoded at once. */
static bool notes_drafts(const struct tm_packet_writer *w)
{
    return w->encoder && !w->is_collecting && !w->is_discarding;
}

struct tm_event_draft *tm_packet_new_event(struct tm_packet_writer *w, struct tm_error *err)
{
    return notes_drafts(w) ? tm_packet_drafts_next(&w->drafts, err) : &w->draft;
}

enum tm_status tm_packet_put_event(struct tm_packet_writer *w, struct tm_event_draft *draft, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (draft != &w->draft && !tm_event_draft_is_short(draft))
        st = tm_packet_drafts_event(&w->drafts, w->out.len, err);
    else if (tm_event_draft_encode(draft, &w->scratch, &w->out) != TM_OK)
        st = tm_error_nomem(err);
    return st < 0 ? st : tm_packet_flush_full(w, err);
}

enum tm_status tm_packet_put_recorded(struct tm_packet_writer *w, const struct tm_recorded_draft *draft,
                                      struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (notes_drafts(w))
        st = tm_packet_drafts_recorded(&w->drafts, w->out.len, draft, err);
    else if (tm_recorded_encode(draft, &w->out) != TM_OK)
        st = tm_error_nomem(err);
    return st < 0 ? st : tm_packet_flush_full(w, err);
}

/* Returns the key of recorded SEQUENCE of EVENT's file and machine. */
static uint64_t sequence_key(const struct tm_event *event, uint64_t sequence)
{
    return tm_hash_u64(sequence ^ tm_hash_u64((uint64_t)event->file << 32 | event->machine));
}

uint32_t tm_packet_new_sequence(struct tm_packet_writer *w)
{
    return w->next_sequence++;
}

uint32_t tm_packet_track_sequence(struct tm_packet_writer *w, uint32_t machine, bool is_of_events)
{
    return w->is_part ? w->sequence_count + 1 + 2 * machine + is_of_events : tm_packet_new_sequence(w);
}

void tm_packet_writer_set_part(struct tm_packet_writer *w)
{
    w->is_part = true;
    w->next_sequence = w->sequence_count + 1 + 2 * w->catalog->machine_count;
}

/* True if EVENT is of a generation of its sequence. */
static bool is_of_generation(const struct tm_packet_writer *w, const struct tm_event *event)
{
    return event->generation && event->generation < w->sequence_count;
}

/* Gives EVENT's sequence a number in the output. */
static enum tm_status assign_sequence(struct tm_packet_writer *w, const struct tm_event *event, uint32_t *output,
                                      struct tm_error *err)
{
    uint64_t key = sequence_key(event, event->sequence);
    uint32_t first;
    *output = w->is_part && is_of_generation(w, event) ? event->generation : tm_packet_new_sequence(w);
    if (!tm_map_find(&w->first, key, &first) && tm_map_set(&w->first, key, *output) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_packet_sequence(struct tm_packet_writer *w, const struct tm_event *event, uint32_t *sequence,
                                  bool *is_new, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    *is_new = false;
    *sequence = 0;
    if (is_of_generation(w, event)) {
        uint32_t *output = &w->sequences[event->generation];
        *is_new = *output == 0;
        if (*is_new)
            st = assign_sequence(w, event, output, err);
        *sequence = *output;
    } else if (event->sequence) {
        uint64_t key = sequence_key(event, event->sequence);
        *is_new = !tm_map_find(&w->plain, key, sequence);
        if (*is_new && (st = assign_sequence(w, event, sequence, err)) == TM_OK)
            st = tm_map_set(&w->plain, key, *sequence) == TM_OK ? TM_OK : tm_error_nomem(err);
    }
    return st;
}

enum tm_status tm_packet_draft_head(struct tm_packet_writer *w, const struct tm_event *e, struct tm_draft_head *head,
                                    struct tm_error *err)
{
    bool is_new;
    *head = (struct tm_draft_head){.time_ns = (uint64_t)e->time_ns,
                                   .machine_id = tm_packet_machine(w, e->machine),
                                   .is_timed = tm_event_is_timed(e->flags)};
    enum tm_status st = tm_packet_sequence(w, e, &head->sequence, &is_new, err);
    head->flags = st == TM_OK && is_new && e->generation ? TM_SEQUENCE_CLEARED : 0;
    return st;
}

uint32_t tm_packet_sequence_of_statistics(const struct tm_packet_writer *w, const struct tm_event *event,
                                          uint64_t sequence)
{
    uint64_t key = sequence_key(event, sequence);
    uint32_t output;
    return tm_map_find(&w->plain, key, &output) || tm_map_find(&w->first, key, &output) ? output : 0;
}

uint64_t tm_packet_id(const struct tm_packet_writer *w, uint32_t file, uint64_t id)
{
    return tm_id_mixed_recorded(tm_packet_mix(w, file).ids, id);
}

uint64_t tm_packet_own_default(const struct tm_packet_writer *w, uint32_t file)
{
    return tm_id_mixed(tm_packet_mix(w, file).ids, 0);
}

struct tm_id_mix tm_packet_mix(const struct tm_packet_writer *w, uint32_t file)
{
    const bool mixes_ids = tm_packet_mixes_ids(w, file), mixes_flows = mixes_ids || w->has_counted_flows;
    if (!mixes_flows)
        return (struct tm_id_mix){0, 0};
    const uint64_t mix = tm_hash_u64((uint64_t)w->catalog->files[file].processing_order + 1);
    return (struct tm_id_mix){mixes_ids ? mix : 0, w->joins_flows ? 0 : mix};
}

const char *tm_packet_file_name(const struct tm_catalog *catalog, uint32_t file, char *out, size_t size)
{
    tm_catalog_path(catalog, file, out, size);
    return out[0] == '/' ? tm_path_base(out) : out;
}

enum tm_status tm_packet_put_merge_key(struct tm_buf *out, uint64_t key)
{
    enum tm_status st = tm_pb_put_varint(out, TM_DESCRIPTOR_MERGE_BEHAVIOR, TM_MERGES_BY_KEY);
    return st < 0 ? st : tm_pb_put_varint(out, TM_DESCRIPTOR_MERGE_KEY_INT, key);
}

enum tm_status tm_packet_begin_descriptor(struct tm_packet_writer *w, const struct tm_event *e, uint64_t uuid,
                                          size_t *mark, struct tm_error *err)
{
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st < 0)
        return st;
    if ((tm_event_is_timed(e->flags) &&
         tm_pb_put_varint(&w->out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK) ||
        tm_pb_begin(&w->out, TM_PACKET_TRACK_DESCRIPTOR, mark) != TM_OK ||
        tm_pb_put_varint(&w->out, TM_DESCRIPTOR_UUID, uuid) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_packet_end_descriptor(struct tm_packet_writer *w, size_t mark, struct tm_error *err)
{
    return tm_pb_end(&w->out, mark) == TM_OK ? tm_packet_end(w, err) : tm_error_nomem(err);
}

enum tm_status tm_packet_child_track(struct tm_packet_writer *w, const struct tm_event *e,
                                     const struct tm_child_track *child, struct tm_error *err)
{
    char path[TM_PATH_TEXT_MAX];
    const struct tm_pb_field *text = &child->description;
    struct tm_text name = child->name;
    size_t mark;
    if (name.len == 0 && !child->is_named)
        name = tm_text_str(tm_packet_file_name(w->catalog, e->file, path, sizeof path));
    enum tm_status st = tm_packet_begin_descriptor(w, e, child->uuid, &mark, err);
    if (st < 0)
        return st;
    if (tm_pb_put_varint(&w->out, TM_DESCRIPTOR_PARENT, child->parent) != TM_OK ||
        (name.len && tm_pb_put_bytes(&w->out, TM_DESCRIPTOR_NAME, name.data, name.len) != TM_OK) ||
        tm_pb_put_varint(&w->out, TM_DESCRIPTOR_MERGE_BEHAVIOR, TM_MERGES_NOT) != TM_OK ||
        (child->child_ordering &&
         tm_pb_put_varint(&w->out, TM_DESCRIPTOR_CHILD_ORDERING, child->child_ordering) != TM_OK) ||
        (text->data && tm_pb_put_bytes(&w->out, TM_DESCRIPTOR_DESCRIPTION, text->data, text->len) != TM_OK))
        return tm_error_nomem(err);
    return tm_packet_end_descriptor(w, mark, err);
}

void tm_packet_collect_begin(struct tm_packet_writer *w)
{
    w->saved_out = w->out;
    w->out = (struct tm_buf){0};
    w->is_collecting = true;
}

void tm_packet_collect_end(struct tm_packet_writer *w, struct tm_buf *text)
{
    *text = w->out;
    w->out = w->saved_out;
    w->saved_out = (struct tm_buf){0};
    w->is_collecting = false;
}

void tm_packet_discard_begin(struct tm_packet_writer *w)
{
    w->is_discarding = true;
    w->discard_mark = w->out.len;
}

void tm_packet_discard_end(struct tm_packet_writer *w)
{
    w->is_discarding = false;
    w->out.len = w->discard_mark;
}

enum tm_status tm_packet_placeholder(struct tm_packet_writer *w, uint32_t placeholder, struct tm_buf versions[2],
                                     struct tm_error *err)
{
    if (w->is_discarding) {
        w->out.len = w->discard_mark;
        versions[0].len = versions[1].len = 0;
    }
    if (w->encoder)
        return tm_packet_drafts_open(&w->drafts, w->out.len, placeholder, versions, err);
    w->discard_mark = 0;
    enum tm_status st = tm_packet_sink_put(&w->sink, &w->out, err);
    if (st == TM_OK)
        return tm_packet_sink_open(&w->sink, placeholder, versions, err);
    tm_buf_release(&versions[0]);
    tm_buf_release(&versions[1]);
    return st;
}

enum tm_status tm_packet_decide(struct tm_packet_writer *w, uint32_t placeholder, int which, struct tm_error *err)
{
    return w->encoder ? tm_packet_drafts_decide(&w->drafts, w->out.len, placeholder, which, err)
                      : tm_packet_sink_decide(&w->sink, placeholder, which, err);
}

/* Ends the thread that encodes, after all that it has in work. */
static enum tm_status end_encoder(struct tm_packet_writer *w, struct tm_error *err)
{
    enum tm_status st = tm_packet_encoder_put(w->encoder, &w->out, &w->drafts, err);
    if (st == TM_OK)
        st = tm_packet_encoder_wait(w->encoder, err);
    tm_packet_encoder_free(w->encoder);
    w->encoder = NULL;
    return st;
}

enum tm_status tm_packet_writer_finish(struct tm_packet_writer *w, struct tm_error *err)
{
    enum tm_status st = w->encoder ? end_encoder(w, err) : tm_packet_sink_put(&w->sink, &w->out, err);
    return st == TM_OK ? tm_packet_sink_finish(&w->sink, err) : st;
}

void tm_packet_writer_release(struct tm_packet_writer *w)
{
    tm_packet_encoder_free(w->encoder); /* first: it uses the sink */
    tm_packet_sink_release(&w->sink);
    tm_packet_drafts_release(&w->drafts);
    tm_event_scratch_release(&w->scratch);
    tm_buf_release(&w->out);
    tm_buf_release(&w->inner_times);
    tm_buf_release(&w->saved_out);
    tm_track_owners_release(&w->owners);
    tm_default_owners_release(&w->defaults);
    free(w->machine_ids);
    free(w->sequences);
    tm_map_release(&w->plain);
    tm_map_release(&w->first);
    *w = (struct tm_packet_writer){.catalog = NULL};
}
