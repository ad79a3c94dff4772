#include "sort/frame_file.h"

/* A frame is stored as type (4 bytes), length (8 bytes), offset (8 bytes) and body. */
enum { TEMPORARY_HEAD_BYTES = 20, FEW_BYTES = 256 << 10 };

static enum tm_status spill(struct tm_frame_file *s, struct tm_error *err)
{
    enum tm_status st = tm_temporary_file_add(&s->file, s->pending.data, s->pending.len, err);
    if (st < 0 && s->file.is_open)
        return tm_error_prefix(err, "%s: temporary file", s->file.dir ? s->file.dir : "frames");
    tm_buf_clear(&s->pending);
    return st;
}

/* Makes room for LEN bytes in memory. Once the frames are not few, they get all of their memory: the pages of one large
 * block cost less than those of a block that grows. */
static enum tm_status make_room(struct tm_frame_file *s, size_t len, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (s->pending.len > 0 && s->pending.len + len > s->memory_bytes)
        st = spill(s, err);
    size_t want = s->pending.len > FEW_BYTES && s->memory_bytes - s->pending.len > len
                      ? s->memory_bytes - s->pending.len : len;
    return st == TM_OK && tm_buf_reserve(&s->pending, want) != TM_OK ? tm_error_nomem(err) : st;
}

enum tm_status tm_frame_file_add(struct tm_frame_file *s, const struct tm_frame *frame, struct tm_error *err)
{
    uint8_t head[TEMPORARY_HEAD_BYTES];
    enum tm_status st = make_room(s, sizeof head + frame->body_bytes, err);
    if (st < 0)
        return st;
    tm_put_le32(head, frame->type);
    tm_put_le64(head + 4, frame->body_bytes);
    tm_put_le64(head + 12, frame->offset);
    tm_buf_add(&s->pending, head, sizeof head);
    tm_buf_add(&s->pending, frame->body, frame->body_bytes);
    return s->pending.len > s->memory_bytes ? spill(s, err) : TM_OK;
}

/* Shows all complete frames in memory and removes them. */
static enum tm_status show_pending(struct tm_frame_file *s, tm_frame_file_fn *show, void *to, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    size_t at = 0;
    while (st == TM_OK && s->pending.len - at >= TEMPORARY_HEAD_BYTES) {
        const uint8_t *head = s->pending.data + at;
        uint64_t len = tm_get_le64(head + 4);
        if (s->pending.len - at - TEMPORARY_HEAD_BYTES < len)
            break;
        struct tm_frame frame = {.type = tm_get_le32(head), .offset = tm_get_le64(head + 12),
                                 .body = head + TEMPORARY_HEAD_BYTES, .body_bytes = (size_t)len};
        st = show(to, &frame, err);
        at += TEMPORARY_HEAD_BYTES + (size_t)len;
    }
    tm_buf_consume(&s->pending, at);
    return st;
}

enum tm_status tm_frame_file_each(struct tm_frame_file *s, tm_frame_file_fn *show, void *to, struct tm_error *err)
{
    enum { READ_BYTES = 256 << 10 };
    if (s->file.len == 0)
        return show_pending(s, show, to, err);
    enum tm_status st = spill(s, err);
    uint64_t offset = 0;
    while (st == TM_OK && offset < s->file.len) {
        uint64_t left = s->file.len - offset;
        size_t len = left < READ_BYTES ? (size_t)left : READ_BYTES;
        if (tm_buf_reserve(&s->pending, len) != TM_OK)
            return tm_error_nomem(err);
        st = tm_temporary_file_read(&s->file, s->pending.data + s->pending.len, len, offset, err);
        if (st < 0)
            return st;
        s->pending.len += len;
        offset += len;
        st = show_pending(s, show, to, err);
    }
    return st;
}

static enum tm_status write_frame(void *writer, const struct tm_frame *frame, struct tm_error *err)
{
    return tm_stream_write_frame(writer, frame, err);
}

enum tm_status tm_frame_file_write(struct tm_frame_file *s, struct tm_stream_writer *writer, struct tm_error *err)
{
    return tm_frame_file_each(s, write_frame, writer, err);
}

void tm_frame_file_release(struct tm_frame_file *s)
{
    tm_temporary_file_release(&s->file);
    tm_buf_release(&s->pending);
}
