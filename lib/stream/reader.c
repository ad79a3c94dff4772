#include "stream/reader.h"

#include "stream/internal.h"

#include <stdlib.h>
#include <unistd.h>

static enum tm_status at(uint64_t offset, struct tm_error *err)
{
    return tm_error_prefix(err, "byte %llu", (unsigned long long)offset);
}

/* protobuf-c returns NULL for bad bytes and for lack of memory. This allocator records the latter. */
static void *allocate(void *failed, size_t size)
{
    void *p = malloc(size ? size : 1);
    *(bool *)failed |= p == NULL;
    return p;
}

static void deallocate(void *failed, void *p)
{
    (void)failed;
    free(p);
}

ProtobufCMessage *tm_message_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t len,
                                    struct tm_error *err)
{
    bool failed = false;
    ProtobufCAllocator allocator = {.alloc = allocate, .free = deallocate, .allocator_data = &failed};
    ProtobufCMessage *m = protobuf_c_message_unpack(descriptor, &allocator, len, data);
    if (m == NULL && failed)
        tm_error_nomem(err);
    else if (m == NULL)
        tm_error_set(err, TM_E_INPUT, "%s is damaged", descriptor->short_name);
    return m;
}

ProtobufCMessage *tm_frame_message(const struct tm_frame *frame, const ProtobufCMessageDescriptor *descriptor,
                                   struct tm_error *err)
{
    struct tm_error why = {0};
    ProtobufCMessage *m = tm_message_unpack(descriptor, frame->body, frame->body_bytes, &why);
    if (m == NULL && why.status == TM_E_INPUT)
        tm_error_at(err, frame->offset, "frame of type %s is damaged", descriptor->short_name);
    else if (m == NULL)
        tm_error_set(err, why.status, "%s", why.text);
    return m;
}

static enum tm_status read_header(struct tm_stream_reader *reader, struct tm_error *err)
{
    struct tm_frame frame;
    if (isatty(reader->frames.fd))
        return tm_error_set(err, TM_E_USAGE, "a terminal is no tracemerge stream; pipe one into the program");
    enum tm_status st = tm_frame_read(&reader->frames, &frame, err);
    if (st == TM_END)
        return tm_error_cut_stream(err, 0, "empty, not a tracemerge stream");
    if (st < 0)
        return st;
    if (frame.type != TM_FRAME_HEADER)
        return tm_error_set(err, TM_E_INPUT, "byte 0: the stream does not begin with a header");
    Tracemerge__Header *header = (Tracemerge__Header *)tm_frame_message(&frame, &tracemerge__header__descriptor, err);
    if (header == NULL)
        return err->status;
    if (header->version != TM_STREAM_VERSION)
        st = tm_error_set(err, TM_E_INPUT, "byte 0: stream version %u; this program knows version %d", header->version,
                          TM_STREAM_VERSION);
    reader->header = (struct tm_stream_header){
        header->stage, header->sorted, {header->has_from_ns, header->has_to_ns, header->from_ns, header->to_ns}};
    tracemerge__header__free_unpacked(header, NULL);
    return st;
}

/* Opens READER. CHUNK_BYTES and COPIES_SHARED are settings of its frames; 0 bytes: the usual number. */
static enum tm_status open_frames(struct tm_stream_reader *reader, int fd, size_t chunk_bytes, bool copies_shared,
                                  struct tm_error *err)
{
    *reader = (struct tm_stream_reader){0};
    tm_frame_reader_init(&reader->frames, fd);
    reader->frames.copies_shared = copies_shared;
    if (chunk_bytes)
        reader->frames.chunk_bytes = chunk_bytes;
    return read_header(reader, err);
}

enum tm_status tm_stream_reader_open(struct tm_stream_reader *reader, int fd, struct tm_error *err)
{
    return open_frames(reader, fd, 0, false, err);
}

enum tm_status tm_stream_reader_open_chunked(struct tm_stream_reader *reader, int fd, size_t chunk_bytes,
                                             struct tm_error *err)
{
    return open_frames(reader, fd, chunk_bytes, false, err);
}

enum tm_status tm_stream_reader_open_copied(struct tm_stream_reader *reader, int fd, size_t chunk_bytes,
                                            struct tm_error *err)
{
    return open_frames(reader, fd, chunk_bytes, true, err);
}

static bool known(uint32_t type)
{
    return type <= TM_FRAME_CLOCK_LINES && type != TM_FRAME_HEADER && type != TM_FRAME_CHECKSUM_FIELD;
}

static enum tm_status read_end(struct tm_stream_reader *reader, const struct tm_frame *frame, struct tm_error *err)
{
    struct tm_frame next;
    uint64_t before = reader->frames.count - 1;
    Tracemerge__End *end = (Tracemerge__End *)tm_frame_message(frame, &tracemerge__end__descriptor, err);
    if (end == NULL)
        return err->status;
    bool agrees = end->frame_count == before && end->event_count == reader->event_count;
    tracemerge__end__free_unpacked(end, NULL);
    if (!agrees) {
        tm_error_set(err, TM_E_INPUT, "counts of the end frame do not agree with the stream");
        return at(frame->offset, err);
    }
    enum tm_status st = tm_frame_read(&reader->frames, &next, err);
    if (st == TM_OK) {
        tm_error_set(err, TM_E_INPUT, "a second stream follows the end; merge streams with tm-sort -m");
        return at(next.offset, err);
    }
    reader->ended = st == TM_END;
    return st;
}

enum tm_status tm_stream_reader_next(struct tm_stream_reader *reader, struct tm_frame *frame, struct tm_batch *batch,
                                     struct tm_error *err)
{
    if (reader->ended)
        return TM_END;
    enum tm_status st = tm_frame_read(&reader->frames, frame, err);
    if (st == TM_END)
        return tm_error_cut_stream(err, reader->frames.offset, "the stream is cut short, its end frame is missing");
    if (st < 0)
        return st;
    if (frame->type == TM_FRAME_END)
        return read_end(reader, frame, err);
    if (frame->type < TM_FRAME_OPTIONAL_FIRST && !known(frame->type)) {
        tm_error_set(err, TM_E_INPUT, "frame of required type %u is not known to this version", frame->type);
        return at(frame->offset, err);
    }
    if (frame->type == TM_FRAME_COMPACT_MESSAGES && !reader->takes_compact_messages) {
        tm_error_set(err, TM_E_INPUT,
                     "compact_sched messages are whole in this stream, which only merged.pftrace takes; "
                     "leave out --whole-sched of tm-unpack");
        return at(frame->offset, err);
    }
    reader->has_compact_messages |= frame->type == TM_FRAME_COMPACT_MESSAGES;
    if (frame->type != TM_FRAME_BATCH)
        return TM_OK;
    reader->store.unread = reader->unread;
    st = tm_batch_decode(batch, &reader->store, frame->body, frame->body_bytes, err);
    reader->event_count += batch->count;
    bool is_more = st == TM_OK && reader->has_compact_messages;
    tm_progress_events(&reader->frames.progress, is_more ? tm_batch_events(batch) : batch->count);
    return st < 0 ? at(frame->offset, err) : st;
}

void tm_stream_reader_release(struct tm_stream_reader *reader)
{
    tm_frame_reader_release(&reader->frames);
    tm_batch_store_release(&reader->store);
}
