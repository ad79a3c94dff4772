/* Unit test of emit/perfetto/clock_rows.h: the readings that a merged trace contains. A reader that uses them by the
 * rules of clock_rows.h converts every time correctly. Rows and machines up to their limits take seconds. If the time
 * grew with their square, it would be hours: the alarm ends the test. */
#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/snapshot_writer.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { REALTIME = 1, MONOTONIC = 3, COARSE = 4, BOOTTIME = 6, OWN = 130, SCOPED = 64 };
enum { MACHINES = 1 << 16, ALARM_SECONDS = 120 };

static uint64_t seed;

static uint64_t roll(uint64_t n)
{
    return random_below(&seed, n);
}

static void add(struct tm_clock_rows *r, uint32_t snapshot, uint32_t clock, int64_t ts_ns, int64_t value)
{
    struct tm_clock_row row = {.ts_ns = ts_ns, .value = value, .clock = clock, .snapshot = snapshot};
    ok_named(tm_clock_rows_add(r, row) == TM_OK, "a row");
}

static void add_of(struct tm_clock_rows *r, struct tm_clock_row row)
{
    ok_named(tm_clock_rows_add(r, row) == TM_OK, "a row");
}

static const struct tm_clock_column *column(const struct tm_clock_rows *r, uint32_t machine, uint32_t clock)
{
    for (uint32_t i = 0; i < r->column_count; i++)
        if (r->columns[i].machine == machine && r->columns[i].clock == clock)
            return &r->columns[i];
    return NULL;
}

static void settle(struct tm_clock_rows *r, uint32_t trace_clock)
{
    r->trace_clock = trace_clock;
    ok_named(tm_clock_rows_settle(r) == TM_OK, "settled");
}

/* Snapshots of several clocks are one group of three columns: BOOTTIME is in every group, and clock 64 ends with its
 * sequence. */
static void test_groups(void)
{
    struct tm_clock_rows r = {0};
    for (uint32_t i = 0; i < 2; i++) {
        add(&r, i, MONOTONIC, 1000 + 500 * i, 100 + 490 * i);
        add(&r, i, BOOTTIME, 1000 + 500 * i, 1000 + 500 * i);
        add(&r, i, REALTIME, 1000 + 500 * i, 70000 + 500 * i);
        add(&r, i, SCOPED, 1000 + 500 * i, 5);
        add(&r, i, OWN, 1000 + 500 * i, 7 + i);
    }
    add(&r, 2, BOOTTIME, 1700, 1700);
    add(&r, 3, BOOTTIME, 1800, 1800);
    add(&r, 3, COARSE, 1800, 900);
    settle(&r, BOOTTIME);
    is_int(r.column_count, 4);
    is_int(column(&r, 0, MONOTONIC)->group, column(&r, 0, OWN)->group);
    is_int(column(&r, 0, REALTIME)->group, 0);
    is_int(column(&r, 0, COARSE)->group, 1);
    is_int(r.columns[r.by_group[0]].clock, MONOTONIC);
    is_int(r.columns[r.by_group[1]].clock, REALTIME);
    is_int(r.lone_count, 1);
    is_int(r.lone[0].ts_ns, 1700);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 300, 1200), 300);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 777, 1200), 300);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 0, 1499), 589); /* the second row would convert 599 */
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 0, 1500), 590);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 0, 10), -890);
    is_int(tm_clock_rows_reading(&r, 0, BOOTTIME, 4, 9), 9);
    is_int(tm_clock_rows_reading(&r, 0, 5, 4, 9), 9);
    is_int(tm_clock_rows_reading(&r, 1, MONOTONIC, 4, 9), 9);
    tm_clock_rows_release(&r);
}

/* Readings of another file are kept if they continue those of the first file; otherwise they are written last. */
static void test_files(void)
{
    struct tm_clock_rows r = {0};
    add_of(&r, (struct tm_clock_row){.ts_ns = 1000, .value = 500, .clock = MONOTONIC, .snapshot = 0, .file = 1});
    add_of(&r, (struct tm_clock_row){.ts_ns = 3000, .value = 2500, .clock = MONOTONIC, .snapshot = 1, .file = 1});
    add_of(&r, (struct tm_clock_row){.ts_ns = 2000, .value = 1501, .clock = MONOTONIC, .snapshot = 2, .file = 2});
    add_of(&r, (struct tm_clock_row){.ts_ns = 2500, .value = 9000, .clock = MONOTONIC, .snapshot = 3, .file = 3});
    add_of(&r, (struct tm_clock_row){.ts_ns = 2600, .value = 9000, .clock = COARSE, .snapshot = 3, .file = 3});
    add_of(&r, (struct tm_clock_row){.ts_ns = 2700, .value = 8000, .clock = COARSE, .snapshot = 4, .file = 3});
    settle(&r, BOOTTIME);
    is_int(column(&r, 0, MONOTONIC)->count, 3);
    is_int(r.rows[column(&r, 0, MONOTONIC)->first + 1].value, 1501);
    is_int(r.contradicting_count, 1);
    is_int(r.contradicting[0].value, 9000);
    is_int(column(&r, 0, COARSE)->count, 1); /* no reader converts to it: no reading is written last */
    is_int(tm_clock_rows_last(&r, 0, MONOTONIC)->value, 2500);
    ok(tm_clock_rows_last(&r, 1, MONOTONIC) == NULL);
    tm_clock_rows_release(&r);
}

