/* Unit tests of lib/sort: random streams, sorted with every budget, equal a plain stable sort of the same events; a cut
 * stream never gives a complete result. */
#include "../lib/random_stream.h"

#include "sort/arena.h"
#include "sort/frame_file.h"
#include "stream/batch_builder.h"
#include "sort_content.h"
#include "tap.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* R sorted with each budget equals the result of a plain sort, and has the same bytes each time. */
static void check_sort(const char *what, const struct random_stream *r)
{
    static const unsigned long long budgets[] = {64 << 20, 1, 1 << 10, 20000, 300000};
    struct tm_error err = {0};
    struct random_work *work = calloc(1, sizeof *work);
    struct content in, out;
    int fd = temporary_file(), first = -1;
    char name[128];
    random_stream_write(work, r, fd);
    ok(work->err.status == TM_OK && read_content(fd, &in, &err) == TM_END);
    if (in.count)
        qsort(in.rows, in.count, sizeof *in.rows, compare_rows);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        int result = sorted_with(fd, budgets[i], &err);
        snprintf(name, sizeof name, "%s, %llu bytes of memory", what, budgets[i]);
        if (first < 0) {
            ok_named(err.status == TM_OK && read_content(result, &out, &err) == TM_END && agrees(&in, &out), name);
            free(out.rows);
            first = result;
            continue;
        }
        ok_named(err.status == TM_OK && same_bytes(first, result), name);
        close(result);
    }
    lseek(first, 0, SEEK_SET);
    ok(tm_sort_check(first, &err) == TM_OK);
    int again = sorted_with(first, 1 << 20, &err);
    snprintf(name, sizeof name, "%s, sorted again", what);
    ok_named(err.status == TM_OK && same_bytes(first, again), name);
    if (err.status != TM_OK)
        printf("# %s\n", err.text);
    close(again);
    close(first);
    close(fd);
    free(in.rows);
    free(work);
}

static void test_orders(void)
{
    struct random_stream r = {.events = 20000, .files = 1, .strings = 10, .payload_max = 30, .definitions_percent = 3};
    check_sort("shuffled", &(struct random_stream){.events = 0, .files = 1});
    r.order = RANDOM_SHUFFLED;
    check_sort("shuffled", &r);
    r.order = RANDOM_SORTED;
    check_sort("sorted", &r);
    r.order = RANDOM_REVERSED;
    check_sort("reversed", &r);
    r.order = RANDOM_NEARLY;
    r.files = 3;
    check_sort("nearly sorted, three files", &r);
    r.interleaved = true;
    check_sort("nearly sorted, files in turns", &r);
    r.order = RANDOM_BURSTS;
    check_sort("bursts", &r);
    r.order = RANDOM_SHUFFLED;
    r.batch_rows = 7;
    r.events = 6000;
    check_sort("batches of seven events", &r);
    r.batch_rows = 1;
    r.events = 900;
    check_sort("batches of one event", &r);
}

static void test_keys(void)
{
    struct random_stream r = {.events = 12000, .files = 5, .strings = 3, .span_ns = 10, .order = RANDOM_SHUFFLED};
    check_sort("ten moments", &r);
    r.span_ns = 1;
    r.interleaved = true;
    check_sort("one moment, files in turns", &r);
    r.jumbled = true;
    r.definitions_percent = 30;
    r.seed = 5;
    check_sort("positions jumbled", &r);
    r.definitions_percent = 100;
    check_sort("definitions alone", &r);
    r.span_ns = UINT64_MAX;
    r.definitions_percent = 1;
    check_sort("times over all of int64", &r);
    /* Enough large batches for them to be joined. */
    r = (struct random_stream){
        .events = 250000, .files = 3, .strings = 3, .order = RANDOM_SHUFFLED, .definitions_percent = 1};
    check_sort("shuffled, many batches", &r);
}

static void test_payloads(void)
{
    struct random_stream r = {.events = 600, .files = 2, .payload_max = 30000, .order = RANDOM_SHUFFLED};
    check_sort("large payloads", &r);
    r.interleaved = true;
    r.batch_rows = 3;
    r.definitions_percent = 10;
    check_sort("large payloads in small batches", &r);
}

