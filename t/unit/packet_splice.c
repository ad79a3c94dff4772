/* Unit test of tm_packet_splice and tm_packet_splice_body: they write the same bytes as tm_packet_rewrite, and refuse
 * packets that they cannot write. A draft has the same bytes also where tm_packet_splice refuses it. */
#include "emit/perfetto/packet_retime.h"
#include "emit/perfetto/packet_splice.h"
#include "emit/perfetto/recorded_encode.h"
#include "emit/perfetto/splice_body.h"

#include "tap.h"

#include <stdlib.h>

struct sample {
    const char *name;
    const char *hex;   /* of the TracePacket */
    bool by_splice;    /* with one proto in the merge */
    bool also_mixed;   /* with several */
};

static const struct sample samples[] = {
    {"empty", "", true, true},
    {"time, sequence, slice with interned name", "40e807500a5a064801180150056802", true, true},
    {"unknown fields on both sides of the event", "a80601" "5a024802" "b20603616263" "40e807", true, true},
    {"event with a track uuid", "5a064801580a5005" "6802", true, true},
    {"two track uuids, the event's bytes around them", "5a0e4801580a18015814c20101615001", true, true},
    {"flow ids as fixed64", "5a0e4801f9020100000000000000500a", true, true},
    {"flow ids packed", "5a0d4801fa02080100000000000000", false, false},
    {"counter value", "5a054804f00163", true, true},
    {"double counter value", "5a0c4804e102000000000000f03f", true, true},
    {"delta and absolute times go", "5a0748010805800164" "5005", true, true},
    {"legacy event", "5a083204106230051802", true, false},
    {"an extra counter value", "5a0448016005", true, true},
    {"extra counter values, one by one and packed", "5a0c4801" "6005" "62028901" "6001" "5003", true, true},
    {"extra counter values, packed, the last cut", "5a064801" "62020580", true, true},
    {"a double extra counter value, and one", "5a0e4801" "f102000000000000f03f" "6007", true, true},
    {"double extra counter values, packed", "5a154801" "f20210000000000000f03f000000000000f03f", true, true},
    {"more extra counter values than rows behind", "5a094801" "6205" "0102030405", true, true},
    {"tracks of extra counter values", "5a054801" "f80105", true, true},
    {"tracks of extra counter values, packed", "5a064801" "fa010105", false, false},
    {"length of the event in more bytes than it takes", "5a82004801", false, false},
    {"machine id and flags are written anew", "900603" "6801" "5a024801", true, true},
    {"descriptor", "e203020805", false, false},
    {"event cut short", "5a0348", false, false},
    {"field of the event cut short", "5a0148", false, false},
    {"wire type that is none", "5a024803" "47", false, false},
    {"many unknown fields between what goes", "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601"
     "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601"
     "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001" "a80601" "4001", false, false},
};

#define HEX_16 "61616161616161616161616161616161"
#define HEX_128 HEX_16 HEX_16 HEX_16 HEX_16 HEX_16 HEX_16 HEX_16 HEX_16

/* Bodies: packets without the fields that their rows' columns hold. */
static const struct {
    const char *name;
    const char *hex;
    bool is_usual;
} bodies[] = {
    {"event alone", "5a024801", true},
    {"event, then flags", "5a0648011801500568" "02", true},
    {"flags, event, uid", "6802" "5a024801" "18e807", true},
    {"event, uid", "5a024801" "180a", true},
    {"an event that takes two bytes of length",
     "5a8601" "4803" "ba018001" HEX_128 "6802", true},
    {"nothing", "", false},
    {"flags alone", "6802", false},
    {"flags on both sides", "6802" "5a024801" "6802", true},
    {"flags of another value", "5a024801" "6803", false},
    {"flags cut short", "5a024801" "68", false},
    {"uid cut short", "5a024801" "18e8", false},
    {"something behind the uid", "5a024801" "1801" "f80401", false},
    {"a pid", "5a024801" "f80401", false},
    {"an event that is a number", "5801", false},
    {"an event longer than its packet", "5a034801", false},
    {"an event whose length is cut short", "5a80", false},
    {"a timestamp", "4001" "5a024801", false},
    {"a timestamp behind", "5a024801" "4001", false},
};