/* A relation is a snapshot of its own if snapshots agree with it, and a row if there are no snapshots. */
static void test_relations(void)
{
    struct tm_clock_rows r = {0};
    const struct tm_clock_row none = {.file = UINT32_MAX, .is_edge = true};
    struct tm_clock_row edge = none;
    add(&r, 0, REALTIME, 1000, 70000);
    edge.snapshot = 1;
    edge.clock = REALTIME;
    edge.ts_ns = -69000;
    add_of(&r, edge);
    edge.machine = 1;
    add_of(&r, edge);
    edge = none;
    edge.snapshot = 2;
    edge.clock = BOOTTIME;
    add_of(&r, edge);
    settle(&r, BOOTTIME);
    is_int(r.lone_count, 1);
    is_int(r.lone[0].machine, 0);
    is_int(column(&r, 1, REALTIME)->count, 1);
    tm_clock_rows_release(&r);
}

/* The trace-time clock is a column like others; readings that differ from trace time are left out. */
static void test_trace_clock(void)
{
    struct tm_clock_rows r = {0};
    add(&r, 0, MONOTONIC, 1000, 1000);
    add(&r, 0, REALTIME, 1000, 70000);
    add_of(&r, (struct tm_clock_row){.ts_ns = 1500, .value = 1400, .clock = MONOTONIC, .snapshot = 1, .file = 2});
    settle(&r, MONOTONIC);
    is_int(r.trace_clock, MONOTONIC);
    is_int(column(&r, 0, MONOTONIC)->count, 1);
    is_int(r.contradicting_count, 0);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 4, 9), 9);
    tm_clock_rows_release(&r);
    add(&r, 0, MONOTONIC, 1000, 900);
    settle(&r, MONOTONIC);
    is_int(r.trace_clock, BOOTTIME);
    is_int(tm_clock_rows_reading(&r, 0, MONOTONIC, 901, 1001), 901);
    tm_clock_rows_release(&r);
}

/* Converts as a reader that has all rows of a column. */
static int64_t read_time(const struct tm_clock_rows *r, const struct tm_clock_column *c, int64_t value)
{
    const struct tm_clock_row *row = &r->rows[c->first];
    for (uint32_t i = 1; i < c->count && r->rows[c->first + i].value <= value; i++)
        row = &r->rows[c->first + i];
    return value - row->value + row->ts_ns;
}

/* Rows of several files in any order: both readings of a column rise, and each reading converts to its time unless the
 * step between two rows jumps over it. */
static void test_random(void)
{
    int bad = 0, jumped = 0;
    for (int round = 0; round < 300; round++) {
        struct tm_clock_rows r = {0};
        uint32_t n = 1 + (uint32_t)roll(40);
        for (uint32_t i = 0; i < n; i++) {
            int64_t ts = (int64_t)roll(5000);
            struct tm_clock_row row = {.ts_ns = ts,
                                       .value = ts + 100 + (int64_t)roll(roll(4) ? 40 : 3000),
                                       .clock = roll(2) ? MONOTONIC : OWN,
                                       .machine = (uint32_t)roll(2),
                                       .snapshot = i,
                                       .file = (uint32_t)roll(3),
                                       .is_edge = roll(5) == 0};
            bad += tm_clock_rows_add(&r, row) != TM_OK;
        }
        r.trace_clock = BOOTTIME;
        bad += tm_clock_rows_settle(&r) != TM_OK;
        for (uint32_t i = 0; i < r.column_count; i++) {
            const struct tm_clock_column *c = &r.columns[i];
            for (uint32_t j = 1; j < c->count; j++)
                bad += r.rows[c->first + j].ts_ns < r.rows[c->first + j - 1].ts_ns ||
                       r.rows[c->first + j].value < r.rows[c->first + j - 1].value;
            for (int k = 0; k < 50; k++) {
                int64_t wanted = (int64_t)roll(6000), recorded = (int64_t)roll(9000);
                int64_t value = tm_clock_rows_reading(&r, c->machine, c->clock, recorded, wanted);
                int64_t time = read_time(&r, c, value);
                bad += read_time(&r, c, recorded) == wanted && value != recorded;
                if (time != wanted) { /* the next row applies */
                    jumped++;
                    bad += read_time(&r, c, value + 1) <= wanted;
                }
            }
        }
        for (uint32_t i = 0; i < r.lone_count; i++)
            bad += read_time(&r, column(&r, r.lone[i].machine, r.lone[i].clock), r.lone[i].value) != r.lone[i].ts_ns;
        tm_clock_rows_release(&r);
    }
    is_int(bad, 0);
    ok_named(jumped > 0, "some times have no reading");
}

