/* Unit tests of the nouns of lib/clocks around the graph. */
#include "base/map.h"
#include "clocks/clock_hints.h"
#include "clocks/clock_scope.h"
#include "clocks/deferral.h"
#include "clocks/machine_table.h"
#include "clocks/path_text.h"
#include "clocks/remote_sync.h"
#include "stream/clock_name.h"
#include "stream/reader.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct tm_error err;

static void test_map(void)
{
    struct tm_map map = {0};
    uint32_t value = 0;
    bool good = true;
    ok(!tm_map_find(&map, 0, &value));
    for (uint64_t i = 0; i < 5000; i++)
        good = good && tm_map_set(&map, i * UINT64_C(0x100000001), (uint32_t)i) == TM_OK;
    for (uint64_t i = 0; i < 5000; i++)
        good = good && tm_map_find(&map, i * UINT64_C(0x100000001), &value) && value == i;
    ok(good);
    is_int(map.count, 5000);
    ok(tm_map_set(&map, 0, 7) == TM_OK && tm_map_find(&map, 0, &value) && value == 7);
    is_int(map.count, 5000);
    ok(!tm_map_find(&map, UINT64_MAX, &value));
    tm_map_clear(&map);
    ok(!tm_map_find(&map, 0, &value) && map.count == 0);
    tm_map_release(&map);
}

static void test_table(void)
{
    struct tm_clock_table table = {0};
    struct tm_clock_key key = {.machine = 1, .tag = 2, .sequence = 3, .clock = 64};
    uint32_t index = 9, again = 9;
    ok(!tm_clock_table_find(&table, &key, &index));
    ok(tm_clock_table_add(&table, &key, &index, &err) == TM_OK && index == 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct tm_clock_key other = key;
        *(i == 0 ? &other.machine : i == 1 ? &other.tag : i == 2 ? &other.sequence : &other.clock) += 1;
        ok(tm_clock_table_add(&table, &other, &again, &err) == TM_OK && again == i + 1);
        ok(tm_clock_key_less(&key, &other) && !tm_clock_key_less(&other, &key));
    }
    ok(!tm_clock_key_less(&key, &key));
    for (uint32_t i = 0; i < 1000; i++) {
        struct tm_clock_key other = {.clock = 1000 + i};
        if (tm_clock_table_add(&table, &other, &again, &err) != TM_OK || again != 5 + i)
            ok(false);
    }
    ok(tm_clock_table_find(&table, &key, &again) && again == 0);
    is_str(tm_name_of_clock(6), "BOOTTIME");
    ok(tm_name_of_clock(7) == NULL && tm_name_of_clock(4000000000u) == NULL);
    ok(tm_name_of_clock(TM_CLOCK_TRACE_FILE) != NULL && tm_name_of_clock(TM_CLOCK_TRACE_FILE + 1) == NULL);
    ok(tm_clock_is_scoped(64) && tm_clock_is_scoped(127) && !tm_clock_is_scoped(63) && !tm_clock_is_scoped(128));
    tm_clock_table_release(&table);
}

static void test_machines(void)
{
    struct tm_machine_table table = {0};
    uint32_t row = 9;
    char text[64];
    ok(!tm_machine_table_find(&table, 0, &row));
    ok(tm_machine_table_add(&table, 0, &row, &err) == TM_OK && row == 0);
    ok(tm_machine_table_add(&table, INT64_C(1) << 32, &row, &err) == TM_OK && row == 1);
    tm_machine_table_text(&table, 0, text, sizeof text);
    is_str(text, "host");
    tm_machine_table_text(&table, 1, text, sizeof text);
    is_str(text, "machine 4294967296");
    ok(tm_machine_table_name(&table, 1, "ph\033ne", 5, &err) == TM_OK);
    tm_machine_table_text(&table, 1, text, sizeof text);
    is_str(text, "ph\\x1bne");
    tm_machine_table_text(&table, 7, text, sizeof text);
    is_str(text, "host");
    /* Adoption: found by both ids. */
    ok(tm_machine_table_adopt(&table, 0, 1234, &err) == TM_OK);
    ok(tm_machine_table_find(&table, 0, &row) && row == 0);
    ok(tm_machine_table_find(&table, 1234, &row) && row == 0);
    is_int(table.rows[0].raw_id, 1234);
    tm_machine_table_release(&table);
}

/* Makes a round from pairs of id and value up to 0. */
static void fill(Tracemerge__Reading *store, Tracemerge__Reading **list, size_t *count, const int64_t *pairs)
{
    for (; pairs[0]; pairs += 2) {
        tracemerge__reading__init(&store[*count]);
        store[*count].clock = (uint32_t)pairs[0];
        store[*count].value = pairs[1];
        list[*count] = &store[*count];
        ++*count;
    }
}