/* Sorts ROWS events of MAKE, in batches of FEW events and some more, with many budgets. */
static void check_rows(const char *what, uint32_t few, void (*make)(struct tm_event *event, uint32_t i))
{
    enum { ROWS = 40000 };
    struct tm_error err = {0};
    struct tm_stream_writer writer;
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    char name[128];
    int fd = temporary_file(), first = -1;
    tm_stream_writer_open(&writer, fd, "test", &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err);
    for (uint32_t i = 0; i < ROWS; i++) {
        struct tm_event e = {.value = i};
        make(&e, i);
        tm_batch_builder_add(&builder, &e);
        if (builder.count >= few + i % 37) {
            tm_batch_builder_view(&builder, &batch);
            tm_stream_write_batch(&writer, &batch, &err);
            tm_batch_builder_clear(&builder);
        }
    }
    tm_batch_builder_view(&builder, &batch);
    tm_stream_write_batch(&writer, &batch, &err);
    tm_stream_writer_end(&writer, &err);
    struct content in, out;
    ok(read_content(fd, &in, &err) == TM_END && in.count == ROWS);
    qsort(in.rows, in.count, sizeof *in.rows, compare_rows);
    for (unsigned long long memory = 16 << 20; memory > 1000; memory /= 5) {
        int result = sorted_with(fd, memory, &err);
        snprintf(name, sizeof name, "%s, %llu bytes of memory", what, memory);
        ok_named(err.status == TM_OK && read_content(result, &out, &err) == TM_END && agrees(&in, &out) &&
                     (first < 0 || same_bytes(first, result)),
                 name);
        if (first >= 0)
            close(result);
        else
            first = result;
        free(out.rows);
    }
    close(first);
    close(fd);
    free(in.rows);
    tm_batch_builder_release(&builder);
    tm_stream_writer_release(&writer);
}

/* Rows with equal keys keep their order, whatever the runs. */
static void make_equal(struct tm_event *e, uint32_t i)
{
    e->time_ns = (int64_t)(tm_hash_u64(i) % 3);
    e->position = tm_hash_u64(i + 1) % 2;
}

/* Times are close together except for some distant ones, so high bits do not distinguish them. */
static void make_clustered(struct tm_event *e, uint32_t i)
{
    e->time_ns = i % 1999 == 7 ? INT64_MIN + i : (int64_t)(tm_hash_u64(i) % 1000);
    e->position = i;
}

/* Files alternate, some sorted and some not, with different columns of equal elements. */
static void make_mixed(struct tm_event *e, uint32_t i)
{
    uint32_t file = i / 500 % 13;
    e->file = file;
    e->position = i;
    e->time_ns = file % 3 ? i : (int64_t)(tm_hash_u64(i) % 40000);
    e->pid = file % 5 == 0 ? (int64_t)(tm_hash_u64(i) % 7) : 7;
    e->cpu = file % 4 == 0 ? i : file;
    e->track = file % 2 ? 9 : i % 3;
    e->kind = file;
    e->flags = i % 97 == 0 && file % 2 ? TM_EVENT_DEFINITION : 0;
    e->raw = (const uint8_t *)"0123456789";
    e->raw_bytes = file % 2 ? i % 11 : 5;
}

/* Columns in which some bits vary, and later other bits. */
static void make_bits(struct tm_event *e, uint32_t i)
{
    uint64_t r = tm_hash_u64(i), epoch = tm_hash_u64(i / 4000), rare = i % 500 == 3 ? UINT64_MAX : 0;
    e->time_ns = (int64_t)(r % 100000 + (i / 4000 % 3 << 30));
    e->position = i;
    e->dur_ns = (int64_t)(tm_hash_u64(r) & (epoch | rare));
    e->flags = (uint32_t)(r >> 8) & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TRACK | TM_EVENT_INNER_TIMES | 3u << 16);
    e->kind = (uint32_t)(r >> 20) & (uint32_t)epoch & 31;
    e->name = (uint32_t)(r % (i / 1000 + 1)) | (uint32_t)rare << 31;
    e->category = 5;
    e->pid = i % 4000 < 2000 ? -1 : (int64_t)(r >> 48);
    e->tid = (int64_t)(tm_hash_u64(r + 1) & 0x8001000180010001);
    e->track = tm_hash_u64(r + 2);
    e->cpu = i / 4000 % 2 ? (uint32_t)r & 0x80000001 : 7;
    e->machine = i / 9000;
    e->raw = (const uint8_t *)"0123456789012345678901234567890123456789";
    e->raw_bytes = (uint32_t)(r >> 32) % 41;
}

