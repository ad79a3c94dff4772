/* Unit test of packets that a thread encodes: the output has the same bytes as if each were encoded at once. */
#include "emit/perfetto/packet_encoder.h"
#include "emit/perfetto/recorded_encode.h"
#include "perfetto/track_event_fields.h"
#include "stream/detail_fields.h"

#include "tap.h"

#include <stdio.h>

enum { PACKETS = 5000, BLOCK_PACKETS = 97, CHOICES = 8 };

/* One of the two ways to the sink. */
struct way {
    struct tm_packet_sink sink;
    struct tm_packet_encoder *encoder; /* NULL: packets are encoded at once */
    struct tm_packet_drafts drafts;
    struct tm_event_scratch scratch;
    struct tm_buf bytes;
    FILE *file;
    enum tm_status st;
    struct tm_error err;
};

static void begin(struct way *way, bool is_threaded)
{
    *way = (struct way){.file = tmpfile()};
    ok_named(way->file != NULL, "a temporary file");
    tm_block_output_init(&way->sink.blocks, fileno(way->file), "file");
    if (is_threaded)
        way->encoder = tm_packet_encoder_new(&way->sink);
    ok_named(!is_threaded || way->encoder, "a thread");
}

static void put_event(struct way *way, const struct tm_event_draft *event)
{
    struct tm_event_draft *next = way->encoder ? tm_packet_drafts_next(&way->drafts, &way->err) : NULL;
    if (next)
        *next = *event;
    way->st = next ? tm_packet_drafts_event(&way->drafts, way->bytes.len, &way->err)
                   : tm_event_draft_encode(event, &way->scratch, &way->bytes);
}

static void put_recorded(struct way *way, const struct tm_recorded_draft *recorded)
{
    way->st = way->encoder ? tm_packet_drafts_recorded(&way->drafts, way->bytes.len, recorded, &way->err)
                           : tm_recorded_encode(recorded, &way->bytes);
}

static void hand_on(struct way *way)
{
    way->st = way->encoder ? tm_packet_encoder_put(way->encoder, &way->bytes, &way->drafts, &way->err)
                           : tm_packet_sink_put(&way->sink, &way->bytes, &way->err);
}

static void open_placeholder(struct way *way, uint32_t number, int i)
{
    struct tm_buf versions[2] = {{0}, {0}};
    tm_buf_addf(&versions[0], "<%d>", i);
    tm_buf_addf(&versions[1], "<the other version of %d>", i);
    if (way->encoder) {
        way->st = tm_packet_drafts_open(&way->drafts, way->bytes.len, number, versions, &way->err);
        return;
    }
    hand_on(way);
    if (way->st == TM_OK)
        way->st = tm_packet_sink_open(&way->sink, number, versions, &way->err);
}

static void decide(struct way *way, uint32_t number, int which)
{
    way->st = way->encoder ? tm_packet_drafts_decide(&way->drafts, way->bytes.len, number, which, &way->err)
                           : tm_packet_sink_decide(&way->sink, number, which, &way->err);
}

/* True if the arguments of packet I lack their keys. */
static bool lacks_keys(int i)
{
    return i / 16 % 2;
}

