#include "clocks/pending_frames.h"

#include "base/table.h"
#include "stream/reader.h"

#include <stdlib.h>

enum tm_status tm_pending_frames_add(struct tm_pending_frames *pending, const struct tm_frame *frame,
                                     struct tm_error *err)
{
    const ProtobufCMessageDescriptor *descriptor = frame->type == TM_FRAME_SEQUENCE ? &tracemerge__sequence__descriptor
                                                   : frame->type == TM_FRAME_STAT   ? &tracemerge__stat__descriptor
                                                                                    : &tracemerge__metadata__descriptor;
    if (pending->count == TM_PENDING_FRAMES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d sequences without an event", TM_PENDING_FRAMES_MAX);
    if (tm_array_grow(&pending->frames, &pending->cap, pending->count, sizeof *pending->frames, err) < 0)
        return TM_E_SYSTEM;
    ProtobufCMessage *message = tm_frame_message(frame, descriptor, err);
    if (message == NULL)
        return err->status;
    struct tm_pending_frame *added = &pending->frames[pending->count++];
    *added = (struct tm_pending_frame){.type = (enum tm_frame_type)frame->type, .message = message};
    if (frame->type == TM_FRAME_METADATA) {
        const Tracemerge__Metadata *metadata = (const Tracemerge__Metadata *)message;
        added->file = metadata->has_file ? metadata->file : UINT32_MAX;
        added->embedded = metadata->has_machine ? metadata->machine : 0;
    } else if (frame->type == TM_FRAME_SEQUENCE) {
        const Tracemerge__Sequence *sequence = (const Tracemerge__Sequence *)message;
        added->file = sequence->file;
        added->embedded = sequence->machine;
        added->generation = sequence->generation;
    } else {
        const Tracemerge__Stat *stat = (const Tracemerge__Stat *)message;
        added->file = stat->has_file ? stat->file : UINT32_MAX;
        added->embedded = stat->has_machine ? stat->machine : 0;
    }
    return TM_OK;
}

/* Finds the scope of the machine that FRAME means. A Sequence frame is treated like the first packet of its machine if
 * none has come yet. *SCOPE is NULL if the frame belongs to no file in its turn. */
static enum tm_status find_scope(const struct tm_pending_frames *pending, const struct tm_pending_frame *frame,
                                 struct tm_clock_scope **scope, struct tm_error *err)
{
    struct tm_clock_file *file = frame->file < pending->files->count ? pending->files->files[frame->file] : NULL;
    *scope = NULL;
    if (file == NULL || !file->is_open || file->base == NULL)
        return TM_OK;
    *scope = tm_clock_file_find(file, frame->embedded);
    if (*scope || frame->type != TM_FRAME_SEQUENCE)
        return TM_OK;
    enum tm_status st = tm_clock_file_scope(file, pending->registry, frame->embedded, scope, err);
    if (st == TM_OK)
        tm_clock_file_note_data(pending->registry, frame->embedded, *scope);
    return st;
}

static enum tm_status write_frame(const struct tm_pending_frames *pending, struct tm_pending_frame *frame,
                                  const struct tm_clock_scope *scope, struct tm_error *err)
{
    if (frame->type == TM_FRAME_SEQUENCE) {
        ((Tracemerge__Sequence *)frame->message)->machine = scope ? scope->machine : 0;
    } else if (frame->type == TM_FRAME_METADATA) {
        Tracemerge__Metadata *metadata = (Tracemerge__Metadata *)frame->message;
        metadata->has_machine = scope != NULL;
        metadata->machine = scope ? scope->machine : 0;
    } else {
        Tracemerge__Stat *stat = (Tracemerge__Stat *)frame->message;
        stat->has_machine = scope != NULL;
        stat->machine = scope ? scope->machine : 0;
    }
    enum tm_status st = tm_stream_write_message(pending->writer, frame->type, frame->message, err);
    protobuf_c_message_free_unpacked(frame->message, NULL);
    frame->message = NULL;
    return st;
}

static enum tm_status write_some(struct tm_pending_frames *pending, uint32_t generation, bool is_last,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t kept = 0;
    for (size_t i = 0; i < pending->count; i++) {
        struct tm_pending_frame *frame = &pending->frames[i];
        struct tm_clock_scope *scope = NULL;
        bool is_due = st == TM_OK && frame->generation <= generation;
        if (is_due)
            st = find_scope(pending, frame, &scope, err);
        bool must_wait = frame->type != TM_FRAME_SEQUENCE && frame->file < pending->files->count && !is_last;
        if (is_due && st == TM_OK && (scope || !must_wait))
            st = write_frame(pending, frame, scope, err);
        else
            pending->frames[kept++] = *frame;
    }
    pending->count = kept;
    return st;
}

enum tm_status tm_pending_frames_write(struct tm_pending_frames *pending, uint32_t generation, struct tm_error *err)
{
    return pending->count ? write_some(pending, generation, false, err) : TM_OK;
}

enum tm_status tm_pending_frames_finish(struct tm_pending_frames *pending, struct tm_error *err)
{
    return write_some(pending, UINT32_MAX, true, err);
}

void tm_pending_frames_release(struct tm_pending_frames *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        protobuf_c_message_free_unpacked(pending->frames[i].message, NULL);
    free(pending->frames);
    *pending = (struct tm_pending_frames){0};
}
