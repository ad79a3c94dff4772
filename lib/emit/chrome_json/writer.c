#include "emit/chrome_json/writer.h"

#include <stdlib.h>

void tm_json_writer_init(struct tm_json_writer *w, const struct tm_emit_context *context)
{
    *w = (struct tm_json_writer){.context = context, .awaits_base = context->options->rebase};
    tm_out_init(&w->out, context->fd, context->options->out_path);
    tm_out_guard_json(&w->out);
    tm_out_set_late(&w->out, context->sources, context->options->jobs);
}

void tm_json_writer_release(struct tm_json_writer *w)
{
    tm_json_id_numbers_release(&w->ids);
    tm_map_release(&w->flows);
    free(w->known);
    tm_buf_release(&w->scratch);
    tm_buf_release(&w->begun);
    tm_out_release(&w->out);
}

bool tm_json_writer_follows(struct tm_json_writer *w)
{
    bool follows = w->has_events;
    w->has_events = true;
    return follows;
}

void tm_json_writer_next(struct tm_json_writer *w)
{
    tm_out_str(&w->out, tm_json_writer_follows(w) ? ",\n" : "\n");
}

void tm_json_writer_unsupported(struct tm_json_writer *w, const struct tm_event *e)
{
    if (!tm_event_is_counted(e->flags))
        return;
    w->unsupported_count++;
    tm_unsupported_counts_event(w->context->unsupported, e);
}

void tm_json_writer_micros(struct tm_json_writer *w, int64_t ns)
{
    tm_out_micros(&w->out, ns);
}

void tm_json_writer_time(struct tm_json_writer *w, int64_t time_ns)
{
    tm_json_writer_micros(w, time_ns - w->base_ns);
}

struct tm_text tm_json_writer_string(const struct tm_json_writer *w, uint32_t string, const struct tm_event *e)
{
    return tm_catalog_string(w->context->catalog, string, e);
}

void tm_json_writer_draft(const struct tm_json_writer *w, const struct tm_event *e, char phase,
                          struct tm_json_event_draft *draft)
{
    *draft = (struct tm_json_event_draft){.form = {.phase = phase},
                                          .ts_ns = e->time_ns - w->base_ns,
                                          .category = tm_json_writer_string(w, e->category, e),
                                          .name = tm_json_writer_string(w, e->name, e),
                                          .detail = {e->detail, e->detail_bytes}};
}

enum tm_status tm_json_writer_put(struct tm_json_writer *w, const struct tm_json_event_draft *draft,
                                  struct tm_error *err)
{
    struct tm_json_event_record record;
    tm_json_event_draft_record(draft, tm_json_writer_follows(w), &record);
    tm_out_late(&w->out, tm_json_event_format, record.pieces, TM_JSON_EVENT_PIECES);
    return tm_out_end_row(&w->out, err);
}

static enum tm_status number_of(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                const struct tm_json_id *id, uint64_t *number)
{
    bool is_joined = kind == TM_JSON_ID_OF_FLOW && w->context->options->join_flows;
    uint32_t order = is_joined ? 0 : w->context->catalog->files[file].processing_order;
    return tm_json_id_numbers_find(&w->ids, order, kind, id, number);
}

enum tm_status tm_json_writer_id(struct tm_json_writer *w, const struct tm_event *e, enum tm_json_id_kind kind,
                                 const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_id id;
    uint64_t number;
    size_t quote = value->type == TM_JSON_STRING;
    if (!tm_json_id_of(value, &w->scratch, &id)) {
        tm_out_bytes(&w->out, value->data - quote, value->len + 2 * quote);
        return TM_OK;
    }
    if (number_of(w, e->file, kind, &id, &number) < 0)
        return tm_error_nomem(err);
    tm_out_u64(&w->out, number);
    return TM_OK;
}

enum tm_status tm_json_writer_renumber(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                       uint64_t *id, struct tm_error *err)
{
    const struct tm_json_id was = {.number = *id};
    return number_of(w, file, kind, &was, id) < 0 ? tm_error_nomem(err) : TM_OK;
}
