#include "format/spans/internal.h"

#include <stdlib.h>

enum { PENDING_MEMORY = 8 << 20 };

static enum tm_status open_spans(const struct tm_format_context *context, const struct tm_spans_grammar *grammar,
                                 void **state, struct tm_error *err)
{
    struct tm_spans *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->grammar = grammar;
    x->main.in = context->input;
    x->cursor = &x->main;
    x->services.sink = context->sink;
    x->window.services = &x->services;
    tm_paged_file_init(&x->pending, context->temporary_dir, PENDING_MEMORY);
    *state = x;
    return TM_OK;
}

static enum tm_status open_otlp(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_spans(context, &tm_spans_otlp, state, err);
}

static enum tm_status open_jaeger(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_spans(context, &tm_spans_jaeger, state, err);
}

static enum tm_status open_zipkin(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_spans(context, &tm_spans_zipkin, state, err);
}

static void close_spans(void *state)
{
    struct tm_spans *x = state;
    if (x == NULL)
        return;
    struct tm_buf *bufs[] = {&x->scope, &x->key, &x->prefix, &x->text, &x->detail, &x->args};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_release(bufs[i]);
    tm_spans_window_release(&x->window);
    tm_spans_services_release(&x->services);
    tm_json_args_release(&x->values);
    tm_paged_file_release(&x->pending);
    tm_map_release(&x->process_ids);
    free(x->processes);
    free(x);
}

static enum tm_status account(struct tm_spans *x, enum tm_drop_reason reason, const struct tm_spans_account *a)
{
    return a->count ? tm_event_sink_account(x->context.sink, (struct tm_loss){reason, 0, a->count, a->byte}, x->err)
                    : TM_OK;
}

static enum tm_status stat(struct tm_spans *x, const char *name, Tracemerge__Severity severity, uint64_t n)
{
    return n ? tm_event_sink_stat(x->context.sink, name, severity, (int64_t)n, x->err) : TM_OK;
}

static enum tm_status finish(struct tm_spans *x)
{
    const struct {
        const char *name;
        Tracemerge__Severity severity;
        uint64_t count;
    } stats[] = {{"spans_args_cut", TRACEMERGE__SEVERITY__DATA_LOSS, x->args_cut},
                 {"spans_links_cut", TRACEMERGE__SEVERITY__DATA_LOSS, x->links_cut},
                 {"spans_lists_missing", TRACEMERGE__SEVERITY__INFO, x->lists_missing},
                 {"spans_services_on_other_hosts", TRACEMERGE__SEVERITY__INFO, x->services.on_other_hosts},
                 {"spans_services_shared", TRACEMERGE__SEVERITY__DATA_LOSS, x->services.services_shared}};
    enum tm_status st = tm_spans_window_flush(&x->window, x->err);
    if (st >= 0)
        st = account(x, TM_DROP_DAMAGED, &x->damaged);
    if (st >= 0)
        st = account(x, TM_DROP_NO_TIME, &x->no_time);
    if (st >= 0)
        st = account(x, TM_DROP_NOT_SHOWN, &x->not_shown);
    if (st >= 0)
        st = account(x, TM_DROP_SKIPPED_BYTES, &x->skipped);
    for (size_t i = 0; st >= 0 && i < sizeof stats / sizeof *stats; i++)
        st = stat(x, stats[i].name, stats[i].severity, stats[i].count);
    return st < 0 ? st : TM_END;
}

static enum tm_status show_pending(struct tm_spans *x)
{
    return x->grammar->show_pending ? x->grammar->show_pending(x) : TM_OK;
}

/* Skips the rest of a damaged file. */
static enum tm_status skip_rest(struct tm_spans *x)
{
    struct tm_input *in = x->main.in;
    uint64_t first = in->offset;
    enum tm_status st;
    while ((st = tm_input_fill(in, 1, x->err)) == TM_OK)
        tm_input_skip(in, in->len);
    if (in->offset > first)
        tm_spans_count(&x->skipped, in->offset - first, first);
    return st < 0 ? st : finish(x);
}

/* Handles damage at the cursor: ends the file, or lets spans be searched in the rest of it. */
static enum tm_status salvage(struct tm_spans *x)
{
    bool continues = x->context.options->on_damage == TM_DAMAGE_SALVAGE;
    struct tm_input *in = x->main.in;
    enum tm_status st = TM_OK;
    x->cursor = &x->main;
    x->main.copy = NULL;
    tm_spans_count_damage(x);
    x->is_damaged = true;
    if (!continues || !x->grammar->needs_later_text)
        st = show_pending(x);
    if (st < 0 || !continues)
        return st < 0 ? st : skip_rest(x);
    if (in->len && in->data[0] == '{') { /* the '{' of the broken object must not be tried again */
        tm_spans_count(&x->skipped, 1, in->offset);
        tm_input_skip(in, 1);
    }
    return TM_OK;
}

/* Continues after a document. TM_OK: another document of the same file follows, or bytes that can only be a damaged
 * one. TM_END: the file ends. Otherwise an error. */
static enum tm_status next_document(struct tm_spans *x)
{
    struct tm_input *in = x->main.in;
    enum tm_status st = TM_OK;
    while (x->grammar->has_lines && (st = tm_input_fill(in, 1, x->err)) == TM_OK) {
        struct tm_json_scan scan = tm_json_scan_bytes(in->data, in->data + in->len, in->ended);
        bool found = tm_json_space(&scan);
        tm_input_skip(in, (size_t)(scan.p - in->data));
        if (!found)
            continue;
        if ((st = tm_input_fill(in, TM_SNIFF_BYTES, x->err)) < 0)
            return st;
        size_t len = in->len < TM_SNIFF_BYTES ? in->len : TM_SNIFF_BYTES;
        if (x->grammar->begins(in->data, len))
            return TM_OK;
        const struct tm_format *next = x->context.sniff(in->data, len);
        bool is_line = next == NULL || next->type == TM_INPUT_JSON; /* its sniffer accepts any object */
        return is_line && tm_spans_salvages(x) ? salvage(x) : finish(x);
    }
    return st < 0 ? st : finish(x);
}

static enum tm_status read_spans(void *state, struct tm_error *err)
{
    struct tm_spans *x = state;
    enum tm_status st;
    x->err = err;
    if (x->is_damaged) {
        st = tm_spans_salvage(x);
        if (st == TM_END)
            st = show_pending(x) < 0 ? err->status : TM_END;
        if (st != TM_OK)
            return st < 0 ? st : finish(x);
    }
    st = x->grammar->read(x);
    if (st == TM_E_INPUT && tm_spans_salvages(x))
        return salvage(x);
    return st < 0 ? tm_error_recoverable(err) : x->is_damaged ? TM_OK : next_document(x);
}

const struct tm_format tm_format_otlp = {
    .type = TM_INPUT_OTLP,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = tm_spans_sniff_otlp,
    .open = open_otlp,
    .read = read_spans,
    .close = close_spans,
    .is_text = true,
};

const struct tm_format tm_format_jaeger = {
    .type = TM_INPUT_JAEGER,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = tm_spans_sniff_jaeger,
    .open = open_jaeger,
    .read = read_spans,
    .close = close_spans,
    .is_text = true,
};

const struct tm_format tm_format_zipkin = {
    .type = TM_INPUT_ZIPKIN,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = tm_spans_sniff_zipkin,
    .open = open_zipkin,
    .read = read_spans,
    .close = close_spans,
    .is_text = true,
};
