#include "emit/perfetto/packet_encoder.h"

#include "os/handoff.h"

#include <stdlib.h>

enum { BLOCKS = 4 };

struct tm_packet_encoder {
    struct tm_packet_sink *sink;
    struct tm_draft_scratch scratch; /* the thread's own */
    struct tm_handoff handoff;
    /* what the thread has from tm_packet_encoder_put, a ring */
    struct packet_block {
        struct tm_buf bytes;
        struct tm_packet_drafts drafts;
    } blocks[BLOCKS];
};

static enum tm_status encode(void *self, struct tm_handoff_piece piece, struct tm_error *err)
{
    struct tm_packet_encoder *e = self;
    struct packet_block *b = &e->blocks[piece.place];
    return tm_packet_drafts_encode(&b->drafts, &b->bytes, &e->scratch, e->sink, err);
}

struct tm_packet_encoder *tm_packet_encoder_new(struct tm_packet_sink *sink)
{
    struct tm_packet_encoder *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->sink = sink;
    if (tm_handoff_start(&e->handoff,
                         &(struct tm_handoff_work){.work = encode, .self = e, .depth = BLOCKS, .threads = 1}))
        return e;
    free(e);
    return NULL;
}

enum tm_status tm_packet_encoder_put(struct tm_packet_encoder *e, struct tm_buf *bytes,
                                     struct tm_packet_drafts *drafts, struct tm_error *err)
{
    enum tm_status st = tm_handoff_room(&e->handoff, err);
    struct packet_block *b = &e->blocks[tm_handoff_next(&e->handoff)];
    if (st < 0)
        return st;
    const struct packet_block done = *b;
    *b = (struct packet_block){*bytes, *drafts};
    *bytes = done.bytes;
    *drafts = done.drafts;
    tm_handoff_send(&e->handoff);
    return TM_OK;
}

enum tm_status tm_packet_encoder_wait(struct tm_packet_encoder *e, struct tm_error *err)
{
    return tm_handoff_wait(&e->handoff, err);
}

void tm_packet_encoder_free(struct tm_packet_encoder *e)
{
    if (e == NULL)
        return;
    tm_handoff_stop(&e->handoff);
    tm_draft_scratch_release(&e->scratch);
    for (unsigned i = 0; i < BLOCKS; i++) {
        tm_buf_release(&e->blocks[i].bytes);
        tm_packet_drafts_release(&e->blocks[i].drafts);
    }
    free(e);
}
