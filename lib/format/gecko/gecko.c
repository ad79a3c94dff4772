#include "format/gecko/internal.h"
#include "stream/clock_id.h"

#include <stdlib.h>

enum { TEMPORARY_MEMORY = 32 << 20, ROWS_MEMORY = 4 << 20 };

/* Accepts {"meta" or {"libs", ignoring white space. */
static bool gecko_sniff(const uint8_t *head, size_t len)
{
    char start[7];
    size_t n = 0;
    for (size_t i = 0; i < len && n < sizeof start; i++)
        if (head[i] != ' ' && !(head[i] >= '\t' && head[i] <= '\r'))
            start[n++] = (char)head[i];
    return n == sizeof start && (memcmp(start, "{\"meta\"", n) == 0 || memcmp(start, "{\"libs\"", n) == 0);
}

static enum tm_status gecko_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_gecko *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->cursor.in = context->input;
    x->salvage = context->options && context->options->on_damage != TM_DAMAGE_HALT;
    x->resyncs = context->options && context->options->on_damage == TM_DAMAGE_SALVAGE;
    x->resync =
        (struct tm_gecko_resync){.cursor = &x->cursor, .damaged = &x->counts.damaged, .skipped = &x->counts.skipped};
    x->view.sink = context->sink;
    x->view.counts = &x->counts;
    x->view.payload.places = &x->view.places;
    x->view.payload.shapes = &x->view.shapes;
    x->view.shapes.places = &x->view.places;
    x->view.shapes.sink = context->sink;
    x->view.damaged = x->salvage ? &x->counts.damaged : NULL;
    tm_paged_file_init(&x->text_file, context->temporary_dir, TEMPORARY_MEMORY);
    tm_paged_file_init(&x->counter_file, context->temporary_dir, ROWS_MEMORY);
    tm_paged_file_init(&x->view.rows.paged, context->temporary_dir, ROWS_MEMORY);
    tm_gecko_tables_init(&x->tables, context->temporary_dir);
    tm_gecko_tables_init(&x->shared_tables, context->temporary_dir);
    *state = x;
    return TM_OK;
}

static void list_release(struct tm_gecko_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        tm_gecko_thread_release(&list->all[i]);
    free(list->all);
}

static void gecko_close(void *state)
{
    struct tm_gecko *x = state;
    if (x == NULL)
        return;
    for (uint32_t i = 0; i < x->process_count; i++) {
        tm_gecko_process_release(x->processes[i]);
        free(x->processes[i]);
    }
    list_release(&x->pending_threads);
    list_release(&x->counters);
    tm_gecko_thread_release(&x->thread);
    tm_gecko_tables_release(&x->tables);
    tm_gecko_tables_release(&x->shared_tables);
    tm_paged_file_release(&x->text_file);
    tm_paged_file_release(&x->counter_file);
    tm_paged_file_release(&x->view.rows.paged);
    struct tm_buf *bufs[] = {&x->text,          &x->view.detail, &x->view.stack,  &x->view.name,
                             &x->view.category, &x->view.text, &x->view.message};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_release(bufs[i]);
    tm_json_args_release(&x->view.args);
    tm_json_args_release(&x->view.payload);
    tm_json_arg_shapes_release(&x->view.shapes);
    tm_map_release(&x->view.defined);
    free(x->processes);
    free(x);
}

/* Shows the pending threads, and the counters. */
static enum tm_status show_pending_threads(struct tm_gecko *x)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < x->pending_threads.count; i++)
        st = tm_gecko_thread_show(x, &x->pending_threads.all[i]);
    for (uint32_t i = 0; st == TM_OK && i < x->counters.count; i++) {
        tm_gecko_place(x, &x->counters.all[i]);
        st = tm_gecko_counter_show(&x->view);
    }
    return st;
}

/* Writes a hint: what CLOCK read when the profile's clock, which the outermost process starts, read 0. */
static enum tm_status put_hint(struct tm_gecko *x, enum tm_gecko_start start, uint32_t clock, const char *source)
{
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    const struct tm_gecko_process *root = x->processes[0];
    if (!root->has_start[start] || root->start_ns[start] <= 0) /* 0: unknown */
        return TM_OK;
    hint.file = x->context.sink->file;
    hint.clock = clock;
    hint.value_ns = root->start_ns[start];
    hint.source = tm_bytes(source, strlen(source));
    return tm_event_sink_message(x->context.sink, TM_FRAME_CLOCK_HINT, &hint.base, x->err);
}

static enum tm_status put_hints(struct tm_gecko *x)
{
    if (x->process_count == 0)
        return TM_OK;
    enum tm_status st = put_hint(x, TM_GECKO_START_MONOTONIC, TM_CLOCK_MONOTONIC,
                                 "meta.startTimeAsClockMonotonicNanosecondsSinceBoot");
    return st < 0 ? st : put_hint(x, TM_GECKO_START_REALTIME, TM_CLOCK_REALTIME, "meta.startTime");
}

static enum tm_status finish(struct tm_gecko *x)
{
    uint64_t broken_stacks = x->tables.broken_stacks + x->shared_tables.broken_stacks;
    enum tm_status st = put_hints(x);
    x->context.sink->left_out += x->tables.names_cut + x->shared_tables.names_cut;
    for (uint32_t i = 0; i < x->process_count; i++)
        x->context.sink->left_out += x->processes[i]->left_out;
    if (st >= 0)
        st = tm_gecko_counts_write(&x->counts, broken_stacks, x->context.sink, x->err);
    return st < 0 ? st : TM_END;
}

/* Ends the file after damage, which *err describes: shows what was read and skips the rest. */
static enum tm_status salvage(struct tm_gecko *x)
{
    struct tm_input *in = x->context.input;
    uint64_t first = in->offset;
    enum tm_status st = TM_OK;
    tm_gecko_count(&x->counts.damaged, 1, x->err->byte);
    *x->err = (struct tm_error){0};
    x->cursor.copy = NULL;
    x->thread.parts.torn = x->shared.torn = true;
    if (x->in_thread && x->process_count)
        st = tm_gecko_thread_show(x, &x->thread);
    if (st == TM_OK)
        st = show_pending_threads(x);
    while (st == TM_OK && (st = tm_input_fill(in, 1, x->err)) == TM_OK)
        tm_input_skip(in, in->len);
    if (in->offset > first)
        tm_gecko_count(&x->counts.skipped, in->offset - first, first);
    return st < 0 ? st : finish(x);
}

static enum tm_status gecko_read(void *state, struct tm_error *err)
{
    struct tm_gecko *x = state;
    x->err = x->view.err = err;
    enum tm_status st = tm_gecko_document_read(x);
    if (st == TM_OK)
        st = show_pending_threads(x);
    if (st == TM_E_INPUT && x->salvage)
        return salvage(x);
    return st < 0 ? tm_error_recoverable(err) : finish(x);
}

const struct tm_format tm_format_gecko = {
    .type = TM_INPUT_GECKO,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = gecko_sniff,
    .open = gecko_open,
    .read = gecko_read,
    .close = gecko_close,
    .is_text = true,
};
