#include "emit/perfetto/packet_drafts.h"

#include "base/cpu.h"
#include "base/table.h"
#include "emit/perfetto/recorded_encode.h"

#include <stdlib.h>

enum draft_kind { DRAFT_EVENT, DRAFT_RECORDED, DRAFT_PLACEHOLDER, DRAFT_DECISION };

/* The pointers of a draft are set when it is encoded: its texts follow each other in the payload. */
struct tm_placed_draft {
    size_t at;
    enum draft_kind kind;
    union {
        struct tm_event_draft event;
        struct tm_recorded_draft recorded;
        struct {
            uint32_t number;
            size_t bytes[2]; /* of its versions */
        } placeholder;
        struct {
            uint32_t number;
            int which;
        } decision;
    } of;
};

/* Adds a draft. NULL: no memory. */
static struct tm_placed_draft *add(struct tm_packet_drafts *d, size_t at, enum draft_kind kind, struct tm_error *err)
{
    if (tm_array_grow(&d->drafts, &d->cap, d->count, sizeof *d->drafts, err) < 0)
        return NULL;
    struct tm_placed_draft *draft = &d->drafts[d->count++];
    draft->at = at;
    draft->kind = kind;
    return draft;
}

/* Appends a copy of LEN bytes of DATA, for which there is room. */
static void put(struct tm_buf *payload, const void *data, size_t len)
{
    if (len)
        memcpy(payload->data + payload->len, data, len);
    payload->len += len;
}

struct tm_event_draft *tm_packet_drafts_next(struct tm_packet_drafts *d, struct tm_error *err)
{
    if (tm_array_grow(&d->drafts, &d->cap, d->count, sizeof *d->drafts, err) < 0)
        return NULL;
    tm_cpu_write_ahead(&d->drafts[d->count], sizeof *d->drafts);
    return &d->drafts[d->count].of.event;
}

/* Appends TEXTS to PAYLOAD: themselves, then their bytes. */
static enum tm_status put_texts(struct tm_buf *payload, const struct tm_event_texts *texts)
{
    if (tm_buf_reserve(payload, sizeof *texts + texts->category.len + texts->name.len + texts->entries.len) != TM_OK)
        return TM_E_SYSTEM;
    put(payload, texts, sizeof *texts);
    put(payload, texts->category.data, texts->category.len);
    put(payload, texts->name.data, texts->name.len);
    put(payload, texts->entries.data, texts->entries.len);
    return TM_OK;
}

enum tm_status tm_packet_drafts_event(struct tm_packet_drafts *d, size_t at, struct tm_error *err)
{
    struct tm_placed_draft *draft = &d->drafts[d->count];
    const struct tm_event_draft *event = &draft->of.event;
    draft->at = at;
    draft->kind = DRAFT_EVENT;
    tm_cpu_write_ahead(d->payload.data + d->payload.len, event->detail.len);
    if ((event->texts && put_texts(&d->payload, event->texts) != TM_OK) ||
        tm_buf_add(&d->payload, event->detail.data, event->detail.len) != TM_OK ||
        tm_buf_add(&d->payload, event->arg_keys.text.data, event->arg_keys.text.len) != TM_OK ||
        tm_buf_add(&d->payload, event->arg_keys.ids.data, event->arg_keys.ids.len) != TM_OK)
        return tm_error_nomem(err);
    d->count++;
    return TM_OK;
}

enum tm_status tm_packet_drafts_recorded(struct tm_packet_drafts *d, size_t at,
                                         const struct tm_recorded_draft *recorded, struct tm_error *err)
{
    const size_t extra_bytes = recorded->extras_from.count * sizeof *recorded->extras;
    struct tm_placed_draft *draft = add(d, at, DRAFT_RECORDED, err);
    if (draft == NULL)
        return TM_E_SYSTEM;
    if (tm_buf_reserve(&d->payload, recorded->raw.len + extra_bytes) != TM_OK)
        return tm_error_nomem(err);
    draft->of.recorded = *recorded;
    put(&d->payload, recorded->raw.data, recorded->raw.len);
    put(&d->payload, recorded->extras, extra_bytes);
    return TM_OK;
}

enum tm_status tm_packet_drafts_open(struct tm_packet_drafts *d, size_t at, uint32_t placeholder,
                                     struct tm_buf versions[2], struct tm_error *err)
{
    struct tm_placed_draft *draft = add(d, at, DRAFT_PLACEHOLDER, err);
    enum tm_status st = draft ? TM_OK : TM_E_SYSTEM;
    if (st == TM_OK && tm_buf_reserve(&d->payload, versions[0].len + versions[1].len) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK) {
        draft->of.placeholder.number = placeholder;
        for (int i = 0; i < 2; i++) {
            draft->of.placeholder.bytes[i] = versions[i].len;
            put(&d->payload, versions[i].data, versions[i].len);
        }
    }
    tm_buf_release(&versions[0]);
    tm_buf_release(&versions[1]);
    return st;
}

enum tm_status tm_packet_drafts_decide(struct tm_packet_drafts *d, size_t at, uint32_t placeholder, int which,
                                       struct tm_error *err)
{
    struct tm_placed_draft *draft = add(d, at, DRAFT_DECISION, err);
    if (draft == NULL)
        return TM_E_SYSTEM;
    draft->of.decision.number = placeholder;
    draft->of.decision.which = which;
    return TM_OK;
}

