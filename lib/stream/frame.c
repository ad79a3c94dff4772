#include "stream/frame.h"

#include "base/bytes.h"
#include "os/compat.h"
#include "base/hash.h"
#include "os/io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    FRAME_TAG = 0x0a,        /* field 1, length-delimited */
    FRAME_CHECKSUM_TAG = 0x79, /* field 15, fixed64 */
    FRAME_CHECKSUM_BYTES = 9,  /* with its tag */
    FRAME_HEAD_MAX = 1 + TM_VARINT_MAX,
    FRAME_READ_BYTES = 1 << 20,
    FRAME_WRITE_BYTES = 256 << 10,
    FRAME_SHARED_MAX = TM_RING_PART_MAX, /* larger frames go through the ring in parts, and readers copy them */
    FRAME_PIPE_BYTES = 1 << 20,
    FRAME_PIECES_MAX = 64,
    FRAME_SIGHT_BYTES = 16 /* body bytes that tm_frame_preview shows */
};

/* The bytes of a frame before the pieces of its body. */
struct tm_frame_head {
    uint8_t bytes[1 + 3 * TM_VARINT_MAX];
    size_t len;
    size_t length_bytes; /* bytes of these that the checksum does not cover */
    size_t whole_bytes;  /* bytes of the whole frame */
};

void tm_frame_reader_init(struct tm_frame_reader *reader, int fd)
{
    *reader = (struct tm_frame_reader){.fd = fd, .chunk_bytes = FRAME_READ_BYTES};
    if (fd == STDIN_FILENO) {
        tm_progress_attach(&reader->progress, false);
        tm_ring_attach(&reader->ring, false, fd);
    }
    tm_compat_widen_pipe(fd, FRAME_PIPE_BYTES);
}

/* Makes room to read more of the NEED bytes. Memory grows as bytes arrive, so a false length takes none. */
static enum tm_status make_room(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    size_t have = r->end - r->start;
    bool fits = need <= r->cap - r->start;
    if (!fits && r->start > 0 && (need <= r->cap || have <= r->cap / 2)) {
        memmove(r->mem, r->mem + r->start, have);
        r->start = 0;
        r->end = have;
    }
    if (r->end < r->cap)
        return TM_OK;
    size_t cap = r->cap ? 2 * r->cap : 2 * r->chunk_bytes;
    uint8_t *mem = malloc(cap);
    if (mem == NULL)
        return tm_error_nomem(err);
    if (have)
        memcpy(mem, r->mem + r->start, have);
    free(r->mem);
    r->mem = mem;
    r->cap = cap;
    r->start = 0;
    r->end = have;
    return TM_OK;
}

/* Doubles mem, a copy of what the ring had. */
static enum tm_status grow_copy(struct tm_frame_reader *r, struct tm_error *err)
{
    size_t cap = r->is_copied ? 2 * r->cap : TM_RING_BYTES;
    uint8_t *mem = realloc(r->is_copied ? r->mem : NULL, cap);
    if (mem == NULL)
        return tm_error_nomem(err);
    r->mem = mem;
    r->cap = cap;
    return TM_OK;
}

/* Copies a frame of NEED bytes, more than the ring can hold, out of it. Memory grows as bytes arrive. */
static enum tm_status copy_shared(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    size_t have = 1;
    if (!r->is_copied)
        r->start = r->end = 0;
    while (r->end < need && have > 0 && st == TM_OK) {
        if (!r->is_copied || r->end == r->cap)
            st = grow_copy(r, err);
        r->is_copied |= st == TM_OK;
        if (st == TM_OK)
            st = tm_ring_wait(&r->ring, 1, &have, err);
        if (st < 0)
            return st;
        size_t n = have < r->cap - r->end ? have : r->cap - r->end;
        n = n < need - r->end ? n : need - r->end;
        memcpy(r->mem + r->end, tm_ring_unread(&r->ring), n);
        tm_ring_consume(&r->ring, n);
        r->end += n;
    }
    return st;
}

