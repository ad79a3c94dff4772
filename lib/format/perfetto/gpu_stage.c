#include "format/perfetto/gpu_stage.h"

#include "base/hash.h"
#include "format/perfetto/sequence.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

/* GpuRenderStageEvent */
enum field {
    EVENT_ID = 1,
    DURATION = 2,
    QUEUE_ID = 3,
    STAGE_ID = 4,
    CONTEXT = 5,
    EXTRA_DATA = 6,
    SPECIFICATIONS = 7,
    RENDER_TARGET = 8,
    RENDER_PASS = 9,
    SUBMISSION = 10,
    GPU_ID = 11,
    COMMAND_BUFFER = 12,
    QUEUE_IID = 13,
    STAGE_IID = 14,
    SUBPASSES = 15,
    PASS_INSTANCE = 16,
    NAME = 17,
    NAME_IID = 20,
    FIELDS
};
enum { SPEC_CONTEXT = 1, SPEC_QUEUE = 2, SPEC_STAGE = 3, CONTEXT_PID = 2, DESCRIPTION_NAME = 1, DESCRIPTION_TEXT = 2 };
enum { INTERNED_PID = 2, INTERNED_NAME = 2, INTERNED_DESCRIPTION = 3, INTERNED_CATEGORY = 4 };
enum { EXTRA_NAME = 1, EXTRA_VALUE = 2 };
enum { SPECIFIED_MAX = 1 << 12, SPECIFIED_BYTES_MAX = 1 << 20 };
enum specified { A_QUEUE, A_STAGE, A_STAGE_COUNT }; /* kinds of facts that are remembered of specifications */

/* An event being read. */
struct stage {
    struct tm_proto_gpu *gpu;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct tm_error *err;
    struct tm_pb_field of[FIELDS]; /* the last occurrence of each field; id 0: none */
    int64_t pid;                   /* of the context; 0: none */
    uint64_t queue;
    struct tm_pb_field queue_name, stage_name, stage_description; /* data NULL: none */
    bool has_stage; /* the stage is interned; category is valid */
    uint64_t category;
};

static bool has(const struct stage *w, enum field field)
{
    return w->of[field].id != 0;
}

static uint64_t number(const struct stage *w, enum field field)
{
    return w->of[field].value;
}

static struct tm_pb_field part_of(const uint8_t *data, size_t len, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f, found = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id)
            found = f;
    return found;
}

static uint64_t key_of(enum specified what, uint64_t i)
{
    return (uint64_t)what << 32 | (uint32_t)i;
}

/* Remembers DESCRIPTION as number I. Descriptions past the limits are not remembered. */
static enum tm_status specify(struct stage *w, enum specified what, uint64_t i, const struct tm_pb_field *description)
{
    struct tm_buf *texts = &w->gpu->texts;
    struct tm_proto_map_entry *entry;
    if (texts->len + description->len > SPECIFIED_BYTES_MAX) {
        w->gpu->specified.refused++;
        return TM_OK;
    }
    enum tm_status st =
        tm_proto_map_add(&w->gpu->specified, w->packet->machine, key_of(what, i), SPECIFIED_MAX, &entry);
    if (st == TM_END)
        return TM_OK;
    if (st < 0 || tm_buf_add(texts, description->data, description->len) < 0)
        return tm_error_nomem(w->err);
    entry->v1 = texts->len - description->len;
    entry->v2 = description->len;
    return TM_OK;
}

/* Returns field ID of the description with number I; id 0: none. */
static struct tm_pb_field specified(const struct stage *w, enum specified what, uint64_t i, uint32_t id)
{
    const struct tm_proto_map_entry *entry =
        tm_proto_map_find(&w->gpu->specified, w->packet->machine, key_of(what, i));
    if (entry == NULL || i > UINT32_MAX)
        return (struct tm_pb_field){0};
    return part_of(w->gpu->texts.data + entry->v1, (size_t)entry->v2, id);
}

/* Remembers the specifications in the event. Stages are numbered in their order in the file, queues within their
 * message. */
static enum tm_status take_specifications(struct stage *w)
{
    const struct tm_pb_field *spec = &w->of[SPECIFICATIONS];
    struct tm_pb pb = tm_pb_of(spec->data, spec->len);
    struct tm_pb_field f;
    struct tm_proto_map_entry *count;
    uint64_t queue = 0;
    enum tm_status st = tm_proto_map_add(&w->gpu->specified, w->packet->machine, key_of(A_STAGE_COUNT, 0),
                                         SPECIFIED_MAX, &count);
    if (st < 0)
        return tm_error_nomem(w->err);
    uint64_t stages = st == TM_OK ? count->v1 : 0;
    st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN)
            continue;
        bool has_name = part_of(f.data, f.len, DESCRIPTION_NAME).id != 0;
        if (f.id == SPEC_CONTEXT)
            w->pid = (int32_t)part_of(f.data, f.len, CONTEXT_PID).value;
        else if (f.id == SPEC_QUEUE && has_name)
            st = specify(w, A_QUEUE, queue, &f);
        else if (f.id == SPEC_STAGE && has_name)
            st = specify(w, A_STAGE, stages++, &f);
        queue += f.id == SPEC_QUEUE;
    }
    struct tm_proto_map_entry *again =
        tm_proto_map_find(&w->gpu->specified, w->packet->machine, key_of(A_STAGE_COUNT, 0));
    if (again)
        again->v1 = stages;
    return st;
}

