/* What a frame looks like: it is checked when it is read, and made when it is written. Its bytes go through a pipe
 * (frame_pipe.c) or a ring (frame_ring.c). */
#include "stream/frame.h"

#include "base/hash.h"
#include "os/compat.h"
#include "stream/internal.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    FRAME_HEAD_MAX = 1 + TM_VARINT_MAX,
    FRAME_READ_BYTES = 1 << 20,
    FRAME_NOTES_BYTES = 16 << 10, /* read at once from a pipe beside a ring, which has few bytes */
    FRAME_PIPE_BYTES = 1 << 20,
    FRAME_SIGHT_BYTES = 16 /* body bytes that tm_frame_preview shows */
};

void tm_frame_reader_init(struct tm_frame_reader *reader, int fd)
{
    *reader = (struct tm_frame_reader){.fd = fd, .chunk_bytes = FRAME_READ_BYTES};
    if (fd == STDIN_FILENO) {
        tm_progress_attach(&reader->progress, false);
        tm_ring_attach(&reader->ring, false, fd);
    }
    if (reader->ring.bytes)
        reader->chunk_bytes = FRAME_NOTES_BYTES;
    tm_compat_widen_pipe(fd, FRAME_PIPE_BYTES);
}

static enum tm_status damaged(const struct tm_frame_reader *r, const char *what, struct tm_error *err)
{
    return tm_error_at(err, r->offset, "%s", what);
}

static enum tm_status cut_short(const struct tm_frame_reader *r, struct tm_error *err)
{
    return tm_error_cut_stream(err, r->offset, "frame is cut short");
}

/* Fails because of WHAT, or, at the first frame, because the input is something else than a stream. */
static enum tm_status no_frame(const struct tm_frame_reader *r, const char *what, struct tm_error *err)
{
    return damaged(r, r->count ? what : "not a tracemerge stream, which tm-unpack makes of traces", err);
}

/* Reads until R has at least NEED unread bytes. TM_END with fewer. */
static enum tm_status want(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    return r->is_shared ? tm_frame_ring_want(r, need, err) : tm_frame_pipe_want(r, need, err);
}

/* Reads the lengths of the next frame's message and of its head. */
static enum tm_status read_head(struct tm_frame_reader *r, uint64_t *len, size_t *head, struct tm_error *err)
{
    enum tm_status st = r->ring.bytes ? tm_frame_ring_find(r, err) : TM_OK;
    if (st == TM_END)
        return cut_short(r, err);
    if (st == TM_OK)
        st = want(r, FRAME_HEAD_MAX, err);
    if (st < 0)
        return st;
    size_t have = r->end - r->start;
    const uint8_t *p = r->mem + r->start;
    if (have == 0)
        return TM_END;
    if (p[0] != TM_FRAME_TAG)
        return no_frame(r, "not a frame; the stream is damaged", err);
    const uint8_t *q = tm_varint_get(p + 1, p + (have < FRAME_HEAD_MAX ? have : FRAME_HEAD_MAX), len);
    if (q == NULL)
        return have < FRAME_HEAD_MAX ? cut_short(r, err) : damaged(r, "length of the frame is damaged", err);
    if (*len > TM_FRAME_BYTES_MAX)
        return damaged(r, "frame is larger than the limit", err);
    *head = (size_t)(q - p);
    return TM_OK;
}

/* Sets *MESSAGE to a copy of the LEN bytes there, so that no other process can change them while they are used. */
static enum tm_status copy_shared(struct tm_frame_reader *r, const uint8_t **message, size_t len, struct tm_error *err)
{
    tm_buf_clear(&r->copy);
    if (tm_buf_add(&r->copy, *message, len) != TM_OK)
        return tm_error_nomem(err);
    *message = r->copy.data;
    return TM_OK;
}

