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

/* Sets TEXT to "bytes of buffers/sequence:buffer of writers/flushes" of the message in field 35 of OUT. */
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
    const struct tm_event of_two = {.file = 1, .sequence = 9, .generation = 2};
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
    write(&stats, &w, of_two, &two, "1.1=10 1.1=11 1.1=20 lost 7 18.1=2 18.4=2 ");
    write(&stats, &w, (struct tm_event){.file = 2, .machine = 1}, &two, "1.1=20 18.1=4 18.4=0 lost 4 ");
    one.len = 0;
    make_stats(&one, 2, 30, 5);
    write(&stats, &w, (struct tm_event){.file = 0}, &one, "1.1=30 1.1=31 1.1=20 lost 9 18.1=5 18.4=1 ");
    make_stats(&long_one, TM_TRACE_STATS_BYTES_MAX / 4, 1, 1);
    const struct tm_pb_field field = {
        .id = TM_PACKET_TRACE_STATS, .type = TM_PB_LEN, .data = long_one.data, .len = long_one.len};
    w.out.len = 0;
    ok_named(tm_trace_stats_write(&stats, &w, &of_two, &field) == TM_OK && w.out.len >= long_one.len,
             "more buffers than are kept stand for themselves");
    tm_buf_release(&one);
    tm_buf_release(&two);
    tm_buf_release(&long_one);
    tm_trace_stats_release(&stats);
    tm_packet_writer_release(&w);
    return tap_done();
}