/* want() for a reader with a ring. Frames are used where they are. */
static enum tm_status want_shared(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    size_t had = r->end - r->start;
    enum tm_status st = TM_OK;
    if (had >= need)
        return TM_OK;
    tm_progress_begin(&r->progress);
    if (r->is_copied || need > FRAME_SHARED_MAX) {
        st = copy_shared(r, need, err);
    } else if ((st = tm_ring_wait(&r->ring, need, &r->end, err)) == TM_OK) {
        r->start = 0;
        r->mem = (uint8_t *)(uintptr_t)tm_ring_unread(&r->ring);
    }
    tm_progress_end(&r->progress, r->end - r->start - had);
    return st < 0 ? st : r->end - r->start >= need ? TM_OK : TM_END;
}

/* Gives back what was read before; called when the last frame is not used any more. */
static void release_shared(struct tm_frame_reader *r)
{
    if (r->is_copied && r->start == r->end) {
        free(r->mem);
        r->is_copied = false;
        r->start = r->end = 0;
        r->mem = NULL;
    } else if (!r->is_copied && r->start) {
        tm_ring_consume(&r->ring, r->start);
        r->end -= r->start;
        r->start = 0;
        r->mem = (uint8_t *)(uintptr_t)tm_ring_unread(&r->ring);
    }
}

/* Reads until mem has at least NEED unread bytes. TM_END with fewer. */
static enum tm_status want(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    if (r->is_shared)
        return want_shared(r, need, err);
    while (r->end - r->start < need && !r->ended) {
        size_t got = 0;
        enum tm_status st = make_room(r, need, err);
        if (st == TM_OK) {
            tm_progress_begin(&r->progress);
            st = tm_io_read(r->fd, r->mem + r->end, r->cap - r->end, &got, err);
            tm_progress_end(&r->progress, got);
        }
        if (st < 0)
            return st;
        r->end += got;
        r->ended = st == TM_END;
    }
    return r->end - r->start >= need ? TM_OK : TM_END;
}

static enum tm_status damaged(const struct tm_frame_reader *r, const char *what, struct tm_error *err)
{
    return tm_error_at(err, r->offset, "%s", what);
}

/* Prepares a reader that has a ring for its next frame: gives back what was read before, or, at TM_RING_MARK in the
 * pipe, changes to the ring. TM_OK, also at the end; or an error. */
static enum tm_status find_source(struct tm_frame_reader *r, struct tm_error *err)
{
    if (r->is_shared) {
        release_shared(r);
        return TM_OK;
    }
    enum tm_status st = want(r, 1, err);
    if (st != TM_OK || r->mem[r->start] != TM_RING_MARK)
        return st < 0 ? st : TM_OK;
    free(r->mem);
    r->mem = NULL;
    r->start = r->end = 0;
    r->is_shared = true;
    return TM_OK;
}