static bool interned(const struct stage *w, uint32_t field, uint64_t iid, struct tm_pb_field *message)
{
    if (w->packet->sequence == NULL)
        return false;
    return tm_proto_interned_find(w->packet->sequence, field, iid, &message->data, &message->len) &&
           tm_detail_budget_reads(&w->rows->sink->budget, message->len);
}

/* Finds the event's queue. False: the queue is interned but unknown; such an event gets no slice. */
static bool find_queue(struct stage *w)
{
    struct tm_pb_field spec;
    if (!has(w, QUEUE_IID)) {
        w->queue = (uint32_t)number(w, QUEUE_ID);
        w->queue_name = specified(w, A_QUEUE, w->queue, DESCRIPTION_NAME);
        return true;
    }
    w->queue = number(w, QUEUE_IID);
    if (!interned(w, TM_INTERNED_GPU_SPECIFICATIONS, w->queue, &spec))
        return false;
    w->queue_name = part_of(spec.data, spec.len, INTERNED_NAME);
    if (w->queue_name.data == NULL)
        w->queue_name.data = (const uint8_t *)"";
    return true;
}

static void find_stage(struct stage *w)
{
    struct tm_pb_field spec;
    if (!has(w, STAGE_IID)) {
        w->stage_name = specified(w, A_STAGE, number(w, STAGE_ID), DESCRIPTION_NAME);
        if (has(w, STAGE_ID))
            w->stage_description = specified(w, A_STAGE, number(w, STAGE_ID), DESCRIPTION_TEXT);
        return;
    }
    w->has_stage = interned(w, TM_INTERNED_GPU_SPECIFICATIONS, number(w, STAGE_IID), &spec);
    if (!w->has_stage)
        return;
    w->stage_name = part_of(spec.data, spec.len, INTERNED_NAME);
    w->stage_description = part_of(spec.data, spec.len, INTERNED_DESCRIPTION);
    w->category = part_of(spec.data, spec.len, INTERNED_CATEGORY).value;
}

static enum tm_status put_text(struct stage *w, const char *key, const struct tm_pb_field *text)
{
    return text->len ? tm_detail_arg_text(&w->rows->detail, key, text->data, text->len) : TM_OK;
}

/* Puts the track, which precedes everything else in the detail. */
static enum tm_status put_track(struct stage *w)
{
    struct tm_buf *detail = &w->rows->detail;
    char unknown[48];
    size_t mark;
    int len = snprintf(unknown, sizeof unknown, "Unknown GPU Queue %" PRIu64, w->queue);
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_TRACK, &mark);
    if (st == TM_OK)
        st = w->queue_name.data
                 ? tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, w->queue_name.data, w->queue_name.len)
                 : tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, unknown, (size_t)len);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_PID, tm_zigzag((uint32_t)w->pid));
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_NAMED_TRACK, TM_NAMED_TRACK_GPU_STAGE);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_GPU, (uint32_t)number(w, GPU_ID));
    return st < 0 ? st : tm_pb_end(detail, mark);
}

static enum tm_status put_about_stage(struct stage *w)
{
    enum tm_status st = TM_OK;
    if (w->has_stage)
        st = tm_detail_arg_int(&w->rows->detail, "render_stage_category", (int64_t)w->category);
    return st < 0 ? st : put_text(w, "description", &w->stage_description);
}

static enum tm_status put_extra(struct stage *w)
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != EXTRA_DATA || f.type != TM_PB_LEN)
            continue;
        struct tm_pb_field name = part_of(f.data, f.len, EXTRA_NAME), value = part_of(f.data, f.len, EXTRA_VALUE);
        struct tm_buf key = {.data = (uint8_t *)(uintptr_t)name.data, .len = name.len};
        if (value.len)
            st = tm_detail_arg_bytes(&w->rows->detail, &key, TM_ARG_STRING, value.data, value.len);
    }
    return st;
}

/* Adds the bits of MASK; its lowest bit is subpass FIRST. */
static enum tm_status add_bits(struct tm_buf *text, uint64_t mask, unsigned first)
{
    enum tm_status st = TM_OK;
    for (unsigned bit = 0; st == TM_OK && bit < 64; bit++)
        if (mask >> bit & 1)
            st = tm_buf_addf(text, "%s%u", text->len ? "," : "", first + bit);
    return st;
}

