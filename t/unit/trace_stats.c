/* Unit tests of TraceStats of several files of one machine, and of several machines. */
#include "emit/perfetto/trace_stats.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

/* Makes TraceStats of BUFFERS buffers of N bytes each, with a writer on sequence 9 in the last one, and LOST flushes.
 * */
static void make_stats(struct tm_buf *out, uint32_t buffers, uint64_t n, uint64_t lost)
{
    size_t mark;
    for (uint32_t i = 0; i < buffers; i++) {
        tm_pb_begin(out, 1, &mark);
        tm_pb_put_varint(out, 1, n + i);
        tm_pb_end(out, mark);
    }
    tm_pb_begin(out, 18, &mark);
    tm_pb_put_varint(out, 1, 9);
    tm_pb_put_varint(out, 4, buffers - 1);
    tm_pb_end(out, mark);
    tm_pb_put_varint(out, 14, lost);
}

/* Sets TEXT to "field.field=number" for the buffers and writers, and "lost N" for flushes, of the message in field 35
 * of OUT. An empty message is its field alone. */
static void tell(const struct tm_buf *out, char *text, size_t size)
{
    struct tm_pb outer = tm_pb_of(out->data, out->len);
    struct tm_pb_field f, g, h;
    size_t at = 0;
    text[0] = '\0';
    if (tm_pb_next(&outer, &f) != TM_OK || f.id != TM_PACKET_TRACE_STATS)
        return;
    struct tm_pb pb = tm_pb_of(f.data, f.len);
    while (tm_pb_next(&pb, &g) == TM_OK && at < size) {
        if (g.id == 14)
            at += (size_t)snprintf(text + at, size - at, "lost %d ", (int)g.value);
        if (g.type == TM_PB_LEN && g.len == 0)
            at += (size_t)snprintf(text + at, size - at, "%d ", (int)g.id);
        for (struct tm_pb inner = tm_pb_of(g.data, g.type == TM_PB_LEN ? g.len : 0);
             tm_pb_next(&inner, &h) == TM_OK && at < size;)
            at += (size_t)snprintf(text + at, size - at, "%d.%d=%d ", (int)g.id, (int)h.id, (int)h.value);
    }
}

static void write(struct tm_trace_stats *stats, struct tm_packet_writer *w, struct tm_event e,
                  const struct tm_buf *message, const char *expected)
{
    const struct tm_pb_field field = {
        .id = TM_PACKET_TRACE_STATS, .type = TM_PB_LEN, .data = message->data, .len = message->len};
    char text[400];
    w->out.len = 0;
    ok_named(tm_trace_stats_write(stats, w, &e, &field) == TM_OK, "statistics");
    tell(&w->out, text, sizeof text);
    ok_named(strcmp(text, expected) == 0, expected);
    if (strcmp(text, expected) != 0)
        printf("# %s\n", text);
}

/* Checks that the last packets are one with EXPECTED, and TIME_NS if that is not negative. */
static void finish(const struct tm_trace_stats *stats, struct tm_packet_writer *w, int64_t time_ns,
                   const char *expected)
{
    struct tm_error err = {0};
    struct tm_pb_field packet, f;
    char text[400];
    int64_t found_ns = -1;
    w->out.len = 0;
    ok_named(tm_trace_stats_finish(stats, w, 70, &err) == TM_OK, "the last packet");
    struct tm_pb outer = tm_pb_of(w->out.data, w->out.len);
    ok_named(tm_pb_next(&outer, &packet) == TM_OK && packet.end == w->out.data + w->out.len, "is one");
    struct tm_buf fields = {0};
    for (struct tm_pb pb = tm_pb_of(packet.data, packet.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TM_PACKET_TIMESTAMP)
            found_ns = (int64_t)f.value;
        else
            tm_buf_add(&fields, f.start, (size_t)(f.end - f.start));
    }
    tell(&fields, text, sizeof text);
    ok_named(strcmp(text, expected) == 0 && found_ns == time_ns, expected);
    if (strcmp(text, expected) != 0 || found_ns != time_ns)
        printf("# %s at %d\n", text, (int)found_ns);
    tm_buf_release(&fields);
}

/* A file whose last statistics have no FilterStats adds none to the last packet. */
static void test_filter(const struct tm_catalog *catalog)
{
    struct tm_packet_writer w = {0};
    struct tm_trace_stats stats = {0};
    struct tm_error err = {0};
    struct tm_buf filtered = {0}, plain = {0};
    size_t mark;
    tm_packet_writer_init(&w, catalog, -1, NULL, &err);
    tm_pb_begin(&filtered, 11, &mark);
    tm_pb_put_varint(&filtered, 1, 6);
    tm_pb_end(&filtered, mark);
    tm_pb_put_varint(&plain, 14, 2);
    write(&stats, &w, (struct tm_event){.file = 0, .flags = TM_EVENT_UNTIMED}, &filtered, "11.1=6 ");
    write(&stats, &w, (struct tm_event){.file = 1, .flags = TM_EVENT_UNTIMED}, &plain, "lost 2 ");
    finish(&stats, &w, -1, "lost 2 11.1=6 11.2=0 11.3=0 11.4=0 11.5=0 ");
    write(&stats, &w, (struct tm_event){.file = 0, .flags = TM_EVENT_UNTIMED}, &plain, "lost 2 ");
    finish(&stats, &w, -1, "lost 4 ");
    tm_buf_release(&filtered);
    tm_buf_release(&plain);
    tm_trace_stats_release(&stats);
    tm_packet_writer_release(&w);
}

