#include "emit/emit_run.h"

#include "emit/squeeze.h"

/* What one run works with. */
struct job {
    struct tm_stream_reader stream;
    struct tm_catalog catalog;
    struct tm_balance balance;
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

static enum tm_status show(struct job *job, const struct tm_emit *emit, const struct tm_frame *frame,
                           const struct tm_batch *batch, struct tm_error *err)
{
    bool is_batch = frame->type == TM_FRAME_BATCH;
    bool placed = job->stream.stage == TRACEMERGE__STAGE__PLACED;
    enum tm_status st = tm_catalog_add(&job->catalog, frame, err);
    if (st == TM_OK && is_batch && (st = tm_balance_add(&job->balance, &job->catalog, batch, placed, err)) < 0)
        return tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset);
    return st == TM_OK ? emit->frame(job->state, frame, is_batch ? batch : NULL, err) : st;
}

static enum tm_status show_all(const struct tm_emit_run *run, struct job *job, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st;
    while ((st = tm_stream_reader_next(&job->stream, &frame, &batch, err)) == TM_OK) {
        if ((st = show(job, run->emit, &frame, &batch, err)) != TM_OK)
            return st;
    }
    if (st < 0 || (st = tm_balance_sum(&job->balance, &job->catalog, err)) < 0)
        return st;
    if ((st = run->emit->finish(job->state, err)) < 0)
        return st;
    if ((st = tm_balance_check(&job->balance, &job->catalog, err)) < 0)
        return st;
    return tm_balance_within(&job->balance, &run->limit, err);
}

enum tm_status tm_emit_run(const struct tm_emit_run *run, struct tm_error *err)
{
    struct job job = {0};
    struct tm_emit_context context = {.fd = run->out_fd,
                                      .path = run->path,
                                      .options = &run->options,
                                      .catalog = &job.catalog,
                                      .balance = &job.balance,
                                      .stream = &job.stream};
    struct tm_squeeze squeeze = {.fd = -1};
    enum tm_squeeze_kind kind = run->path ? TM_SQUEEZE_NONE : tm_squeeze_of(run->options.out_path, NULL);
    enum tm_status st = tm_stream_reader_open(&job.stream, run->in_fd, err);
    if (st < 0 || (st = check_needs(run->emit, &job.stream, err)) < 0)
        goto out;
    if (kind != TM_SQUEEZE_NONE) {
        if ((st = tm_squeeze_start(&squeeze, kind, run->out_fd, err)) < 0)
            goto out;
        context.fd = squeeze.fd;
    }
    if ((st = run->emit->open(&context, &job.state, err)) == TM_OK)
        st = show_all(run, &job, err);
    if (st == TM_OK)
        st = tm_squeeze_finish(&squeeze, err);
    run->emit->close(job.state);
out:
    tm_squeeze_abandon(&squeeze);
    tm_balance_release(&job.balance);
    tm_catalog_release(&job.catalog);
    tm_stream_reader_release(&job.stream);
    return st;
}
