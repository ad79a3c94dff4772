#include "format/perfetto/v8_samples.h"

#include "base/hash.h"
#include "format/v8_profile.h"
#include "format/perfetto/clock.h"
#include "format/perfetto/count.h"
#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

static const char source[] = "legacy_v8";

/* Returns the JSON text of the ANNOTATION named "data"; empty: it is another one. */
static struct tm_text json_of(const struct tm_proto_sequence *sequence, const struct tm_pb_field *annotation)
{
    struct tm_pb pb = tm_pb_of(annotation->data, annotation->len);
    struct tm_pb_field f, name = {0};
    struct tm_text json = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ANNOTATION_NAME_IID && f.type == TM_PB_VARINT)
            name = tm_proto_interned_text(sequence, TM_INTERNED_ANNOTATION_NAMES, f.value);
        else if (f.id == TM_ANNOTATION_JSON && f.type == TM_PB_LEN)
            json = tm_text_at(f.data, f.len);
    }
    return tm_text_is(tm_text_at(name.data, name.len), "data") ? json : (struct tm_text){0};
}

/* Adds SAMPLES. The reference importer names their source. */
static enum tm_status add_samples(const struct tm_proto_track_context *c, struct tm_v8_samples *samples,
                                  struct tm_error *err)
{
    const struct tm_proto_packet *packet = c->packet;
    struct tm_buf *detail = &c->rows->detail;
    enum tm_status st;
    for (;;) {
        if (tm_detail_arg_text(detail, "source", source, sizeof source - 1) != TM_OK)
            return tm_error_nomem(err);
        if ((st = tm_v8_samples_next(samples, detail)) != TM_OK)
            break;
        struct tm_event row = {
            .kind = TM_KIND_SAMPLE,
            .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID,
            .time_ns = samples->time_ns,
            .clock = TM_CLOCK_MONOTONIC_IF_RELATED,
            .machine = packet->machine,
            .sequence = packet->sequence_id,
            .generation = packet->generation,
            .pid = packet->sequence->pid,
            .tid = packet->sequence->tid,
        };
        c->rows->is_cut = samples->is_cut;
        if ((st = tm_proto_add(c->rows, &row, err)) < 0)
            return st;
    }
    tm_buf_clear(detail);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    const uint64_t bad = samples->bad_samples + (st == TM_E_INPUT);
    return bad ? tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_V8_SAMPLE, packet->machine, (int64_t)bad, err)
               : TM_OK;
}

enum tm_status tm_proto_v8_samples_add(const struct tm_proto_track_context *c, struct tm_error *err)
{
    const struct tm_proto_packet *packet = c->packet;
    const struct tm_proto_legacy *legacy = c->event->legacy;
    const uint64_t seed[3] = {legacy->id_kind == TM_LEGACY_UNSCOPED_ID ? legacy->id : 0,
                              (uint64_t)packet->sequence->pid, packet->machine};
    struct tm_pb pb = c->event->body;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    if (!packet->sequence->has_thread)
        return TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_TRACK_EVENT_ANNOTATIONS || f.type != TM_PB_LEN)
            continue;
        struct tm_text json = json_of(packet->sequence, &f);
        struct tm_json_scan scan = tm_json_scan_bytes(json.data, json.data + json.len, true);
        struct tm_json_value data;
        struct tm_v8_chunk chunk;
        struct tm_v8_samples samples;
        if (json.len == 0 || tm_json_value(&scan, &data) != TM_JSON_OK || data.type != TM_JSON_OBJECT ||
            !tm_v8_chunk_read(&data, &chunk))
            continue;
        st = tm_v8_profile_take(c->v8, tm_hash64_numbers(seed, 3, 0), &chunk, &samples);
        if (st >= 0 && samples.bad_nodes &&
            tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_V8_NODE, packet->machine, (int64_t)samples.bad_nodes,
                                err) < 0)
            return TM_E_SYSTEM;
        if (st == TM_OK)
            st = add_samples(c, &samples, err);
        else if (st == TM_END)
            st = tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_V8_SAMPLE, packet->machine, 1, err);
        else
            st = tm_error_nomem(err);
    }
    return st;
}
