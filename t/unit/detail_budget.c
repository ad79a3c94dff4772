/* Unit tests of the bound on the details of a file's rows. */
#include "base/pb.h"
#include "os/io.h"
#include "stream/detail_fields.h"
#include "stream/event_sink.h"
#include "stream/reader.h"
#include "tap.h"

#include <unistd.h>

enum { LARGE = 1 << 20 };

static char large[LARGE];

static void test_budget(void)
{
    uint64_t offset = 100;
    struct tm_detail_budget budget = {.bytes = UINT64_MAX};
    ok_named(!tm_detail_budget_is_used(&budget), "without a place in the input there is no bound");
    budget = (struct tm_detail_budget){.offset = &offset, .start = 90, .bytes = TM_DETAILS_BYTES_FREE};
    ok(!tm_detail_budget_is_used(&budget) && tm_detail_budget_left(&budget, LARGE) == LARGE);
    budget.bytes = TM_DETAILS_BYTES_FREE + 11 * TM_DETAILS_GROWTH_MAX;
    ok(tm_detail_budget_is_used(&budget) && tm_detail_budget_left(&budget, LARGE) == TM_DETAIL_SMALL);
    ok(tm_detail_budget_left(&budget, 10) == 10);
    ok(!tm_detail_budget_reads(&budget, LARGE) && budget.cut_count == 1);
    ok(tm_detail_budget_reads(&budget, TM_DETAIL_SMALL) && budget.cut_count == 1);
    offset = 101;
    ok_named(!tm_detail_budget_is_used(&budget), "what is read of the file adds to its budget");
    budget.bytes = 0;
    ok(tm_detail_budget_reads(&budget, LARGE) && budget.bytes == LARGE);
}

static void test_text(void)
{
    uint64_t offset = 0;
    struct tm_detail_budget budget = {.offset = &offset, .bytes = TM_DETAILS_BYTES_FREE + TM_DETAILS_GROWTH_MAX};
    struct tm_text text = tm_detail_budget_text(&budget, tm_text_at(large, TM_DETAIL_SMALL));
    ok(text.len == TM_DETAIL_SMALL && budget.cut_count == 0);
    text = tm_detail_budget_text(&budget, tm_text_at(large, LARGE));
    ok(text.len == TM_DETAIL_SMALL && budget.cut_count == 1);
    memcpy(large + TM_DETAIL_SMALL - 1, "\xc3\xa4", 2);
    text = tm_detail_budget_text(&budget, tm_text_at(large, LARGE));
    ok_named(text.len == TM_DETAIL_SMALL - 1, "a text is cut between two characters");
    memset(large, 0x80, LARGE);
    text = tm_detail_budget_text(&budget, tm_text_at(large, LARGE));
    ok_named(text.len == TM_DETAIL_SMALL, "bytes that are no UTF-8 are cut anywhere");
    memset(large, 'x', LARGE);
}

/* Makes the detail of an event: a text for its name, a large argument, a text for its category. */
static void make_detail(struct tm_buf *detail, struct tm_event *e)
{
    size_t mark;
    tm_buf_clear(detail);
    e->name = TM_STRING_INLINE | 1;
    tm_pb_put_bytes(detail, TM_DETAIL_TEXT, "name", 4);
    tm_pb_begin(detail, TM_DETAIL_ARGS, &mark);
    tm_pb_put_bytes(detail, TM_ARG_STRING, large, LARGE);
    tm_pb_end(detail, mark);
    e->category = TM_STRING_INLINE | (uint32_t)(detail->len + 1);
    tm_pb_put_bytes(detail, TM_DETAIL_TEXT, "category", 8);
    e->arg_keys = 7;
    e->detail = detail->data;
    e->detail_bytes = (uint32_t)detail->len;
}

static bool is_text(const struct tm_event *e, uint32_t string, const char *text)
{
    uint64_t len = 0;
    const uint8_t *p = tm_varint_get(e->detail + (string & ~TM_STRING_INLINE), e->detail + e->detail_bytes, &len);
    return p && len == strlen(text) && memcmp(p, text, (size_t)len) == 0;
}

