/* Unit tests of the Perfetto reader: sequences, tracks, times, damage. */
#include "perfetto/packet_times.h"

#include "proto_maker.h"
#include "proto_run.h"
#include "tap.h"

static void test_interning(void)
{
    struct maker m = {0};
    begin_packet(&m, 5, 7, 2); /* needs state that never came */
    open_field(&m, 11);
    number(&m, 9, 1);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 10, 7, 1);
    open_field(&m, 59);
    number(&m, 58, 3);
    open_field(&m, 11);
    number(&m, 11, 99);
    close_field(&m);
    close_field(&m);
    intern(&m, 2, 1, "work");
    intern(&m, 1, 4, "cat");
    open_field(&m, 11);
    number(&m, 9, 1);
    number(&m, 10, 1);
    number(&m, 3, 4);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 20, 7, 2);
    number(&m, 98, 5);
    open_field(&m, 11);
    number(&m, 9, 2);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 30, 7, 2);
    open_field(&m, 11);
    number(&m, 9, 3);
    text(&m, 23, "inline");
    text(&m, 22, "a");
    text(&m, 22, "b");
    number(&m, 11, 12);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *begin = row_of(r, TM_KIND_SLICE_BEGIN, 0), *instant = row_of(r, TM_KIND_INSTANT, 0);
    const struct row *state = row_of(r, TM_KIND_SEQUENCE_STATE, 1);
    ok_named(r->status == TM_OK && r->needs_state == 2, "packets without state are skipped and counted");
    ok_named(begin && strcmp(begin->name, "work") == 0 && strcmp(begin->category, "cat") == 0,
             "interned name and category");
    ok_named(begin && begin->e.clock == 3 && begin->e.track == 99 && tm_event_scope(begin->e.flags) == TM_SCOPE_TRACK,
       "clock and track of the defaults");
    ok_named(begin && !payload_has(r, begin, "work") && state && payload_has(r, state, "work"),
       "interned data travels in a row of its own");
    ok_named(state && begin && state->e.generation == begin->e.generation && state->e.position < begin->e.position,
       "of the same generation, ahead");
    ok_named(instant && strcmp(instant->name, "inline") == 0 && strcmp(instant->category, "a,b") == 0 &&
           instant->e.track == 12,
       "inline names, several categories");
    ok_named(r->timed == 4, "all that was read is counted");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_generations(void)
{
    struct maker m = {0};
    for (int i = 0; i < 3; i++) {
        begin_packet(&m, (uint64_t)i + 1, 3, i == 0 ? 1 : 2);
        if (i == 0)
            intern(&m, 2, 1, "kept");
        if (i != 1) {
            open_field(&m, 59);
            number(&m, 58, i == 0 ? 3 : 6);
            close_field(&m);
        }
        open_field(&m, 11);
        number(&m, 9, 3);
        number(&m, 10, 1);
        close_field(&m);
        end_packet(&m);
    }
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_INSTANT, 0), *b = row_of(r, TM_KIND_INSTANT, 1);
    const struct row *c = row_of(r, TM_KIND_INSTANT, 2);
    ok_named(a && b && c && a->e.generation == b->e.generation && c->e.generation != b->e.generation,
       "new defaults begin a generation");
    ok_named(c && strcmp(c->name, "kept") == 0 && c->e.clock == 6 && b->e.clock == 3, "names stay, the clock changes");
    bool again = false;
    for (size_t i = 0; i < r->count; i++)
        again |= r->rows[i].e.kind == TM_KIND_SEQUENCE_STATE && c && r->rows[i].e.generation == c->e.generation &&
                 payload_has(r, &r->rows[i], "kept");
    ok_named(again && r->sequences == 2, "interned data is there for the new generation");
    result_free(r);
    tm_buf_release(&m.out);
}

/* Makes a trace with 1 MiB of interned data, and COUNT packets, each with other defaults than the one before it. */
static void make_repeats(struct maker *m, int count)
{
    enum { MESSAGE = 4096, MESSAGES = 256 };
    char name[MESSAGE];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < count; i++) {
        begin_packet(m, (uint64_t)i + 1, 3, i == 0 ? 1 : 2);
        for (int j = 0; i == 0 && j < MESSAGES; j++)
            intern(m, 2, (uint64_t)j + 1, name);
        open_field(m, 59);
        number(m, 58, i % 2 ? 3 : 6);
        close_field(m);
        open_field(m, 11);
        number(m, 9, 3);
        close_field(m);
        end_packet(m);
    }
}

