/* Unit tests of narrow columns: every width holds the values for which it was chosen. A batch is read back unchanged
 * from its frame. A frame with a wrong narrow column is refused. */
#include "stream/batch_builder.h"
#include "stream/reader.h"
#include "stream/writer.h"

#include "os/io.h"
#include "base/pb.h"

#include "tap.h"

#include <unistd.h>

enum { ROWS = 1000 };

static void put(uint8_t *to, size_t width, uint32_t i, uint64_t v)
{
    if (width == 8)
        tm_put_le64(to + (size_t)8 * i, v);
    else
        tm_put_le32(to + (size_t)4 * i, (uint32_t)v);
}

/* Numbers up to SPAN above LOW, in columns of WIDTH bytes, take EXPECTED bytes each and are read back, for any number
 * of rows. */
static void is_form(uint64_t low, uint64_t span, size_t width, uint32_t expected)
{
    static uint8_t wide[8 * ROWS], back[8 * ROWS + 1], packed[4 * ROWS];
    bool good = true;
    for (uint32_t i = 0; i < ROWS; i++)
        put(wide, width, i, low + (i % 3 == 1 ? span : i % 3 == 2 ? span / 2 : 0));
    for (uint32_t rows = 2; rows <= ROWS; rows += rows < 200 ? 1 : 263) {
        struct tm_narrow n = tm_narrow_find(wide, width, rows);
        good = good && n.width == expected;
        if (!good || n.width == 0)
            break;
        tm_narrow_pack(&n, packed, wide, width, rows);
        n.data = packed;
        back[width * rows] = 0x5a;
        tm_narrow_unpack(&n, back, width, rows);
        good = good && memcmp(back, wide, width * rows) == 0 && back[width * rows] == 0x5a;
    }
    ok(good);
}

static void test_forms(void)
{
    static const uint64_t lows[] = {0, 5, (uint64_t)-3, UINT64_C(0x7fffff0012345678), UINT32_MAX - 1};
    for (size_t i = 0; i < sizeof lows / sizeof *lows; i++) {
        is_form(lows[i], UINT8_MAX, 8, 1);
        is_form(lows[i], UINT8_MAX + 1, 8, 2);
        is_form(lows[i], UINT16_MAX, 8, 2);
        is_form(lows[i], UINT16_MAX + 1, 8, 4);
        is_form(lows[i], UINT32_MAX, 8, 4);
        is_form(lows[i], UINT64_C(1) << 32, 8, 0);
        is_form(lows[i], UINT8_MAX, 4, 1);
        is_form(lows[i], UINT16_MAX, 4, 2);
        is_form(lows[i], UINT16_MAX + 1, 4, 0);
    }
    is_form((uint64_t)INT64_MIN, UINT64_MAX, 8, 0);
    is_form((uint64_t)INT32_MIN, UINT32_MAX, 4, 0);
}

/* Rows of all widths, with elements over the whole range of numbers. */
static struct tm_event row_at(uint32_t i)
{
    uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15);
    return (struct tm_event){
        .time_ns = INT64_C(1795206889500000000) + (int64_t)(x >> 33), .dur_ns = (int64_t)x, .position = 70000 + i,
        .kind = 11 + i % 2, .flags = (uint32_t)(x >> 8), .file = 3, .name = 1 + i % 300, .pid = i & 1 ? -5 : 7,
        .tid = (int64_t)(x >> 50), .track = UINT64_MAX - i % 7, .value = i, .cpu = i % 4 ? UINT32_MAX : 0};
}

static bool is_row(const struct tm_event *e, uint32_t i)
{
    struct tm_event o = row_at(i);
    return e->time_ns == o.time_ns && e->dur_ns == o.dur_ns && e->position == o.position && e->kind == o.kind &&
           e->flags == o.flags && e->file == o.file && e->name == o.name && e->pid == o.pid && e->tid == o.tid &&
           e->track == o.track && e->value == o.value && e->cpu == o.cpu;
}

/* Writes BATCH as a stream to a new *FD and rewinds it. */
static bool write_stream(const struct tm_batch *batch, int *fd)
{
    struct tm_error err = {0};
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED, .sorted = true};
    struct tm_stream_writer writer = {0};
    bool good = tm_io_temporary(NULL, fd, &err) == TM_OK &&
                tm_stream_writer_open(&writer, *fd, "test", &header, &err) == TM_OK &&
                tm_stream_write_batch(&writer, batch, &err) == TM_OK && tm_stream_writer_end(&writer, &err) == TM_OK &&
                lseek(*fd, 0, SEEK_SET) == 0;
    tm_stream_writer_release(&writer);
    return good;
}

/* A batch through a stream, and the result through another stream: the same rows in the same bytes. */
static void test_stream(uint32_t rows)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    struct tm_stream_reader readers[2];
    struct tm_frame frames[2];
    struct tm_error err = {0};
    int fds[2];
    uint32_t good = 0;
    for (uint32_t i = 0; i < rows; i++) {
        struct tm_event e = row_at(i);
        good += tm_batch_builder_add(&builder, &e) == TM_OK;
    }
    tm_batch_builder_view(&builder, &batch);
    for (int k = 0; k < 2; k++) {
        struct tm_event e;
        ok(write_stream(&batch, &fds[k]));
        ok(tm_stream_reader_open(&readers[k], fds[k], &err) == TM_OK);
        ok(tm_stream_reader_next(&readers[k], &frames[k], &batch, &err) == TM_OK && frames[k].type == TM_FRAME_BATCH);
        struct tm_batch_walk walk = {.batch = &batch};
        for (uint32_t i = 0; tm_batch_next(&walk, &e); i++)
            good += is_row(&e, i);
    }
    is_int(good, 3 * rows);
    ok(frames[0].body_bytes == frames[1].body_bytes &&
       memcmp(frames[0].body, frames[1].body, frames[0].body_bytes) == 0);
    ok(rows < TM_BATCH_NARROW_MIN || frames[0].body_bytes < 45 * rows);
    for (int k = 0; k < 2; k++) {
        tm_stream_reader_release(&readers[k]);
        close(fds[k]);
    }
    tm_batch_builder_release(&builder);
}

