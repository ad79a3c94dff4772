/* Unit tests of the threads that sort batches: the output has the same bytes for any number of threads, with any budget
 * and any order, and so has the message about a damaged batch. */
#include "../lib/random_stream.h"

#include "sort/sorter.h"
#include "sort_content.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { MUCH = 64 << 20 };

/* True if tm-sort would sort batches of stream IN by threads. */
static bool uses_threads(int in)
{
    const struct tm_sort_options options = {.memory_bytes = MUCH, .jobs = 3};
    struct tm_error err = {0};
    struct tm_stream_reader reader;
    struct tm_sorter sorter;
    lseek(in, 0, SEEK_SET);
    tm_sorter_init(&sorter, &options);
    enum tm_status st = tm_stream_reader_open(&reader, in, &err);
    if (st == TM_OK)
        st = tm_sorter_read(&sorter, &reader, &err);
    const bool has_threads = sorter.threads != NULL;
    tm_sorter_release(&sorter);
    tm_stream_reader_release(&reader);
    return st == TM_OK && has_threads;
}

static void check(const char *what, const struct random_stream *r)
{
    static const unsigned long long budgets[] = {MUCH, 400000, 1 << 20};
    struct random_work *work = calloc(1, sizeof *work);
    struct tm_error err = {0};
    int in = temporary_file();
    char name[128];
    random_stream_write(work, r, in);
    int expected = sorted_by(in, 1, MUCH, &err);
    snprintf(name, sizeof name, "%s: batches are sorted by threads", what);
    ok_named(work->err.status == TM_OK && err.status == TM_OK && uses_threads(in), name);
    for (unsigned i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        int result = sorted_by(in, 2 + 2 * i, budgets[i], &err);
        snprintf(name, sizeof name, "%s, %u threads, %llu bytes of memory", what, 2 + 2 * i, budgets[i]);
        ok_named(err.status == TM_OK && same_bytes(expected, result), name);
        close(result);
    }
    close(expected);
    close(in);
    free(work);
}

static void test_orders(void)
{
    struct random_stream r = {.events = 60000, .batch_rows = 3000, .files = 1, .strings = 10, .payload_max = 9,
                              .definitions_percent = 3};
    r.order = RANDOM_SORTED;
    check("sorted", &r);
    r.order = RANDOM_BURSTS;
    check("bursts", &r);
    r.order = RANDOM_NEARLY;
    r.files = 5;
    r.interleaved = true;
    check("nearly sorted, files in turns", &r);
    r.jumbled = true;
    r.span_ns = 50;
    check("few moments, positions jumbled", &r);
    r.order = RANDOM_SHUFFLED;
    r.events = 150000; /* enough batches for the rest to be joined */
    check("shuffled", &r);
}

/* Writes a batch of COUNT events of FILE with times from TIME on. */
static void write_batch(struct tm_stream_writer *writer, uint32_t count, uint32_t file, int64_t time)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    struct tm_error err = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct tm_event e = {.time_ns = time + (int64_t)(tm_hash_u64(i) % 100000), .file = file, .position = i};
        tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    tm_stream_write_batch(writer, &batch, &err);
    tm_batch_builder_release(&builder);
}

/* Batches that threads sort alternate with small ones, with ones that are too large for threads, and with new files,
 * with and without a FileBegin. */
static void test_turns(void)
{
    struct tm_stream_writer writer;
    struct tm_error err = {0};
    int in = temporary_file();
    tm_stream_writer_open(&writer, in, "test", &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err);
    for (uint32_t i = 0; i < 40; i++) {
        Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
        begin.id = i / 4;
        begin.processing_order = 100 - i / 4;
        if (i % 8 == 0)
            tm_stream_write_message(&writer, TM_FRAME_FILE_BEGIN, &begin.base, &err);
        write_batch(&writer, i % 5 == 3 ? 20 : i % 7 == 5 ? 20000 : 4000, i / 4, i % 6 * INT64_C(30000));
    }
    tm_stream_writer_end(&writer, &err);
    tm_stream_writer_release(&writer);
    ok(err.status == TM_OK && uses_threads(in));
    int expected = sorted_by(in, 1, MUCH, &err);
    struct content content = {0};
    ok(err.status == TM_OK && read_content(expected, &content, &err) == TM_END && content.count > 100000);
    free(content.rows);
    for (unsigned jobs = 2; jobs < 7; jobs += 2) {
        int result = sorted_by(in, jobs, jobs == 4 ? 700000 : MUCH, &err);
        ok(err.status == TM_OK && same_bytes(expected, result));
        close(result);
    }
    close(expected);
    close(in);
}

/* Writes a batch of 4000 events whose payload is shorter than their lengths state. Only a thread that reads the lengths
 * sees it. */
static void write_damaged(struct tm_stream_writer *writer)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    struct tm_error err = {0};
    for (uint32_t i = 0; i < 4000; i++) {
        struct tm_event e = {.time_ns = i, .position = i, .raw = (const uint8_t *)"abc", .raw_bytes = i % 3};
        tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    batch.payload_bytes--;
    tm_stream_write_batch(writer, &batch, &err);
    tm_batch_builder_release(&builder);
}

/* The first damage in the stream is reported, whichever is found first. */
static void test_damage(void)
{
    struct tm_stream_writer writer;
    struct tm_error err = {0}, other;
    int in = temporary_file();
    tm_stream_writer_open(&writer, in, "test", &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err);
    for (uint32_t i = 0; i < 5; i++)
        write_batch(&writer, 4000, 0, i);
    write_damaged(&writer);
    write_batch(&writer, 4000, 0, 0);
    write_damaged(&writer);
    (void)tm_frame_write(&writer.frames, 50, NULL, 0, &err); /* a required frame that nobody knows */
    tm_stream_writer_end(&writer, &err);
    tm_stream_writer_release(&writer);
    ok(err.status == TM_OK);
    close(sorted_by(in, 1, MUCH, &err));
    ok(err.status == TM_E_INPUT && strncmp(err.text, "byte ", 5) == 0 && strstr(err.text + 5, "byte ") == NULL);
    for (unsigned jobs = 2; jobs < 7; jobs += 2) {
        other = (struct tm_error){0};
        close(sorted_by(in, jobs, MUCH, &other));
        ok_named(other.status == TM_E_INPUT && strcmp(other.text, err.text) == 0, other.text);
    }
    close(in);
}

int main(void)
{
    test_orders();
    test_turns();
    test_damage();
    return tap_done();
}