static size_t unhex(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

/* The result equals that of tm_packet_rewrite, or is empty. */
static void compare_body(size_t i, size_t behind, uint32_t machine)
{
    uint8_t *raw = calloc(1, strlen(bodies[i].hex) / 2 + behind + 1);
    struct tm_catalog_file files[1] = {{.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO}};
    struct tm_catalog_machine machines[1] = {{.raw_id = machine}};
    struct tm_catalog_sequence sequences[2] = {{0}, {0, 0, 5}};
    struct tm_catalog catalog = {.files = files, .file_count = 1, .machines = machines, .machine_count = 1,
                                 .sequences = sequences, .sequence_count = 2};
    struct tm_event e = {.time_ns = 123456789, .kind = TM_KIND_SLICE_BEGIN, .sequence = 5, .generation = 1,
                         .flags = TM_EVENT_RAW_BODY | tm_event_raw_flags(TM_RAW_PACKET), .raw = raw};
    struct tm_packet_value none = {0};
    struct tm_extra_values extras = {.values = &none, .count = 1};
    struct tm_packet_writer quick = {0}, slow = {0};
    struct tm_error err = {0};
    e.raw_bytes = (uint32_t)unhex(bodies[i].hex, raw);
    tm_packet_writer_init(&quick, &catalog, -1, NULL, &err);
    tm_packet_writer_init(&slow, &catalog, -1, NULL, &err);
    for (int turn = 0; turn < 3; turn++) { /* the first packet of its sequence has other flags */
        enum tm_status st = tm_packet_splice_body(&quick, &e, e.raw_bytes + behind, &err);
        tap_check(st == (bodies[i].is_usual ? TM_OK : TM_END), bodies[i].name, __FILE__, __LINE__);
        if (bodies[i].is_usual)
            tm_packet_rewrite(&slow, &e, &extras, &err);
        tap_check(quick.out.len == slow.out.len && (slow.out.len > 0) == bodies[i].is_usual &&
                      (slow.out.len == 0 || memcmp(quick.out.data, slow.out.data, slow.out.len) == 0),
                  bodies[i].name, __FILE__, __LINE__);
    }
    tm_packet_writer_release(&quick);
    tm_packet_writer_release(&slow);
    free(raw);
}

enum merge { ALONE, MIXED, ON_OWN_DEFAULT }; /* the last: names no track, beside another file of its machine */

/* Both functions write SAMPLE after a first packet of the sequence. */
static void compare(const struct sample *sample, enum merge merge)
{
    const bool mixed = merge != ALONE;
    uint8_t *raw = calloc(1, strlen(sample->hex) / 2 + 1); /* small, so a sanitizer detects a read past its end */
    struct tm_catalog_file files[2] = {{.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO},
                                       {.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO,
                                        .processing_order = 1}};
    struct tm_catalog_machine machines[1] = {{.raw_id = 7}};
    struct tm_catalog_sequence sequences[3] = {{0}, {mixed, 0, 5}, {0, 0, 5}};
    struct tm_catalog catalog = {.files = files, .file_count = mixed ? 2 : 1, .machines = machines, .machine_count = 1,
                                 .sequences = sequences, .sequence_count = 3};
    struct tm_event e = {.time_ns = 123456789, .kind = TM_KIND_COUNTER, .sequence = 5, .generation = 1, .value = 77,
                         .file = mixed,
                         .flags = TM_EVENT_HAS_VALUE | tm_event_raw_flags(TM_RAW_PACKET), .raw = raw};
    if (merge == ON_OWN_DEFAULT) {
        e.kind = TM_KIND_SLICE_BEGIN;
        e.flags |= TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK);
    }
    struct tm_packet_value values[] = {{300, false}, {tm_pb_bits(-1.5), true}, {7, false}, {tm_pb_bits(1e300), true}};
    struct tm_extra_values extras = {.values = values, .count = 4};
    struct tm_packet_writer quick = {0}, slow = {0};
    struct tm_error err = {0};
    e.raw_bytes = (uint32_t)unhex(sample->hex, raw);
    tm_packet_writer_init(&quick, &catalog, -1, NULL, &err);
    tm_packet_writer_init(&slow, &catalog, -1, NULL, &err);
    for (int i = 0; i < 2; i++) {
        struct tm_recorded_draft draft;
        const size_t before = quick.out.len;
        enum tm_status st = tm_packet_draft(&quick, &e, &extras, &draft, &err);
        bool is_draft = st == TM_OK;
        if (is_draft)
            st = tm_packet_splice(&draft, &quick.out);
        tap_check(st == ((mixed ? sample->also_mixed : sample->by_splice) ? TM_OK : TM_END), sample->name, __FILE__,
                  __LINE__);
        if (st == TM_END)
            tap_check(quick.out.len == before, "nothing is written of what is refused", __FILE__, __LINE__);
        if (!is_draft)
            continue;
        if (st == TM_END)
            tap_check(tm_recorded_encode(&draft, &quick.out) == TM_OK, sample->name, __FILE__, __LINE__);
        st = tm_packet_rewrite(&slow, &e, &extras, &err);
        tap_check(st == TM_OK && quick.out.len == slow.out.len &&
                      memcmp(quick.out.data, slow.out.data, slow.out.len) == 0, sample->name, __FILE__, __LINE__);
    }
    tm_packet_writer_release(&quick);
    tm_packet_writer_release(&slow);
    free(raw);
}

int main(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        compare(&samples[i], ALONE);
        compare(&samples[i], MIXED);
        compare(&samples[i], ON_OWN_DEFAULT);
    }
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int k = 0; k < 6; k++)
            compare_body(i, k / 2 * 9, k % 2 ? UINT32_MAX : 0);
    return tap_done();
}
