#include "sort/union/merge_input.h"

#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    INPUT_CHUNK_BYTES = 64 << 10, /* small, because hundreds of streams are open at once */
    INPUT_FRAMES_BYTES = 1 << 20
};

/* Keeps the machine's last state. The host's row can adopt an id later, and a name can come later. */
static enum tm_status take_machine(struct tm_merge_input *in, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__Machine *m = (Tracemerge__Machine *)tm_frame_message(frame, &tracemerge__machine__descriptor, err);
    if (m == NULL)
        return err->status;
    if (m->id > in->machine_count) {
        tm_error_at(err, frame->offset, "machine %u where at most machine %u can follow", m->id, in->machine_count);
        tracemerge__machine__free_unpacked(m, NULL);
        return TM_E_INPUT;
    }
    if (tm_array_grow(&in->machines, &in->machine_cap, in->machine_count, sizeof *in->machines, err) < 0) {
        tracemerge__machine__free_unpacked(m, NULL);
        return TM_E_SYSTEM;
    }
    if (m->id == in->machine_count) {
        in->machines[in->machine_count++] = m;
        return TM_OK;
    }
    Tracemerge__Machine *known = in->machines[m->id];
    known->raw_id = m->raw_id;
    if (m->has_name) {
        ProtobufCBinaryData swap = known->name;
        known->name = m->name;
        known->has_name = true;
        m->name = swap;
    }
    tracemerge__machine__free_unpacked(m, NULL);
    return TM_OK;
}

static enum tm_status take_trace_time(struct tm_merge_input *in, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__TraceTime *m =
        (Tracemerge__TraceTime *)tm_frame_message(frame, &tracemerge__trace_time__descriptor, err);
    if (m == NULL)
        return err->status;
    in->has_trace_time = true;
    in->trace_time = (Tracemerge__TraceTime)TRACEMERGE__TRACE_TIME__INIT;
    in->trace_time.clock = m->clock;
    in->trace_time.has_machine = m->has_machine;
    in->trace_time.machine = m->machine;
    in->trace_time.has_file = m->has_file;
    in->trace_time.file = m->file;
    tracemerge__trace_time__free_unpacked(m, NULL);
    return TM_OK;
}

/* Keeps all frames before the first batch. Their numbers have a meaning only after the last of them. */
static enum tm_status read_frames(struct tm_merge_input *in, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    uint32_t type;
    enum tm_status st;
    for (;;) {
        st = tm_frame_peek(&in->reader.frames, &type, err);
        in->has_events = st == TM_OK && type == TM_FRAME_BATCH;
        if (st < 0 || in->has_events)
            return st;
        st = tm_stream_reader_next(&in->reader, &frame, &batch, err);
        if (st == TM_OK && frame.type == TM_FRAME_MACHINE)
            st = take_machine(in, &frame, err);
        else if (st == TM_OK && frame.type == TM_FRAME_TRACE_TIME)
            st = take_trace_time(in, &frame, err);
        if (st == TM_OK)
            st = tm_order_check_next(&in->check, &frame, &batch, err);
        if (st == TM_OK)
            st = tm_frame_file_add(&in->frames, &frame, err);
        if (st != TM_OK)
            return st < 0 ? st : TM_OK;
    }
}

static enum tm_status add_frame(void *input, const struct tm_frame *frame, struct tm_error *err)
{
    struct tm_merge_input *in = input;
    return tm_frame_union_add(in->all, &in->ids, frame, err);
}

static enum tm_status join(struct tm_merge_input *in, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    tm_frame_union_begin(in->all, &in->ids, in->name);
    for (uint32_t i = 0; i < in->machine_count && st == TM_OK; i++)
        st = tm_frame_union_machine(in->all, &in->ids, in->machines[i], err);
    if (st == TM_OK)
        st = tm_frame_file_each(&in->frames, add_frame, in, err);
    if (st == TM_OK && in->has_trace_time && in->trace_time.has_machine)
        st = tm_stream_ids_machine(&in->ids, &in->trace_time.machine, err);
    if (st == TM_OK && in->has_trace_time && in->trace_time.has_file)
        st = tm_stream_ids_file(&in->ids, &in->trace_time.file, err);
    tm_frame_union_end(in->all, &in->ids);
    return st;
}

static void free_frames(struct tm_merge_input *in)
{
    for (uint32_t i = 0; i < in->machine_count; i++)
        tracemerge__machine__free_unpacked(in->machines[i], NULL);
    free(in->machines);
    in->machines = NULL;
    in->machine_count = in->machine_cap = 0;
    tm_frame_file_release(&in->frames);
}

