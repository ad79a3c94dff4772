#include "emit/perfetto/packet_sink.h"

#include <assert.h>

enum { WRITE_BYTES = 256 << 10 };

static enum tm_status write_full(struct tm_packet_sink *s, struct tm_error *err)
{
    return s->ready.len >= WRITE_BYTES ? tm_block_output_write(&s->blocks, &s->ready, err) : TM_OK;
}

/* Moves what no open placeholder holds back to the ready packets. */
static enum tm_status take_decided(struct tm_packet_sink *s, struct tm_error *err)
{
    enum tm_status st = tm_placeholders_any(&s->undecided) ? TM_OK : TM_END;
    s->undecided_bytes = 0;
    while (st == TM_OK && (st = tm_placeholders_take(&s->undecided, &s->ready, WRITE_BYTES, err)) == TM_OK)
        st = write_full(s, err);
    return st < 0 ? st : write_full(s, err);
}

enum tm_status tm_packet_sink_put(struct tm_packet_sink *s, struct tm_buf *packets, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (tm_placeholders_any(&s->undecided)) {
        st = tm_placeholders_put(&s->undecided, packets->data, packets->len, err);
        s->undecided_bytes += packets->len;
        if (st == TM_OK && s->undecided_bytes >= WRITE_BYTES)
            st = take_decided(s, err);
    } else if (s->ready.len == 0) {
        const struct tm_buf empty = s->ready;
        s->ready = *packets;
        *packets = empty;
    } else if (tm_buf_add(&s->ready, packets->data, packets->len) != TM_OK) {
        return tm_error_nomem(err);
    }
    tm_buf_clear(packets);
    return st < 0 ? st : write_full(s, err);
}

enum tm_status tm_packet_sink_open(struct tm_packet_sink *s, uint32_t placeholder, struct tm_buf versions[2],
                                   struct tm_error *err)
{
    return tm_placeholders_open(&s->undecided, placeholder, versions, err);
}

enum tm_status tm_packet_sink_decide(struct tm_packet_sink *s, uint32_t placeholder, int which, struct tm_error *err)
{
    enum tm_status st = tm_placeholders_decide(&s->undecided, placeholder, which, err);
    return st == TM_OK && !tm_placeholders_any_open(&s->undecided) ? take_decided(s, err) : st;
}

enum tm_status tm_packet_sink_finish(struct tm_packet_sink *s, struct tm_error *err)
{
    enum tm_status st = take_decided(s, err);
    assert(st < 0 || !tm_placeholders_any(&s->undecided));
    if (st == TM_OK)
        st = tm_block_output_write(&s->blocks, &s->ready, err);
    return st == TM_OK ? tm_block_output_finish(&s->blocks, err) : st;
}

void tm_packet_sink_release(struct tm_packet_sink *s)
{
    tm_block_output_release(&s->blocks);
    tm_placeholders_release(&s->undecided);
    tm_buf_release(&s->ready);
    *s = (struct tm_packet_sink){.ready = {0}};
}
