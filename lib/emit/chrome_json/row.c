/* The parts of a row: head, texts, arguments and flow. */
#include "emit/chrome_json/internal.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdio.h>
#include <stdlib.h>

struct tm_text tm_json_row_string(const struct tm_json_out *j, uint32_t string, const struct tm_event *e)
{
    return tm_catalog_string(j->context->catalog, string, e);
}

void tm_json_row_head(struct tm_json_out *j, const char *phase, int64_t time_ns)
{
    tm_json_out_next(j);
    tm_out_str(&j->out, "{\"ph\":\"");
    tm_out_str(&j->out, phase);
    tm_out_str(&j->out, "\",\"ts\":");
    tm_json_out_time(j, time_ns);
}

void tm_json_row_thread(struct tm_json_out *j, int64_t pid, int64_t tid)
{
    tm_out_str(&j->out, ",\"pid\":");
    tm_out_i64(&j->out, pid);
    tm_out_str(&j->out, ",\"tid\":");
    tm_out_i64(&j->out, tid);
}

enum tm_status tm_json_row_begin(struct tm_json_out *j, const struct tm_event *e, const char *phase,
                                 struct tm_error *err)
{
    struct tm_event_task place;
    int64_t pid = 0;
    tm_task_names_find(&j->task_names, e, &place);
    enum tm_status st = tm_json_out_pid_of(j, e, place.has_pid ? place.pid : 0, &pid, err);
    if (st < 0)
        return st;
    tm_json_row_head(j, phase, e->time_ns);
    tm_json_row_thread(j, pid, place.has_tid ? place.tid : 0);
    return TM_OK;
}

void tm_json_row_text(struct tm_json_out *j, const char *member, struct tm_text text)
{
    if (text.data == NULL)
        return;
    tm_out_str(&j->out, member);
    tm_out_json(&j->out, text);
}

static void put_arg_value(struct tm_json_out *j, const struct tm_pb_field *f)
{
    char hex[24];
    switch (f->id) {
    case TM_ARG_INT:
        tm_out_i64(&j->out, tm_unzigzag(f->value));
        break;
    case TM_ARG_UINT:
        tm_out_u64(&j->out, f->value);
        break;
    case TM_ARG_DOUBLE:
        tm_out_json_double(&j->out, f->value);
        break;
    case TM_ARG_STRING:
    case TM_ARG_JSON:
        tm_out_json(&j->out, (struct tm_text){f->data, f->len});
        break;
    case TM_ARG_BOOL:
        tm_out_str(&j->out, f->value ? "true" : "false");
        break;
    case TM_ARG_POINTER:
        snprintf(hex, sizeof hex, "\"0x%llx\"", (unsigned long long)f->value);
        tm_out_str(&j->out, hex);
        break;
    default:
        tm_out_str(&j->out, "null");
        break;
    }
}

/* Fields of a Detail. */
enum { ARGS_TOLD_APART = 64 };

/* A key and its value. */
struct arg {
    struct tm_text key;
    struct tm_pb_field value;
};

static struct arg arg_of(const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    struct arg arg = {0};
    while (tm_pb_next(&pb, &g) == TM_OK) {
        if (g.id != 1) {
            arg.value = g;
            continue;
        }
        size_t skip = g.len > 5 && memcmp(g.data, "args.", 5) == 0    ? 5
                      : g.len > 6 && memcmp(g.data, "debug.", 6) == 0 ? 6
                                                                      : 0;
        arg.key = (struct tm_text){g.data + skip, g.len - skip};
    }
    return arg;
}

/* the caller has set COUNT of ARGS; gcc's analyzer assumes 64 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif
static void put_args(struct tm_json_out *j, struct arg *args, uint32_t count, bool *has_args)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_said_again = args[i].value.id == 0;
        for (uint32_t k = i + 1; k < count && !is_said_again; k++)
            is_said_again = args[k].key.len == args[i].key.len && args[k].value.id &&
                            (args[i].key.len == 0 || memcmp(args[k].key.data, args[i].key.data, args[i].key.len) == 0);
        if (is_said_again)
            continue;
        tm_out_str(&j->out, *has_args ? "," : ",\"args\":{");
        *has_args = true;
        tm_out_json(&j->out, args[i].key);
        tm_out_char(&j->out, ':');
        put_arg_value(j, &args[i].value);
    }
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic pop
#endif

/* How an event with a bind_id expresses FIELD of a Detail; NULL: the field is not a flow. */
static const char *direction_of(uint32_t field)
{
    switch (field) {
    case TM_DETAIL_BIND_OUT:
        return ",\"flow_out\":true";
    case TM_DETAIL_FLOW_IDS:
    case TM_DETAIL_BIND_STEP:
        return ",\"flow_in\":true,\"flow_out\":true";
    case TM_DETAIL_TERMINATING_FLOW_IDS:
    case TM_DETAIL_BIND_IN:
        return ",\"flow_in\":true";
    default:
        return NULL;
    }
}

/* Finds the first flow in the Detail of LEN bytes of FILE. */
static enum tm_status put_flow_id(struct tm_json_out *j, uint32_t file, const uint8_t *detail, size_t len,
                                  struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        const char *direction = direction_of(f.id);
        if (direction == NULL || f.type != TM_PB_I64)
            continue;
        tm_out_str(&j->out, ",\"bind_id\":");
        enum tm_status st = tm_json_out_number(j, file, TM_JSON_ID_OF_FLOW, f.value, err);
        tm_out_str(&j->out, direction);
        return st;
    }
    return TM_OK;
}

enum tm_status tm_json_row_detail(struct tm_json_out *j, uint32_t file, const uint8_t *detail, size_t len,
                                  struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    struct arg args[ARGS_TOLD_APART];
    uint32_t count = 0;
    bool has_args = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_ARGS || f.type != TM_PB_LEN)
            continue;
        if (count == ARGS_TOLD_APART) { /* beyond this number, repeated keys are written twice */
            put_args(j, args, count, &has_args);
            count = 0;
        }
        args[count++] = arg_of(&f);
    }
    put_args(j, args, count, &has_args);
    if (has_args)
        tm_out_char(&j->out, '}');
    return put_flow_id(j, file, detail, len, err);
}

enum tm_status tm_json_row_end(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_json_row_detail(j, e->file, e->detail, e->detail_bytes, err);
    tm_out_char(&j->out, '}');
    return st < 0 ? st : tm_out_end_row(&j->out, err);
}
