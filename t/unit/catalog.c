/* Unit tests of model/catalog.h: the content that it stores of a stream's frames, and the frames that it refuses. */
#include "model/catalog.h"

#include "stream/writer.h"

#include "tap.h"

#include <stdlib.h>

static enum tm_status add(struct tm_catalog *c, enum tm_frame_type type, const ProtobufCMessage *m)
{
    struct tm_error err = {0};
    uint8_t *body = malloc(protobuf_c_message_get_packed_size(m) + 1);
    struct tm_frame frame = {.type = type, .body = body, .offset = 7};
    frame.body_bytes = protobuf_c_message_pack(m, body);
    enum tm_status st = tm_catalog_add(c, &frame, &err);
    if (st < 0 && strncmp(err.text, "byte 7: ", 8) != 0)
        st = TM_E_SYSTEM;
    free(body);
    return st;
}

static ProtobufCBinaryData str(const char *s)
{
    return tm_bytes(s, strlen(s));
}

static enum tm_status add_file(struct tm_catalog *c, uint32_t id, int parent, const char *name)
{
    Tracemerge__File m = TRACEMERGE__FILE__INIT;
    m.id = id;
    m.has_parent = parent >= 0;
    m.parent = parent >= 0 ? (uint32_t)parent : 0;
    m.has_name = name != NULL;
    m.name = str(name ? name : "");
    m.type = str("zip");
    return add(c, TM_FRAME_FILE, &m.base);
}

static void test_files(struct tm_catalog *c)
{
    char path[64];
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    Tracemerge__FileEnd end = TRACEMERGE__FILE_END__INIT;
    tm_catalog_path(c, 0, path, sizeof path);
    is_str(path, "-");
    is_int(add_file(c, 1, -1, "x"), TM_E_INPUT);
    is_int(add_file(c, 0, -1, NULL), TM_OK);
    is_int(add_file(c, 1, 1, "itself"), TM_E_INPUT);
    is_int(add_file(c, 1, 0, "a\x1b.gz"), TM_OK);
    is_int(add_file(c, 2, 1, ""), TM_OK);
    is_int(add_file(c, 3, 2, "inner"), TM_OK);
    ok(c->files[0].name.data == NULL && c->files[2].name.data != NULL);
    tm_catalog_path(c, 0, path, sizeof path);
    is_str(path, "-");
    tm_catalog_path(c, 2, path, sizeof path);
    is_str(path, "a\\x1b.gz");
    tm_catalog_path(c, 3, path, sizeof path);
    is_str(path, "a\\x1b.gz/inner");
    tm_catalog_path(c, 3, path, 8);
    ok(strlen(path) < 8);
    begin.id = 3;
    begin.processing_order = 5;
    begin.type = str("proto");
    is_int(add(c, TM_FRAME_FILE_BEGIN, &begin.base), TM_OK);
    ok(c->files[3].begun && c->files[3].processing_order == 5 && c->files[3].type.len == 5);
    begin.id = 4;
    is_int(add(c, TM_FRAME_FILE_BEGIN, &begin.base), TM_E_INPUT);
    end.id = 3;
    end.size_bytes = 10;
    end.timed_count = 11;
    is_int(add(c, TM_FRAME_FILE_END, &end.base), TM_OK);
    ok(c->files[3].size_bytes == 10 && c->files[3].timed_count == 11);
    end.id = 4;
    is_int(add(c, TM_FRAME_FILE_END, &end.base), TM_E_INPUT);
}

static void test_machines(struct tm_catalog *c)
{
    Tracemerge__Machine m = TRACEMERGE__MACHINE__INIT;
    Tracemerge__TraceTime t = TRACEMERGE__TRACE_TIME__INIT;
    m.id = 1;
    is_int(add(c, TM_FRAME_MACHINE, &m.base), TM_E_INPUT);
    m.id = 0;
    is_int(add(c, TM_FRAME_MACHINE, &m.base), TM_OK);
    m.raw_id = 7;
    m.has_name = true;
    m.name = str("phone");
    is_int(add(c, TM_FRAME_MACHINE, &m.base), TM_OK);
    m.has_name = false;
    is_int(add(c, TM_FRAME_MACHINE, &m.base), TM_OK);
    ok(c->machine_count == 1 && c->machines[0].raw_id == 7 && c->machines[0].name.len == 5);
    ok(tm_catalog_machine(c, 0) == &c->machines[0] && tm_catalog_machine(c, 1) == NULL);
    t.clock = 6;
    t.has_file = true;
    t.file = 99;
    is_int(add(c, TM_FRAME_TRACE_TIME, &t.base), TM_E_INPUT);
    ok(!c->has_trace_time);
    t.file = 3;
    is_int(add(c, TM_FRAME_TRACE_TIME, &t.base), TM_OK);
    ok(c->has_trace_time && c->trace_time_clock == 6 && c->trace_time_has_file && c->trace_time_file == 3);
}

static bool text_is(struct tm_text text, const char *want)
{
    return text.data && text.len == strlen(want) && memcmp(text.data, want, text.len) == 0;
}