static void test_repeats(void)
{
    struct maker m = {0};
    make_repeats(&m, 30);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_OK && r->timed == 30, "interned data is repeated for new defaults");
    result_free(r);
    m.out.len = 0;
    make_repeats(&m, 60);
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_E_INPUT && strstr(r->err.text, "changes of defaults and losses repeat more than"),
             "up to a limit");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_counters(void)
{
    struct maker m = {0};
    begin_packet(&m, 1, 2, 1);
    open_field(&m, 60);
    number(&m, 1, 77);
    text(&m, 2, "ctr");
    open_field(&m, 8);
    number(&m, 4, 10);
    number(&m, 5, 1);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    for (int i = 0; i < 2; i++) {
        begin_packet(&m, 2 + (uint64_t)i, 2, 2);
        open_field(&m, 11);
        number(&m, 9, i == 0 ? 4 : 3);
        number(&m, 11, i == 0 ? 77 : 5);
        if (i == 0) {
            number(&m, 30, 3);
        } else {
            number(&m, 31, 77);
            number(&m, 12, (uint64_t)-1);
        }
        close_field(&m);
        end_packet(&m);
    }
    begin_packet(&m, 9, 2, 2);
    open_field(&m, 11);
    number(&m, 9, 4);
    number(&m, 11, 78);
    number(&m, 30, 3);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_COUNTER, 0), *b = row_of(r, TM_KIND_COUNTER, 1);
    const struct row *track = row_of(r, TM_KIND_TRACK, 0);
    ok_named(track && track->e.track == 77 && strcmp(track->name, "ctr") == 0, "a counter's track");
    ok_named(a && a->e.value == 30 && a->e.track == 77, "counter value, scaled");
    ok_named(b && b->e.value == 20 && (b->e.flags & TM_EVENT_DERIVED) && b->e.raw_bytes == 0,
       "extra counter value, added up");
    ok_named(row_of(r, TM_KIND_COUNTER, 2) == NULL && row_of(r, TM_KIND_PACKET, 0),
             "a counter of no counter track is a packet");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_snapshots(void)
{
    struct maker m = {0};
    begin_packet(&m, 0, 9, 0);
    number(&m, 98, 4);
    open_field(&m, 6);
    clock_reading(&m, 6, 1000);
    clock_reading(&m, 64, UINT64_MAX);
    number(&m, 2, 6);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->snapshots == 1 && r->snapshot_readings == 2 && r->snapshot_primary == 6, "a snapshot is a frame");
    ok_named(r->snapshot_clock[1] == 64 && r->snapshot_value[1] == -1, "readings are signed");
    result_free(r);
    tm_buf_release(&m.out);
    begin_packet(&m, 0, 0, 0);
    open_field(&m, 107);
    open_field(&m, 1);
    open_field(&m, 2);
    clock_reading(&m, 6, 1);
    close_field(&m);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->syncs == 1 && r->status == TM_OK, "a remote clock sync is one, too");
    result_free(r);
    tm_buf_release(&m.out);
}

/* Times inside packets are listed, and can be replaced. */
static void test_inner_times(void)
{
    struct maker m = {0};
    struct tm_buf detail = {0}, out = {0};
    uint32_t unchanged = 9;
    begin_packet(&m, 5, 0, 0);
    open_field(&m, 39);
    for (uint64_t i = 0; i < 3; i++) {
        open_field(&m, 1);
        number(&m, 5, i * 1000);
        text(&m, 8, "line");
        close_field(&m);
    }
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *row = row_of(r, TM_KIND_PACKET, 0);
    Tracemerge__Detail *d =
        row ? tracemerge__detail__unpack(NULL, row->e.detail_bytes, r->bytes.data + row->detail_at) : NULL;
    ok_named(d && (row->e.flags & TM_EVENT_INNER_TIMES) && d->n_inner_times == 2, "times in a packet, zero is none");
    ok_named(d && d->inner_times[1]->clock == 1 && d->inner_times[1]->value == 2000 && d->inner_times[1]->field == 1,
             "their clock and value");
    if (d) {
        d->inner_times[0]->value = 77;
        d->inner_times[0]->state = 1;
        tm_buf_reserve(&detail, tracemerge__detail__get_packed_size(d));
        detail.len = tracemerge__detail__pack(d, detail.data);
        const uint8_t *raw = r->bytes.data + row->raw_at;
        const struct tm_packet_readings as_they_are = {NULL, NULL};
        struct tm_event e = row->e;
        e.raw = raw;
        e.detail = detail.data;
        e.detail_bytes = (uint32_t)detail.len;
        enum tm_status st = tm_packet_times_rewrite(&e, &as_they_are, &out, &unchanged);
        ok_named(st == TM_OK && unchanged == 1 && out.len == row->e.raw_bytes - 1u, "one is replaced, one stands");
        tm_buf_clear(&out);
        e.detail_bytes = 0;
        st = tm_packet_times_rewrite(&e, &as_they_are, &out, &unchanged);
        ok_named(st == TM_E_INPUT, "times that are not listed are noticed");
        tracemerge__detail__free_unpacked(d, NULL);
    }
    result_free(r);
    tm_buf_release(&detail);
    tm_buf_release(&out);
    tm_buf_release(&m.out);
}