/* A record of scheduling has only the varying bits and a few more. */
static void test_layout(void)
{
    struct tm_batch_builder builder = {0};
    struct tm_block_layouts layouts = {0};
    struct tm_batch batch;
    for (uint32_t i = 0; i < 5000; i++) {
        uint64_t r = tm_hash_u64(i);
        bool is_switch = r % 6 > 0;
        struct tm_event e = {
            .time_ns = INT64_C(100000000000) + i * 2000, .position = i, .clock = 6, .name = (uint32_t)(r % 5) + 1};
        e.kind = is_switch ? TM_KIND_SCHED_SWITCH : TM_KIND_FTRACE;
        e.flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU;
        e.flags |= tm_event_raw_flags(is_switch ? TM_RAW_COMPACT_SCHED : TM_RAW_FTRACE_EVENT);
        e.flags |= is_switch ? TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE : 0;
        e.tid = 100 + (int64_t)(r >> 8) % 50;
        e.pid = is_switch ? 100 + (int64_t)(r >> 16) % 50 : 0;
        e.value = is_switch ? UINT64_C(120) << 48 | UINT64_C(120) << 32 | (r >> 24) % 3 : 0;
        e.cpu = (uint32_t)(r >> 63);
        tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *layout = tm_block_layouts_find(&layouts, &batch);
    ok(layout && layout->stride <= 17);
    ok(tm_block_layouts_find(&layouts, &batch) == layout && layouts.count == 1);
    tm_block_layouts_release(&layouts);
    tm_batch_builder_release(&builder);
}

/* Makes 1000 rows, WIDE of 1000 of which are descriptors, with more fields than slices have; raw bytes below MOST. */
static void fill_slices(struct tm_batch_builder *builder, uint32_t wide, uint32_t most)
{
    tm_batch_builder_clear(builder);
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t r = tm_hash_u64(i);
        struct tm_event e = {.time_ns = INT64_C(100000000000) + i * 2000,
                             .position = i,
                             .kind = 1 + (uint32_t)(r & 1),
                             .name = (uint32_t)(r % 50),
                             .sequence = (uint32_t)(r % 9),
                             .track = r % 9,
                             .raw = (const uint8_t *)"0123456789012345",
                             .raw_bytes = (uint32_t)(r % most)};
        if (i < wide) {
            e.kind = TM_KIND_TRACK;
            e.pid = (int64_t)(r >> 40);
            e.tid = (int64_t)(r >> 44);
            e.value = r;
        }
        tm_batch_builder_add(builder, &e);
    }
}

/* Columns that only the first batch has do not enlarge the records of others, and there are still only a few layouts.
 * */
static void test_tight(void)
{
    struct tm_batch_builder builder = {0};
    struct tm_block_layouts layouts = {0};
    struct tm_batch batch;
    fill_slices(&builder, 10, 16);
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *first = tm_block_layouts_find(&layouts, &batch);
    fill_slices(&builder, 0, 16);
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *second = tm_block_layouts_find(&layouts, &batch);
    ok(first && first->stride > 24);
    ok_named(second && second->stride <= 14, "records of slices behind descriptors are small");
    fill_slices(&builder, 0, 12);
    tm_batch_builder_view(&builder, &batch);
    ok(tm_block_layouts_find(&layouts, &batch) == second && layouts.count == 2);
    for (uint32_t i = 0; i < 200; i++) {
        fill_slices(&builder, i * 7 % 13, 1 + i % 16);
        tm_batch_builder_view(&builder, &batch);
        batch.cols[TM_COL_TRACK].mask &= i % 3 ? UINT32_MAX : 0;
        batch.cols[TM_COL_NAME].mask &= i % 5 ? UINT32_MAX : 0;
        if (tm_block_layouts_find(&layouts, &batch) == NULL)
            break;
    }
    ok_named(layouts.count <= 12, "there are few layouts");
    tm_block_layouts_release(&layouts);
    tm_batch_builder_release(&builder);
}

/* Makes 1000 rows. Their values differ in eight bits with small gaps, from bit SHIFT on. */
static void fill_gaps(struct tm_batch_builder *builder, uint32_t shift)
{
    const uint64_t bits = UINT64_C(0x11111111) << shift;
    tm_batch_builder_clear(builder);
    for (uint32_t i = 0; i < 1000; i++) {
        struct tm_event e = {.time_ns = i, .position = i, .kind = TM_KIND_COUNTER, .value = i & 1 ? (int64_t)bits : 0};
        tm_batch_builder_add(builder, &e);
    }
}

/* A batch gets the layout of one like it, also where the layout has gaps. After many others, a batch does not get a
 * layout that has to hold unlike ones too. */