/* Past the limit rows are left out, and the caller is told. */
static void test_limit(void)
{
    struct tm_clock_rows r = {0};
    int failed = 0;
    for (uint32_t i = 0; i < TM_CLOCK_ROWS_MAX + 5u; i++) {
        struct tm_clock_row row = {.ts_ns = i, .value = i, .clock = MONOTONIC, .snapshot = i};
        failed += tm_clock_rows_add(&r, row) != (i < TM_CLOCK_ROWS_MAX ? TM_OK : TM_END);
    }
    is_int(failed, 0);
    settle(&r, BOOTTIME);
    is_int(r.columns[0].count, TM_CLOCK_ROWS_MAX);
    tm_clock_rows_release(&r);
}

/* Half of the rows are snapshots, and the others relations, one after each, which no reader places by the snapshot. */
static void test_many_relations(void)
{
    struct tm_clock_rows r = {0};
    int failed = 0;
    for (uint32_t i = 0; i < TM_CLOCK_ROWS_MAX; i++) {
        const bool is_edge = i % 2;
        struct tm_clock_row row = {.ts_ns = 10 * (int64_t)i,
                                   .value = 10 * (int64_t)i + 100 + is_edge,
                                   .clock = MONOTONIC,
                                   .snapshot = i,
                                   .file = is_edge ? UINT32_MAX : 0,
                                   .is_edge = is_edge};
        failed += tm_clock_rows_add(&r, row) != TM_OK;
    }
    is_int(failed, 0);
    settle(&r, BOOTTIME);
    is_int(r.columns[0].count, TM_CLOCK_ROWS_MAX);
    is_int(r.lone_count, 0);
    for (uint32_t i = 0; i < TM_CLOCK_ROWS_MAX; i++)
        failed += r.rows[i].ts_ns != 10 * (int64_t)i;
    is_int(failed, 0);
    tm_clock_rows_release(&r);
}

/* Each of many machines has a snapshot of two clocks, and several of BOOTTIME alone. */
static void test_many_machines(void)
{
    enum { LONE = 12 };
    struct tm_clock_rows r = {0};
    struct tm_packet_writer writer = {.machine_count = MACHINES, .is_discarding = true};
    struct tm_error err = {0};
    int failed = 0;
    writer.machine_ids = calloc(MACHINES, sizeof *writer.machine_ids);
    for (uint32_t machine = 0; machine < MACHINES; machine++)
        for (uint32_t i = 0; i <= LONE; i++) {
            struct tm_clock_row row = {.ts_ns = 1000 + i,
                                       .value = 1000 + i,
                                       .machine = machine,
                                       .clock = BOOTTIME,
                                       .snapshot = machine * (LONE + 1) + i};
            failed += tm_clock_rows_add(&r, row) != TM_OK;
            row.clock = MONOTONIC;
            failed += i == 0 && tm_clock_rows_add(&r, row) != TM_OK;
        }
    is_int(failed, 0);
    settle(&r, BOOTTIME);
    is_int(r.column_count, MACHINES);
    is_int(r.lone_count, MACHINES * LONE);
    is_int(tm_clock_rows_first_column(&r, 7), 7);
    is_int(tm_clock_rows_first_lone(&r, 7), 7 * LONE);
    is_int(tm_clock_rows_first_lone(&r, MACHINES), MACHINES * LONE);
    ok_named(tm_snapshots_write(&writer, &r, &err) == TM_OK, "snapshots of all machines");
    tm_packet_writer_release(&writer);
    tm_clock_rows_release(&r);
}

int main(void)
{
    alarm(ALARM_SECONDS);
    test_groups();
    test_files();
    test_relations();
    test_trace_clock();
    test_random();
    test_limit();
    test_many_relations();
    test_many_machines();
    return tap_done();
}
