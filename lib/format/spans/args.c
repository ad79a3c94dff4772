/* Attributes as typed arguments. */
#include "format/spans/internal.h"

#include "base/pb.h"
#include "json/number.h"
#include "stream/detail_arg.h"

/* Args are limited to ARGS_BYTES_FREE bytes plus ARGS_GROWTH_MAX times their text, because keys of nested values repeat
 * the names around them. */
enum { ARGS_BYTES_FREE = 64 << 10, ARGS_GROWTH_MAX = 16 };

void tm_spans_args_begin(struct tm_spans *x, size_t len)
{
    tm_buf_clear(&x->args);
    x->args_max = ARGS_BYTES_FREE + ARGS_GROWTH_MAX * len;
}

/* Reads VALUE, a number or a string, as a number of the type AS. Sets *BITS and *TYPE as those of an argument. False:
 * it is not such a number. */
static bool is_number(const struct tm_json_value *value, enum tm_spans_type as, enum tm_arg *type, uint64_t *bits)
{
    bool is_double;
    if (value->type != TM_JSON_NUMBER && (value->type != TM_JSON_STRING || value->escaped))
        return false;
    if (!tm_json_number(value->data, value->len, &is_double, bits))
        return false;
    if (as == TM_SPANS_DOUBLE && !is_double)
        *bits = tm_pb_bits((double)(int64_t)*bits);
    *type = is_double || as == TM_SPANS_DOUBLE ? TM_ARG_DOUBLE : TM_ARG_INT;
    return as == TM_SPANS_DOUBLE || !is_double;
}

enum tm_status tm_spans_arg(struct tm_spans *x, const struct tm_json_value *value, enum tm_spans_type as)
{
    enum tm_arg type;
    uint64_t bits;
    if (!x->context.sink->want_detail)
        return TM_OK;
    if (x->args.len > x->args_max) {
        x->args_cut++;
        return TM_OK;
    }
    if (as != TM_SPANS_AS_IT_IS && is_number(value, as, &type, &bits))
        return tm_detail_arg_number(&x->args, &x->key, type, bits) == TM_OK ? TM_OK : tm_error_nomem(x->err);
    if (tm_json_args_value(&x->values, tm_text_at(x->key.data, x->key.len), value) < 0 ||
        tm_buf_add(&x->args, x->values.detail.data, x->values.detail.len) != TM_OK)
        return tm_error_nomem(x->err);
    x->args_cut += x->values.cut;
    return TM_OK;
}

enum tm_status tm_spans_arg_named(struct tm_spans *x, const char *key, const struct tm_json_value *value)
{
    if (value->data == NULL)
        return TM_OK;
    tm_buf_clear(&x->key);
    return tm_buf_add_str(&x->key, key) == TM_OK ? tm_spans_arg(x, value, TM_SPANS_AS_IT_IS) : tm_error_nomem(x->err);
}

enum tm_status tm_spans_arg_text(struct tm_spans *x, const char *key, const char *text)
{
    if (!x->context.sink->want_detail)
        return TM_OK;
    return tm_detail_arg_text(&x->args, key, text, strlen(text)) == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

enum tm_status tm_spans_set_key(struct tm_spans *x, const struct tm_json_value *key)
{
    tm_buf_clear(&x->key);
    if (key->data == NULL || key->type != TM_JSON_STRING)
        return TM_OK;
    return tm_json_unescape(key, &x->key) == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

enum tm_status tm_spans_text(struct tm_spans *x, const struct tm_json_value *value)
{
    tm_buf_clear(&x->text);
    if (value->data == NULL)
        return TM_OK;
    enum tm_status st = value->type == TM_JSON_STRING   ? tm_json_unescape(value, &x->text)
                        : value->type == TM_JSON_NUMBER ? tm_buf_add(&x->text, value->data, value->len)
                                                        : TM_OK;
    return st < 0 ? tm_error_nomem(x->err) : TM_OK;
}

bool tm_spans_time(const struct tm_json_value *value, int scale, int64_t *ns)
{
    return value->data && tm_json_decimal(value, scale, ns) == TM_OK && *ns > 0;
}

/* Adds the argument links[INDEX].MEMBER. */
static enum tm_status put_link_id(struct tm_spans *x, unsigned index, const char *member, const struct tm_span_id *id)
{
    tm_buf_clear(&x->key);
    if (tm_buf_addf(&x->key, "links[%u].%s", index, member) != TM_OK ||
        tm_detail_arg_bytes(&x->args, &x->key, TM_ARG_STRING, id->text, id->len) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

enum tm_status tm_spans_link(struct tm_spans *x, unsigned index, const struct tm_span_id *trace,
                             const struct tm_span_id *span)
{
    if (trace->len == 0 || span->len == 0 || !x->context.sink->want_detail)
        return TM_OK;
    if (x->flow_count == TM_SPANS_LINKS_MAX) {
        x->links_cut++;
        return TM_OK;
    }
    x->flows[x->flow_count++] = tm_span_id_flow(trace, span);
    enum tm_status st = put_link_id(x, index, "trace", trace);
    return st < 0 ? st : put_link_id(x, index, "span", span);
}
