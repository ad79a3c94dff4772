/* Buffers that processes share with devices: those of ION and of dma-buf heaps. Rules and names:
 * importers/ftrace/ftrace_parser.cc of perfetto. */
#include "format/perfetto/ftrace_event.h"
#include "perfetto/ftrace_event_fields.h"

#include <inttypes.h>

enum { BUFFER = 1, BYTES = 2 };

/* An event with a positive size is an allocation, and begins the buffer's slice. Any other is a release, and ends it.
 * Slices are named by size. */
enum tm_status tm_proto_ftrace_buffer(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err)
{
    static const char ion_buffer[] = "mem.ion_buffer", dma_buffer[] = "mem.dma_buffer";
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    const bool is_ion = f->id == TM_FTRACE_EVENT_ION_STAT;
    const int64_t bytes = (int64_t)fields.number[BYTES];
    const uint64_t buffer = is_ion ? (uint32_t)fields.number[BUFFER] : fields.number[BUFFER];
    const struct tm_proto_named_row named = {.type = is_ion ? TM_NAMED_TRACK_ION_BUFFERS : TM_NAMED_TRACK_DMA_BUFFERS,
                                             .second = (uint16_t)(buffer >> 32 ^ buffer >> 48),
                                             .instance = (uint32_t)buffer};
    tm_buf_clear(&rows->text);
    tm_buf_clear(&rows->key);
    if (tm_buf_add(&rows->key, is_ion ? ion_buffer : dma_buffer, sizeof ion_buffer - 1) != TM_OK)
        return tm_error_nomem(err);
    row->kind = bytes > 0 ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    enum tm_status st = tm_proto_named_row(rows, &named, row, err);
    if (st < 0 || bytes <= 0)
        return st;
    if (tm_buf_addf(&rows->key, "%" PRId64 " kB", bytes / 1024) != TM_OK)
        return tm_error_nomem(err);
    return tm_proto_string(rows, rows->key.data, rows->key.len, &row->name, err);
}
