/* report: the content of the stream and its origin: files, machines, trace time, placements, accounts, statistics.
 * explain: why the events of each file are where they are. summary: a line for each file. dropped: the dropped events,
 * and accounts of those that are not in the stream. */
#include "emit/report/report.h"

#include "emit/outputs.h"

#include <stdlib.h>

static enum tm_status open_any(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct tm_report *r = calloc(1, sizeof *r);
    if (r == NULL)
        return tm_error_nomem(err);
    *state = r;
    *r = (struct tm_report){.context = context};
    tm_out_init(&r->out, context->fd, context->options->out_path);
    r->placed = context->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    return TM_OK;
}

static enum tm_status open_report(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    enum tm_status st = open_any(context, state, err);
    if (st < 0)
        return st;
    struct tm_report *r = *state;
    r->tests_causality = r->placed;
    if (!r->placed)
        return TM_OK;
    return tm_alignment_begin(&r->alignment, "flows,spans,collectives", context->options->temporary_dir, err);
}

static void add_bounds(struct tm_report *r, const struct tm_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        int64_t t = tm_batch_i64(batch, TM_COL_TIME_NS, i);
        if (!tm_event_is_timed(tm_batch_u32(batch, TM_COL_FLAGS, i)))
            continue;
        if (!r->has_bounds || t < r->first_ns)
            r->first_ns = t;
        if (!r->has_bounds || t > r->last_ns)
            r->last_ns = t;
        r->has_bounds = true;
    }
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct tm_report *r = state;
    if (batch && r->placed)
        add_bounds(r, batch);
    r->snapshot_count += frame->type == TM_FRAME_SNAPSHOT;
    r->clock_row_count += frame->type == TM_FRAME_CLOCK_ROW;
    if (r->tests_causality && tm_alignment_add(&r->alignment, frame, batch, err) < 0)
        return err->status;
    return tm_config_facts_add(&r->facts, frame, err);
}

/* Finds effects that come before their causes in another file. */
static enum tm_status find_causality(struct tm_report *r, bool json, struct tm_error *err)
{
    struct tm_alignment *a = &r->alignment;
    enum tm_status st = tm_alignment_match(a, err);
    if (st == TM_OK)
        st = tm_alignment_check(a, err);
    if (st != TM_OK || a->breach_count == 0)
        return st;
    st = json ? tm_alignment_breaches_json(a, &r->causality_found)
              : tm_alignment_breaches_summary(a, &r->causality_found);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status finish_report(void *state, struct tm_error *err)
{
    struct tm_report *r = state;
    bool json = r->context->options->json;
    if (r->tests_causality && find_causality(r, json, err) < 0)
        return err->status;
    if (json)
        tm_report_json(r);
    else
        tm_report_text(r);
    return tm_out_flush(&r->out, err);
}

static enum tm_status finish_explain(void *state, struct tm_error *err)
{
    struct tm_report *r = state;
    tm_report_explain(r);
    return tm_out_flush(&r->out, err);
}

static enum tm_status finish_summary(void *state, struct tm_error *err)
{
    struct tm_report *r = state;
    tm_report_summary(r);
    return tm_out_flush(&r->out, err);
}

static enum tm_status open_dropped(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    enum tm_status st = open_any(context, state, err);
    if (st == TM_OK)
        tm_report_dropped_begin(*state);
    return st;
}

static enum tm_status show_dropped(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                   struct tm_error *err)
{
    (void)batch;
    return frame->type == TM_FRAME_DROPPED ? tm_report_dropped_frame(state, frame, err) : TM_OK;
}

static enum tm_status finish_dropped(void *state, struct tm_error *err)
{
    struct tm_report *r = state;
    tm_report_dropped_end(r);
    return tm_out_flush(&r->out, err);
}

static void close_report(void *state)
{
    struct tm_report *r = state;
    if (r) {
        tm_paths_release(&r->paths);
        tm_out_release(&r->out);
        tm_config_facts_release(&r->facts);
        tm_alignment_release(&r->alignment);
        tm_buf_release(&r->causality_found);
        free(r->first_files);
    }
    free(r);
}

const struct tm_emit_functions tm_emit_report_functions = {
    .open = open_report,
    .frame = show_frame,
    .finish = finish_report,
    .close = close_report,
};

const struct tm_emit_functions tm_emit_explain_functions = {
    .open = open_any,
    .frame = show_frame,
    .finish = finish_explain,
    .close = close_report,
};

const struct tm_emit_functions tm_emit_summary_functions = {
    .open = open_any,
    .frame = show_frame,
    .finish = finish_summary,
    .close = close_report,
};

const struct tm_emit_functions tm_emit_dropped_functions = {
    .open = open_dropped,
    .frame = show_dropped,
    .finish = finish_dropped,
    .close = close_report,
};
