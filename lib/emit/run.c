#include "emit/run.h"

#include "emit/first_reading.h"
#include "emit/line_heads.h"
#include "emit/settler.h"
#include "emit/span_flows.h"
#include "emit/filter.h"
#include "emit/no_events.h"
#include "emit/notices.h"
#include "emit/single_events.h"
#include "os/compressor.h"

#include <stdlib.h>

/* The state of one output of a run. Each filters and settles the rows for itself, so its bytes do not depend on the
 * other outputs. */
struct job {
    const struct tm_emit_target *target;
    const struct tm_stream_reader *stream; /* the run's */
    struct tm_emit_options options;
    struct tm_compressor compressor;
    bool is_first; /* the first output of the run reports what concerns all */
    struct tm_catalog catalog;
    struct tm_accounting accounting;
    struct tm_unsupported_counts unsupported;
    struct tm_clock_facts clocks;
    struct tm_emit_filter filter;
    struct tm_single_events singles;
    bool takes_messages; /* singles is not used */
    struct tm_emit_settler settler;
    struct tm_line_heads heads;
    struct tm_span_flows spans;
    const struct tm_emit *emit;
    const struct tm_emit_functions *functions; /* of emit */
    bool is_open;
    struct tm_emit_context context;
    const struct tm_frame *frame; /* the current frame, passed on with every batch, also with those of --only */
    void *state;
};

/* Returns the output of JOB. Slices need all events in order; otherwise there is one row for each event. */
static const struct tm_emit *output_for(const struct job *job, const struct tm_emit_run *run)
{
    bool is_ordered = job->stream->header.sorted && job->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    if (is_ordered || job->emit->events == NULL || run->options.args.count)
        return job->emit;
    if (run->warn && job->is_first)
        run->warn("the stream is not sorted and placed, so each event is a row, as with --events");
    return job->emit->events;
}

static enum tm_status check_needs(const struct tm_emit *emit, const struct tm_stream_reader *stream,
                                  struct tm_error *err)
{
    if (emit->needs_placed && stream->header.stage != TRACEMERGE__STAGE__PLACED)
        return tm_error_set(err, TM_E_INPUT,
                            "the events are not on trace time, which %s needs; pipe them through tm-manifest, "
                            "tm-clocks and tm-sort",
                            emit->name);
    if (emit->needs_sorted && !stream->header.sorted)
        return tm_error_set(err, TM_E_INPUT, "the stream is not sorted, which %s needs; pipe it through tm-sort",
                            emit->name);
    return TM_OK;
}

static enum tm_status output_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    return job->functions->frame(job->state, job->frame, batch, err);
}

/* Counts BATCH and shows it to the output. */
static enum tm_status show_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    bool placed = job->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    enum tm_status st = tm_accounting_add(&job->accounting, &job->catalog, batch, placed, err);
    if (st == TM_OK && job->stream->has_compact_messages)
        tm_accounting_add_messages(&job->accounting, batch);
    if (st < 0)
        return tm_error_prefix(err, "byte %llu", (unsigned long long)job->frame->offset);
    return job->emit->tells_lifetimes ? tm_line_heads_batch(&job->heads, batch, err) : output_batch(job, batch, err);
}

/* Passes settled rows to --only, or to the output. */
static enum tm_status select_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    return job->filter.select ? tm_emit_filter_batch(&job->filter, batch, err) : show_batch(job, batch, err);
}

/* Adds the flows between spans of distributed tracing and passes the rows on. */
static enum tm_status join_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    return job->context.options->join_flows ? tm_span_flows_batch(&job->spans, batch, err)
                                            : select_batch(job, batch, err);
}

/* Finds the text of a file's events. */
static enum tm_status add_source(struct job *job, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__Source *source = (Tracemerge__Source *)tm_frame_message(frame, &tracemerge__source__descriptor, err);
    if (source == NULL)
        return err->status;
    enum tm_status st = tm_sources_add(job->context.sources, source, err);
    tracemerge__source__free_unpacked(source, NULL);
    return st;
}

/* Settles rows that depend on earlier ones, then shows them. */
static enum tm_status settle_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct job *job = self;
    bool is_ordered = job->stream->header.sorted && job->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    return is_ordered && !job->emit->shows_stream ? tm_emit_settler_add(&job->settler, batch, err)
                                                  : select_batch(job, batch, err);
}

/* Updates what JOB knows by FRAME, and passes FRAME on. */
static enum tm_status show(struct job *job, const struct tm_frame *frame, const struct tm_batch *batch,
                           struct tm_error *err)
{
    enum tm_status st = tm_catalog_add(&job->catalog, frame, err);
    if (st == TM_OK && frame->type == TM_FRAME_SOURCE && job->is_first)
        st = add_source(job, frame, err);
    if (st == TM_OK)
        st = tm_clock_facts_add(&job->clocks, &job->catalog, frame, err);
    if (st < 0)
        return st;
    if (!job->takes_messages && (st = tm_file_order_frame(&job->singles.orders, frame, err)) < 0)
        return st;
    if (frame->type != TM_FRAME_BATCH)
        return job->functions->frame(job->state, frame, NULL, err);
    job->frame = frame;
    if (job->takes_messages)
        return settle_batch(job, batch, err);
    return tm_single_events_batch(&job->singles, batch, err);
}

