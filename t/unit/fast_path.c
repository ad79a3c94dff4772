/* Unit tests of lib/clocks/fast_path: the runs of random batches, and their times and counts, are those of a walk row
 * by row. */
#include "clocks/fast_path.h"
#include "clocks/row_converter.h"
#include "stream/batch_builder.h"
#include "stream/clock_id.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { ROWS = 500, ROUNDS = 300, UNIT_NS = 1000, SHIFT_NS = 70, SCOPED = 64, GLOBAL = 3 };

static uint64_t seed;

static uint64_t roll(uint64_t n)
{
    return random_below(&seed, n);
}

/* Fills ROWS events on CLOCK. One in ODD is no event of a run, or has another time or sequence than expected. */
static void make(struct tm_batch_builder *builder, struct tm_event *rows, uint32_t clock, uint32_t odd)
{
    static const uint32_t flags[] = {TM_EVENT_DEFINITION, TM_EVENT_UNTIMED, TM_EVENT_INNER_TIMES, 0};
    static const uint32_t kinds[] = {TM_KIND_SYNC_MARKER, TM_KIND_COMPACT_SCHED, TM_KIND_SYSTEM_INFO, TM_KIND_INSTANT};
    tm_batch_builder_clear(builder);
    for (uint32_t i = 0; i < ROWS; i++) {
        struct tm_event *e = &rows[i];
        *e = (struct tm_event){.kind = TM_KIND_INSTANT, .clock = clock, .file = 1, .sequence = 5};
        e->time_ns = (int64_t)(100 + roll(50));
        if (i > 0 && roll(3) == 0) {
            e->flags = TM_EVENT_DERIVED;
            e->time_ns = rows[i - 1].time_ns;
        }
        if (roll(odd) == 0) {
            e->flags |= flags[roll(4)];
            e->kind = kinds[roll(4)];
            e->sequence += (uint32_t)roll(2);
            e->file += (uint32_t)roll(2);
            e->time_ns += (int64_t)roll(2);
        }
        if (tm_batch_builder_add(builder, e) != TM_OK)
            abort();
    }
}

/* True if row I of ROWS belongs to a run of KEY. */
static bool belongs(const struct tm_event *rows, uint32_t i, const struct tm_route_key *key, unsigned takes)
{
    const struct tm_event *e = &rows[i];
    bool any = takes & TM_FAST_ROWS_ANY_SEQUENCE && !tm_clock_is_scoped(key->clock);
    bool is_derived = e->flags & TM_EVENT_DERIVED;
    if (e->file != key->file || e->clock != key->clock || (e->sequence != key->sequence && !any) ||
        e->flags & TM_ROW_NOT_FAST || e->kind == TM_KIND_SYNC_MARKER || e->kind == TM_KIND_COMPACT_SCHED ||
        e->kind == TM_KIND_SYSTEM_INFO)
        return false;
    return !is_derived || (takes & TM_FAST_ROWS_DERIVED && i > 0 && e->time_ns == rows[i - 1].time_ns);
}

static void test_runs(void)
{
    struct tm_batch_builder builder = {0};
    struct tm_event *rows = malloc(ROWS * sizeof *rows);
    struct tm_batch batch;
    uint32_t wrong = 0, longest = 0;
    for (uint32_t round = 0; round < ROUNDS && rows; round++) {
        uint32_t clock = roll(2) ? SCOPED : GLOBAL;
        unsigned takes = (unsigned)roll(4);
        make(&builder, rows, clock, round % 2 ? 5 : 300);
        tm_batch_builder_view(&builder, &batch);
        for (uint32_t first = 0, end, derived; first < ROWS; first = end > first ? end : first + 1) {
            const struct tm_route_key key = tm_row_route_key(&batch, roll(8) ? first : 0);
            uint32_t max = roll(2) ? ROWS : 1 + (uint32_t)roll(200);
            for (end = first, derived = 0; end < ROWS && end - first < max && belongs(rows, end, &key, takes); end++)
                derived += (rows[end].flags & TM_EVENT_DERIVED) != 0;
            struct tm_fast_rows got = tm_fast_rows_from(&batch, &key, first, max, takes);
            wrong += got.first != first || got.end != end || (end > first && got.derived != derived);
            longest = end - first > longest ? end - first : longest;
        }
    }
    is_int(wrong, 0);
    ok_named(longest > TM_BATCH_TILE, "some runs are longer than a tile");
    tm_batch_builder_release(&builder);
    free(rows);
}