/* The packets of many files of one machine have about as many bytes as the recorded ones. */
static void test_many_files(const struct tm_catalog *catalog)
{
    enum { FILES = 300 };
    struct tm_packet_writer w = {0};
    struct tm_trace_stats stats = {0};
    struct tm_error err = {0};
    struct tm_buf message = {0};
    bool good = true;
    tm_packet_writer_init(&w, catalog, -1, NULL, &err);
    make_stats(&message, 10, 1 << 20, 1);
    const struct tm_pb_field field = {
        .id = TM_PACKET_TRACE_STATS, .type = TM_PB_LEN, .data = message.data, .len = message.len};
    for (uint32_t i = 0; i < FILES; i++) {
        const struct tm_event e = {.file = i};
        good = good && tm_trace_stats_write(&stats, &w, &e, &field) == TM_OK;
    }
    good = good && tm_trace_stats_finish(&stats, &w, 0, &err) == TM_OK;
    ok_named(good && w.out.len < FILES * (message.len + 16) * 2, "packets do not grow with the number of files");
    tm_buf_release(&message);
    tm_trace_stats_release(&stats);
    tm_packet_writer_release(&w);
}

int main(void)
{
    struct tm_catalog_file files[3] = {{.begun = true}, {.begun = true}, {.begun = true}};
    struct tm_catalog_machine machines[2] = {{.raw_id = 0}, {.raw_id = 7}};
    struct tm_catalog_sequence sequences[4] = {{0}, {0, 0, 9}, {1, 0, 9}, {1, 0, 9}};
    struct tm_catalog catalog = {.files = files, .file_count = 3, .machines = machines, .machine_count = 2,
                                 .sequences = sequences, .sequence_count = 4};
    struct tm_packet_writer w = {0};
    struct tm_trace_stats stats = {0};
    struct tm_error err = {0};
    struct tm_buf one = {0}, two = {0}, long_one = {0};
    uint32_t sequence;
    bool is_new;
    tm_packet_writer_init(&w, &catalog, -1, NULL, &err);
    const struct tm_event of_two = {.file = 1, .sequence = 9, .generation = 2, .time_ns = 90};
    tm_packet_sequence(&w, &of_two, &sequence, &is_new, &err);
    ok_named(tm_packet_sequence_of_statistics(&w, &of_two, 9) == 1 &&
                 tm_packet_sequence_of_statistics(&w, &of_two, 8) == 0,
             "a sequence is one that it became");
    const struct tm_event loss = {.kind = TM_KIND_METADATA, .file = 1, .sequence = 9};
    tm_packet_sequence(&w, &loss, &sequence, &is_new, &err);
    ok_named(is_new && tm_packet_sequence_of_statistics(&w, &of_two, 9) == 2, "or that of what it lost");
    make_stats(&one, 2, 10, 3);
    make_stats(&two, 1, 20, 4);
    write(&stats, &w, (struct tm_event){.file = 0}, &one, "1.1=10 1.1=11 18.1=3 18.4=1 lost 3 ");
    write(&stats, &w, of_two, &two, "1.1=20 18.1=2 18.4=2 lost 4 ");
    write(&stats, &w, (struct tm_event){.file = 2, .machine = 1}, &two, "1.1=20 18.1=4 18.4=0 lost 4 ");
    one.len = 0;
    make_stats(&one, 2, 30, 5);
    write(&stats, &w, (struct tm_event){.file = 0, .flags = TM_EVENT_UNTIMED}, &one,
          "1.1=30 1.1=31 18.1=5 18.4=1 lost 5 ");
    finish(&stats, &w, 90, "1.1=30 1.1=31 1.1=20 lost 9 ");
    one.len = 0;
    make_stats(&one, 3, 40, 1);
    write(&stats, &w, (struct tm_event){.file = 0}, &one, "1.1=40 1.1=41 1.1=42 18.1=6 18.4=5 lost 1 ");
    finish(&stats, &w, 90, "1 1 1.1=20 1.1=40 1.1=41 1.1=42 lost 5 ");
    one.len = 0;
    make_stats(&one, 4, 50, 1);
    write(&stats, &w, (struct tm_event){.file = 0}, &one, "1.1=50 1.1=51 1.1=52 1.1=53 18.1=7 18.4=6 lost 1 ");
    finish(&stats, &w, 90, "1 1 1.1=20 1.1=50 1.1=51 1.1=52 1.1=53 lost 5 ");
    struct tm_unsupported_counts unsupported = {0};
    w.unsupported = &unsupported;
    make_stats(&long_one, TM_TRACE_STATS_BYTES_MAX / 4, 1, 1);
    const struct tm_pb_field field = {
        .id = TM_PACKET_TRACE_STATS, .type = TM_PB_LEN, .data = long_one.data, .len = long_one.len};
    w.out.len = 0;
    ok_named(tm_trace_stats_write(&stats, &w, &of_two, &field) == TM_OK && w.out.len >= long_one.len,
             "more buffers than are kept are written once");
    ok_named(unsupported.others[TM_UNSUPPORTED_FACTS] == 1 && unsupported.file_count == of_two.file + 1,
             "and are counted for their file");
    w.unsupported = NULL;
    tm_unsupported_counts_release(&unsupported);
    finish(&stats, &w, 90, "1 1 1 1.1=50 1.1=51 1.1=52 1.1=53 lost 1 ");
    test_filter(&catalog);
    test_many_files(&catalog);
    tm_buf_release(&one);
    tm_buf_release(&two);
    tm_buf_release(&long_one);
    tm_trace_stats_release(&stats);
    tm_packet_writer_release(&w);
    return tap_done();
}
