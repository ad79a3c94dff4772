/* Ids of events and flows as numbers of the document. */
#include "emit/chrome_json/internal.h"

static enum tm_status put_number(struct tm_json_out *j, uint32_t file, enum tm_json_id_kind kind,
                                 const struct tm_json_id *id, struct tm_error *err)
{
    uint64_t number;
    bool is_joined = kind == TM_JSON_ID_OF_FLOW && j->context->options->join_flows;
    uint32_t order = is_joined ? 0 : j->context->catalog->files[file].processing_order;
    if (tm_json_id_numbers_find(&j->ids, order, kind, id, &number) < 0)
        return tm_error_nomem(err);
    tm_out_u64(&j->out, number);
    return TM_OK;
}

enum tm_status tm_json_out_id(struct tm_json_out *j, const struct tm_event *e, enum tm_json_id_kind kind,
                              const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_id id;
    size_t quote = value->type == TM_JSON_STRING;
    if (tm_json_id_of(value, &j->scratch, &id))
        return put_number(j, e->file, kind, &id, err);
    tm_out_bytes(&j->out, value->data - quote, value->len + 2 * quote);
    return TM_OK;
}

enum tm_status tm_json_out_number(struct tm_json_out *j, uint32_t file, enum tm_json_id_kind kind, uint64_t number,
                                  struct tm_error *err)
{
    struct tm_json_id id = {.number = number};
    return put_number(j, file, kind, &id, err);
}