enum tm_status tm_frame_read(struct tm_frame_reader *r, struct tm_frame *frame, struct tm_error *err)
{
    uint64_t len = 0, tag, body_len;
    size_t head = 0;
    enum tm_status st = read_head(r, &len, &head, err);
    if (st != TM_OK)
        return st;
    st = want(r, head + (size_t)len, err);
    if (st == TM_END)
        return cut_short(r, err);
    if (st < 0)
        return st;
    const uint8_t *p = r->mem + r->start + head;
    if (r->copies_shared && r->is_shared && !r->is_copied && (st = copy_shared(r, &p, (size_t)len, err)) < 0)
        return st;
    const uint8_t *end = p + len;
    if (len < TM_FRAME_CHECKSUM_BYTES || end[-TM_FRAME_CHECKSUM_BYTES] != TM_FRAME_CHECKSUM_TAG)
        return no_frame(r, "frame has no checksum", err);
    end -= TM_FRAME_CHECKSUM_BYTES;
    if (!r->is_shared && tm_hash64(p, (size_t)(end - p)) != tm_get_le64(end + 1))
        return damaged(r, "checksum of the frame does not match", err);
    const uint8_t *q = tm_varint_get(p, end, &tag);
    if (q == NULL || (tag & 7) != 2 || tag >> 3 == 0 || tag >> 3 > 0x1fffffff ||
        (q = tm_varint_get(q, end, &body_len)) == NULL || body_len != (uint64_t)(end - q))
        return damaged(r, "frame has no body", err);
    frame->type = (uint32_t)(tag >> 3);
    frame->body = q;
    frame->body_bytes = (size_t)body_len;
    frame->offset = r->offset;
    frame->whole = r->is_shared ? NULL : r->mem + r->start;
    frame->whole_bytes = head + (size_t)len;
    r->start += head + (size_t)len;
    r->offset += head + len;
    r->count++;
    return TM_OK;
}

enum tm_status tm_frame_next(const uint8_t **p, const uint8_t *end, struct tm_frame *frame)
{
    uint64_t len = 0, tag = 0, body_len = 0;
    if (*p == end)
        return TM_END;
    const uint8_t *start = tm_varint_get(*p + 1, end, &len);
    const uint8_t *body = tm_varint_get(tm_varint_get(start, end, &tag), end, &body_len);
    *frame = (struct tm_frame){.type = (uint32_t)(tag >> 3), .body = body, .body_bytes = (size_t)body_len,
                               .whole = *p, .whole_bytes = (size_t)(start - *p) + (size_t)len};
    *p = start + len;
    return TM_OK;
}

enum tm_status tm_frame_peek(struct tm_frame_reader *r, uint32_t *type, struct tm_error *err)
{
    uint64_t len, tag;
    size_t head = 0;
    enum tm_status st = read_head(r, &len, &head, err);
    if (st == TM_OK)
        st = want(r, TM_VARINT_MAX < len ? head + TM_VARINT_MAX : head + (size_t)len, err);
    if (st < 0)
        return st;
    const uint8_t *end = r->mem + r->end;
    if (r->end == r->start)
        return TM_END;
    if (tm_varint_get(r->mem + r->start + head, end, &tag) == NULL || tag >> 3 > UINT32_MAX)
        return cut_short(r, err);
    *type = (uint32_t)(tag >> 3);
    return TM_OK;
}

enum tm_status tm_frame_preview(struct tm_frame_reader *r, struct tm_frame_sight *sight, struct tm_error *err)
{
    uint64_t len, tag, body_len;
    size_t head = 0;
    enum tm_status st = read_head(r, &len, &head, err);
    if (st != TM_OK)
        return st;
    size_t most = head + 2 * TM_VARINT_MAX + FRAME_SIGHT_BYTES; /* no byte after the frame: the pipe may have none */
    st = want(r, most < head + len ? most : head + (size_t)len, err);
    if (st < 0)
        return st;
    const uint8_t *end = r->mem + r->end, *p = tm_varint_get(r->mem + r->start + head, end, &tag);
    if (p == NULL || tag >> 3 > UINT32_MAX || (p = tm_varint_get(p, end, &body_len)) == NULL)
        return cut_short(r, err);
    *sight = (struct tm_frame_sight){.type = (uint32_t)(tag >> 3), .whole_bytes = head + (size_t)len, .body = p};
    sight->body_seen = (size_t)(end - p) < body_len ? (size_t)(end - p) : (size_t)body_len;
    return TM_OK;
}

void tm_frame_reader_release(struct tm_frame_reader *reader)
{
    tm_frame_ring_leave(reader);
    if (!reader->is_shared || reader->is_copied)
        free(reader->mem);
    tm_buf_release(&reader->copy);
    tm_ring_detach(&reader->ring);
    tm_progress_detach(&reader->progress);
    *reader = (struct tm_frame_reader){.fd = -1, .ended = true};
}

void tm_frame_writer_init(struct tm_frame_writer *writer, int fd)
{
    *writer = (struct tm_frame_writer){.fd = fd};
    if (fd == STDOUT_FILENO) {
        tm_progress_attach(&writer->progress, true);
        tm_ring_attach(&writer->ring, true, fd);
    }
    tm_compat_widen_pipe(fd, FRAME_PIPE_BYTES);
}

static enum tm_status write_bytes(struct tm_frame_writer *writer, const void *data, size_t len, struct tm_error *err)
{
    return writer->is_shared ? tm_frame_ring_write(writer, data, len, err)
                             : tm_frame_pipe_write(writer, data, len, err);
}

