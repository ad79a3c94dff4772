#include "cut/cut.h"

#include "cut/counts.h"
#include "cut/state.h"
#include "emit/batch_queue.h"
#include "emit/settler.h"
#include "sort/order_check.h"
#include "sort/sort_key.h"
#include "stream/reread.h"
#include "stream/timestamp_group.h"

#include <stdlib.h>
#include <unistd.h>

struct cutter {
    const struct tm_cut *cut;
    int in;
    struct tm_catalog catalog;
    struct tm_cut_counts counts;
    struct tm_cut_state state;
    struct tm_emit_settler settler;
    /* The events of one time, each with its derived rows. */
    struct tm_event *rows;
    uint32_t count, cap, copied;
    struct tm_buf payload; /* of the first COPIED rows, which were in earlier batches */
    /* The current part. */
    uint32_t part;
    int fd; /* -1: this part is not written */
    struct tm_stream_writer writer;
    struct tm_batch_queue out;
};

static enum tm_status check_header(const struct tm_stream_reader *reader, struct tm_error *err)
{
    if (reader->header.stage != TRACEMERGE__STAGE__PLACED)
        return tm_error_set(err, TM_E_INPUT,
                            "the stream's times are not trace time yet: pipe it through tm-clocks first");
    if (!reader->header.sorted)
        return tm_error_set(err, TM_E_INPUT, "the stream is not sorted: pipe it through tm-sort first");
    if (!tm_time_part_is_whole(&reader->header.part))
        return tm_error_set(err, TM_E_INPUT,
                            "the stream is a part already; cut the whole stream at all times in one run");
    return TM_OK;
}

static enum tm_status count_batch(struct cutter *c, const struct tm_batch *batch, uint32_t *part, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &e)) {
        if (e.flags & TM_SORT_DEFINITION)
            continue;
        while (!(e.flags & TM_EVENT_DERIVED) && *part < c->cut->point_count && e.time_ns >= c->cut->points[*part])
            ++*part;
        st = tm_cut_counts_add(&c->counts, &e, *part, false, err);
    }
    return st;
}

/* Reads the stream, checks it, and counts the events of each part. */
static enum tm_status count(struct cutter *c, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_order_check check = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    uint32_t part = 0;
    enum tm_status st = tm_stream_reader_open(&reader, c->in, err);
    if (st == TM_OK)
        st = check_header(&reader, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        st = tm_order_check_next(&check, &frame, &batch, err);
        if (st == TM_OK)
            st = tm_catalog_add(&c->catalog, &frame, err);
        if (st == TM_OK && frame.type == TM_FRAME_BATCH)
            st = count_batch(c, &batch, &part, err);
    }
    tm_order_check_release(&check);
    tm_stream_reader_release(&reader);
    return st < 0 ? st : TM_OK;
}

/* Writes the definitions at the front of BATCH. TM_END: events follow them. */
static enum tm_status write_definitions(struct cutter *c, const struct tm_frame *frame, const struct tm_batch *batch,
                                        struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (batch->count == 0 || tm_sort_is_definition(batch, batch->count - 1)) {
        st = tm_batch_queue_flush(&c->out, err);
        return st < 0 ? st : tm_stream_forward(&c->writer, frame, batch, err);
    }
    while (st == TM_OK && tm_batch_next(&walk, &e)) {
        if (!tm_sort_is_definition(batch, walk.i - 1))
            return TM_END;
        st = tm_batch_queue_add(&c->out, &e, err);
    }
    return st;
}

/* Reads the stream again and writes everything except events. */
static enum tm_status write_head(struct cutter *c, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    const off_t at = lseek(c->in, 0, SEEK_CUR);
    enum tm_status st = tm_reread_from(c->in, 0, err);
    bool has_accounts = false;
    if (st < 0)
        return st;
    st = tm_stream_reader_open(&reader, c->in, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        if (frame.type != TM_FRAME_BATCH) {
            st = tm_stream_write_frame(&c->writer, &frame, err);
            continue;
        }
        if (!has_accounts)
            st = tm_cut_counts_write(&c->counts, c->part, &c->writer, err);
        has_accounts = true;
        if (st == TM_OK)
            st = write_definitions(c, &frame, &batch, err);
    }
    tm_stream_reader_release(&reader);
    return st < 0 ? st : tm_reread_from(c->in, at, err);
}

