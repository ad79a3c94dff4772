#include "stream_notes.h"

#include "base/bytes.h"
#include "stream/batch_builder.h"
#include "stream/reader.h"
#include "stream/writer.h"

/* The unread rest of the notes. */
struct notes {
    const uint8_t *p, *end;
};

static uint64_t take_number(struct notes *n)
{
    uint64_t v = 0;
    const uint8_t *p = tm_varint_get(n->p, n->end, &v);
    n->p = p ? p : n->end;
    return p ? v : 0;
}

static const uint8_t *take_bytes(struct notes *n, uint64_t len, uint32_t *got)
{
    const uint8_t *start = n->p;
    uint64_t left = (uint64_t)(n->end - n->p);
    *got = (uint32_t)(len < left ? len : left);
    n->p += *got;
    return start;
}

static int64_t take_signed(struct notes *n)
{
    return tm_unzigzag(take_number(n));
}

/* In the order of enum tm_column. */
static struct tm_event take_row(struct notes *n)
{
    struct tm_event e = {.time_ns = take_signed(n), .dur_ns = take_signed(n), .position = take_number(n)};
    uint32_t *const narrow[] = {&e.kind,       &e.flags, &e.file,     &e.machine, &e.clock, &e.sequence,
                                &e.generation, &e.name,  &e.category};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        *narrow[i] = (uint32_t)take_number(n);
    e.pid = take_signed(n);
    e.tid = take_signed(n);
    e.track = take_number(n);
    e.value = take_number(n);
    uint64_t raw = take_number(n), detail = take_number(n);
    e.cpu = (uint32_t)take_number(n);
    e.raw = take_bytes(n, raw, &e.raw_bytes);
    e.detail = take_bytes(n, detail, &e.detail_bytes);
    return e;
}

static enum tm_status write_rows(struct tm_stream_writer *writer, struct notes *n)
{
    struct tm_batch_builder builder = {0};
    struct tm_batch batch;
    uint64_t rows = take_number(n);
    enum tm_status st = TM_OK;
    for (uint64_t i = 0; i < rows && i < NOTES_ROWS_MAX && n->p < n->end && st == TM_OK; i++) {
        struct tm_event e = take_row(n);
        st = tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    if (st == TM_OK)
        st = tm_stream_write_batch(writer, &batch, NULL);
    tm_batch_builder_release(&builder);
    return st;
}

static enum tm_status write_body(struct tm_stream_writer *writer, uint32_t type, struct notes *n)
{
    struct tm_frame frame = {.type = type};
    uint32_t len;
    frame.body = take_bytes(n, take_number(n), &len);
    frame.body_bytes = len;
    struct tm_batch batch;
    struct tm_batch_store store = {0};
    struct tm_error err = {0};
    if (type == TM_FRAME_BATCH && tm_batch_decode(&batch, &store, frame.body, frame.body_bytes, &err) == TM_OK)
        writer->event_count += batch.count;
    tm_batch_store_release(&store);
    return tm_stream_write_frame(writer, &frame, NULL);
}

void stream_notes_write(int fd, const uint8_t *notes, size_t len)
{
    struct notes n = {notes, notes + len};
    struct tm_stream_writer writer = {0};
    enum tm_status st = TM_OK;
    tm_frame_writer_init(&writer.frames, fd);
    while (n.p < n.end && st == TM_OK) {
        uint32_t type = *n.p++;
        if (type == TM_FRAME_END)
            break;
        if (type == TM_FRAME_BATCH)
            st = write_rows(&writer, &n);
        else
            st = write_body(&writer, type == NOTES_BODY ? TM_FRAME_BATCH : type, &n);
    }
    if (st == TM_OK)
        (void)tm_stream_writer_end(&writer, NULL);
    tm_stream_writer_release(&writer);
}

static void put_number(struct tm_buf *out, uint64_t v)
{
    uint8_t bytes[TM_VARINT_MAX];
    (void)tm_buf_add(out, bytes, (size_t)(tm_varint_put(bytes, v) - bytes));
}

static void put_signed(struct tm_buf *out, int64_t v)
{
    put_number(out, tm_zigzag(v));
}

static void put_row(struct tm_buf *out, const struct tm_event *e)
{
    const uint64_t middle[] = {e->kind,       e->flags, e->file,    e->machine, e->clock, e->sequence,
                               e->generation, e->name,  e->category};
    put_signed(out, e->time_ns);
    put_signed(out, e->dur_ns);
    put_number(out, e->position);
    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++)
        put_number(out, middle[i]);
    put_signed(out, e->pid);
    put_signed(out, e->tid);
    put_number(out, e->track);
    put_number(out, e->value);
    put_number(out, e->raw_bytes);
    put_number(out, e->detail_bytes);
    put_number(out, e->cpu);
    (void)tm_buf_add(out, e->raw, e->raw_bytes);
    (void)tm_buf_add(out, e->detail, e->detail_bytes);
}

static void put_frame(struct tm_buf *out, const struct tm_frame *frame, const struct tm_batch *batch)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    (void)tm_buf_add_byte(out, (uint8_t)frame->type);
    put_number(out, frame->type == TM_FRAME_BATCH ? batch->count : frame->body_bytes);
    if (frame->type != TM_FRAME_BATCH)
        (void)tm_buf_add(out, frame->body, frame->body_bytes);
    while (frame->type == TM_FRAME_BATCH && tm_batch_next(&walk, &e))
        put_row(out, &e);
}

bool stream_notes_read(int fd, struct tm_buf *notes)
{
    struct tm_frame_reader frames;
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_batch_store store = {0};
    enum tm_status st;
    tm_frame_reader_init(&frames, fd);
    while ((st = tm_frame_read(&frames, &frame, NULL)) == TM_OK) {
        if (frame.type == TM_FRAME_BATCH)
            st = tm_batch_decode(&batch, &store, frame.body, frame.body_bytes, NULL);
        if (st < 0)
            break;
        put_frame(notes, &frame, &batch);
    }
    tm_frame_reader_release(&frames);
    tm_batch_store_release(&store);
    return st == TM_END;
}