enum tm_status tm_frame_flush(struct tm_frame_writer *writer, struct tm_error *err)
{
    if (writer->put)
        return writer->out.len > 0 ? writer->put(writer->arg, &writer->out, err) : TM_OK;
    if (writer->is_shared && writer->out.len == 0)
        return tm_frame_ring_show(writer, err);
    if (!writer->is_shared)
        return tm_frame_pipe_flush(writer, err);
    enum tm_status st = tm_frame_ring_write(writer, writer->out.data, writer->out.len, err);
    tm_buf_clear(&writer->out);
    return st;
}

/* Sets ALL to the head of the frame PARTS, its pieces and TAIL, which gets its checksum. Returns their number. */
static size_t gather(const struct tm_frame_parts *parts, struct iovec all[TM_FRAME_PIECES_MAX + 2],
                     uint8_t tail[TM_FRAME_CHECKSUM_BYTES])
{
    const struct tm_frame_head *head = parts->head;
    size_t n = 0;
    all[n++] = (struct iovec){(void *)(uintptr_t)(head->bytes + head->length_bytes), head->len - head->length_bytes};
    for (size_t i = 0; i < parts->count; i++)
        all[n++] = (struct iovec){(void *)(uintptr_t)parts->pieces[i].data, parts->pieces[i].len};
    tail[0] = TM_FRAME_CHECKSUM_TAG;
    tm_put_le64(tail + 1, tm_hash64_pieces(all, n));
    all[0] = (struct iovec){(void *)(uintptr_t)head->bytes, head->len};
    all[n++] = (struct iovec){tail, TM_FRAME_CHECKSUM_BYTES};
    return n;
}

/* Writes a large frame from where its pieces are. */
static enum tm_status put_large(struct tm_frame_writer *writer, const struct tm_frame_parts *parts,
                                struct tm_error *err)
{
    struct iovec all[TM_FRAME_PIECES_MAX + 2];
    uint8_t tail[TM_FRAME_CHECKSUM_BYTES];
    enum tm_status st = tm_frame_flush(writer, err);
    size_t n = gather(parts, all, tail);
    if (st < 0)
        return st;
    if (!writer->is_shared)
        return tm_frame_pipe_put(writer, all, n, err);
    for (size_t i = 0; i < n && st == TM_OK; i++)
        st = tm_frame_ring_write(writer, all[i].iov_base, all[i].iov_len, err);
    return st;
}

/* Called between two frames: changes to the ring once its reader is there, unless frames go elsewhere. TM_OK or
 * TM_E_SYSTEM. */
static enum tm_status find_way(struct tm_frame_writer *writer, struct tm_error *err)
{
    if (writer->is_shared || writer->put || !tm_ring_is_read(&writer->ring))
        return TM_OK;
    enum tm_status st = tm_frame_flush(writer, err);
    return st < 0 ? st : tm_frame_ring_enter(writer, err);
}

/* Appends a small frame to others that are written together. */
static enum tm_status append_small(struct tm_frame_writer *writer, const struct tm_frame_parts *parts,
                                   struct tm_error *err)
{
    struct tm_buf *out = &writer->out;
    const struct tm_frame_head *head = parts->head;
    uint8_t tail[TM_FRAME_CHECKSUM_BYTES] = {TM_FRAME_CHECKSUM_TAG};
    size_t start = out->len + head->length_bytes;
    if (tm_buf_reserve(out, head->whole_bytes) != TM_OK) /* once, because each growth copies */
        return tm_error_nomem(err);
    tm_buf_add(out, head->bytes, head->len);
    for (size_t i = 0; i < parts->count; i++)
        tm_buf_add(out, parts->pieces[i].data, parts->pieces[i].len);
    tm_put_le64(tail + 1, tm_hash64(out->data + start, out->len - start));
    tm_buf_add(out, tail, sizeof tail);
    return out->len >= TM_FRAME_WRITE_BYTES ? tm_frame_flush(writer, err) : TM_OK;
}