static enum tm_status write_state(struct cutter *c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (const struct tm_pending_unit *u = c->state.units.first; u && st == TM_OK; u = u->next)
        for (uint32_t i = 0; i < u->count && st == TM_OK; i++)
            st = tm_batch_queue_add(&c->out, &u->rows[i], err);
    return st;
}

/* Begins the current part. If it is written, writes its head and the state at its beginning. */
static enum tm_status begin_part(struct cutter *c, struct tm_error *err)
{
    const struct tm_cut *cut = c->cut;
    struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED, .sorted = true};
    struct tm_time_part *part = &header.part;
    part->has_from = c->part > 0;
    part->has_to = c->part < cut->point_count;
    part->from_ns = part->has_from ? cut->points[c->part - 1] : 0;
    part->to_ns = part->has_to ? cut->points[c->part] : 0;
    enum tm_status st = cut->open(cut->self, c->part, &c->fd, err);
    if (part->has_from)
        tm_cut_state_drop_ended(&c->state, part->from_ns);
    if (st < 0 || c->fd < 0)
        return st;
    if (cut->empty_count && !tm_cut_counts_has(&c->counts, c->part))
        ++*cut->empty_count;
    for (const struct tm_pending_unit *u = c->state.units.first; u && st == TM_OK; u = u->next)
        for (uint32_t i = 0; i < u->count && st == TM_OK; i++)
            st = tm_cut_counts_add(&c->counts, &u->rows[i], c->part, true, err);
    if (st == TM_OK)
        st = tm_stream_writer_open(&c->writer, c->fd, "tm-sort", &header, err);
    if (st == TM_OK)
        st = write_head(c, err);
    return st == TM_OK ? write_state(c, err) : st;
}

static enum tm_status end_part(struct cutter *c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (c->fd < 0)
        return TM_OK;
    st = tm_batch_queue_flush(&c->out, err);
    if (st == TM_OK)
        st = tm_stream_writer_end(&c->writer, err);
    tm_stream_writer_release(&c->writer);
    return st < 0 ? st : c->cut->close(c->cut->self, c->part, c->fd, err);
}

/* Ends and begins parts up to the one that contains TIME_NS. */
static enum tm_status change_part(struct cutter *c, int64_t time_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && c->part < c->cut->point_count && time_ns >= c->cut->points[c->part]) {
        st = end_part(c, err);
        c->part++;
        if (st == TM_OK)
            st = begin_part(c, err);
    }
    return st;
}

/* Takes the pending rows, which are complete, into the state. */
static enum tm_status end_time(struct cutter *c, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (c->count && c->part < c->cut->point_count)
        st = tm_cut_state_take(&c->state, c->rows, c->count, err);
    c->count = c->copied = 0;
    tm_buf_clear(&c->payload);
    return st;
}

/* Copies what the pending rows have in the current batch, because the next may have more of their time. */
static enum tm_status copy_payload(struct cutter *c, struct tm_error *err)
{
    size_t at = 0;
    for (uint32_t i = c->copied; i < c->count; i++)
        if (tm_buf_add(&c->payload, c->rows[i].raw, c->rows[i].raw_bytes) != TM_OK ||
            tm_buf_add(&c->payload, c->rows[i].detail, c->rows[i].detail_bytes) != TM_OK)
            return tm_error_nomem(err);
    for (uint32_t i = 0; i < c->count; i++) {
        c->rows[i].raw = c->payload.data + at;
        c->rows[i].detail = c->payload.data + at + c->rows[i].raw_bytes;
        at += (size_t)c->rows[i].raw_bytes + c->rows[i].detail_bytes;
    }
    c->copied = c->count;
    return TM_OK;
}

/* True if an event at TIME_NS is not taken together with the pending rows. Outputs have the same limits. */
static bool is_over(const struct cutter *c, int64_t time_ns)
{
    return c->count && (c->rows[0].time_ns != time_ns || c->count >= TM_TIMESTAMP_GROUP_EVENTS_MAX ||
                        c->payload.len >= TM_TIMESTAMP_GROUP_BYTES_MAX);
}