/* Flushes the rows that are pending at the end of the stream, also in --only. */
static enum tm_status finish_pending(struct job *job, struct tm_error *err)
{
    const struct tm_frame end = {.type = TM_FRAME_BATCH, .offset = job->stream->frames.offset};
    job->frame = &end;
    enum tm_status st = job->takes_messages ? TM_OK : tm_single_events_finish(&job->singles, err);
    if (st == TM_OK)
        st = tm_emit_settler_finish(&job->settler, err);
    if (st == TM_OK && job->filter.select)
        st = tm_emit_filter_finish(&job->filter, err);
    return st < 0 ? st : tm_line_heads_finish(&job->heads, err);
}

/* TM_E_STRICT if the output of JOB kept times as recorded, or left out facts beyond its limits. */
static enum tm_status check_strict(const struct job *job, struct tm_error *err)
{
    const uint64_t *others = job->unsupported.others;
    if (others[TM_UNSUPPORTED_TIMES])
        return tm_error_set(err, TM_E_STRICT,
                            "times inside packets could not be converted to trace time, and --strict allows none");
    if (others[TM_UNSUPPORTED_SURPLUS] || others[TM_UNSUPPORTED_NAMES] || others[TM_UNSUPPORTED_FACTS])
        return tm_error_set(err, TM_E_STRICT,
                            "readings, names or facts are beyond the limits of %s, and --strict allows none",
                            job->emit->name);
    return TM_OK;
}

/* Reports what was guessed or lost, and whether it is more than allowed. IS_REPORTED: another output has done so. */
static enum tm_status write_notices(const struct tm_emit_run *run, const struct job *job, bool *is_reported,
                                    struct tm_error *err)
{
    const struct tm_notices notices = {.catalog = &job->catalog,
                                       .clocks = &job->clocks,
                                       .unsupported = &job->unsupported,
                                       .format = job->emit->name,
                                       .of_output = *is_reported,
                                       .warn = run->warn};
    enum tm_status st = TM_OK;
    if (run->warn && !job->emit->reports_notices && !job->emit->shows_stream) {
        st = tm_notices_write(&notices, err);
        *is_reported = true;
    }
    if (run->warn && job->is_first)
        tm_no_events_warn(&job->catalog, run->warn);
    if (st == TM_OK && run->limit.strict)
        st = check_strict(job, err);
    if (st == TM_OK)
        st = tm_accounting_within(&job->accounting, &run->limit, err);
    return st == TM_OK ? tm_notices_within(&notices, &run->limit, err) : st;
}

static enum tm_status finish(struct job *job, struct tm_error *err)
{
    enum tm_status st = finish_pending(job, err);
    if (st < 0 || (st = tm_accounting_sum(&job->accounting, &job->catalog, err)) < 0 ||
        (st = job->functions->finish(job->state, err)) < 0)
        return st;
    return tm_accounting_check(&job->accounting, &job->catalog, err);
}

/* Shows STREAM to all jobs, finishes them, and then reports. */
static enum tm_status show_all(const struct tm_emit_run *run, struct tm_stream_reader *stream, struct job *jobs,
                               struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    bool is_reported = false;
    enum tm_status st;
    while ((st = tm_stream_reader_next(stream, &frame, &batch, err)) == TM_OK) {
        for (size_t i = 0; i < run->target_count; i++)
            if ((st = show(&jobs[i], &frame, &batch, err)) != TM_OK)
                return st;
        if ((st = tm_memory_limit_check(run->memory, frame.offset, err)) < 0)
            return st;
    }
    for (size_t i = 0; i < run->target_count && st >= 0; i++)
        st = finish(&jobs[i], err);
    for (size_t i = 0; i < run->target_count && st >= 0; i++)
        st = write_notices(run, &jobs[i], &is_reported, err);
    return st < 0 ? st : TM_OK;
}

static enum tm_status open_job(struct job *job, const struct tm_emit_run *run, struct tm_error *err)
{
    const struct tm_emit_target *target = job->target;
    enum tm_compressor_kind kind = target->path ? TM_COMPRESSOR_NONE : tm_compressor_of(target->out_path, NULL);
    job->emit = output_for(job, run);
    job->functions = tm_emit_functions_of(job->emit);
    enum tm_status st = check_needs(job->emit, job->stream, err);
    if (st == TM_OK)
        st = tm_emit_filter_init(&job->filter, run, &job->catalog, &job->context, err);
    if (st == TM_OK && kind != TM_COMPRESSOR_NONE) {
        st = tm_compressor_start(&job->compressor, kind, target->out_fd, target->out_path, err);
        job->context.fd = job->compressor.fd;
    }
    job->is_open = st == TM_OK;
    return st < 0 ? st : job->functions->open(&job->context, &job->state, err);
}

