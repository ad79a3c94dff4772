#include "emit/run.h"

#include "emit/first_reading.h"
#include "emit/history.h"
#include "emit/span_flows.h"
#include "emit/filter.h"
#include "emit/no_events.h"
#include "emit/notices.h"
#include "os/compressor.h"

/* What one run works with. */
struct job {
    struct tm_stream_reader stream;
    struct tm_catalog catalog;
    struct tm_accounting balance;
    struct tm_unsupported_counts unsaid;
    struct tm_clock_facts clocks;
    struct tm_emit_only only;
    struct tm_emit_history history;
    struct tm_span_flows spans;
    const struct tm_emit *emit;
    struct tm_emit_context context;
    const struct tm_frame *frame; /* that is being shown; batches that --only leaves have its place */
    void *state;
};

static enum tm_status check_needs(const struct tm_emit *emit, const struct tm_stream_reader *stream,
                                  struct tm_error *err)
{
    if (emit->needs_placed && stream->stage != TRACEMERGE__STAGE__PLACED)
        return tm_error_set(err, TM_E_INPUT,
                            "the events are not on trace time, which %s needs; pipe them through tm-manifest, "
                            "tm-clocks and tm-sort",
                            emit->name);
    if (emit->needs_sorted && !stream->sorted)
        return tm_error_set(err, TM_E_INPUT, "the stream is not sorted, which %s needs; pipe it through tm-sort",
                            emit->name);
    return TM_OK;
}

/* Shows rows of the stream, or what --only leaves of them. */
static enum tm_status show_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    bool placed = job->stream.stage == TRACEMERGE__STAGE__PLACED;
    enum tm_status st = tm_accounting_add(&job->balance, &job->catalog, batch, placed, err);
    if (st == TM_OK && job->stream.has_compact_messages)
        tm_accounting_add_messages(&job->balance, batch);
    return st < 0 ? tm_error_prefix(err, "byte %llu", (unsigned long long)job->frame->offset)
                  : job->emit->frame(job->state, job->frame, batch, err);
}

/* The same of those whose history is settled. */
static enum tm_status select_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    return job->only.select ? tm_emit_only_batch(&job->only, batch, err) : show_batch(job, batch, err);
}

/* The same with the flows that spans of distributed tracing have. */
static enum tm_status join_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    return job->context.options->join_flows ? tm_span_flows_batch(&job->spans, batch, err)
                                            : select_batch(job, batch, err);
}

/* Where the text of a file's events is. */
static enum tm_status add_source(struct job *job, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__Source *source = (Tracemerge__Source *)tm_frame_message(frame, &tracemerge__source__descriptor, err);
    if (source == NULL)
        return err->status;
    enum tm_status st = tm_sources_add(job->context.sources, source, err);
    tracemerge__source__free_unpacked(source, NULL);
    return st;
}

static enum tm_status show(struct job *job, const struct tm_frame *frame, const struct tm_batch *batch,
                           struct tm_error *err)
{
    enum tm_status st = tm_catalog_add(&job->catalog, frame, err);
    if (st == TM_OK && frame->type == TM_FRAME_SOURCE)
        st = add_source(job, frame, err);
    if (st == TM_OK)
        st = tm_clock_facts_add(&job->clocks, frame, err);
    if (st < 0)
        return st;
    if (frame->type != TM_FRAME_BATCH)
        return job->emit->frame(job->state, frame, NULL, err);
    job->frame = frame;
    bool is_ordered = job->stream.sorted && job->stream.stage == TRACEMERGE__STAGE__PLACED;
    return is_ordered && !job->emit->shows_stream ? tm_emit_history_batch(&job->history, batch, err)
                                                  : select_batch(job, batch, err);
}

/* What is still held when the stream has ended, for --only too. */
static enum tm_status finish_held(struct job *job, struct tm_error *err)
{
    const struct tm_frame end = {.type = TM_FRAME_BATCH, .offset = job->stream.frames.offset};
    job->frame = &end;
    enum tm_status st = tm_emit_history_finish(&job->history, err);
    if (st < 0)
        return st;
    return job->only.select ? tm_emit_only_finish(&job->only, err) : TM_OK;
}