static void test_gaps(void)
{
    enum { SHIFTS = 12 };
    struct tm_batch_builder builder = {0};
    struct tm_block_layouts layouts = {0};
    struct tm_batch batch;
    for (uint32_t shift = 0; shift < SHIFTS; shift++) {
        fill_gaps(&builder, shift);
        tm_batch_builder_view(&builder, &batch);
        const struct tm_block_layout *layout = tm_block_layouts_find(&layouts, &batch);
        ok(layout && tm_block_layouts_find(&layouts, &batch) == layout);
    }
    fill_slices(&builder, 10, 16);
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *wide = tm_block_layouts_find(&layouts, &batch);
    fill_gaps(&builder, SHIFTS);
    tm_batch_builder_view(&builder, &batch);
    const struct tm_block_layout *last = tm_block_layouts_find(&layouts, &batch);
    ok(wide && last && last->stride < 16 && wide->stride > last->stride);
    tm_block_layouts_release(&layouts);
    tm_batch_builder_release(&builder);
}

static void test_rows(void)
{
    check_rows("bits that vary", 9000, make_bits);
    check_rows("bits that vary", 700, make_bits);
    check_rows("equal keys", 100, make_equal);
    check_rows("equal keys", 9000, make_equal);
    check_rows("clustered times", 9000, make_clustered);
    check_rows("clustered times", 300, make_clustered);
    check_rows("mixed files", 500, make_mixed);
    check_rows("mixed files", 5000, make_mixed);
}

/* A stream that is cut at any byte is an error, and the output so far is no complete stream. */
static void test_cuts(void)
{
    struct random_stream r = {.events = 20, .files = 2, .payload_max = 3, .definitions_percent = 20, .strings = 2};
    struct random_work *work = calloc(1, sizeof *work);
    bool all = true;
    for (int sorted = 0; sorted < 2; sorted++) {
        struct tm_error err = {0};
        int fd = temporary_file();
        memset(work, 0, sizeof *work);
        r.says_sorted = sorted;
        r.order = sorted ? RANDOM_SORTED : RANDOM_SHUFFLED;
        r.files = sorted ? 1 : 2;
        r.definitions_percent = sorted ? 0 : 20;
        random_stream_write(work, &r, fd);
        for (off_t size = lseek(fd, 0, SEEK_END) - 1; size >= 0; size--) {
            struct content out;
            memset(&err, 0, sizeof err);
            all &= ftruncate(fd, size) == 0;
            int result = sorted_with(fd, 1 << 20, &err);
            all &= err.status == TM_E_INPUT && strncmp(err.text, "byte ", 5) == 0;
            memset(&err, 0, sizeof err);
            all &= read_content(result, &out, &err) == TM_E_INPUT;
            free(out.rows);
            close(result);
        }
        close(fd);
    }
    ok_named(all, "a stream cut at any byte gives an error and no whole output");
    free(work);
}

static void test_file_order(void)
{
    struct tm_error err = {0};
    struct tm_file_order orders = {0};
    ok(tm_file_order_set(&orders, 3, 7, &err) == TM_OK);
    ok(tm_file_order_use(&orders, 3, &err) == TM_OK && tm_file_order_of(&orders, 3) == 7);
    ok(tm_file_order_use(&orders, 100, &err) == TM_OK && tm_file_order_of(&orders, 100) == 100);
    ok(tm_file_order_set(&orders, 3, 7, &err) == TM_OK);
    ok(tm_file_order_set(&orders, 100, 5, &err) == TM_E_INPUT);
    ok(tm_file_order_use(&orders, UINT32_MAX, &err) == TM_E_INPUT);
    tm_file_order_release(&orders);
}

/* Frames that do not fit into MEMORY are read back in order. Each is STEP bytes longer than the one before. */
static void test_frame_file(size_t memory, size_t step)
{
    enum { FRAMES = 500, STEP_MAX = 40 };
    struct tm_error err = {0};
    struct tm_frame_file s = {.memory_bytes = memory};
    struct tm_stream_writer writer;
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    static uint8_t body[FRAMES * STEP_MAX];
    int fd = temporary_file();
    bool good = true;
    for (uint32_t i = 0; i < FRAMES; i++) {
        memset(body, (int)i, sizeof body);
        frame = (struct tm_frame){.type = 70 + i, .body = body, .body_bytes = i * step};
        good &= tm_frame_file_add(&s, &frame, &err) == TM_OK && s.pending.len <= memory;
    }
    good &= tm_stream_writer_open(&writer, fd, "test",
                                  &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err) == TM_OK &&
            tm_frame_file_write(&s, &writer, &err) == TM_OK && tm_stream_writer_end(&writer, &err) == TM_OK;
    lseek(fd, 0, SEEK_SET);
    good &= tm_stream_reader_open(&reader, fd, &err) == TM_OK;
    for (uint32_t i = 0; i < FRAMES && good; i++)
        good = tm_stream_reader_next(&reader, &frame, &batch, &err) == TM_OK && frame.type == 70 + i &&
               frame.body_bytes == i * step && (i == 0 || frame.body[i * step - 1] == (uint8_t)i);
    ok_named(good && tm_stream_reader_next(&reader, &frame, &batch, &err) == TM_END, "frames go to the file in order");
    tm_frame_file_release(&s);
    tm_stream_writer_release(&writer);
    tm_stream_reader_release(&reader);
    close(fd);
}