/* What a walk row by row finds. */
struct walk {
    int64_t last_ns; /* of an incremental clock */
    int64_t time_ns;
    uint8_t times[8 * ROWS];
    struct tm_placed_run run;
    uint32_t end;
};

/* Places rows from FIRST on as long as they are inside ROUTE's step. */
static void walk_rows(struct walk *w, const struct tm_event *rows, uint32_t first, const struct tm_clock_route *route)
{
    for (w->end = first; w->end < ROWS; w->end++) {
        const struct tm_event *e = &rows[w->end];
        int64_t ns = route->is_in_ns ? e->time_ns : w->last_ns + e->time_ns * UNIT_NS;
        tm_put_le64(w->times + (size_t)8 * w->end, (uint64_t)w->time_ns);
        if (e->flags & TM_EVENT_DERIVED)
            continue;
        if (ns > route->step.last_ns)
            return;
        w->last_ns = route->is_in_ns ? 0 : ns;
        w->time_ns = ns + SHIFT_NS;
        tm_put_le64(w->times + (size_t)8 * w->end, (uint64_t)w->time_ns);
        w->run.low_ns = w->run.count == 0 || ns < w->run.low_ns ? ns : w->run.low_ns;
        w->run.high_ns = w->run.count == 0 || ns > w->run.high_ns ? ns : w->run.high_ns;
        w->run.count++;
    }
}

/* Places a batch on a clock that is incremental, or in nanoseconds, by both ways; row 0 is placed already, and may
 * be counted. The step holds until UNTIL_NS after it. True if both agree. */
static bool agrees(const struct tm_batch *batch, const struct tm_event *rows, bool is_in_ns, int64_t until_ns)
{
    static uint8_t times[8 * ROWS];
    struct tm_clock clock = {.unit_ns = UNIT_NS, .is_incremental = true, .last_ns = 12345};
    int64_t start_ns = is_in_ns ? rows[0].time_ns : clock.last_ns;
    struct tm_clock_registry registry = {.graph.clocks = {.clocks = &clock, .count = 1}};
    struct tm_clock_route route = {.is_in_ns = is_in_ns};
    struct walk walk = {.last_ns = clock.last_ns, .time_ns = start_ns + SHIFT_NS};
    struct tm_fast_rows run = {.first = 1, .end = ROWS};
    route.step = (struct tm_step){.first_ns = 0, .last_ns = start_ns + until_ns, .translation = SHIFT_NS};
    for (uint32_t i = 1; i < ROWS; i++)
        run.derived += (rows[i].flags & TM_EVENT_DERIVED) != 0;
    if (roll(2)) {
        tm_row_count(&route, start_ns);
        walk.run = route.run;
    }
    tm_put_le64(times, (uint64_t)walk.time_ns);
    walk_rows(&walk, rows, 1, &route);
    tm_fast_rows_place(&run, batch, &registry, &route, times);
    return run.end == walk.end && memcmp(times + 8, walk.times + 8, (size_t)8 * (run.end - 1)) == 0 &&
           route.run.count == walk.run.count && route.run.low_ns == walk.run.low_ns &&
           route.run.high_ns == walk.run.high_ns && (is_in_ns || clock.last_ns == walk.last_ns);
}

static void test_places(void)
{
    struct tm_batch_builder builder = {0};
    struct tm_event *rows = malloc(ROWS * sizeof *rows);
    struct tm_batch batch;
    uint32_t wrong[2] = {0, 0};
    for (uint32_t round = 0; round < ROUNDS && rows; round++) {
        make(&builder, rows, GLOBAL, UINT32_MAX);
        tm_batch_builder_view(&builder, &batch);
        wrong[0] += !agrees(&batch, rows, true, round % 2 ? 1000 : (int64_t)roll(50));
        wrong[1] += !agrees(&batch, rows, false, (int64_t)roll(round % 2 ? 60000000 : 2000000));
    }
    is_int(wrong[0], 0);
    is_int(wrong[1], 0);
    tm_batch_builder_release(&builder);
    free(rows);
}

int main(void)
{
    test_runs();
    test_places();
    return tap_done();
}
