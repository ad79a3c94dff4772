#include "format/perfetto/gpu_info.h"

#include "format/perfetto/system.h"
#include "stream/detail_arg.h"

enum { INFO_GPUS = 1 };
enum { GPU_NAME = 1, GPU_VENDOR, GPU_MODEL, GPU_ARCHITECTURE, GPU_UUID, GPU_EXTRA_INFO, GPU_PCI_BDF };
enum { EXTRA_KEY = 1, EXTRA_VALUE = 2 };

static enum tm_status put_text(struct tm_buf *out, uint32_t id, const struct tm_pb_field *text)
{
    return text->len ? tm_pb_put_bytes(out, id, text->data, text->len) : TM_OK;
}

static enum tm_status put_hexadecimal(struct tm_buf *out, uint32_t id, const struct tm_pb_field *bytes)
{
    size_t mark;
    if (bytes->len == 0)
        return TM_OK;
    enum tm_status st = tm_pb_begin(out, id, &mark);
    for (size_t i = 0; st == TM_OK && i < bytes->len; i++)
        st = tm_buf_add_hex(out, bytes->data[i], 2);
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

static enum tm_status put_extra(struct tm_buf *out, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, key = {0}, value = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == EXTRA_KEY && f.type == TM_PB_LEN)
            key = f;
        else if (f.id == EXTRA_VALUE && f.type == TM_PB_LEN)
            value = f;
    }
    const struct tm_buf name = {.data = (uint8_t *)(uintptr_t)key.data, .len = key.len};
    return key.id && value.id ? tm_detail_arg_bytes(out, &name, TM_ARG_STRING, value.data, value.len) : TM_OK;
}

static enum tm_status put_gpu_field(struct tm_buf *out, const struct tm_pb_field *f)
{
    if (f->type != TM_PB_LEN)
        return TM_OK;
    switch (f->id) {
    case GPU_NAME: return put_text(out, TM_GPU_DESCRIPTION_NAME, f);
    case GPU_VENDOR: return put_text(out, TM_GPU_DESCRIPTION_VENDOR, f);
    case GPU_MODEL: return put_text(out, TM_GPU_DESCRIPTION_MODEL, f);
    case GPU_ARCHITECTURE: return put_text(out, TM_GPU_DESCRIPTION_ARCHITECTURE, f);
    case GPU_UUID: return put_hexadecimal(out, TM_GPU_DESCRIPTION_UUID, f);
    case GPU_PCI_BDF: return put_text(out, TM_GPU_DESCRIPTION_PCI_BDF, f);
    case GPU_EXTRA_INFO: return put_extra(out, f);
    default: return TM_OK;
    }
}

/* Puts a GPU. Its number is its index in the list. */
static enum tm_status put_gpu(struct tm_buf *out, const struct tm_pb_field *message, uint32_t gpu)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    size_t mark;
    enum tm_status st = tm_pb_begin(out, TM_MACHINE_DESCRIPTION_GPUS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_varint(out, TM_GPU_DESCRIPTION_GPU, gpu);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = put_gpu_field(out, &f);
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

static enum tm_status describe(struct tm_proto_rows *rows, const struct tm_proto_packet *packet)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint32_t gpu = 0;
    size_t mark;
    enum tm_status st = tm_pb_begin(&rows->detail, TM_DETAIL_MACHINE, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INFO_GPUS && f.type == TM_PB_LEN)
            st = put_gpu(&rows->detail, &f, gpu++);
    return st == TM_OK ? tm_pb_end(&rows->detail, mark) : st;
}

enum tm_status tm_proto_gpu_info_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err)
{
    return tm_proto_system_part_add(rows, packet, describe, err);
}