/* Reads the lengths of the next frame's message and of its head. */
static enum tm_status read_head(struct tm_frame_reader *r, uint64_t *len, size_t *head, struct tm_error *err)
{
    enum tm_status st = r->ring.bytes ? find_source(r, err) : TM_OK;
    if (st == TM_OK)
        st = want(r, FRAME_HEAD_MAX, err);
    if (st < 0)
        return st;
    size_t have = r->end - r->start;
    const uint8_t *p = r->mem + r->start;
    if (have == 0)
        return TM_END;
    if (p[0] != FRAME_TAG)
        return damaged(r, r->count ? "not a frame; the stream is damaged" : "not a tracemerge stream", err);
    const uint8_t *q = tm_varint_get(p + 1, p + (have < FRAME_HEAD_MAX ? have : FRAME_HEAD_MAX), len);
    if (q == NULL)
        return damaged(r, have < FRAME_HEAD_MAX ? "frame is cut short" : "length of the frame is damaged", err);
    if (*len > TM_FRAME_BYTES_MAX)
        return damaged(r, "frame is larger than the limit", err);
    *head = (size_t)(q - p);
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
        return damaged(r, "frame is cut short", err);
    if (st < 0)
        return st;
    const uint8_t *p = r->mem + r->start + head;
    const uint8_t *end = p + len;
    if (len < FRAME_CHECKSUM_BYTES || end[-FRAME_CHECKSUM_BYTES] != FRAME_CHECKSUM_TAG)
        return damaged(r, r->count ? "frame has no checksum" : "not a tracemerge stream", err);
    end -= FRAME_CHECKSUM_BYTES;
    if (tm_hash64(p, (size_t)(end - p)) != tm_get_le64(end + 1))
        return damaged(r, "checksum of the frame does not match", err);
    const uint8_t *q = tm_varint_get(p, end, &tag);
    if (q == NULL || (tag & 7) != 2 || tag >> 3 == 0 || tag >> 3 > 0x1fffffff ||
        (q = tm_varint_get(q, end, &body_len)) == NULL || body_len != (uint64_t)(end - q))
        return damaged(r, "frame has no body", err);
    frame->type = (uint32_t)(tag >> 3);
    frame->body = q;
    frame->body_bytes = (size_t)body_len;
    frame->offset = r->offset;
    frame->whole = r->mem + r->start;
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
        return damaged(r, "frame is cut short", err);
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
    if (want(r, most < head + len ? most : head + (size_t)len, err) < 0)
        return TM_E_SYSTEM;
    const uint8_t *end = r->mem + r->end, *p = tm_varint_get(r->mem + r->start + head, end, &tag);
    if (p == NULL || tag >> 3 > UINT32_MAX || (p = tm_varint_get(p, end, &body_len)) == NULL)
        return damaged(r, "frame is cut short", err);
    *sight = (struct tm_frame_sight){.type = (uint32_t)(tag >> 3), .whole_bytes = head + (size_t)len, .body = p};
    sight->body_seen = (size_t)(end - p) < body_len ? (size_t)(end - p) : (size_t)body_len;
    return TM_OK;
}

void tm_frame_reader_release(struct tm_frame_reader *reader)
{
    if (!reader->is_shared || reader->is_copied)
        free(reader->mem);
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
    tm_progress_begin(&writer->progress);
    enum tm_status st = writer->is_shared ? tm_ring_write(&writer->ring, data, len, err)
                                           : tm_io_write(writer->fd, data, len, err);
    tm_progress_end(&writer->progress, len);
    return st;
}

static enum tm_status show(struct tm_frame_writer *writer, struct tm_error *err)
{
    size_t len = tm_ring_hidden(&writer->ring);
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_ring_show(&writer->ring, err);
    tm_progress_end(&writer->progress, len);
    return st;
}

static enum tm_status room_shared(struct tm_frame_writer *writer, size_t len, uint8_t **start, struct tm_error *err)
{
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_ring_room(&writer->ring, len, start, err);
    tm_progress_end(&writer->progress, 0);
    return st;
}

/* Counts a frame of LEN bytes in the ring, and shows it to the reader with those before it if they are many bytes. */
static enum tm_status add_shared(struct tm_frame_writer *writer, size_t len, struct tm_error *err)
{
    tm_ring_add(&writer->ring, len);
    return tm_ring_hidden(&writer->ring) >= FRAME_WRITE_BYTES ? show(writer, err) : TM_OK;
}

/* Writes a frame to the ring, into which it fits. The reader sees it once there are a quarter of a megabyte. */
static enum tm_status put_shared(struct tm_frame_writer *writer, const struct tm_frame_head *head,
                                 const struct tm_piece *pieces, size_t count, struct tm_error *err)
{
    uint8_t *start, *p;
    enum tm_status st = room_shared(writer, head->whole_bytes, &start, err);
    if (st < 0)
        return st;
    memcpy(start, head->bytes, head->len);
    p = start + head->len;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].len)
            memcpy(p, pieces[i].data, pieces[i].len);
        p += pieces[i].len;
    }
    *p = FRAME_CHECKSUM_TAG;
    tm_put_le64(p + 1, tm_hash64(start + head->length_bytes, (size_t)(p - start) - head->length_bytes));
    return add_shared(writer, head->whole_bytes, err);
}