static void add_instant(struct maker *m, uint64_t time)
{
    begin_packet(m, time, 2, 0);
    open_field(m, 11);
    number(m, 9, 3);
    text(m, 23, "instant with a name");
    close_field(m);
    end_packet(m);
}

static void test_damage(void)
{
    struct maker m = {0};
    for (uint64_t i = 1; i <= 10; i++)
        add_instant(&m, i);
    size_t one = m.out.len / 10;
    struct result *r = run(m.out.data, m.out.len - 3, TM_DAMAGE_HALT);
    char want[64];
    snprintf(want, sizeof want, "byte %zu: packet is cut short", one * 9);
    ok_named(r->status == TM_E_INPUT && strcmp(r->err.text, want) == 0, "cut");
    result_free(r);
    r = run(m.out.data, m.out.len - 3, TM_DAMAGE_SALVAGE);
    ok_named(r->status == TM_OK && r->count == 9 && r->damaged == 1 && r->skipped_bytes == one - 3, "cut, salvaged");
    result_free(r);
    m.out.data[one * 4 + 1] ^= 0x10; /* the length of the fifth */
    r = run(m.out.data, m.out.len, TM_DAMAGE_SALVAGE);
    ok_named(r->status == TM_OK && r->damaged == 1 && r->count >= 8 && r->skipped_bytes >= one,
       "a wrong length");
    result_free(r);
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_E_INPUT, "halts there without salvage");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_sniff(void)
{
    static const char json[] = "\n{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"pid\": 1, \"tid\": 1}, "
                               "{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"pid\": 1, \"tid\": 1}]}";
    struct maker m = {0};
    add_instant(&m, 1);
    ok_named(!tm_format_proto.sniff((const uint8_t *)json, 70) &&
                 !tm_format_proto.sniff((const uint8_t *)json, sizeof json - 1),
             "JSON behind a newline is no packet");
    ok_named(tm_format_sniff((const uint8_t *)json, sizeof json - 1) != &tm_format_proto_any, "it is JSON");
    ok_named(tm_format_proto.sniff(m.out.data, m.out.len) && !tm_format_symbols.sniff(m.out.data, m.out.len),
             "a packet is one");
    ok_named(tm_format_sniff(m.out.data, m.out.len - 1) == &tm_format_proto_any, "a cut one still looks like a proto");
    tm_buf_release(&m.out);
    begin_packet(&m, 0, 0, 0);
    open_field(&m, 61);
    text(&m, 1, "lib.so");
    close_field(&m);
    end_packet(&m);
    ok_named(tm_format_symbols.sniff(m.out.data, m.out.len), "symbols");
    tm_buf_release(&m.out);
}

/* Every cut and every flipped bit gives a result, without harm. */
static void test_hostile(void)
{
    struct maker m = {0};
    bool fine = true;
    begin_packet(&m, 3, 2, 1);
    intern(&m, 2, 1, "n");
    open_field(&m, 11);
    number(&m, 9, 1);
    number(&m, 10, 1);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 0, 1, 0);
    open_field(&m, 1);
    number(&m, 1, 3);
    open_field(&m, 2);
    number(&m, 1, 500);
    open_field(&m, 4);
    text(&m, 1, "old");
    close_field(&m);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    for (size_t i = 0; i < m.out.len; i++) {
        struct result *r = run(m.out.data, i, TM_DAMAGE_SALVAGE);
        fine &= r->status == TM_OK;
        result_free(r);
        for (int bit = 0; bit < 8; bit++) {
            m.out.data[i] ^= (uint8_t)(1 << bit);
            r = run(m.out.data, m.out.len, TM_DAMAGE_SALVAGE);
            fine &= r->status == TM_OK || r->status == TM_E_INPUT;
            result_free(r);
            m.out.data[i] ^= (uint8_t)(1 << bit);
        }
    }
    ok_named(fine, "cuts and flipped bits are survived");
    tm_buf_release(&m.out);
}