/* Returns the offset of CLOCK from rounds of (client, host) readings, or INT64_MIN if there is none. */
static int64_t offset_of(uint32_t clock, const int64_t (*sides)[2][5], size_t rounds, int64_t *host_ns)
{
    Tracemerge__Reading store[8][2][4];
    Tracemerge__Reading *lists[8][2][4];
    Tracemerge__SyncRound round[8], *list[8];
    Tracemerge__RemoteClockSync sync = TRACEMERGE__REMOTE_CLOCK_SYNC__INIT;
    struct tm_remote_offsets offsets;
    int64_t found = INT64_MIN;
    for (size_t i = 0; i < rounds; i++) {
        tracemerge__sync_round__init(&round[i]);
        round[i].client = lists[i][0];
        round[i].host = lists[i][1];
        fill(store[i][0], round[i].client, &round[i].n_client, sides[i][0]);
        fill(store[i][1], round[i].host, &round[i].n_host, sides[i][1]);
        list[i] = &round[i];
    }
    sync.rounds = list;
    sync.n_rounds = rounds;
    ok(tm_remote_offsets_find(&offsets, &sync, &err) == TM_OK);
    for (size_t i = 0; i < offsets.count; i++) {
        if (offsets.offsets[i].clock == clock) {
            found = offsets.offsets[i].offset_ns;
            *host_ns = offsets.offsets[i].host_ns;
        }
        ok(i == 0 || offsets.offsets[i - 1].clock < offsets.offsets[i].clock);
    }
    tm_remote_offsets_release(&offsets);
    return found;
}

static void test_remote_sync(void)
{
    int64_t host_ns = 0;
    /* (1000 + 1201)/2 - 100000 = -98900; 1201 - (100000 + 100200)/2 = -98899; average -98899 (toward zero) */
    static const int64_t one[][2][5] = {{{6, 1000}, {6, 100000}}, {{6, 1201}, {6, 100200}}};
    is_int(offset_of(6, one, 2, &host_ns), -98899);
    is_int(host_ns, 100200);
    /* Rounds 30 s apart do not count, and neither does a round back in time. */
    static const int64_t apart[][2][5] = {
        {{6, 1000}, {6, 500}}, {{6, 30000001000}, {6, 600}}, {{6, 30000000900}, {6, 700}}};
    is_int(offset_of(6, apart, 3, &host_ns), INT64_MIN);
    /* A clock that one side lacks; the other clock still has an offset. */
    static const int64_t lacking[][2][5] = {{{6, 10, 1, 5}, {6, 20}}, {{6, 10, 1, 5}, {1, 7, 6, 20}}};
    is_int(offset_of(1, lacking, 2, &host_ns), INT64_MIN);
    is_int(offset_of(6, lacking, 2, &host_ns), -10);
    /* Sums past 64 bits. */
    static const int64_t big[][2][5] = {{{6, 1, 1, INT64_MAX}, {1, INT64_MAX}}, {{6, 1, 1, INT64_MAX}, {1, INT64_MAX}}};
    is_int(offset_of(1, big, 2, &host_ns), 0);
    static const int64_t far[][2][5] = {{{6, 1, 1, INT64_MAX}, {1, INT64_MIN}}, {{6, 1, 1, INT64_MAX}, {1, INT64_MIN}}};
    is_int(offset_of(1, far, 2, &host_ns), INT64_MIN);
}

static void test_deferral(void)
{
    struct tm_deferral deferral = {0};
    struct tm_batch batch;
    uint64_t seen = 0, wrong = 0, batches = 0;
    uint8_t payload[100] = {1, 2, 3};
    ok(tm_deferral_next(&deferral, &batch, &err) == TM_END);
    for (uint64_t i = 0; i < 30000; i++) {
        struct tm_event event = {
            .position = i, .time_ns = (int64_t)i * 3, .raw = payload, .raw_bytes = (uint32_t)(i % 100)};
        if (tm_deferral_add(&deferral, &event, NULL, &err) != TM_OK)
            wrong++;
    }
    is_int(deferral.count, 30000);
    while (tm_deferral_next(&deferral, &batch, &err) == TM_OK) {
        struct tm_batch_walk walk = {.batch = &batch};
        struct tm_event event;
        batches++;
        for (; tm_batch_next(&walk, &event); seen++)
            wrong += event.position != seen || event.raw_bytes != seen % 100;
    }
    is_int(seen, 30000);
    is_int(wrong, 0);
    ok(batches > 2);
    tm_deferral_release(&deferral);
    /* Writing fails. */
    enum tm_status st = TM_OK;
    for (uint64_t i = 0; i < 30000 && st == TM_OK; i++) {
        struct tm_event event = {.raw = payload, .raw_bytes = 100};
        st = tm_deferral_add(&deferral, &event, "/dev/null/nowhere", &err);
    }
    is_int(st, TM_E_SYSTEM);
    err = (struct tm_error){0};
    tm_deferral_release(&deferral);
}