static enum tm_status take_row(struct cutter *c, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (!(e->flags & TM_EVENT_DERIVED)) {
        if (is_over(c, e->time_ns))
            st = end_time(c, err);
        if (st == TM_OK)
            st = change_part(c, e->time_ns, err);
    }
    if (st < 0 || (st = tm_array_grow(&c->rows, &c->cap, c->count, sizeof *c->rows, err)) < 0)
        return st;
    c->rows[c->count++] = *e;
    return c->fd < 0 ? TM_OK : tm_batch_queue_add(&c->out, e, err);
}

/* Takes settled events. No part follows the last one, so its batches are written as they are. */
static enum tm_status take_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct cutter *c = self;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (c->part == c->cut->point_count) { /* the last part */
        if (c->fd < 0)
            return TM_OK;
        st = tm_batch_queue_flush(&c->out, err);
        return st < 0 ? st : tm_stream_write_batch(&c->writer, batch, err);
    }
    while (st == TM_OK && tm_batch_next(&walk, &e))
        if (!(e.flags & TM_SORT_DEFINITION))
            st = take_row(c, &e, err);
    return st < 0 ? st : copy_payload(c, err);
}

/* Passes on BATCH without the definitions at its front. */
static enum tm_status pass_events(struct cutter *c, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_queue events = {.receiver = {take_batch, c}};
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (batch->count && !tm_sort_is_definition(batch, 0))
        return tm_emit_settler_add(&c->settler, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        if (!(e.flags & TM_SORT_DEFINITION))
            st = tm_batch_queue_add(&events, &e, err);
    struct tm_batch rest;
    tm_batch_builder_view(&events.rows, &rest);
    if (st == TM_OK && rest.count)
        st = tm_emit_settler_add(&c->settler, &rest, err);
    tm_batch_queue_release(&events);
    return st;
}

/* Reads the stream again and writes all parts. */
static enum tm_status cut(struct cutter *c, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_stream_reader_open(&reader, c->in, err);
    if (st == TM_OK)
        st = begin_part(c, err);
    tm_memory_limit_again(c->cut->memory);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        if (frame.type == TM_FRAME_BATCH)
            st = pass_events(c, &batch, err);
        if (st == TM_OK)
            st = tm_memory_limit_check(c->cut->memory, frame.offset, err);
    }
    if (st == TM_END)
        st = tm_emit_settler_finish(&c->settler, err);
    if (st == TM_OK)
        st = end_time(c, err);
    if (st == TM_OK)
        st = change_part(c, INT64_MAX, err);
    if (st == TM_OK)
        st = end_part(c, err);
    tm_stream_reader_release(&reader);
    return st;
}

enum tm_status tm_cut(int in, const struct tm_cut *how, struct tm_error *err)
{
    struct cutter c = {.cut = how, .in = in, .fd = -1, .counts = {.part_count = how->point_count + 1}};
    enum tm_status st = TM_OK;
    if (lseek(in, 0, SEEK_SET) < 0) {
        st = tm_reread_copy(in, how->temporary_dir, &c.in, err);
    }
    c.out.receiver = tm_stream_writer_receiver(&c.writer);
    c.state.catalog = &c.catalog;
    tm_emit_settler_init(&c.settler, &c.catalog, (struct tm_batch_receiver){take_batch, &c});
    if (st == TM_OK)
        st = count(&c, err);
    c.state.has_flows = c.counts.has_flows;
    if (st == TM_OK)
        st = tm_reread_from(c.in, 0, err);
    if (st == TM_OK)
        st = cut(&c, err);
    if (how->left_out)
        *how->left_out = c.state.open.left_out;
    if (c.in >= 0 && c.in != in)
        (void)close(c.in);
    tm_emit_settler_release(&c.settler);
    tm_cut_state_release(&c.state);
    tm_cut_counts_release(&c.counts);
    tm_catalog_release(&c.catalog);
    tm_stream_writer_release(&c.writer);
    tm_batch_queue_release(&c.out);
    tm_buf_release(&c.payload);
    free(c.rows);
    return st;
}
