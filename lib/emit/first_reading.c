#include "emit/first_reading.h"

#include "emit/filter.h"
#include "emit/settler.h"
#include "emit/span_flows.h"
#include "stream/reread.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state of the reading. Rows take the same path to --only as when they are shown. */
struct reading {
    struct tm_stream_reader stream;
    struct tm_catalog catalog;
    struct tm_emit_context context;
    struct tm_emit_settler settler;
    struct tm_span_flows spans;
    struct tm_emit_filter filter;
    struct tm_memory_limit *memory;
};

static enum tm_status select_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct reading *r = self;
    return tm_emit_filter_batch(&r->filter, batch, err);
}

static enum tm_status join_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct reading *r = self;
    return r->context.options->join_flows ? tm_span_flows_batch(&r->spans, batch, err) : select_batch(r, batch, err);
}

static enum tm_status read_all(struct reading *r, bool shows_stream, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st;
    while ((st = tm_stream_reader_next(&r->stream, &frame, &batch, err)) == TM_OK) {
        if ((st = tm_catalog_add(&r->catalog, &frame, err)) < 0)
            return st;
        if (frame.type != TM_FRAME_BATCH)
            continue;
        st = shows_stream ? select_batch(r, &batch, err) : tm_emit_settler_add(&r->settler, &batch, err);
        if (st < 0)
            return tm_error_prefix(err, "byte %llu", (unsigned long long)frame.offset);
        if ((st = tm_memory_limit_check(r->memory, frame.offset, err)) < 0)
            return st;
    }
    return st < 0 || shows_stream ? st : tm_emit_settler_finish(&r->settler, err);
}

/* Reads the stream once, and sets the facts for outputs that show it unchanged (SHOWS_STREAM) or settled. */
static enum tm_status learn(struct tm_first_reading *reading, const struct tm_emit_run *run, bool shows_stream,
                            struct tm_error *err)
{
    struct reading *r = calloc(1, sizeof *r);
    if (r == NULL)
        return tm_error_nomem(err);
    r->context = (struct tm_emit_context){.options = &run->options, .catalog = &r->catalog, .stream = &r->stream};
    r->filter.learns = true;
    r->memory = run->memory;
    tm_memory_limit_again(r->memory);
    tm_emit_settler_init(&r->settler, &r->catalog, (struct tm_batch_receiver){join_batch, r});
    tm_span_flows_init(&r->spans, &r->catalog, (struct tm_batch_receiver){select_batch, r});
    enum tm_status st = tm_stream_reader_open(&r->stream, reading->fd, err);
    if (st == TM_OK)
        st = tm_emit_filter_init(&r->filter, run, &r->catalog, &r->context, err);
    if (st == TM_OK && (st = read_all(r, shows_stream, err)) >= 0)
        st = tm_emit_filter_learned(&r->filter, &reading->facts[shows_stream], err);
    tm_emit_filter_release(&r->filter);
    tm_emit_settler_release(&r->settler);
    tm_span_flows_release(&r->spans);
    tm_catalog_release(&r->catalog);
    tm_stream_reader_release(&r->stream);
    free(r);
    return st;
}

/* True if some output shows the stream unchanged (SHOWS_STREAM) or settled (otherwise; see emit/settler.h). */
static bool is_wanted(const struct tm_emit_run *run, bool shows_stream)
{
    for (size_t i = 0; i < run->target_count; i++)
        if (run->targets[i].emit->shows_stream == shows_stream)
            return true;
    return false;
}

enum tm_status tm_first_reading_run(struct tm_first_reading *reading, const struct tm_emit_run *run,
                                    struct tm_error *err)
{
    struct stat info;
    enum tm_status st = TM_OK;
    off_t start = lseek(run->in_fd, 0, SEEK_CUR);
    reading->fd = run->in_fd;
    if (start < 0 || fstat(run->in_fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        start = 0;
        st = tm_reread_copy(run->in_fd, run->options.temporary_dir, &reading->fd, err);
        reading->is_temporary = st == TM_OK;
    }
    for (int shows_stream = 0; shows_stream < 2 && st == TM_OK; shows_stream++) {
        if (!is_wanted(run, shows_stream))
            continue;
        st = learn(reading, run, shows_stream, err);
        if (st >= 0)
            st = tm_reread_from(reading->fd, start, err);
    }
    return st;
}

void tm_first_reading_release(struct tm_first_reading *reading)
{
    if (reading->is_temporary)
        (void)close(reading->fd);
    tm_select_facts_free(reading->facts[0]);
    tm_select_facts_free(reading->facts[1]);
    *reading = (struct tm_first_reading){.fd = -1};
}
