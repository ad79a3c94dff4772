#include "emit/perfetto/packet_encoder.h"

#include "os/handoff.h"

#include <stdlib.h>

struct tm_packet_encoder {
    struct tm_packet_sink *sink;
    struct tm_draft_scratch scratch; /* the thread's own */
    struct tm_handoff handoff;
    /* what the thread has in work, from tm_packet_encoder_put */
    struct tm_buf bytes;
    struct tm_packet_drafts drafts;
};

static enum tm_status encode(void *self, struct tm_error *err)
{
    struct tm_packet_encoder *e = self;
    return tm_packet_drafts_encode(&e->drafts, &e->bytes, &e->scratch, e->sink, err);
}

struct tm_packet_encoder *tm_packet_encoder_new(struct tm_packet_sink *sink)
{
    struct tm_packet_encoder *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->sink = sink;
    if (tm_handoff_start(&e->handoff, encode, e))
        return e;
    free(e);
    return NULL;
}

enum tm_status tm_packet_encoder_put(struct tm_packet_encoder *e, struct tm_buf *bytes,
                                     struct tm_packet_drafts *drafts, struct tm_error *err)
{
    enum tm_status st = tm_handoff_wait(&e->handoff, err);
    if (st < 0)
        return st;
    const struct tm_buf done = e->bytes;
    const struct tm_packet_drafts done_drafts = e->drafts;
    e->bytes = *bytes;
    e->drafts = *drafts;
    *bytes = done;
    *drafts = done_drafts;
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
    tm_buf_release(&e->bytes);
    tm_packet_drafts_release(&e->drafts);
    free(e);
}
