#include "format/fuchsia/args.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum { REF_INLINE = 0x8000, REF_LENGTH = 0x7fff };

enum tm_fxt_read tm_fxt_string_ref(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint64_t ref,
                                   struct tm_text *text)
{
    if (ref == 0 || ref & REF_INLINE)
        return tm_fxt_text(c, ref & REF_LENGTH, text) ? TM_FXT_READ_OK : TM_FXT_READ_CUT;
    return tm_fxt_tables_string(tables, (uint32_t)ref, text) ? TM_FXT_READ_OK : TM_FXT_READ_NO_STRING;
}

enum tm_fxt_read tm_fxt_thread_ref(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint64_t ref,
                                   struct tm_fxt_thread *thread)
{
    uint64_t pid, tid;
    if (ref)
        return tm_fxt_tables_thread(tables, (uint32_t)ref, thread) ? TM_FXT_READ_OK : TM_FXT_READ_NO_THREAD;
    if (!tm_fxt_word(c, &pid) || !tm_fxt_word(c, &tid))
        return TM_FXT_READ_CUT;
    *thread = (struct tm_fxt_thread){(int64_t)pid, (int64_t)tid};
    return TM_FXT_READ_OK;
}

static enum tm_fxt_read read_value(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint64_t header,
                                   struct tm_fxt_arg *arg)
{
    switch (arg->type) {
    case TM_FXT_INT32:
        arg->bits = (uint64_t)(int64_t)(int32_t)(header >> 32);
        return TM_FXT_READ_OK;
    case TM_FXT_UINT32:
        arg->bits = header >> 32;
        return TM_FXT_READ_OK;
    case TM_FXT_BOOL:
        arg->bits = header >> 32 != 0;
        return TM_FXT_READ_OK;
    case TM_FXT_INT64:
    case TM_FXT_UINT64:
    case TM_FXT_DOUBLE:
    case TM_FXT_POINTER:
    case TM_FXT_KOID:
        return tm_fxt_word(c, &arg->bits) ? TM_FXT_READ_OK : TM_FXT_READ_CUT;
    case TM_FXT_STRING:
        return tm_fxt_string_ref(tables, c, tm_fxt_bits(header, 32, 47), &arg->text);
    default:
        return TM_FXT_READ_OK;
    }
}

/* An argument states its size, so unknown types can be skipped. */
static enum tm_fxt_read read_arg(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, struct tm_fxt_arg *arg)
{
    struct tm_fxt_cursor inner = *c;
    uint64_t header;
    if (!tm_fxt_word(&inner, &header))
        return TM_FXT_READ_CUT;
    size_t size = (size_t)tm_fxt_bits(header, 4, 15) * TM_FXT_WORD;
    if (size == 0 || size > (size_t)(c->end - c->p))
        return TM_FXT_READ_CUT;
    inner.end = c->p + size;
    c->p += size;
    *arg = (struct tm_fxt_arg){.type = (uint32_t)tm_fxt_bits(header, 0, 3)};
    enum tm_fxt_read read = tm_fxt_string_ref(tables, &inner, tm_fxt_bits(header, 16, 31), &arg->name);
    return read == TM_FXT_READ_OK ? read_value(tables, &inner, header, arg) : read;
}

enum tm_fxt_read tm_fxt_args_read(const struct tm_fxt_tables *tables, struct tm_fxt_cursor *c, uint32_t count,
                                  struct tm_fxt_args *args)
{
    enum tm_fxt_read read = TM_FXT_READ_OK;
    args->count = 0;
    while (read == TM_FXT_READ_OK && args->count < count)
        read = read_arg(tables, c, &args->args[args->count++]);
    return read;
}

const struct tm_fxt_arg *tm_fxt_args_find(const struct tm_fxt_args *args, const char *name)
{
    size_t len = strlen(name);
    for (uint32_t i = 0; i < args->count; i++)
        if (args->args[i].name.len == len && memcmp(args->args[i].name.data, name, len) == 0)
            return &args->args[i];
    return NULL;
}

static enum tm_status put_value(const struct tm_fxt_arg *a, struct tm_buf *detail)
{
    switch (a->type) {
    case TM_FXT_DOUBLE:
        return tm_pb_put_i64(detail, TM_ARG_DOUBLE, a->bits);
    case TM_FXT_STRING:
        return tm_pb_put_bytes(detail, TM_ARG_STRING, a->text.data, a->text.len);
    case TM_FXT_POINTER:
        return tm_pb_put_varint(detail, TM_ARG_POINTER, a->bits);
    case TM_FXT_BOOL:
        return tm_pb_put_varint(detail, TM_ARG_BOOL, a->bits);
    case TM_FXT_INT32:
    case TM_FXT_UINT32:
    case TM_FXT_INT64:
    case TM_FXT_UINT64:
    case TM_FXT_KOID:
        return tm_pb_put_varint(detail, TM_ARG_INT, tm_zigzag((int64_t)a->bits));
    default:
        return tm_pb_put_str(detail, TM_ARG_STRING, a->type == TM_FXT_NULL ? "null" : "unknown");
    }
}

enum tm_status tm_fxt_args_put(const struct tm_fxt_args *args, struct tm_buf *detail)
{
    for (uint32_t i = 0; i < args->count; i++) {
        const struct tm_fxt_arg *a = &args->args[i];
        size_t mark;
        if (tm_pb_begin(detail, TM_DETAIL_ARGS, &mark) != TM_OK ||
            tm_pb_put_bytes(detail, TM_ARG_KEY, a->name.data, a->name.len) != TM_OK || put_value(a, detail) != TM_OK ||
            tm_pb_end(detail, mark) != TM_OK)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}