static void init_job(struct job *job, const struct tm_emit_run *run, size_t i, const struct tm_stream_reader *stream,
                     struct tm_select_facts *const facts[2])
{
    const struct tm_emit_target *target = &run->targets[i];
    *job = (struct job){.target = target,
                        .stream = stream,
                        .options = run->options,
                        .compressor = {.fd = -1},
                        .is_first = i == 0,
                        .emit = target->emit,
                        .filter = {.facts = facts[target->emit->shows_stream], .is_quiet = i > 0}};
    job->options.out_path = target->out_path;
    job->options.join_flows = run->options.join_flows && target->emit->shows_flows;
    job->context = (struct tm_emit_context){.fd = target->out_fd,
                                            .path = target->path,
                                            .options = &job->options,
                                            .catalog = &job->catalog,
                                            .accounting = &job->accounting,
                                            .stream = stream,
                                            .sources = run->sources,
                                            .clocks = &job->clocks,
                                            .unsupported = &job->unsupported};
    job->filter.receiver = (struct tm_batch_receiver){show_batch, job};
    job->singles.out.receiver = (struct tm_batch_receiver){settle_batch, job};
    job->takes_messages = target->emit->takes_compact_messages;
    job->heads.out.receiver = (struct tm_batch_receiver){output_batch, job};
    tm_emit_settler_init(&job->settler, &job->catalog, (struct tm_batch_receiver){join_batch, job});
    job->settler.unsupported = &job->unsupported;
    tm_span_flows_init(&job->spans, &job->catalog, (struct tm_batch_receiver){select_batch, job});
}

/* Ends the compressor of JOB; the run has ended with ST. If writing failed because the compressor failed, the
 * compressor's error is reported. */
static enum tm_status finish_compressor(struct job *job, enum tm_status st, struct tm_error *err)
{
    struct tm_error cause = {0};
    if (st == TM_OK)
        return tm_compressor_finish(&job->compressor, err);
    if (st == TM_E_SYSTEM && tm_compressor_finish(&job->compressor, &cause) < 0)
        *err = cause;
    return st;
}

static void release_job(struct job *job)
{
    tm_compressor_abandon(&job->compressor);
    tm_emit_filter_release(&job->filter);
    tm_single_events_release(&job->singles);
    tm_emit_settler_release(&job->settler);
    tm_line_heads_release(&job->heads);
    tm_span_flows_release(&job->spans);
    tm_unsupported_counts_release(&job->unsupported);
    tm_clock_facts_release(&job->clocks);
    tm_accounting_release(&job->accounting);
    tm_catalog_release(&job->catalog);
}

/* True if rows may be whole messages, because some output takes them. */
static bool take_compact_messages(const struct tm_emit_run *run)
{
    bool take = false;
    for (size_t i = 0; i < run->target_count; i++)
        take = take || run->targets[i].emit->takes_compact_messages;
    return take && !(run->only && run->only->given.count);
}

/* Shows the stream on FD. FACTS are from its first reading, if there was one. */
static enum tm_status run_from(const struct tm_emit_run *run, int fd, struct tm_select_facts *const facts[2],
                               struct tm_error *err)
{
    struct tm_stream_reader stream = {.event_count = 0};
    tm_memory_limit_again(run->memory);
    struct job *jobs = calloc(run->target_count, sizeof *jobs);
    size_t i = 0;
    if (jobs == NULL)
        return tm_error_nomem(err);
    for (i = 0; i < run->target_count; i++)
        init_job(&jobs[i], run, i, &stream, facts);
    enum tm_status st = tm_stream_reader_open(&stream, fd, err);
    stream.takes_compact_messages = take_compact_messages(run);
    for (i = 0; i < run->target_count && st == TM_OK; i++)
        st = open_job(&jobs[i], run, err);
    if (st == TM_OK)
        st = show_all(run, &stream, jobs, err);
    for (i = run->target_count; i-- > 0;) { /* each compressor restores the handling of SIGPIPE that it found */
        st = finish_compressor(&jobs[i], st, err);
        if (jobs[i].is_open)
            jobs[i].functions->close(jobs[i].state);
    }
    for (i = run->target_count; i-- > 0;)
        release_job(&jobs[i]);
    tm_stream_reader_release(&stream);
    free(jobs);
    return st;
}

enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err)
{
    static struct tm_select_facts *const nothing[2];
    struct tm_first_reading reading = {.fd = -1};
    if (run->only == NULL || !tm_select_spec_looks_ahead(run->only))
        return run_from(run, run->in_fd, nothing, err);
    enum tm_status st = tm_first_reading_run(&reading, run, err);
    if (st == TM_OK)
        st = run_from(run, reading.fd, reading.facts, err);
    tm_first_reading_release(&reading);
    return st;
}
