/* Unit test of sort/merge.h: merged runs of random rows have the order of a comparison of all their keys, by the tree
 * and by windows (sort/merge_window.h), with a thread that copies rows and without. No byte of a freed block is read.
 */
#include "sort/merge.h"
#include "sort/merge_window.h"

#include "base/hash.h"
#include "stream/batch_builder.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { FILES = 5, PAYLOAD_MAX = 40 };

static uint64_t seed;

static uint64_t roll(uint64_t n)
{
    return random_below(&seed, n);
}

/* A row as it is made, and as it is found in the output of the merge. */
struct row {
    uint64_t time;
    uint64_t position;
    uint32_t file;
    uint32_t number; /* of the row, in column value */
    uint64_t sequence;
    uint32_t run;
};

struct run {
    struct row *rows;
    uint32_t count;
    struct tm_block **blocks; /* each followed by its memory */
    size_t *bytes;
    uint32_t block_count, next;
    bool is_transient;
    void *shown; /* the copy that was shown last, of a transient one */
};

struct shape {
    const char *name;
    uint32_t runs, rows; /* approximate rows of a run */
    uint64_t span;       /* of the times */
    uint32_t block_rows; /* at most */
    bool one_file;       /* each run has one file, */
    bool first_mixed;    /* except the first */
    bool same_file;      /* all runs */
    bool columns, transient;
    bool skewed;         /* one run has most rows */
    bool clustered;      /* long series of rows come from one run */
    bool definitions;    /* their times do not count, and most have a position of their own */
};

struct result {
    struct row *rows;
    uint32_t count;
    bool payloads_agree;
};

static struct tm_file_order orders;
static bool definitions; /* that of the shape */

static size_t payload_of(uint32_t number, uint8_t bytes[PAYLOAD_MAX])
{
    size_t len = tm_hash_u64(number) % PAYLOAD_MAX;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(number + 7 * i);
    return len;
}

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint32_t file_x = tm_file_order_of(&orders, x->file), file_y = tm_file_order_of(&orders, y->file);
    if (x->time != y->time && !definitions)
        return x->time < y->time ? -1 : 1;
    if (file_x != file_y)
        return file_x < file_y ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Makes a block of ROWS, in order. */
static struct tm_block *make_block(const struct row *rows, uint32_t count, bool columns,
                                   struct tm_block_layouts *layouts, size_t *bytes)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    uint8_t payload[PAYLOAD_MAX];
    for (uint32_t i = 0; i < count; i++) {
        struct tm_event e = {.time_ns = (int64_t)(rows[i].time ^ UINT64_C(1) << 63), .position = rows[i].position,
                             .file = rows[i].file, .value = rows[i].number, .raw = payload};
        e.raw_bytes = (uint32_t)payload_of(rows[i].number, payload);
        tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *layout = columns ? NULL : tm_block_layouts_find(layouts, &batch);
    *bytes = tm_block_copy_bytes(&batch, layout);
    void *mem = malloc(*bytes);
    struct tm_block *block;
    if (columns) {
        block = tm_block_copy(mem, &batch);
    } else {
        uint32_t *numbers = malloc(count * sizeof *numbers);
        size_t *offsets = malloc((count + 1) * sizeof *offsets);
        uint64_t *words = malloc(sizeof *words * layout->words * count);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = i;
        tm_block_offsets(&batch, offsets);
        block = tm_block_pack(mem, &batch, layout, &(struct tm_block_order){numbers, offsets, words});
        free(numbers);
        free(offsets);
        free(words);
    }
    block->sequence = rows[0].sequence;
    block->definitions = definitions;
    tm_batch_builder_release(&builder);
    return block;
}