/* Writes FRAME, which fits, to the ring as it was read. */
static enum tm_status forward_shared(struct tm_frame_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err)
{
    uint8_t *start;
    enum tm_status st = room_shared(writer, frame->whole_bytes, &start, err);
    if (st < 0)
        return st;
    memcpy(start, frame->whole, frame->whole_bytes);
    return add_shared(writer, frame->whole_bytes, err);
}

enum tm_status tm_frame_flush(struct tm_frame_writer *writer, struct tm_error *err)
{
    if (writer->put)
        return writer->out.len > 0 ? writer->put(writer->arg, &writer->out, err) : TM_OK;
    if (writer->is_shared && writer->out.len == 0)
        return show(writer, err);
    enum tm_status st = write_bytes(writer, writer->out.data, writer->out.len, err);
    tm_buf_clear(&writer->out);
    return st;
}

/* Called between two frames: changes to the ring once its reader is there. TM_OK or TM_E_SYSTEM. */
static enum tm_status find_way(struct tm_frame_writer *writer, struct tm_error *err)
{
    if (writer->is_shared || !tm_ring_is_read(&writer->ring))
        return TM_OK;
    enum tm_status st = tm_frame_flush(writer, err);
    if (st == TM_OK)
        st = tm_ring_begin(&writer->ring, err);
    writer->is_shared = st == TM_OK;
    return st;
}

/* Writes a frame from where its pieces are. */
static enum tm_status write_pieces(struct tm_frame_writer *writer, const struct tm_frame_head *head,
                                   const struct tm_piece *pieces, size_t count, struct tm_error *err)
{
    struct iovec all[FRAME_PIECES_MAX + 2];
    uint8_t tail[FRAME_CHECKSUM_BYTES] = {FRAME_CHECKSUM_TAG};
    enum tm_status st = tm_frame_flush(writer, err);
    size_t n = 0;
    all[n++] = (struct iovec){(void *)(uintptr_t)(head->bytes + head->length_bytes), head->len - head->length_bytes};
    for (size_t i = 0; i < count; i++)
        all[n++] = (struct iovec){(void *)(uintptr_t)pieces[i].data, pieces[i].len};
    tm_put_le64(tail + 1, tm_hash64_pieces(all, n));
    all[0] = (struct iovec){(void *)(uintptr_t)head->bytes, head->len};
    all[n++] = (struct iovec){tail, sizeof tail};
    if (st < 0)
        return st;
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += all[i].iov_len;
    if (writer->is_shared) {
        for (size_t i = 0; i < n && st == TM_OK; i++)
            st = write_bytes(writer, all[i].iov_base, all[i].iov_len, err);
        return st;
    }
    tm_progress_begin(&writer->progress);
    st = tm_io_writev(writer->fd, all, n, err);
    tm_progress_end(&writer->progress, len);
    return st;
}

/* Appends a small frame to others that are written together. */
static enum tm_status append_small(struct tm_frame_writer *writer, const struct tm_frame_head *head,
                             const struct tm_piece *pieces, size_t count, struct tm_error *err)
{
    struct tm_buf *out = &writer->out;
    uint8_t tail[FRAME_CHECKSUM_BYTES] = {FRAME_CHECKSUM_TAG};
    size_t start = out->len + head->length_bytes;
    enum tm_status st = tm_buf_add(out, head->bytes, head->len);
    for (size_t i = 0; i < count && st == TM_OK; i++)
        st = tm_buf_add(out, pieces[i].data, pieces[i].len);
    if (st == TM_OK)
        st = tm_buf_reserve(out, sizeof tail);
    if (st < 0)
        return tm_error_nomem(err);
    tm_put_le64(tail + 1, tm_hash64(out->data + start, out->len - start));
    tm_buf_add(out, tail, sizeof tail);
    return out->len >= FRAME_WRITE_BYTES ? tm_frame_flush(writer, err) : TM_OK;
}