/* Puts the subpasses in the masks, packed or not, as a text such as "0,3,64". */
static enum tm_status put_subpasses(struct stage *w)
{
    enum { SUBPASSES_MAX = 1 << 12 };
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_pb_field f;
    struct tm_buf *text = &w->rows->text;
    unsigned first = 0;
    enum tm_status st = TM_OK;
    tm_buf_clear(text);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        const uint8_t *at = f.data, *end = f.data ? f.data + f.len : NULL;
        if (f.id != SUBPASSES)
            continue;
        if (f.type == TM_PB_VARINT) {
            st = first < SUBPASSES_MAX ? add_bits(text, f.value, first) : TM_OK;
            first += 64;
            continue;
        }
        for (uint64_t mask; st == TM_OK && f.type == TM_PB_LEN && at < end && first < SUBPASSES_MAX; first += 64) {
            if ((at = tm_varint_get(at, end, &mask)) == NULL)
                break;
            st = add_bits(text, mask, first);
        }
    }
    return st < 0 ? st
                  : tm_detail_arg_text(&w->rows->detail, "render_subpasses",
                                       text->data ? text->data : (const uint8_t *)"", text->len);
}

static enum tm_status put_args(struct stage *w)
{
    static const struct {
        enum field field;
        const char *key;
    } handles[] = {{CONTEXT, "context_id"}, {RENDER_TARGET, "render_target"}, {RENDER_PASS, "render_pass"}};
    struct tm_buf *detail = &w->rows->detail;
    char pass[32];
    enum tm_status st = put_about_stage(w);
    int len = snprintf(pass, sizeof pass, "rp:#%" PRIu64, number(w, PASS_INSTANCE));
    if (st == TM_OK && number(w, PASS_INSTANCE))
        st = tm_detail_arg_text(detail, "correlation_id", pass, (size_t)len);
    if (st == TM_OK)
        st = put_extra(w);
    for (size_t i = 0; st == TM_OK && i < sizeof handles / sizeof *handles; i++)
        st = tm_detail_arg_uint(detail, handles[i].key, number(w, handles[i].field));
    if (st == TM_OK && has(w, SUBPASSES))
        st = put_subpasses(w);
    if (st == TM_OK)
        st = tm_detail_arg_uint(detail, "command_buffer", number(w, COMMAND_BUFFER));
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "submission_id", (uint32_t)number(w, SUBMISSION));
    return st < 0 ? st : tm_detail_arg_uint(detail, "hw_queue_id", w->queue);
}

/* Sets *NAME to the event's own name, otherwise to the name of its stage. */
static enum tm_status name_of(struct stage *w, uint32_t *name)
{
    struct tm_pb_field text = w->of[NAME], message;
    char unknown[48];
    if (has(w, NAME_IID)) {
        text = (struct tm_pb_field){0};
        if (interned(w, TM_INTERNED_EVENT_NAMES, number(w, NAME_IID), &message))
            text = part_of(message.data, message.len, INTERNED_NAME);
        if (text.data == NULL)
            return TM_OK;
    } else if (!has(w, NAME) && (w->stage_name.data || has(w, STAGE_IID))) {
        text = w->stage_name;
        if (!w->has_stage && has(w, STAGE_IID))
            return TM_OK;
    } else if (!has(w, NAME)) {
        uint64_t stage = (uint64_t)(int32_t)number(w, STAGE_ID);
        int len = snprintf(unknown, sizeof unknown, "render stage(%" PRIu64 ")", stage);
        return tm_proto_string(w->rows, unknown, (size_t)len, name, w->err);
    }
    return tm_proto_string(w->rows, text.data ? (const char *)text.data : "", text.len, name, w->err);
}

static enum tm_status add(struct stage *w, const struct tm_event *packet)
{
    struct tm_event row = tm_proto_derived(packet, TM_KIND_SLICE_COMPLETE);
    if (!find_queue(w))
        return TM_OK;
    find_stage(w);
    const uint64_t track[] = {(uint32_t)number(w, GPU_ID), has(w, QUEUE_IID), w->queue, w->queue_name.data != NULL,
                              tm_hash64(w->queue_name.data, w->queue_name.len)};
    row.flags |= TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_GLOBAL);
    row.track = tm_hash64_numbers(track, sizeof track / sizeof *track, TM_NAMED_TRACK_GPU_STAGE);
    row.dur_ns = (int64_t)number(w, DURATION);
    if (put_track(w) < 0 || (w->rows->sink->want_detail && put_args(w) < 0))
        return tm_error_nomem(w->err);
    enum tm_status st = name_of(w, &row.name);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

enum tm_status tm_proto_gpu_stage_read(struct tm_proto_gpu *gpu, struct tm_proto_rows *rows,
                                       const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    struct stage w = {.gpu = gpu, .rows = rows, .packet = packet, .err = err};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = tm_proto_add(rows, &row, err);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < FIELDS)
            w.of[f.id] = f;
    if (st >= 0 && has(&w, SPECIFICATIONS) && w.of[SPECIFICATIONS].type == TM_PB_LEN)
        st = take_specifications(&w);
    if (st >= 0 && has(&w, CONTEXT) && interned(&w, TM_INTERNED_GRAPHICS_CONTEXTS, number(&w, CONTEXT), &f))
        w.pid = (int32_t)part_of(f.data, f.len, INTERNED_PID).value;
    return st < 0 || !has(&w, EVENT_ID) || !packet->has_time ? st : add(&w, &row);
}