/* Each block of a transient run is a copy that is freed when the next one is requested. */
static enum tm_status next_block(void *source, struct tm_block **block, struct tm_error *err)
{
    struct run *run = source;
    (void)err;
    free(run->shown);
    run->shown = NULL;
    if (run->next == run->block_count)
        return TM_END;
    struct tm_block *original = run->blocks[run->next];
    size_t bytes = run->bytes[run->next++];
    *block = original;
    if (!run->is_transient)
        return TM_OK;
    uint8_t *copy = run->shown = malloc(bytes);
    memcpy(copy, original, bytes);
    *block = (struct tm_block *)(void *)copy;
    ptrdiff_t moved = copy - (uint8_t *)original;
    if ((*block)->records)
        (*block)->records += moved;
    (*block)->payload += moved;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT && (*block)->layout == NULL; c++)
        (*block)->batch.cols[c].data += moved;
    return TM_OK;
}

static void make_run(struct run *run, uint32_t number, const struct shape *shape, struct tm_block_layouts *layouts,
                     uint32_t *rows)
{
    uint32_t count = shape->skewed && number ? 1 + (uint32_t)roll(shape->rows / 50 + 1)
                                             : 1 + (uint32_t)roll(2 * shape->rows);
    uint32_t file = shape->same_file ? 0 : (uint32_t)roll(FILES);
    *run = (struct run){.count = count, .is_transient = shape->transient && roll(2)};
    run->rows = calloc(count, sizeof *run->rows);
    run->blocks = calloc(count, sizeof *run->blocks);
    run->bytes = calloc(count, sizeof *run->bytes);
    uint64_t base = roll(shape->span);
    for (uint32_t i = 0; i < count; i++) {
        if (shape->clustered && roll(100) == 0)
            base = roll(shape->span);
        uint64_t time = shape->clustered ? base + roll(50) : roll(shape->span);
        run->rows[i] =
            (struct row){.time = time + (UINT64_C(1) << 63),
                         .position = roll(shape->definitions ? 1000000 : 20),
                         .file = shape->one_file && !(shape->first_mixed && number == 0) ? file : (uint32_t)roll(FILES),
                         .number = (*rows)++,
                         .run = number};
    }
    qsort(run->rows, count, sizeof *run->rows, compare);
    for (uint32_t i = 0, n; i < count; i += n) {
        n = 1 + (uint32_t)roll(shape->block_rows);
        n = n < count - i ? n : count - i;
        uint64_t sequence = (uint64_t)run->block_count * shape->runs + (shape->runs - number);
        for (uint32_t k = 0; k < n; k++)
            run->rows[i + k].sequence = sequence;
        run->blocks[run->block_count] = make_block(run->rows + i, n, shape->columns && roll(2), layouts,
                                                   &run->bytes[run->block_count]);
        if (run->block_count > 0 && !run->is_transient)
            run->blocks[run->block_count - 1]->next = run->blocks[run->block_count];
        run->block_count++;
    }
}

static enum tm_status take_batch(void *to, const struct tm_batch *batch, struct tm_error *err)
{
    struct result *result = to;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    uint8_t payload[PAYLOAD_MAX];
    (void)err;
    while (tm_batch_next(&walk, &e)) {
        result->rows[result->count++] = (struct row){.time = (uint64_t)e.time_ns ^ UINT64_C(1) << 63,
                                                     .position = e.position,
                                                     .file = e.file,
                                                     .number = (uint32_t)e.value};
        size_t len = payload_of((uint32_t)e.value, payload);
        result->payloads_agree &= e.raw_bytes == len && memcmp(e.raw, payload, len) == 0;
    }
    return TM_OK;
}