/* What was guessed or lost, and whether that is more than is allowed. */
static enum tm_status tell(const struct tm_emit_run *run, const struct job *job, struct tm_error *err)
{
    const struct tm_notices notices = {.catalog = &job->catalog,
                                       .clocks = &job->clocks,
                                       .unsaid = &job->unsaid,
                                       .format = run->emit->name,
                                       .warn = run->warn};
    enum tm_status st = TM_OK;
    if (run->warn && !run->emit->tells_all && !run->emit->shows_stream)
        st = tm_notices_tell(&notices, err);
    if (run->warn)
        tm_no_events_tell(&job->catalog, run->warn);
    if (st == TM_OK && run->limit.strict && job->unsaid.times)
        return tm_error_set(err, TM_E_STRICT,
                            "times inside packets could not be put on trace time, and --strict allows none");
    if (st == TM_OK)
        st = tm_accounting_within(&job->balance, &run->limit, err);
    return st == TM_OK ? tm_notices_within(&notices, &run->limit, err) : st;
}

static enum tm_status show_all(const struct tm_emit_run *run, struct job *job, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st;
    while ((st = tm_stream_reader_next(&job->stream, &frame, &batch, err)) == TM_OK) {
        if ((st = show(job, &frame, &batch, err)) != TM_OK)
            return st;
    }
    if (st < 0 || (st = finish_held(job, err)) < 0 || (st = tm_accounting_sum(&job->balance, &job->catalog, err)) < 0)
        return st;
    if ((st = run->emit->finish(job->state, err)) < 0)
        return st;
    if ((st = tm_accounting_check(&job->balance, &job->catalog, err)) < 0)
        return st;
    return tell(run, job, err);
}

/* Shows the stream that FD has, whose first reading may have told AHEAD. */
static enum tm_status run_from(const struct tm_emit_run *run, int fd, struct tm_select_ahead *ahead,
                               struct tm_error *err)
{
    struct job job = {.emit = run->emit, .only = {.ahead = ahead}};
    struct tm_emit_context *context = &job.context;
    *context = (struct tm_emit_context){.fd = run->out_fd,
                                        .path = run->path,
                                        .options = &run->options,
                                        .catalog = &job.catalog,
                                        .balance = &job.balance,
                                        .stream = &job.stream,
                                        .sources = run->sources,
                                        .clocks = &job.clocks,
                                        .unsaid = &job.unsaid};
    struct tm_compressor squeeze = {.fd = -1};
    enum tm_compressor_kind kind = run->path ? TM_COMPRESSOR_NONE : tm_compressor_of(run->options.out_path, NULL);
    enum tm_status st = tm_stream_reader_open(&job.stream, fd, err);
    job.stream.takes_compact_messages = run->emit->takes_compact_messages && !(run->only && run->only->given.count);
    if (st < 0 || (st = check_needs(run->emit, &job.stream, err)) < 0 ||
        (st = tm_emit_only_init(&job.only, run, &job.catalog, context, err)) < 0)
        goto out;
    job.only.sink = (struct tm_select_sink){show_batch, &job};
    job.history.catalog = &job.catalog;
    job.history.sink = (struct tm_emit_history_sink){join_batch, &job};
    job.spans.sink = (struct tm_span_flows_sink){select_batch, &job};
    if (kind != TM_COMPRESSOR_NONE) {
        if ((st = tm_compressor_start(&squeeze, kind, run->out_fd, run->options.out_path, err)) < 0)
            goto out;
        context->fd = squeeze.fd;
    }
    if ((st = run->emit->open(context, &job.state, err)) == TM_OK)
        st = show_all(run, &job, err);
    struct tm_error cause = {0};
    if (st == TM_OK)
        st = tm_compressor_finish(&squeeze, err);
    else if (st == TM_E_SYSTEM && tm_compressor_finish(&squeeze, &cause) < 0) /* what it wrote to was gone */
        *err = cause;
    run->emit->close(job.state);
out:
    tm_compressor_abandon(&squeeze);
    tm_emit_only_release(&job.only);
    tm_emit_history_release(&job.history);
    tm_span_flows_release(&job.spans);
    tm_unsupported_counts_release(&job.unsaid);
    tm_clock_facts_release(&job.clocks);
    tm_accounting_release(&job.balance);
    tm_catalog_release(&job.catalog);
    tm_stream_reader_release(&job.stream);
    return st;
}

enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err)
{
    struct tm_first_reading reading = {.fd = -1};
    if (run->only == NULL || !tm_select_spec_looks_ahead(run->only))
        return run_from(run, run->in_fd, NULL, err);
    enum tm_status st = tm_first_reading_do(&reading, run, err);
    if (st == TM_OK)
        st = run_from(run, reading.fd, reading.ahead, err);
    tm_first_reading_release(&reading);
    return st;
}
