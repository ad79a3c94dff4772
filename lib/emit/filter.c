#include "emit/filter.h"

#include "stream/field_text.h"

#include <stdio.h>

enum { VALUE_TEXT_MAX = 512, WARNING_TEXT_MAX = 600 };

enum tm_status tm_emit_filter_init(struct tm_emit_filter *filter, const struct tm_emit_run *run,
                                   struct tm_catalog *catalog, struct tm_emit_context *context, struct tm_error *err)
{
    filter->run = run;
    filter->catalog = catalog;
    filter->context = context;
    if (run->only == NULL || run->only->given.count == 0)
        return TM_OK;
    if (context->stream->header.stage != TRACEMERGE__STAGE__PLACED || !context->stream->header.sorted)
        return tm_error_set(err, TM_E_INPUT,
                            "the events are not on trace time and in order, which --only needs; pipe them through "
                            "tm-manifest, tm-clocks and tm-sort");
    enum tm_status st = tm_select_new(&filter->select, run->only, catalog, run->options.temporary_dir, err);
    if (st == TM_OK)
        tm_select_use(filter->select, filter->facts);
    return st;
}

static void warn(const struct tm_emit_filter *filter, const char *text)
{
    if (filter->run->warn && !filter->is_quiet)
        filter->run->warn(text);
}

/* Warns of values of --only that name nothing in the trace; if the run is strict, the first one is an error. Called
 * once all files and machines are known. */
static enum tm_status check_places(struct tm_emit_filter *filter, struct tm_error *err)
{
    char value[VALUE_TEXT_MAX], warning[WARNING_TEXT_MAX];
    enum tm_status st = TM_OK;
    filter->has_begun = true;
    for (uint32_t i = 0; st == TM_OK; i++) {
        st = tm_select_unknown(filter->select, i, value, sizeof value, err);
        if (st != TM_OK)
            break;
        if (filter->run->limit.strict)
            return tm_error_set(err, TM_E_STRICT, "--only: nothing in the trace matches %s", value);
        snprintf(warning, sizeof warning, "--only: nothing in the trace matches %s", value);
        warn(filter, warning);
    }
    return st < 0 ? st : TM_OK;
}

/* Times on trace time are often copied from an output. A time with a unit that is before the first event was probably
 * meant to count from it. */
static enum tm_status check_time(struct tm_emit_filter *filter, const char *key, const struct tm_select_time *time,
                                 struct tm_error *err)
{
    char warning[WARNING_TEXT_MAX];
    int64_t first_ns = filter->context->origin_ns;
    if (!time->is_set || time->is_relative || !time->has_unit || time->ns >= first_ns)
        return TM_OK;
    snprintf(warning, sizeof warning,
             "--only: %s=%s is a time on the timeline, before its first event at %lld ns; %s=+%s counts from there",
             key, time->text, (long long)first_ns, key, time->text + (time->text[0] == '-'));
    if (filter->run->limit.strict)
        return tm_error_set(err, TM_E_STRICT, "%s", warning);
    warn(filter, warning);
    return TM_OK;
}

/* Sets the origin of times in the context once it is known, and checks the times of --only against it. */
static enum tm_status note_origin(struct tm_emit_filter *filter, struct tm_error *err)
{
    if (!filter->context->has_origin)
        filter->context->has_origin = tm_select_origin(filter->select, &filter->context->origin_ns);
    if (!filter->context->has_origin || filter->has_checked_times)
        return TM_OK;
    filter->has_checked_times = true;
    enum tm_status st = check_time(filter, "from", &filter->run->only->from, err);
    return st < 0 ? st : check_time(filter, "to", &filter->run->only->to, err);
}

/* Sets the origin in the context before the receiver gets its first event. */
static enum tm_status show(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_emit_filter *filter = self;
    enum tm_status st = note_origin(filter, err);
    return st < 0 ? st : filter->receiver.show(filter->receiver.self, batch, err);
}

enum tm_status tm_emit_filter_batch(struct tm_emit_filter *filter, const struct tm_batch *batch, struct tm_error *err)
{
    const struct tm_batch_receiver receiver = {show, filter};
    enum tm_status st = filter->has_begun || filter->learns ? TM_OK : check_places(filter, err);
    if (st == TM_OK)
        st = tm_accounting_check_places(filter->catalog, batch, true, err);
    return st < 0 ? st : tm_select_batch(filter->select, batch, &receiver, err);
}

/* Adds an account of the events in ROW, which --only left out, to the catalog. */
static enum tm_status account(struct tm_emit_filter *filter, const struct tm_tally_row *row, struct tm_error *err)
{
    Tracemerge__Account account = TRACEMERGE__ACCOUNT__INIT;
    struct tm_buf body = {0};
    account.file = row->file;
    account.has_machine = true;
    account.machine = row->machine;
    account.clock = row->clock;
    account.reason = tm_bytes_str(tm_drop_reason_name(TM_DROP_FILTERED));
    account.count = row->count;
    size_t len = tracemerge__account__get_packed_size(&account);
    if (tm_buf_reserve(&body, len) != TM_OK)
        return tm_error_nomem(err);
    const struct tm_frame frame = {
        .type = TM_FRAME_ACCOUNT, .body = body.data, .body_bytes = tracemerge__account__pack(&account, body.data)};
    enum tm_status st = tm_catalog_add(filter->catalog, &frame, err);
    tm_buf_release(&body);
    return st;
}

enum tm_status tm_emit_filter_finish(struct tm_emit_filter *filter, struct tm_error *err)
{
    const struct tm_batch_receiver receiver = {show, filter};
    enum tm_status st = filter->has_begun ? TM_OK : check_places(filter, err);
    if (st < 0 || (st = tm_select_finish(filter->select, &receiver, err)) < 0 ||
        (st = note_origin(filter, err)) < 0)
        return st;
    const struct tm_tally *tally = tm_select_tally(filter->select);
    for (uint32_t i = 0; i < tally->count && st == TM_OK; i++)
        st = account(filter, &tally->rows[i], err);
    if (st == TM_OK && tm_select_count(filter->select) == 0)
        warn(filter, "--only: no event is left");
    return st;
}

enum tm_status tm_emit_filter_learned(struct tm_emit_filter *filter, struct tm_select_facts **facts,
                                      struct tm_error *err)
{
    return tm_select_learned(filter->select, facts, err);
}

void tm_emit_filter_release(struct tm_emit_filter *filter)
{
    tm_select_free(filter->select);
    filter->select = NULL;
}