static void check(const struct shape *shape, uint64_t trial)
{
    struct tm_block_layouts layouts = {0};
    struct tm_collector collector;
    struct tm_error err = {0};
    struct run *runs = calloc(shape->runs, sizeof *runs);
    struct tm_run_source *sources = calloc(shape->runs, sizeof *sources);
    uint32_t count = 0, at = 0;
    char name[128];
    seed = tm_hash_u64(trial * 1000 + shape->runs);
    definitions = shape->definitions;
    for (uint32_t i = 0; i < shape->runs; i++) {
        make_run(&runs[i], i, shape, &layouts, &count);
        sources[i] = (struct tm_run_source){next_block, &runs[i], runs[i].is_transient};
    }
    struct row *all = malloc(count * sizeof *all);
    for (uint32_t i = 0; i < shape->runs; at += runs[i++].count)
        memcpy(all + at, runs[i].rows, runs[i].count * sizeof *all);
    /* Numbers rise within a run, so they show the order of rows with equal keys. */
    qsort(all, count, sizeof *all, compare);
    struct result result = {.rows = malloc(count * sizeof *result.rows), .payloads_agree = true};
    tm_collector_init(&collector, (struct tm_batch_receiver){take_batch, &result}, 100000);
    if (!shape->transient && trial > 0)
        tm_collector_use_threads(&collector, 1 + trial % 2);
    bool good = tm_merge_runs(sources, shape->runs, &orders, &collector, &err) == TM_OK &&
                tm_collector_finish(&collector, &err) == TM_OK;
    good = good && result.count == count && result.payloads_agree;
    for (uint32_t i = 0; i < count && good; i++)
        if (result.rows[i].number != all[i].number) {
            good = false;
            printf("# row %u of %u: number %u, wanted %u\n", i, count, result.rows[i].number, all[i].number);
        }
    snprintf(name, sizeof name, "%s, trial %llu, %u rows of %u runs", shape->name, (unsigned long long)trial, count,
             shape->runs);
    ok_named(good, name);
    tm_collector_release(&collector);
    for (uint32_t i = 0; i < shape->runs; i++) {
        for (uint32_t k = 0; k < runs[i].block_count; k++)
            free(runs[i].blocks[k]);
        free(runs[i].shown);
        free(runs[i].blocks);
        free(runs[i].bytes);
        free(runs[i].rows);
    }
    free(runs);
    free(sources);
    free(all);
    free(result.rows);
    tm_block_layouts_release(&layouts);
}

static const struct shape shapes[] = {
    {.name = "four files", .runs = 4, .rows = 20000, .span = 1000000000, .block_rows = 5000, .one_file = true},
    {.name = "few moments, four files", .runs = 4, .rows = 8000, .span = 3000, .block_rows = 5000, .one_file = true},
    {.name = "few moments, runs of one file",
     .runs = 6,
     .rows = 8000,
     .span = 3000,
     .block_rows = 3000,
     .one_file = true,
     .same_file = true},
    {.name = "few moments, several runs of each file",
     .runs = 40,
     .rows = 3000,
     .span = 3000,
     .block_rows = 900,
     .one_file = true},
    {.name = "few moments, files in turns", .runs = 3, .rows = 8000, .span = 3000, .block_rows = 3000},
    {.name = "few moments, one run of all files",
     .runs = 3,
     .rows = 8000,
     .span = 3000,
     .block_rows = 3000,
     .one_file = true,
     .first_mixed = true},
    {.name = "three moments", .runs = 5, .rows = 5000, .span = 3, .block_rows = 700},
    {.name = "one moment", .runs = 3, .rows = 3000, .span = 1, .block_rows = 700, .one_file = true, .same_file = true},
    {.name = "columns and records", .runs = 7, .rows = 6000, .span = 100000, .block_rows = 2000, .columns = true},
    {.name = "blocks that go",
     .runs = 7,
     .rows = 6000,
     .span = 100000,
     .block_rows = 900,
     .columns = true,
     .transient = true},
    {.name = "small blocks",
     .runs = 9,
     .rows = 3000,
     .span = 100000,
     .block_rows = 5,
     .columns = true,
     .transient = true},
    {.name = "all times", .runs = 4, .rows = 9000, .span = INT64_MAX, .block_rows = 4000, .one_file = true},
    {.name = "one run has most",
     .runs = 200,
     .rows = 30000,
     .span = 1000000,
     .block_rows = 6000,
     .one_file = true,
     .skewed = true},
    {.name = "stretches of one run",
     .runs = 5,
     .rows = 10000,
     .span = 100000000,
     .block_rows = 5000,
     .one_file = true,
     .clustered = true,
     .columns = true},
    {.name = "many runs", .runs = 700, .rows = 200, .span = 1000000, .block_rows = 300, .transient = true},
    {.name = "more runs than windows take",
     .runs = TM_MERGE_WINDOW_RUNS + 10,
     .rows = 20,
     .span = 100000,
     .block_rows = 30},
    {.name = "definitions with times",
     .runs = 4,
     .rows = 200,
     .span = 3000,
     .block_rows = 9000,
     .one_file = true,
     .same_file = true,
     .columns = true,
     .definitions = true},
    {.name = "definitions with times, of many blocks",
     .runs = 9,
     .rows = 3000,
     .span = 100000,
     .block_rows = 900,
     .columns = true,
     .definitions = true},
    {.name = "two runs", .runs = 2, .rows = 30000, .span = 100000, .block_rows = 9000, .columns = true},
};