enum tm_status tm_frame_write(struct tm_frame_writer *writer, uint32_t type, const struct tm_piece *pieces,
                              size_t count, struct tm_error *err)
{
    struct tm_frame_head head = {.bytes = {TM_FRAME_TAG}};
    size_t body = 0;
    for (size_t i = 0; i < count; i++)
        body += pieces[i].len;
    size_t len = tm_varint_size((uint64_t)type << 3) + tm_varint_size(body) + body + TM_FRAME_CHECKSUM_BYTES;
    if (len > TM_FRAME_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "a frame of %zu bytes is larger than the limit of %zu", len,
                            TM_FRAME_BYTES_MAX);
    uint8_t *p = tm_varint_put(head.bytes + 1, len);
    head.length_bytes = (size_t)(p - head.bytes);
    p = tm_varint_put(p, (uint64_t)type << 3 | 2);
    p = tm_varint_put(p, body);
    head.len = (size_t)(p - head.bytes);
    head.whole_bytes = head.length_bytes + len;
    writer->offset += head.whole_bytes;
    writer->count++;
    const struct tm_frame_parts parts = {&head, pieces, count};
    enum tm_status st = find_way(writer, err);
    if (st < 0)
        return st;
    if (tm_frame_ring_takes(writer, head.whole_bytes))
        return tm_frame_ring_put(writer, &parts, err);
    if (len < TM_FRAME_WRITE_BYTES || count > TM_FRAME_PIECES_MAX || writer->put)
        return append_small(writer, &parts, err);
    return put_large(writer, &parts, err);
}

enum tm_status tm_frame_forward(struct tm_frame_writer *writer, const struct tm_frame *frame, struct tm_error *err)
{
    struct tm_piece body = {frame->body, frame->body_bytes};
    if (frame->whole == NULL)
        return tm_frame_write(writer, frame->type, &body, 1, err);
    enum tm_status st = find_way(writer, err);
    writer->offset += frame->whole_bytes;
    writer->count++;
    if (st < 0)
        return st;
    if (tm_frame_ring_takes(writer, frame->whole_bytes))
        return tm_frame_ring_forward(writer, frame, err);
    if (!writer->is_shared && (frame->whole_bytes < TM_FRAME_WRITE_BYTES || writer->put)) {
        if (tm_buf_add(&writer->out, frame->whole, frame->whole_bytes) != TM_OK)
            return tm_error_nomem(err);
        return writer->out.len >= TM_FRAME_WRITE_BYTES ? tm_frame_flush(writer, err) : TM_OK;
    }
    st = tm_frame_flush(writer, err);
    return st < 0 ? st : write_bytes(writer, frame->whole, frame->whole_bytes, err);
}

/* Moves the next frame, of WHOLE bytes, from pipe to pipe. */
static enum tm_status pass_by_pipe(struct tm_frame_reader *r, struct tm_frame_writer *writer, size_t whole,
                                   struct tm_error *err)
{
    size_t have = r->end - r->start;
    enum tm_status st = tm_frame_flush(writer, err);
    have = have < whole ? have : whole;
    if (st < 0 || (st = tm_frame_pipe_write(writer, r->mem + r->start, have, err)) < 0)
        return st;
    r->start += have;
    /* Moving bytes without reading them takes only the time of waiting for the processes at both ends. */
    tm_progress_begin(&r->progress);
    if (have < whole)
        st = tm_frame_pipe_move(r, writer, whole - have, err);
    tm_progress_end(&r->progress, whole - have);
    return st;
}

/* Passes the next frame, of WHOLE bytes, on where it is. */
static enum tm_status pass_in_place(struct tm_frame_reader *r, struct tm_frame_writer *writer, size_t whole,
                                    struct tm_error *err)
{
    enum tm_status st = want(r, whole, err);
    return st == TM_OK ? tm_frame_ring_pass(r, writer, whole, err) : st;
}

bool tm_frame_passes_in_place(const struct tm_frame_reader *r, const struct tm_frame_writer *writer)
{
    return r->is_shared && !writer->is_shared && writer->fd == STDOUT_FILENO && tm_ring_is_taken(&r->ring);
}

enum tm_status tm_frame_pass(struct tm_frame_reader *r, struct tm_frame_writer *writer, struct tm_error *err)
{
    uint64_t len = 0;
    size_t head = 0;
    struct tm_frame frame;
    enum tm_status st = read_head(r, &len, &head, err);
    if (st != TM_OK)
        return st;
    size_t whole = head + (size_t)len;
    bool stays = whole <= TM_RING_PART_MAX && tm_frame_passes_in_place(r, writer);
    if ((r->is_shared || writer->is_shared) && !stays) {
        st = tm_frame_read(r, &frame, err);
        return st == TM_OK ? tm_frame_forward(writer, &frame, err) : st;
    }
    st = stays ? pass_in_place(r, writer, whole, err) : pass_by_pipe(r, writer, whole, err);
    if (st != TM_OK)
        return st < 0 ? st : cut_short(r, err);
    r->offset += whole;
    r->count++;
    writer->offset += whole;
    writer->count++;
    return TM_OK;
}

void tm_frame_writer_release(struct tm_frame_writer *writer)
{
    tm_buf_release(&writer->out);
    tm_ring_detach(&writer->ring);
    tm_progress_detach(&writer->progress);
}