static void test_strings(struct tm_catalog *c)
{
    ProtobufCBinaryData texts[] = {str("one"), str(""), str("three")};
    Tracemerge__Strings m = TRACEMERGE__STRINGS__INIT;
    static const uint8_t detail[] = {4 << 3 | 2, 3, 'a', 'b', 'c', 4 << 3 | 2, 9};
    struct tm_event e = {.detail = detail, .detail_bytes = sizeof detail};
    m.first = 2;
    is_int(add(c, TM_FRAME_STRINGS, &m.base), TM_E_INPUT);
    m.first = 1;
    m.n_text = 3;
    m.text = texts;
    is_int(add(c, TM_FRAME_STRINGS, &m.base), TM_OK);
    is_int(add(c, TM_FRAME_STRINGS, &m.base), TM_E_INPUT);
    m.first = 4;
    m.n_text = 1;
    is_int(add(c, TM_FRAME_STRINGS, &m.base), TM_OK);
    ok(tm_catalog_string(c, 0, &e).data == NULL);
    ok(text_is(tm_catalog_string(c, 1, &e), "one"));
    ok(text_is(tm_catalog_string(c, 2, &e), ""));
    ok(text_is(tm_catalog_string(c, 3, NULL), "three"));
    ok(text_is(tm_catalog_string(c, 4, &e), "one"));
    ok(tm_catalog_string(c, 5, &e).data == NULL);
    ok(text_is(tm_catalog_string(c, TM_STRING_INLINE | 1, &e), "abc"));
    ok(tm_catalog_string(c, TM_STRING_INLINE | 6, &e).data == NULL);
    ok(tm_catalog_string(c, TM_STRING_INLINE | 7, &e).data == NULL);
    ok(tm_catalog_string(c, UINT32_MAX, &e).data == NULL);
    ok(tm_catalog_string(c, TM_STRING_INLINE, NULL).data == NULL);
}

static void test_sums(struct tm_catalog *c)
{
    enum { DISTINCT = 100 };
    Tracemerge__Account a = TRACEMERGE__ACCOUNT__INIT;
    Tracemerge__Stat s = TRACEMERGE__STAT__INIT;
    int failed = 0;
    a.reason = str("damaged");
    s.name = str("lost");
    for (uint32_t i = 0; i < 3 * DISTINCT; i++) {
        a.clock = i % DISTINCT;
        a.count = i;
        a.has_byte = true;
        a.byte = 1000 - i;
        failed += add(c, TM_FRAME_ACCOUNT, &a.base) != TM_OK;
        s.has_idx = i % DISTINCT != 0;
        s.idx = i % DISTINCT;
        s.value = i % 2 ? INT64_C(-5) : 5;
        failed += add(c, TM_FRAME_STAT, &s.base) != TM_OK;
    }
    is_int(failed, 0);
    is_int(c->account_count, DISTINCT);
    is_int(c->accounts[4]->count, 4 + 104 + 204);
    is_int(c->accounts[4]->byte, 1000 - 204);
    is_int(c->stat_count, DISTINCT);
    is_int(c->stats[3]->value, -15);
    a.clock = 4;
    a.count = UINT64_MAX;
    is_int(add(c, TM_FRAME_ACCOUNT, &a.base), TM_E_INPUT);
    s.idx = 2;
    s.has_idx = true;
    s.value = INT64_MAX;
    is_int(add(c, TM_FRAME_STAT, &s.base), TM_OK);
    is_int(c->stats[2]->value == INT64_MAX, true);
    s.value = 1; /* a statistic stays within its bounds */
    is_int(add(c, TM_FRAME_STAT, &s.base), TM_OK);
    is_int(c->stats[2]->value == INT64_MAX, true);
    a.file = 99;
    is_int(add(c, TM_FRAME_ACCOUNT, &a.base), TM_E_INPUT);
    a.file = 0;
    a.has_machine = true;
    a.count = 1;
    is_int(add(c, TM_FRAME_ACCOUNT, &a.base), TM_OK);
    is_int(c->account_count, DISTINCT + 1);
}

static void test_sequences_and_rows(struct tm_catalog *c)
{
    Tracemerge__Sequence q = TRACEMERGE__SEQUENCE__INIT;
    Tracemerge__Placement p = TRACEMERGE__PLACEMENT__INIT;
    Tracemerge__Metadata d = TRACEMERGE__METADATA__INIT;
    q.generation = 2;
    is_int(add(c, TM_FRAME_SEQUENCE, &q.base), TM_E_INPUT);
    q.generation = 1;
    q.trusted_packet_sequence_id = 9;
    is_int(add(c, TM_FRAME_SEQUENCE, &q.base), TM_OK);
    ok(c->sequence_count == 2 && c->sequences[1].trusted_packet_sequence_id == 9);
    p.rule = p.path = d.name = str("x");
    is_int(add(c, TM_FRAME_PLACEMENT, &p.base), TM_OK);
    is_int(add(c, TM_FRAME_PLACEMENT, &p.base), TM_OK);
    p.file = 99;
    is_int(add(c, TM_FRAME_PLACEMENT, &p.base), TM_E_INPUT);
    is_int(add(c, TM_FRAME_METADATA, &d.base), TM_OK);
    d.has_file = true;
    d.file = 99;
    is_int(add(c, TM_FRAME_METADATA, &d.base), TM_E_INPUT);
    ok(c->placement_count == 2 && c->metadata_count == 1);
}

static void test_damaged_body(struct tm_catalog *c)
{
    struct tm_error err = {0};
    struct tm_frame frame = {.type = TM_FRAME_FILE, .body = (const uint8_t *)"\x0a", .body_bytes = 1, .offset = 7};
    is_int(tm_catalog_add(c, &frame, &err), TM_E_INPUT);
    frame.type = TM_FRAME_BATCH;
    is_int(tm_catalog_add(c, &frame, &err), TM_OK);
}

int main(void)
{
    struct tm_catalog catalog = {0};
    test_files(&catalog);
    test_machines(&catalog);
    test_strings(&catalog);
    test_sums(&catalog);
    test_sequences_and_rows(&catalog);
    test_damaged_body(&catalog);
    tm_catalog_release(&catalog);
    return tap_done();
}