/* Four runs of one file each with alternating rows are merged by windows until one row is left. If blocks are
 * TRANSIENT, the last row of each run is left. */
static void test_windows_are_used(bool transient)
{
    enum { RUNS = 4, ROWS = 3000 };
    struct tm_block_layouts layouts = {0};
    struct tm_block *blocks[RUNS];
    struct tm_merge_cursor cursors[RUNS] = {0};
    struct tm_merge_window window;
    struct result result = {.rows = malloc(RUNS * ROWS * sizeof *result.rows), .payloads_agree = true};
    struct tm_collector collector;
    struct tm_error err = {0};
    struct row rows[ROWS];
    uint32_t passed = 0, calls = 0, left = transient ? RUNS : 1;
    size_t bytes;
    for (uint32_t i = 0; i < RUNS; i++) {
        for (uint32_t k = 0; k < ROWS; k++)
            rows[k] = (struct row){
                .time = (UINT64_C(1) << 63) + RUNS * k + i, .position = k, .file = i, .number = RUNS * k + i};
        blocks[i] = make_block(rows, ROWS, i == 2, &layouts, &bytes);
        cursors[i] = (struct tm_merge_cursor){.block = blocks[i], .rank = i, .is_transient = transient};
        tm_merge_cursor_move(&cursors[i], 0, 0);
    }
    tm_collector_init(&collector, (struct tm_batch_receiver){take_batch, &result}, 1 << 20);
    ok(tm_merge_window_init(&window, cursors, RUNS, &orders, &err) == TM_OK);
    do {
        calls++;
        ok(tm_merge_window_pass(&window, &collector, &err) == TM_OK && window.turns == window.passed);
        passed += window.passed;
        for (uint32_t i = 0; i < RUNS; i++)
            if (cursors[i].row == ROWS)
                cursors[i].block = NULL;
    } while (window.passed > 0 && !window.is_at_block_end);
    ok_named(passed == RUNS * ROWS - left && calls < 10, "all rows that windows may pass");
    ok(tm_collector_flush(&collector, &err) == TM_OK && result.count == passed && result.payloads_agree);
    bool good = true;
    for (uint32_t i = 0; i < result.count; i++)
        good &= result.rows[i].number == i;
    ok_named(good, "in order");
    for (uint32_t i = 0; i < RUNS; i++) {
        bool is_left = transient || i == RUNS - 1;
        good &= cursors[i].row + is_left == ROWS;
        free(blocks[i]);
    }
    ok_named(good, "the last rows are left");
    tm_merge_window_release(&window);
    tm_collector_release(&collector);
    tm_block_layouts_release(&layouts);
    free(result.rows);
}

int main(void)
{
    struct tm_error err = {0};
    for (uint32_t i = 0; i < FILES; i++)
        tm_file_order_set(&orders, i, (i * 3 + 1) % FILES, &err);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t trial = 0; trial < 3; trial++)
            check(&shapes[i], trial);
    test_windows_are_used(true);
    test_windows_are_used(false);
    tm_file_order_release(&orders);
    return tap_done();
}
