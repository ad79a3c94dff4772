#include "emit/chrome_json/args.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdio.h>

static void put_arg_value(struct tm_out *out, const struct tm_pb_field *f)
{
    char hex[24];
    switch (f->id) {
    case TM_ARG_INT: tm_out_i64(out, tm_unzigzag(f->value)); break;
    case TM_ARG_UINT: tm_out_u64(out, f->value); break;
    case TM_ARG_DOUBLE: tm_out_json_real(out, f->value); break;
    case TM_ARG_STRING:
    case TM_ARG_JSON: tm_out_json(out, (struct tm_text){f->data, f->len}); break;
    case TM_ARG_BOOL: tm_out_str(out, f->value ? "true" : "false"); break;
    case TM_ARG_POINTER:
        snprintf(hex, sizeof hex, "\"0x%llx\"", (unsigned long long)f->value);
        tm_out_str(out, hex);
        break;
    default: tm_out_str(out, "null"); break;
    }
}

enum { ARGS_COMPARED_MAX = 64 };

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
        if (g.id != TM_ARG_KEY) {
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

/* Puts COUNT args. Of equal keys the last one counts. The caller has set COUNT of ARGS; gcc's analyzer assumes 64. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif
static void put_args(struct tm_out *out, struct arg *args, uint32_t count, bool *has_args)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_repeated = args[i].value.id == 0;
        for (uint32_t k = i + 1; k < count && !is_repeated; k++)
            is_repeated = args[k].key.len == args[i].key.len && args[k].value.id &&
                          (args[i].key.len == 0 || memcmp(args[k].key.data, args[i].key.data, args[i].key.len) == 0);
        if (is_repeated)
            continue;
        tm_out_str(out, *has_args ? "," : ",\"args\":{");
        *has_args = true;
        tm_out_json(out, args[i].key);
        tm_out_char(out, ':');
        put_arg_value(out, &args[i].value);
    }
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic pop
#endif

void tm_json_args_put(struct tm_out *out, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    struct arg args[ARGS_COMPARED_MAX];
    uint32_t count = 0;
    bool has_args = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_ARGS || f.type != TM_PB_LEN)
            continue;
        if (count == ARGS_COMPARED_MAX) { /* beyond this number, repeated keys are written twice */
            put_args(out, args, count, &has_args);
            count = 0;
        }
        args[count++] = arg_of(&f);
    }
    put_args(out, args, count, &has_args);
    if (has_args)
        tm_out_char(out, '}');
}