/* Memory of an arena: all of it can be used, no two parts overlap, and the pieces never exceed LIMIT. */
static void check_arena(size_t limit, size_t len)
{
    struct tm_arena a = {.limit_bytes = limit};
    uint8_t *parts[64] = {NULL};
    size_t count = 0, again = 0;
    bool full = false, good = true;
    while (count < 64 && (parts[count] = tm_arena_take(&a, len, &full)) != NULL) {
        good &= (uintptr_t)parts[count] % _Alignof(max_align_t) == 0 && a.bytes <= limit;
        parts[count][0] = parts[count][len - 1] = (uint8_t)count;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        good &= parts[i][0] == (uint8_t)i && parts[i][len - 1] == (uint8_t)i;
    good &= (count == 64 || full) && (count > 0 || len + _Alignof(max_align_t) > limit);
    tm_arena_clear(&a);
    while (again < count && tm_arena_take(&a, len, &full))
        again++;
    good &= again == count && a.bytes <= limit;
    tm_arena_release(&a);
    if (!good)
        printf("# limit %zu, parts of %zu\n", limit, len);
    ok_named(good, "parts of an arena do not overlap, and stay inside its limit");
}

/* Memory that goes back from an arena in parts of LEN bytes: what is in use keeps its content, large pages of which
 * nothing is in use read as 0. */
static void check_give_back(size_t len)
{
    enum { COUNT = 90, LARGE_PAGE = 2 << 20 };
    struct tm_arena a = {.limit_bytes = (size_t)2 * COUNT * len + (8 << 20)};
    uint8_t *parts[COUNT];
    size_t count = 0, zeros = 0, whole = 0;
    bool full = false, good = true;
    while (count < COUNT && (parts[count] = tm_arena_take(&a, len, &full)) != NULL)
        memset(parts[count++], 0xaa, len);
    for (size_t i = 0; i < count; i++)
        if (i % 30 != 7)
            tm_arena_give_back(&a, parts[i], len);
    for (size_t i = 7; i < count; i += 30) {
        for (size_t k = 0; k < len; k++)
            good &= parts[i][k] == 0xaa;
        tm_arena_give_back(&a, parts[i], len);
    }
    for (size_t i = 0; i < count; i++) {
        whole += len >= (size_t)2 * LARGE_PAGE;
        zeros += parts[i][len - 1] == 0 || parts[i][len / 2] == 0;
    }
    printf("# parts of %zu: %zu, %zu read as 0\n", len, count, zeros);
    ok_named(good && count == COUNT, "memory in use stays when other memory goes back");
#ifdef __linux__
    ok_named(zeros >= whole && zeros > 0, "memory that is not in use goes back in large pages");
#endif
    tm_arena_release(&a);
}

static void test_arena(void)
{
    check_give_back(100000);
    check_give_back(1 << 20);
    check_give_back((2 << 20) - 32);
    check_give_back(5 << 20);
    static const size_t limits[] = {1000, 300000, (2 << 20) - 1, 2 << 20, (2 << 20) + 100, 5 << 20, 9 << 20, 40 << 20};
    static const size_t lens[] = {16, 1000, 100000, 1 << 20, (2 << 20) - 32, 2 << 20, 3 << 20};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t j = 0; j < sizeof lens / sizeof *lens; j++)
            check_arena(limits[i], lens[j]);
}

int main(void)
{
    test_file_order();
    test_frame_file(1000, 5);
    test_frame_file(1 << 20, 40);
    test_arena();
    test_orders();
    test_keys();
    test_payloads();
    test_layout();
    test_tight();
    test_gaps();
    test_rows();
    test_cuts();
    return tap_done();
}
