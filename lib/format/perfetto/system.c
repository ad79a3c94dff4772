#include "format/perfetto/system.h"

#include "format/perfetto/fingerprint.h"
#include "format/perfetto/ftrace_event.h"
#include "perfetto/message_fields.h"
#include "stream/detail_fields.h"

/* SystemInfo and Utsname */
enum {
    INFO_UTSNAME = 1,
    INFO_FINGERPRINT = 2,
    INFO_SDK_VERSION = 5,
    INFO_PAGE_SIZE = 6,
    INFO_NUM_CPUS = 8,
    INFO_MANUFACTURER = 14,
    INFO_RAM_BYTES = 16
};
enum { UTSNAME_SYSNAME = 1, UTSNAME_VERSION = 2, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };

/* MachineDescription of proto/tm_stream.proto. */
enum { OUT_SYSNAME = 2, OUT_RELEASE = 3, OUT_VERSION = 4, OUT_ARCH = 5, OUT_CPUS = 6 };
enum { OUT_FINGERPRINT = 7, OUT_MANUFACTURER = 8, OUT_SDK_VERSION = 9, OUT_RAM_BYTES = 10 };

static enum tm_status put_utsname(struct tm_buf *detail, const struct tm_pb_field *message)
{
    static const uint8_t to[] = {[UTSNAME_SYSNAME] = OUT_SYSNAME,
                                 [UTSNAME_VERSION] = OUT_VERSION,
                                 [UTSNAME_RELEASE] = OUT_RELEASE,
                                 [UTSNAME_MACHINE] = OUT_ARCH};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && f.id < sizeof to && to[f.id])
            st = tm_pb_put_bytes(detail, to[f.id], f.data, f.len);
    return st;
}

static enum tm_status put_info(struct tm_buf *detail, const struct tm_pb_field *f)
{
    bool text = f->type == TM_PB_LEN, number = f->type == TM_PB_VARINT;
    switch (f->id) {
    case INFO_UTSNAME:
        return text ? put_utsname(detail, f) : TM_OK;
    case INFO_FINGERPRINT:
        return text ? tm_pb_put_bytes(detail, OUT_FINGERPRINT, f->data, f->len) : TM_OK;
    case INFO_MANUFACTURER:
        return text ? tm_pb_put_bytes(detail, OUT_MANUFACTURER, f->data, f->len) : TM_OK;
    case TM_SYSTEM_INFO_MACHINE_NAME:
        return text ? tm_pb_put_bytes(detail, TM_MACHINE_DESCRIPTION_NAME, f->data, f->len) : TM_OK;
    case INFO_SDK_VERSION:
        return number ? tm_pb_put_varint(detail, OUT_SDK_VERSION, tm_zigzag((int64_t)f->value)) : TM_OK;
    case INFO_NUM_CPUS:
        return number ? tm_pb_put_varint(detail, OUT_CPUS, (uint32_t)f->value) : TM_OK;
    case INFO_PAGE_SIZE:
        return number ? tm_pb_put_varint(detail, TM_MACHINE_DESCRIPTION_PAGE_SIZE, (uint32_t)f->value) : TM_OK;
    case INFO_RAM_BYTES:
        return number ? tm_pb_put_varint(detail, OUT_RAM_BYTES, tm_zigzag((int64_t)f->value)) : TM_OK;
    default:
        return TM_OK;
    }
}

/* Puts the version of Android's API that follows from the build of BODY, a SystemInfo. One that BODY states comes later
 * and replaces it. */
static enum tm_status put_sdk(struct tm_buf *detail, struct tm_pb body)
{
    struct tm_pb_field f;
    uint32_t sdk = 0;
    while (tm_pb_next(&body, &f) == TM_OK)
        if (f.id == INFO_FINGERPRINT && f.type == TM_PB_LEN)
            sdk = tm_fingerprint_sdk(tm_fingerprint_read(tm_text_at(f.data, f.len)).release);
    return sdk ? tm_pb_put_varint(detail, OUT_SDK_VERSION, tm_zigzag(sdk)) : TM_OK;
}

static enum tm_status note_machine(struct tm_proto_kernels *kernels, uint32_t machine,
                                   const struct tm_pb_field *utsname)
{
    struct tm_pb pb = tm_pb_of(utsname->data, utsname->len);
    struct tm_text texts[UTSNAME_MACHINE + 1] = {{0}};
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id <= UTSNAME_MACHINE && f.type == TM_PB_LEN)
            texts[f.id] = tm_text_at(f.data, f.len);
    enum tm_status st = tm_proto_note_kernel(kernels, machine, texts[UTSNAME_SYSNAME], texts[UTSNAME_RELEASE]);
    struct tm_text name = texts[UTSNAME_MACHINE];
    return st < 0 ? st : tm_proto_note_machine(kernels, machine, name.data ? name.data : (const uint8_t *)"", name.len);
}

static enum tm_status read_info(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_SYSTEM_INFO);
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len), look = pb;
    struct tm_proto_map_entry *page_size;
    struct tm_pb_field f;
    size_t mark;
    while (tm_pb_next(&look, &f) == TM_OK)
        if (f.id == INFO_PAGE_SIZE &&
            tm_proto_map_add(&kernels->page_sizes, packet->machine, 0, UINT32_MAX, &page_size) == TM_OK)
            page_size->v1 = (uint32_t)f.value;
        else if (f.id == INFO_UTSNAME && f.type == TM_PB_LEN && note_machine(kernels, packet->machine, &f) < 0)
            return tm_error_nomem(err);
    enum tm_status st = tm_pb_begin(&rows->detail, TM_DETAIL_MACHINE, &mark);
    if (st == TM_OK)
        st = put_sdk(&rows->detail, pb);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = put_info(&rows->detail, &f);
    if (st == TM_OK)
        st = tm_pb_end(&rows->detail, mark);
    if (st != TM_OK)
        return tm_error_nomem(err);
    row.flags |= TM_EVENT_DEFINITION;
    return tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_system_part_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        enum tm_status (*describe)(struct tm_proto_rows *rows,
                                                                   const struct tm_proto_packet *packet),
                                        struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    enum tm_status st = tm_proto_add(rows, &row, err);
    if (st < 0)
        return st;
    struct tm_event derived = tm_proto_derived(&row, TM_KIND_SYSTEM_INFO);
    derived.flags |= TM_EVENT_DEFINITION;
    return describe(rows, packet) < 0 ? tm_error_nomem(err) : tm_proto_add(rows, &derived, err);
}

enum tm_status tm_proto_system_read(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_PACKET);
    if (packet->body.id == TM_PACKET_SYSTEM_INFO)
        return read_info(kernels, rows, packet, err);
    if (!packet->has_time)
        row.flags |= TM_EVENT_DEFINITION;
    enum tm_status st = tm_proto_add_with_times(rows, &row, packet->clock, err);
    if (st < 0)
        return st;
    switch (packet->body.id) {
    case TM_PACKET_PROCESS_TREE:
        return tm_proto_process_tree_add(rows, &packet->body, &row, err);
    case TM_PACKET_PROCESS_STATS:
        return tm_proto_process_stats_add(rows, &packet->body, &row, err);
    default:
        return tm_proto_sys_stats_add(kernels, rows, &packet->body, &row, err);
    }
}