/* Puts packet I of a kind that depends on I. Texts are those of TEXT, whose bytes change with each packet. */
static void put(struct way *way, int i, const struct tm_buf *text)
{
    const struct tm_packet_value values[] = {{(uint64_t)i, false}, {tm_pb_bits(i * 0.5), true}};
    const struct tm_text all = tm_text_at(text->data, text->len), none = {NULL, 0};
    const struct tm_annotation_keys lacked = {.text = tm_text_at("p.q\0p.r\0s", 10),
                                              .ids = tm_text_at("\1\1\0\0\0\1\1\0\0\0\0", 11),
                                              .number = 17};
    const struct tm_draft_head head = {.time_ns = (uint64_t)i * 1000, .machine_id = (uint32_t)i % 3, .sequence = 7,
                                       .flags = TM_SEQUENCE_NEEDS_STATE, .is_timed = true};
    const struct tm_event_texts texts = {.name = i % 3 == 1 ? all : none,
                                         .category = i % 3 == 2 ? tm_text_at("", 0) : none,
                                         .entries = i % 7 == 0 ? all : none};
    const struct tm_event_draft event = {.head = head,
                                         .track_uuid = (uint64_t)i * 77,
                                         .type = TM_TRACK_BEGIN,
                                         .thread_time_uuid = i % 2 ? 99 : 0,
                                         .flow_mix = 1234,
                                         .name_id = i % 3 == 0 ? (uint32_t)i + 1 : 0,
                                         .texts = i % 3 || i % 7 == 0 ? &texts : NULL,
                                         .detail = i % 13 ? all : none,
                                         .arg_keys = lacks_keys(i) ? lacked : (struct tm_annotation_keys){.number = 0}};
    const struct tm_recorded_draft recorded = {.head = head,
                                               .mix = {.ids = 5, .flows = 6},
                                               .has_extras = true,
                                               .extras_from = {.ints = 2, .next_double = 2, .count = 2},
                                               .extras = values,
                                               .raw = all};
    if (i % 5 == 0)
        put_recorded(way, &recorded);
    else if (i % 11 == 0)
        tm_buf_add(&way->bytes, text->data, text->len);
    else
        put_event(way, &event);
    if (way->st == TM_OK && i % 50 == 3)
        open_placeholder(way, (uint32_t)i / 50 % CHOICES, i);
    if (way->st == TM_OK && i % 50 == 44 && i >= 50 * 3)
        decide(way, ((uint32_t)i / 50 - 3) % CHOICES, i % 4 == 0);
    if (way->st == TM_OK && i % BLOCK_PACKETS == 0)
        hand_on(way);
}

/* Sets TEXT to bytes that are both a detail and a packet. */
static void set_text(struct tm_buf *text, int i)
{
    size_t mark, arg;
    tm_buf_clear(text);
    for (int k = 0; k < i % 4; k++) {
        tm_pb_begin(text, TM_DETAIL_ARGS, &arg);
        if (!lacks_keys(i))
            tm_pb_put_str(text, TM_ARG_KEY, k % 2 ? "args.a.b" : "c");
        tm_pb_put_varint(text, TM_ARG_INT, (uint64_t)(i * k));
        tm_pb_end(text, arg);
    }
    tm_pb_put_i64(text, TM_DETAIL_FLOW_IDS, (uint64_t)i);
    tm_pb_put_varint(text, TM_DETAIL_THREAD_TIME, (uint64_t)i);
    tm_pb_begin(text, TM_PACKET_TRACK_EVENT, &mark);
    tm_pb_put_varint(text, TM_TRACK_EVENT_TRACK_UUID, (uint64_t)i);
    tm_pb_put_varint(text, TM_TRACK_EVENT_EXTRA_VALUES, 1);
    tm_pb_put_i64(text, TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES, 1);
    tm_pb_end(text, mark);
}

/* Puts all packets by one way. Returns the bytes of the file. */
static struct tm_buf run(bool is_threaded)
{
    struct way way;
    struct tm_buf text = {0}, all = {0};
    begin(&way, is_threaded);
    for (int i = 0; i < PACKETS && way.st == TM_OK; i++) {
        set_text(&text, i);
        put(&way, i, &text);
    }
    for (uint32_t i = PACKETS / 50 - 3; i < PACKETS / 50 && way.st == TM_OK; i++)
        decide(&way, i % CHOICES, 1);
    if (way.st == TM_OK)
        hand_on(&way);
    if (way.st == TM_OK && way.encoder)
        way.st = tm_packet_encoder_wait(way.encoder, &way.err);
    tm_packet_encoder_free(way.encoder);
    if (way.st == TM_OK)
        way.st = tm_packet_sink_finish(&way.sink, &way.err);
    ok_named(way.st == TM_OK, way.err.text);
    tm_buf_reserve(&all, 1 << 22);
    rewind(way.file);
    all.len = fread(all.data, 1, all.cap, way.file);
    fclose(way.file);
    tm_packet_sink_release(&way.sink);
    tm_packet_drafts_release(&way.drafts);
    tm_event_scratch_release(&way.scratch);
    tm_buf_release(&way.bytes);
    tm_buf_release(&text);
    return all;
}

int main(void)
{
    struct tm_buf plain = run(false), threaded = run(true);
    ok_named(plain.len > 100 * PACKETS / 4, "an output");
    ok_named(plain.len == threaded.len && memcmp(plain.data, threaded.data, plain.len) == 0, "the same with a thread");
    tm_buf_release(&plain);
    tm_buf_release(&threaded);
    return tap_done();
}