/* Points TEXT at its bytes, the first of *P, and moves *P after them. */
static void take_text(const uint8_t **p, struct tm_text *text)
{
    text->data = text->data ? *p : NULL;
    *p += text->len;
}

/* Sets TEXTS to those at *P, and moves *P after them. */
static void take_texts(const uint8_t **p, struct tm_event_texts *texts)
{
    memcpy(texts, *p, sizeof *texts);
    *p += sizeof *texts;
    take_text(p, &texts->category);
    take_text(p, &texts->name);
    take_text(p, &texts->entries);
}

static enum tm_status encode_event(struct tm_event_draft *event, const uint8_t **payload,
                                   struct tm_draft_scratch *scratch, struct tm_error *err)
{
    struct tm_event_texts texts;
    if (event->texts) {
        take_texts(payload, &texts);
        /* The draft is not used after this call. */
        /* cppcheck-suppress autoVariables */
        event->texts = &texts;
    }
    take_text(payload, &event->detail);
    take_text(payload, &event->arg_keys.text);
    take_text(payload, &event->arg_keys.ids);
    return tm_event_draft_encode(event, &scratch->event, &scratch->packets) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Copies the values of RECORDED from PAYLOAD, where they are not aligned, to SCRATCH. */
static enum tm_status take_extras(struct tm_recorded_draft *recorded, const uint8_t **payload,
                                  struct tm_draft_scratch *scratch)
{
    const size_t bytes = recorded->extras_from.count * sizeof *recorded->extras;
    if (bytes == 0)
        return TM_OK;
    tm_buf_clear(&scratch->event.body);
    if (tm_buf_add(&scratch->event.body, *payload, bytes) != TM_OK)
        return TM_E_SYSTEM;
    recorded->extras = (const void *)scratch->event.body.data;
    *payload += bytes;
    return TM_OK;
}

static enum tm_status encode_recorded(struct tm_recorded_draft *recorded, const uint8_t **payload,
                                      struct tm_draft_scratch *scratch, struct tm_error *err)
{
    take_text(payload, &recorded->raw);
    if (take_extras(recorded, payload, scratch) != TM_OK ||
        tm_recorded_encode(recorded, &scratch->packets) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Opens the placeholder of DRAFT after the packets of SCRATCH. */
static enum tm_status open_placeholder(const struct tm_placed_draft *draft, const uint8_t **payload,
                                       struct tm_draft_scratch *scratch, struct tm_packet_sink *sink,
                                       struct tm_error *err)
{
    struct tm_buf versions[2] = {{0}, {0}};
    enum tm_status st = tm_packet_sink_put(sink, &scratch->packets, err);
    for (int i = 0; st == TM_OK && i < 2; i++) {
        const size_t bytes = draft->of.placeholder.bytes[i];
        st = tm_buf_add(&versions[i], *payload, bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
        *payload += bytes;
    }
    if (st == TM_OK)
        return tm_packet_sink_open(sink, draft->of.placeholder.number, versions, err);
    tm_buf_release(&versions[0]);
    tm_buf_release(&versions[1]);
    return st;
}

/* Encodes DRAFT, whose texts begin at *PAYLOAD, and moves *PAYLOAD after them. */
static enum tm_status encode(struct tm_placed_draft *draft, const uint8_t **payload, struct tm_draft_scratch *scratch,
                             struct tm_packet_sink *sink, struct tm_error *err)
{
    switch (draft->kind) {
    case DRAFT_EVENT:
        return encode_event(&draft->of.event, payload, scratch, err);
    case DRAFT_RECORDED:
        return encode_recorded(&draft->of.recorded, payload, scratch, err);
    case DRAFT_PLACEHOLDER:
        return open_placeholder(draft, payload, scratch, sink, err);
    default:
        break;
    }
    enum tm_status st = tm_packet_sink_put(sink, &scratch->packets, err);
    return st < 0 ? st : tm_packet_sink_decide(sink, draft->of.decision.number, draft->of.decision.which, err);
}

enum tm_status tm_packet_drafts_encode(struct tm_packet_drafts *d, struct tm_buf *bytes,
                                       struct tm_draft_scratch *scratch, struct tm_packet_sink *sink,
                                       struct tm_error *err)
{
    const uint8_t *payload = d->payload.data;
    size_t at = 0; /* bytes that have been put */
    enum tm_status st = TM_OK;
    if (d->count == 0)
        return tm_packet_sink_put(sink, bytes, err);
    for (uint32_t i = 0; i < d->count && st == TM_OK; i++) {
        struct tm_placed_draft *draft = &d->drafts[i];
        if (draft->at > at && tm_buf_add(&scratch->packets, bytes->data + at, draft->at - at) != TM_OK)
            return tm_error_nomem(err);
        at = draft->at;
        st = encode(draft, &payload, scratch, sink, err);
    }
    if (st == TM_OK && tm_buf_add(&scratch->packets, bytes->data + at, bytes->len - at) != TM_OK)
        st = tm_error_nomem(err);
    d->count = 0;
    tm_buf_clear(&d->payload);
    tm_buf_clear(bytes);
    return st < 0 ? st : tm_packet_sink_put(sink, &scratch->packets, err);
}

void tm_packet_drafts_release(struct tm_packet_drafts *d)
{
    free(d->drafts);
    tm_buf_release(&d->payload);
    *d = (struct tm_packet_drafts){0};
}

void tm_draft_scratch_release(struct tm_draft_scratch *scratch)
{
    tm_event_scratch_release(&scratch->event);
    tm_buf_release(&scratch->packets);
}