/* Makes a registry whose output is discarded, with rows for raw ids 0 and 1. */
static void open_registry(struct tm_clock_registry *registry, struct tm_stream_writer *writer, int fd)
{
    uint32_t row;
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED};
    if (tm_stream_writer_open(writer, fd, "t", &header, &err) != TM_OK ||
        tm_clock_registry_init(registry, writer, 1, &err) != TM_OK ||
        tm_clock_registry_machine(registry, 0, NULL, &row, &err) != TM_OK ||
        tm_clock_registry_machine(registry, 1, NULL, &row, &err) != TM_OK)
        abort();
}

static void test_claims(int fd)
{
    struct tm_stream_writer writer;
    struct tm_clock_registry registry;
    struct tm_clock_key a = {.clock = 6}, b = {.clock = 6, .machine = 1};
    open_registry(&registry, &writer, fd);
    is_int(registry.trace_time.clock, TM_CLOCK_TRACE_FILE);
    ok(tm_clock_registry_claim(&registry, &a, 3, &err) == TM_OK && registry.trace_time.machine == 0);
    ok(tm_clock_registry_claim(&registry, &b, 4, &err) == TM_OK);
    is_int(registry.trace_time.machine, 0);
    ok(tm_clock_registry_claim(&registry, &b, 3, &err) == TM_OK);
    is_int(registry.trace_time.machine, 1);
    uint64_t version = tm_clock_registry_version(&registry);
    ok(tm_clock_registry_claim(&registry, &b, 3, &err) == TM_OK && version == tm_clock_registry_version(&registry));
    tm_clock_registry_release(&registry);
    tm_stream_writer_release(&writer);
}

static void test_scope(int fd)
{
    struct tm_stream_writer writer;
    struct tm_clock_registry registry;
    uint32_t total = 0, record;
    struct tm_clock_scope scope = {.file = 4, .file_tag = 5, .machine = 1, .file_record_count = &total};
    open_registry(&registry, &writer, fd);
    is_int(tm_clock_scope_key(&scope, 6, 9).tag, 0);
    is_int(tm_clock_scope_key(&scope, 6, 9).sequence, 0);
    is_int(tm_clock_scope_key(&scope, 11, 9).tag, 5);
    is_int(tm_clock_scope_key(&scope, 64, 9).tag, 5);
    is_int(tm_clock_scope_key(&scope, 64, 9).sequence, 9);
    is_int(tm_clock_scope_key(&scope, 128, 9).tag, 0);
    /* A snapshot isolates a file that is not the primary one; REALTIME also enters untagged. */
    struct tm_reading readings[8] = {{.clock = 6, .value = 10, .unit_ns = 1}, {.clock = 1, .value = 500, .unit_ns = 1}};
    ok(tm_clock_scope_snapshot(&scope, &registry, &(struct tm_scope_snapshot){readings, 2, 0}, &err) == TM_OK &&
       scope.is_isolated);
    is_int(tm_clock_scope_key(&scope, 6, 0).tag, 5);
    is_int(tm_clock_scope_untagged(&scope, 6).tag, 0);
    is_int(tm_clock_scope_untagged(&scope, 11).tag, 5);
    uint32_t tagged = 0, untagged = 0;
    struct tm_clock_key key = tm_clock_scope_key(&scope, 1, 0), untagged_key = tm_clock_scope_untagged(&scope, 1);
    ok(tm_clock_table_find(&registry.graph.clocks, &key, &tagged) &&
       tm_clock_table_find(&registry.graph.clocks, &untagged_key, &untagged));
    ok(tm_clock_graph_reaches(&registry.graph, tagged, untagged));
    ok_named(TM_FILE_RECORDS_MAX >= 6 * 10000, "a merged trace of 10,000 machines of six clocks is read again");
    for (uint32_t i = 0; i < TM_FILE_RECORDS_MAX; i++)
        if (tm_clock_scope_record(&scope, i, &record, &err) != TM_OK || record != i)
            ok(false);
    ok(tm_clock_scope_record(&scope, 7, &record, &err) == TM_OK && record == 7);
    is_int(tm_clock_scope_record(&scope, TM_FILE_RECORDS_MAX, &record, &err), TM_E_INPUT);
    err = (struct tm_error){0};
    tm_clock_scope_release(&scope);
    tm_clock_registry_release(&registry);
    tm_stream_writer_release(&writer);
}