/* A batch whose columns are not read is written again as it was. */
static void test_unread(void)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    struct tm_batch_store store = {.unread = ~(UINT32_C(1) << TM_COL_NAME)};
    struct tm_stream_reader readers[2];
    struct tm_frame frames[2];
    struct tm_error err = {0};
    int fds[2];
    uint32_t good = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        struct tm_event e = row_at(i);
        good += tm_batch_builder_add(&builder, &e) == TM_OK;
    }
    tm_batch_builder_view(&builder, &batch);
    for (int k = 0; k < 2; k++) {
        struct tm_batch unused;
        ok(write_stream(&batch, &fds[k]));
        ok(tm_stream_reader_open(&readers[k], fds[k], &err) == TM_OK);
        ok(tm_stream_reader_next(&readers[k], &frames[k], &unused, &err) == TM_OK);
        ok(tm_batch_decode(&batch, &store, frames[k].body, frames[k].body_bytes, &err) == TM_OK);
        for (uint32_t i = 0; i < ROWS; i++)
            good += tm_batch_u32(&batch, TM_COL_NAME, i) == row_at(i).name;
    }
    is_int(good, 3 * ROWS);
    is_int(store.elements.len, 4 * ROWS); /* only the names are wide */
    ok(frames[0].body_bytes == frames[1].body_bytes &&
       memcmp(frames[0].body, frames[1].body, frames[0].body_bytes) == 0);
    for (int k = 0; k < 2; k++) {
        tm_stream_reader_release(&readers[k]);
        close(fds[k]);
    }
    tm_batch_store_release(&store);
    tm_batch_builder_release(&builder);
}

/* A NarrowColumn of BYTES bytes. */
struct lie {
    uint32_t column, width, bytes;
    const char *what; /* NULL: the column is valid */
};

/* A batch of 100 rows with COUNT narrow columns, and the column of times WIDE_COUNT times. */
static void is_refused(const struct lie *lies, size_t count, int wide_count)
{
    static const uint8_t bytes[800];
    struct tm_buf body = {0};
    struct tm_batch batch;
    struct tm_batch_store store = {0};
    struct tm_error err = {0};
    size_t mark;
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = good && tm_pb_begin(&body, TM_BATCH_FIELD_NARROW, &mark) == TM_OK &&
               tm_pb_put_varint(&body, TM_NARROW_FIELD_COLUMN, lies[i].column) == TM_OK &&
               tm_pb_put_varint(&body, TM_NARROW_FIELD_WIDTH, lies[i].width) == TM_OK &&
               tm_pb_put_bytes(&body, TM_NARROW_FIELD_ELEMENTS, bytes, lies[i].bytes) == TM_OK &&
               tm_pb_end(&body, mark) == TM_OK;
    for (int i = 0; i < wide_count; i++)
        good = good && tm_pb_put_bytes(&body, TM_COL_TIME_NS, bytes, 800) == TM_OK;
    ok(good && tm_pb_put_varint(&body, TM_BATCH_FIELD_COUNT, 100) == TM_OK);
    is_int(tm_batch_decode(&batch, &store, body.data, body.len, &err), lies->what ? TM_E_INPUT : TM_OK);
    is_str(err.text, lies->what ? lies->what : "");
    tm_batch_store_release(&store);
    tm_buf_release(&body);
}

static void test_lies(void)
{
    static const struct lie lies[] = {
        {TM_COL_TIME_NS, 2, 200, NULL},
        {TM_COL_TIME_NS, 2, 198, "a column of the batch has the wrong length"},
        {TM_COL_TIME_NS, 2, 2, "a column of the batch has the wrong length"},
        {TM_COL_TIME_NS, 2, 0, "a column of the batch has the wrong length"},
        {TM_COL_TIME_NS, 2, 199, "a narrow column of the batch has a width it cannot have"},
        {TM_COL_TIME_NS, 0, 0, "a narrow column of the batch has a width it cannot have"},
        {TM_COL_TIME_NS, 3, 300, "a narrow column of the batch has a width it cannot have"},
        {TM_COL_TIME_NS, 8, 800, "a narrow column of the batch has a width it cannot have"},
        {TM_COL_KIND, 4, 400, "a narrow column of the batch has a width it cannot have"},
        {1, 1, 100, "the batch has a narrow column this version does not know"},
        {TM_COL_COUNT, 1, 100, "the batch has a narrow column this version does not know"},
        {UINT32_MAX, 1, 100, "the batch has a narrow column this version does not know"},
    };
    static const struct lie twice[] = {{TM_COL_TIME_NS, 2, 200, "a column of the batch is there twice"},
                                       {TM_COL_TIME_NS, 2, 200, NULL}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        is_refused(&lies[i], 1, 0);
    is_refused(twice, 2, 0);
    is_refused(twice, 1, 1);
    is_refused(twice, 0, 2);
}

int main(void)
{
    test_forms();
    test_stream(ROWS);
    test_stream(TM_BATCH_NARROW_MIN);
    test_stream(TM_BATCH_NARROW_MIN - 1);
    test_stream(1);
    test_unread();
    test_lies();
    return tap_done();
}