/* Packets on a sequence with state, and the raw bytes of their rows if these are a body. */
static const struct {
    const char *name;
    const char *packet;
    const char *body; /* NULL: all of the packet */
} bodies[] = {
    {"time, sequence, event, flags",
     "40e907"
     "5001"
     "5a024803"
     "6802",
     "5a024803"
     "6802"},
    {"as services write it",
     "40e907"
     "6802"
     "5a024803"
     "18e807"
     "5001",
     "6802"
     "5a024803"
     "18e807"},
    {"with a clock",
     "40e907"
     "d00306"
     "5a024803"
     "5001"
     "d00306",
     "5a024803"},
    {"names and categories",
     "40e907"
     "5001"
     "5a0a4801"
     "1801"
     "5002"
     "ba0101"
     "61",
     "5a0a4801"
     "1801"
     "5002"
     "ba0101"
     "61"},
    {"arguments go with it",
     "40e907"
     "5001"
     "5a084801"
     "22040805"
     "2001",
     "5a084801"
     "22040805"
     "2001"},
    {"what columns say in the middle",
     "40e907"
     "5a024803"
     "5001"
     "6802",
     NULL},
    {"state is cleared",
     "40e907"
     "5001"
     "5a024803"
     "6803",
     NULL},
    {"flags of no state",
     "40e907"
     "5001"
     "5a024803"
     "6800",
     NULL},
    {"a loss before it",
     "40e907"
     "5001"
     "d00201"
     "6801"
     "5a024803",
     NULL},
    {"a machine",
     "40e907"
     "5001"
     "5a024803"
     "900605",
     NULL},
    {"a number that is not known",
     "40e907"
     "5001"
     "5a024803"
     "f03f01",
     NULL},
    {"a message that is not known",
     "40e907"
     "5001"
     "5a024803"
     "f23f00",
     NULL},
    {"a time that is none",
     "4200"
     "40e907"
     "5001"
     "5a024803",
     NULL},
    {"a length in more bytes than it takes",
     "40e907"
     "5001"
     "5a82004803",
     NULL},
    {"two events",
     "40e907"
     "5001"
     "5a024803"
     "5a0448035805",
     NULL},
    {"interned data",
     "40e907"
     "5001"
     "5a024803"
     "6200",
     "5a024803"},
    {"a delta time",
     "40e907"
     "5001"
     "5a054803"
     "800101",
     NULL},
    {"a track",
     "40e907"
     "5001"
     "5a044803"
     "5805",
     NULL},
    {"a counter's value",
     "40e907"
     "5001"
     "5a054803"
     "f00163",
     NULL},
    {"an extra value",
     "40e907"
     "5001"
     "5a044803"
     "6005",
     NULL},
    {"tracks of extra values",
     "40e907"
     "5001"
     "5a054803"
     "f80105",
     NULL},
    {"a legacy event",
     "40e907"
     "5001"
     "5a044803"
     "3200",
     NULL},
    {"a flow",
     "40e907"
     "5001"
     "5a0c4803"
     "f9020100000000000000",
     NULL},
    {"a field with a large number",
     "40e907"
     "5001"
     "5a054803"
     "c03e01",
     "5a054803"
     "c03e01"},
    {"an event that is damaged inside",
     "40e907"
     "5001"
     "5a044803"
     "1aff",
     NULL},
    {"no time",
     "5001"
     "5a024803",
     "5a024803"},
};

static size_t put_hex(struct tm_buf *out, const char *hex)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        tm_buf_add_byte(out, (uint8_t)strtoul(pair, NULL, 16));
    }
    return n;
}

static void test_bodies(void)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct tm_buf trace = {0}, expected = {0};
        size_t mark;
        tm_pb_begin(&trace, 1, &mark);
        put_hex(&trace, "40e807" "5001" "6801" "5a024803");
        tm_pb_end(&trace, mark);
        tm_pb_begin(&trace, 1, &mark);
        put_hex(&trace, bodies[i].packet);
        tm_pb_end(&trace, mark);
        put_hex(&expected, bodies[i].body ? bodies[i].body : bodies[i].packet);
        struct result *r = run(trace.data, trace.len, TM_DAMAGE_HALT);
        const struct row *row = r->count > 1 ? &r->rows[r->count - 1] : NULL;
        ok_named(row && !(r->rows[0].e.flags & TM_EVENT_RAW_BODY), "the first packet stays whole");
        ok_named(row && (row->e.flags & TM_EVENT_RAW_BODY) == (bodies[i].body ? TM_EVENT_RAW_BODY : 0), bodies[i].name);
        ok_named(row && (row->e.flags & TM_EVENT_DERIVED ||
                         (row->e.raw_bytes == expected.len &&
                          memcmp(r->bytes.data + row->raw_at, expected.data, expected.len) == 0)), bodies[i].name);
        result_free(r);
        tm_buf_release(&trace);
        tm_buf_release(&expected);
    }
}

int main(void)
{
    test_bodies();
    test_interning();
    test_generations();
    test_repeats();
    test_counters();
    test_snapshots();
    test_inner_times();
    test_damage();
    test_sniff();
    test_hostile();
    return tap_done();
}