enum tm_status tm_merge_input_open(struct tm_merge_input *in, struct tm_error *err)
{
    in->frames = (struct tm_frame_file){.memory_bytes = INPUT_FRAMES_BYTES, .file.dir = in->all->dir};
    enum tm_status st = tm_stream_reader_open_chunked(&in->reader, in->fd, INPUT_CHUNK_BYTES, err);
    in->reader.takes_compact_messages = true;
    if (st == TM_OK && in->reader.header.stage != TRACEMERGE__STAGE__PLACED)
        st = tm_error_set(err, TM_E_INPUT, "the stream's times are not trace time yet: pipe it through tm-clocks "
                                         "first");
    if (st == TM_OK && !in->reader.header.sorted)
        st = tm_error_set(err, TM_E_INPUT, "the stream is not sorted: pipe it through tm-sort first");
    if (st == TM_OK)
        st = read_frames(in, err);
    if (st == TM_OK)
        st = join(in, err);
    free_frames(in);
    return st == TM_E_INPUT ? tm_error_prefix(err, "%s", in->name) : st;
}

enum tm_status tm_merge_input_resume(struct tm_merge_input *in, struct tm_error *err)
{
    if (!in->opens)
        return TM_OK;
    in->fd = open(in->name, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0)
        return tm_error_open(err, errno, "%s: cannot open", in->name);
    in->reader.frames.fd = in->fd;
    return lseek(in->fd, in->offset, SEEK_SET) < 0 ? tm_error_errno(err, errno, "%s: cannot be read on", in->name)
                                                   : TM_OK;
}

enum tm_status tm_merge_input_park(struct tm_merge_input *in, struct tm_error *err)
{
    if (!in->opens || in->fd < 0)
        return TM_OK;
    in->offset = lseek(in->fd, 0, SEEK_CUR);
    enum tm_status st =
        in->offset < 0 ? tm_error_errno(err, errno, "%s: cannot be read in parts", in->name) : TM_OK;
    (void)close(in->fd);
    in->fd = in->reader.frames.fd = -1;
    return st;
}

/* Reads the next batch as one block, or as two if it holds definitions and other events. */
static enum tm_status read_batch(struct tm_merge_input *in, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    size_t at = 0;
    enum tm_status st;
    do {
        st = tm_stream_reader_next(&in->reader, &frame, &batch, err);
        if (st == TM_OK)
            st = tm_order_check_next(&in->check, &frame, &batch, err);
    } while (st == TM_OK && batch.count == 0);
    if (st == TM_OK && (st = tm_batch_renumber(&in->renumber, &batch, &in->ids, &in->all->strings, err)) < 0)
        tm_error_prefix(err, "byte %llu", (unsigned long long)frame.offset);
    if (st != TM_OK)
        return st;
    in->rest = tm_block_of(&batch);
    in->rest.sequence = in->sequence;
    in->has_rest = true;
    uint32_t definitions = 0;
    while (definitions < batch.count && tm_sort_is_definition(&batch, definitions))
        at += tm_batch_payload_of(&batch, definitions++);
    if (definitions > 0 && definitions < batch.count) {
        in->block = in->rest;
        in->block.definitions = true;
        in->block.end = definitions;
        in->rest.first = definitions;
        in->rest.first_at = at;
        in->has_head = true;
    }
    in->rest.definitions = definitions == batch.count;
    return TM_OK;
}

enum tm_status tm_merge_input_next(void *input, struct tm_block **block, struct tm_error *err)
{
    struct tm_merge_input *in = input;
    if (!in->has_rest) {
        enum tm_status st = read_batch(in, err);
        if (st != TM_OK)
            return st == TM_E_INPUT ? tm_error_prefix(err, "%s", in->name) : st;
    }
    *block = &in->block;
    if (in->has_head) {
        in->has_head = false;
        return TM_OK;
    }
    if (in->only_definitions && !in->rest.definitions)
        return TM_END;
    in->block = in->rest;
    in->has_rest = false;
    return TM_OK;
}

void tm_merge_input_release(struct tm_merge_input *in)
{
    if (in->opens && in->fd >= 0)
        (void)close(in->fd);
    in->fd = -1;
    free_frames(in);
    tm_stream_ids_release(&in->ids);
    tm_stream_reader_release(&in->reader);
    tm_order_check_release(&in->check);
    tm_batch_renumber_release(&in->renumber);
}