enum tm_status tm_frame_write(struct tm_frame_writer *writer, uint32_t type, const struct tm_piece *pieces,
                              size_t count, struct tm_error *err)
{
    struct tm_frame_head head = {.bytes = {FRAME_TAG}};
    size_t body = 0;
    for (size_t i = 0; i < count; i++)
        body += pieces[i].len;
    size_t len = tm_varint_size((uint64_t)type << 3) + tm_varint_size(body) + body + FRAME_CHECKSUM_BYTES;
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
    enum tm_status st = find_way(writer, err);
    if (st < 0)
        return st;
    if (writer->is_shared && head.whole_bytes <= FRAME_SHARED_MAX)
        return put_shared(writer, &head, pieces, count, err);
    if (len < FRAME_WRITE_BYTES || count > FRAME_PIECES_MAX || writer->put)
        return append_small(writer, &head, pieces, count, err);
    return write_pieces(writer, &head, pieces, count, err);
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
    if (writer->is_shared && frame->whole_bytes <= FRAME_SHARED_MAX)
        return forward_shared(writer, frame, err);
    if (!writer->is_shared && (frame->whole_bytes < FRAME_WRITE_BYTES || writer->put)) {
        if (tm_buf_add(&writer->out, frame->whole, frame->whole_bytes) != TM_OK)
            return tm_error_nomem(err);
        return writer->out.len >= FRAME_WRITE_BYTES ? tm_frame_flush(writer, err) : TM_OK;
    }
    st = tm_frame_flush(writer, err);
    return st < 0 ? st : write_bytes(writer, frame->whole, frame->whole_bytes, err);
}

/* Moves LEN bytes of READER's descriptor to WRITER's. READER's buffer is empty. */
static enum tm_status move(struct tm_frame_reader *r, const struct tm_frame_writer *writer, size_t len,
                           struct tm_error *err)
{
    bool can_splice = true;
    while (len > 0) {
        long n = can_splice ? tm_compat_splice(r->fd, writer->fd, len) : -1;
        if (n < 0 && can_splice) {
            if (errno != EINTR && errno != EINVAL && errno != ENOSYS)
                return tm_error_errno(err, errno, "cannot pass on");
            can_splice = errno == EINTR;
            continue;
        }
        size_t got = n > 0 ? (size_t)n : 0;
        enum tm_status st = n == 0 ? TM_END : TM_OK;
        if (n < 0 && (st = tm_io_read(r->fd, r->mem, len < r->cap ? len : r->cap, &got, err)) == TM_OK)
            st = tm_io_write(writer->fd, r->mem, got, err);
        if (st != TM_OK)
            return st < 0 ? st : damaged(r, "frame is cut short", err);
        len -= got;
    }
    return TM_OK;
}

enum tm_status tm_frame_pass(struct tm_frame_reader *r, struct tm_frame_writer *writer, struct tm_error *err)
{
    uint64_t len = 0;
    size_t head = 0;
    struct tm_frame frame;
    enum tm_status st;
    if (r->is_shared || writer->is_shared) {
        st = tm_frame_read(r, &frame, err);
        return st == TM_OK ? tm_frame_forward(writer, &frame, err) : st;
    }
    st = read_head(r, &len, &head, err);
    if (st != TM_OK)
        return st;
    size_t whole = head + (size_t)len, have = r->end - r->start;
    have = have < whole ? have : whole;
    if ((st = tm_frame_flush(writer, err)) < 0 || (st = tm_io_write(writer->fd, r->mem + r->start, have, err)) < 0)
        return st;
    r->start += have;
    /* Moving bytes without reading them takes only the time of waiting for the processes at both ends. */
    tm_progress_begin(&r->progress);
    if (have < whole)
        st = move(r, writer, whole - have, err);
    tm_progress_end(&r->progress, whole - have);
    if (st < 0)
        return st;
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