static void test_hints(int fd)
{
    struct tm_stream_writer writer;
    struct tm_clock_registry registry;
    struct tm_clock_hints hints = {0};
    struct tm_clock_key keys[3] = {{.clock = 11, .tag = 9}, {.clock = 3}, {.clock = 1}};
    uint32_t clocks[3];
    open_registry(&registry, &writer, fd);
    for (int i = 0; i < 3; i++)
        if (tm_clock_graph_clock(&registry.graph, &keys[i], &clocks[i], &err) != TM_OK)
            abort();
    struct tm_clock_hint hint = {.file = 8, .from = clocks[0], .to = clocks[1], .from_ns = 5, .to_ns = 105};
    ok(tm_clock_hints_add(&hints, &hint, &err) == TM_OK && hints.count == 0);
    hints.is_enabled = true;
    ok(tm_clock_hints_add(&hints, &hint, &err) == TM_OK && hints.count == 1);
    hint.to_ns = 999;
    ok(tm_clock_hints_add(&hints, &hint, &err) == TM_OK && hints.count == 1);
    hint.to = clocks[2];
    ok(tm_clock_hints_add(&hints, &hint, &err) == TM_OK && hints.count == 2);
    ok(tm_clock_hints_use(&hints, &registry, 7, &err) == TM_OK && registry.graph.kind_count == 0);
    ok(tm_clock_hints_use(&hints, &registry, 8, &err) == TM_OK && registry.graph.kind_count == 2);
    ok(tm_clock_hints_use(&hints, &registry, UINT32_MAX, &err) == TM_OK && registry.graph.snapshot_count == 2);
    tm_clock_graph_set_target(&registry.graph, clocks[1]);
    struct tm_step step;
    ok(tm_clock_graph_convert(&registry.graph, clocks[0], 6, &step) == TM_CONVERT_OK);
    is_int(tm_step_apply(&step, 6), 106);
    ok(!step.has_anchors);
    struct tm_clock_files files = {0};
    struct tm_buf text = {0};
    ok(tm_path_text(&text, &registry, &files, clocks[0], &step) == TM_OK);
    is_str(tm_buf_cstr(&text), "TRACE_FILE(-) -hint-> MONOTONIC(host)");
    tm_buf_release(&text);
    tm_clock_hints_release(&hints);
    tm_clock_registry_release(&registry);
    tm_stream_writer_release(&writer);
}

/* Hints beyond the limit are counted for their files; one about known clocks is none of them. */
static void test_hints_beyond_limit(void)
{
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED};
    struct tm_clock_hints hints = {.is_enabled = true};
    struct tm_stream_writer writer;
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    int ends[2];
    for (uint32_t i = 0; i < TM_HINTS_MAX + 5; i++)
        if (tm_clock_hints_add(&hints, &(struct tm_clock_hint){.file = i < TM_HINTS_MAX + 3 ? 4 : 6, .from = 1,
                                                              .to = i + 2}, &err) != TM_OK)
            ok(false);
    ok(tm_clock_hints_add(&hints, &(struct tm_clock_hint){.file = 6, .from = 1, .to = 2}, &err) == TM_OK);
    is_int(hints.count, TM_HINTS_MAX);
    ok(pipe(ends) == 0 && tm_stream_writer_open(&writer, ends[1], "t", &header, &err) == TM_OK);
    ok(tm_clock_hints_write_surplus(&hints, &writer, &err) == TM_OK && tm_stream_writer_end(&writer, &err) == TM_OK);
    tm_stream_writer_release(&writer);
    close(ends[1]);
    ok(tm_stream_reader_open(&reader, ends[0], &err) == TM_OK);
    for (int i = 0; i < 2; i++) {
        ok(tm_stream_reader_next(&reader, &frame, &batch, &err) == TM_OK && frame.type == TM_FRAME_STAT);
        Tracemerge__Stat *stat = (Tracemerge__Stat *)tm_frame_message(&frame, &tracemerge__stat__descriptor, &err);
        if (stat == NULL)
            abort();
        is_int(stat->file, i == 0 ? 4 : 6);
        is_int(stat->value, i == 0 ? 3 : 2);
        tracemerge__stat__free_unpacked(stat, NULL);
    }
    tm_stream_reader_release(&reader);
    close(ends[0]);
    tm_clock_hints_release(&hints);
}

int main(void)
{
    int fd = open("/dev/null", O_WRONLY);
    test_map();
    test_table();
    test_machines();
    test_remote_sync();
    test_deferral();
    test_claims(fd);
    test_scope(fd);
    test_hints(fd);
    test_hints_beyond_limit();
    close(fd);
    return tap_done();
}
