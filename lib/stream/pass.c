#include "stream/pass.h"

#include "os/compat.h"

enum {
    PASS_CHUNK_BYTES = 4096,
    PASS_FRAME_BYTES = 64 << 10 /* smaller frames are read, unless they stay where they are */
};

enum tm_status tm_stream_pass_open(struct tm_stream_reader *reader, int in, int out, struct tm_error *err)
{
    return tm_stream_reader_open_copied(reader, in, tm_compat_can_splice(in, out) ? PASS_CHUNK_BYTES : 0, err);
}

enum tm_status tm_stream_pass_batch(struct tm_stream_reader *reader, struct tm_stream_writer *writer,
                                    struct tm_error *err)
{
    struct tm_frame_sight sight = {0};
    uint64_t count;
    if (reader->ended || reader->frames.chunk_bytes != PASS_CHUNK_BYTES)
        return TM_END;
    enum tm_status st = tm_frame_preview(&reader->frames, &sight, err);
    if (st != TM_OK)
        return st;
    /* tracemerge writes the count first in each batch. The END frame is compared with it. */
    size_t least = tm_frame_passes_in_place(&reader->frames, &writer->frames) ? 0 : PASS_FRAME_BYTES;
    if (sight.type != TM_FRAME_BATCH || sight.whole_bytes < least || sight.body_seen == 0 ||
        sight.body[0] != TM_BATCH_FIELD_COUNT << 3 ||
        tm_varint_get(sight.body + 1, sight.body + sight.body_seen, &count) == NULL || count > TM_BATCH_EVENTS_MAX)
        return TM_END;
    st = tm_frame_pass(&reader->frames, &writer->frames, err);
    reader->event_count += count;
    writer->event_count += count;
    tm_progress_events(&reader->frames.progress, count);
    tm_progress_events(&writer->frames.progress, count);
    return st;
}