static void test_event(void)
{
    uint64_t offset = 0;
    struct tm_detail_budget budget = {.offset = &offset};
    struct tm_buf detail = {0}, scratch = {0};
    struct tm_event e = {0};
    int whole = 0;
    make_detail(&detail, &e);
    const uint32_t bytes = e.detail_bytes;
    while (tm_detail_budget_event(&budget, &e, &scratch) == TM_OK && e.detail_bytes == bytes)
        whole++;
    is_int(whole, TM_DETAILS_BYTES_FREE / LARGE);
    ok(e.detail_bytes < 20 && e.arg_keys == 0 && budget.cut_count == 1);
    ok(is_text(&e, e.name, "name") && is_text(&e, e.category, "category"));
    tm_buf_clear(&detail); /* a text that was added before the budget was used */
    tm_pb_put_bytes(&detail, TM_DETAIL_TEXT, large, LARGE);
    e = (struct tm_event){.name = TM_STRING_INLINE | 1, .detail = detail.data, .detail_bytes = (uint32_t)detail.len};
    ok(tm_detail_budget_event(&budget, &e, &scratch) == TM_OK);
    ok_named(e.detail_bytes < TM_DETAIL_SMALL + 8, "texts of an event are cut");
    tm_buf_clear(&detail);
    tm_pb_put_bytes(&detail, TM_DETAIL_TEXT, "", 0);
    tm_pb_put_bytes(&detail, TM_DETAIL_ARGS, large, LARGE);
    e = (struct tm_event){.name = TM_STRING_INLINE | 1, .detail = detail.data, .detail_bytes = (uint32_t)detail.len};
    ok(tm_detail_budget_event(&budget, &e, &scratch) == TM_OK);
    ok_named(e.detail_bytes < 8 && is_text(&e, e.name, ""), "an empty name stays empty");
    make_detail(&detail, &e);
    e.flags = TM_EVENT_INNER_TIMES;
    ok(tm_detail_budget_event(&budget, &e, &scratch) == TM_OK);
    ok_named(e.detail_bytes == bytes, "times inside the raw payload stay");
    tm_buf_release(&detail);
    tm_buf_release(&scratch);
}

/* Sets *VALUE to that of the statistic of cut details in the stream FD. Returns the number of events. */
static uint32_t read_stream(int fd, int64_t *value)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_error err = {0};
    uint32_t events = 0;
    *value = 0;
    ok(tm_stream_reader_open(&reader, fd, &err) == TM_OK);
    while (tm_stream_reader_next(&reader, &frame, &batch, &err) == TM_OK) {
        if (frame.type == TM_FRAME_BATCH)
            events += batch.count;
        if (frame.type != TM_FRAME_STAT)
            continue;
        Tracemerge__Stat *stat = (Tracemerge__Stat *)tm_frame_message(&frame, &tracemerge__stat__descriptor, &err);
        if (stat && stat->name.len == 17 && memcmp(stat->name.data, "event_details_cut", 17) == 0)
            *value += stat->value;
        if (stat)
            protobuf_c_message_free_unpacked(&stat->base, NULL);
    }
    is_str(err.text, "");
    tm_stream_reader_release(&reader);
    return events;
}

/* A long name in each of 100 events: the stream has that of the first 65 events, and the statistic. */
static void test_sink(void)
{
    enum { EVENTS = 100 };
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_error err = {0};
    struct tm_buf detail = {0};
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__UNPACKED};
    uint64_t offset = 0;
    int64_t cut;
    int fd;
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK);
    ok(tm_stream_writer_open(&writer, fd, "t", &header, &err) == TM_OK);
    tm_event_sink_init(&sink, &writer);
    ok(tm_event_sink_file_begin(&sink, &begin, &err) == TM_OK);
    tm_event_sink_file_reads(&sink, &offset);
    bool good = true;
    for (int i = 0; i < EVENTS; i++) {
        struct tm_event e = {.kind = TM_KIND_INSTANT};
        tm_buf_clear(&detail);
        good = good && tm_event_sink_string(&sink, tm_text_at(large, LARGE), &detail, &e.name, &err) == TM_OK;
        e.detail = detail.data;
        e.detail_bytes = (uint32_t)detail.len;
        good = good && tm_event_sink_add(&sink, &e, &err) == TM_OK;
    }
    tm_event_sink_file_reads(&sink, NULL);
    ok(good && tm_event_sink_file_end(&sink, 0, 0, &err) == TM_OK);
    ok(tm_stream_writer_end(&writer, &err) == TM_OK);
    off_t bytes = lseek(fd, 0, SEEK_CUR);
    ok(bytes > TM_DETAILS_BYTES_FREE && bytes < TM_DETAILS_BYTES_FREE + 2 * LARGE && lseek(fd, 0, SEEK_SET) == 0);
    is_int(read_stream(fd, &cut), EVENTS);
    is_int(cut, EVENTS - TM_DETAILS_BYTES_FREE / LARGE - 1);
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    tm_buf_release(&detail);
    (void)close(fd);
}

int main(void)
{
    memset(large, 'x', sizeof large);
    test_budget();
    test_text();
    test_event();
    test_sink();
    return tap_done();
}
