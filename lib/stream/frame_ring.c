/* Frames through memory that two stages share: they are made in it, and used where they are. */
#include "stream/internal.h"

#include <stdlib.h>

enum { SHARED_MAX = TM_RING_PART_MAX }; /* larger frames go through the ring in parts, and readers copy them */

static enum tm_status add_note(struct tm_frame_reader *r, struct tm_frame_writer *writer, uint64_t end, size_t len)
{
    uint8_t note[TM_RING_NOTE_BYTES];
    tm_ring_note_put(note, end, (uint32_t)len);
    r->told = end;
    return tm_buf_add(&writer->out, note, sizeof note);
}

/* Tells the next stage all that it does not know yet. */
static enum tm_status tell(struct tm_frame_reader *r, struct tm_error *err)
{
    if (r->told != r->ring.at && add_note(r, r->passes_to, r->ring.at, 0) != TM_OK)
        return tm_error_nomem(err);
    return tm_frame_pipe_flush(r->passes_to, err);
}

/* Waits as tm_ring_wait does. */
static enum tm_status wait_for(struct tm_frame_reader *r, size_t need, size_t *have, struct tm_error *err)
{
    enum tm_status st = r->passes_to && tm_ring_ready(&r->ring) < need ? tell(r, err) : TM_OK;
    return st < 0 ? st : tm_ring_wait(&r->ring, need, have, err);
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
static enum tm_status copy(struct tm_frame_reader *r, size_t need, struct tm_error *err)
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
            st = wait_for(r, 1, &have, err);
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

enum tm_status tm_frame_ring_want(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    size_t had = r->end - r->start;
    enum tm_status st = TM_OK;
    if (had >= need || r->is_taking) /* what was passed on is whole */
        return had >= need ? TM_OK : TM_END;
    tm_progress_begin(&r->progress);
    if (r->is_copied || need > SHARED_MAX) {
        st = copy(r, need, err);
    } else if ((st = wait_for(r, need, &r->end, err)) == TM_OK) {
        r->start = 0;
        r->mem = (uint8_t *)(uintptr_t)tm_ring_unread(&r->ring);
    }
    tm_progress_end(&r->progress, r->end - r->start - had);
    return st < 0 ? st : r->end - r->start >= need ? TM_OK : TM_END;
}

/* Gives back what was read before; called when the last frame is not used any more. */
static void give_back(struct tm_frame_reader *r)
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

void tm_frame_ring_leave(struct tm_frame_reader *r)
{
    if (!r->is_taking)
        return;
    tm_ring_consume(&r->ring, r->part.consumed);
    r->mem = r->pipe.mem;
    r->start = r->pipe.start;
    r->end = r->pipe.end;
    r->is_taking = r->is_shared = false;
}

/* Goes on in the ring as the note says that is next in the pipe. */
static enum tm_status take(struct tm_frame_reader *r, struct tm_error *err)
{
    enum tm_status st = tm_frame_pipe_want(r, TM_RING_NOTE_BYTES, err);
    if (st == TM_OK)
        st = tm_ring_take(&r->ring, r->mem + r->start, &r->part, err);
    if (st != TM_OK)
        return st;
    tm_progress_begin(&r->progress);
    r->pipe.mem = r->mem;
    r->pipe.start = r->start + TM_RING_NOTE_BYTES;
    r->pipe.end = r->end;
    r->mem = (uint8_t *)(uintptr_t)r->part.bytes;
    r->start = 0;
    r->end = r->part.len;
    r->is_taking = r->is_shared = true;
    tm_progress_end(&r->progress, r->part.len);
    return TM_OK;
}

/* Finds the source of a taker's next frame: the pipe, or what was passed on. */
static enum tm_status find_taken(struct tm_frame_reader *r, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (;;) {
        if (r->start == r->end)
            tm_frame_ring_leave(r);
        if (r->is_taking)
            return TM_OK;
        if ((st = tm_frame_pipe_want(r, 1, err)) != TM_OK || r->mem[r->start] != TM_RING_NOTE)
            return st < 0 ? st : TM_OK;
        if ((st = take(r, err)) != TM_OK)
            return st;
    }
}

enum tm_status tm_frame_ring_find(struct tm_frame_reader *r, struct tm_error *err)
{
    if (r->ring.is_taker)
        return find_taken(r, err);
    if (r->is_shared) {
        give_back(r);
        return TM_OK;
    }
    enum tm_status st = tm_frame_pipe_want(r, 1, err);
    if (st != TM_OK || r->mem[r->start] != TM_RING_MARK)
        return st < 0 ? st : TM_OK;
    free(r->mem);
    r->mem = NULL;
    r->start = r->end = 0;
    r->is_shared = true;
    return TM_OK;
}

enum tm_status tm_frame_ring_pass(struct tm_frame_reader *r, struct tm_frame_writer *writer, size_t whole,
                                  struct tm_error *err)
{
    if (r->passes_to == NULL)
        tm_ring_pass_to(&r->ring, writer->fd);
    r->passes_to = writer;
    enum tm_status st = add_note(r, writer, r->ring.at + r->start + whole, whole);
    r->start += whole;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_frame_ring_enter(struct tm_frame_writer *writer, struct tm_error *err)
{
    enum tm_status st = tm_ring_begin(&writer->ring, err);
    writer->is_shared = st == TM_OK;
    return st;
}

bool tm_frame_ring_takes(const struct tm_frame_writer *writer, size_t len)
{
    return writer->is_shared && len <= SHARED_MAX;
}

enum tm_status tm_frame_ring_write(struct tm_frame_writer *writer, const void *data, size_t len, struct tm_error *err)
{
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_ring_write(&writer->ring, data, len, err);
    tm_progress_end(&writer->progress, len);
    return st;
}

enum tm_status tm_frame_ring_show(struct tm_frame_writer *writer, struct tm_error *err)
{
    size_t len = tm_ring_hidden(&writer->ring);
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_ring_show(&writer->ring, err);
    tm_progress_end(&writer->progress, len);
    return st;
}

static enum tm_status room(struct tm_frame_writer *writer, size_t len, uint8_t **start, struct tm_error *err)
{
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_ring_room(&writer->ring, len, start, err);
    tm_progress_end(&writer->progress, 0);
    return st;
}

/* Counts a frame of LEN bytes in the ring, and shows it to the reader with those before it if they are many bytes. */
static enum tm_status add(struct tm_frame_writer *writer, size_t len, struct tm_error *err)
{
    tm_ring_add(&writer->ring, len);
    return tm_ring_hidden(&writer->ring) >= TM_FRAME_WRITE_BYTES ? tm_frame_ring_show(writer, err) : TM_OK;
}

enum tm_status tm_frame_ring_put(struct tm_frame_writer *writer, const struct tm_frame_parts *parts,
                                 struct tm_error *err)
{
    const struct tm_frame_head *head = parts->head;
    uint8_t *start, *p;
    enum tm_status st = room(writer, head->whole_bytes, &start, err);
    if (st < 0)
        return st;
    memcpy(start, head->bytes, head->len);
    p = start + head->len;
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->pieces[i].len)
            memcpy(p, parts->pieces[i].data, parts->pieces[i].len);
        p += parts->pieces[i].len;
    }
    *p = TM_FRAME_CHECKSUM_TAG;
    tm_put_le64(p + 1, 0);
    return add(writer, head->whole_bytes, err);
}

enum tm_status tm_frame_ring_forward(struct tm_frame_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err)
{
    uint8_t *start;
    enum tm_status st = room(writer, frame->whole_bytes, &start, err);
    if (st < 0)
        return st;
    memcpy(start, frame->whole, frame->whole_bytes);
    return add(writer, frame->whole_bytes, err);
}
