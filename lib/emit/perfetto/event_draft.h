/* A TrackEvent packet of the output's own that has no bytes yet: all that they depend on. Events are thus encoded where
 * and when that suits, perhaps by another thread (packet_encoder.h). */
#ifndef TM_EMIT_PERFETTO_EVENT_DRAFT_H
#define TM_EMIT_PERFETTO_EVENT_DRAFT_H

#include "base/text.h"
#include "emit/perfetto/annotations.h"
#include "emit/perfetto/draft_head.h"
#include "emit/perfetto/id_mix.h"

/* TrackEvent.Type of track_event.proto. */
enum tm_output_track_type {
    TM_TRACK_NONE = 0,
    TM_TRACK_BEGIN = 1,
    TM_TRACK_END = 2,
    TM_TRACK_INSTANT = 3,
    TM_TRACK_COUNTER = 4
};

/* Texts that few events have. Borrowed. */
struct tm_event_texts {
    struct tm_text category, name; /* those without an id */
    struct tm_text entries;        /* InternedData: what is new in it */
};

/* Set all fields. Texts are borrowed. */
struct tm_event_draft {
    struct tm_draft_head head;
    uint64_t track_uuid;
    uint64_t value;            /* of a counter, the output's id of a flow, or the thread time at an end */
    uint64_t thread_time_uuid; /* the track of thread time; 0: the event states none */
    uint64_t flow_mix;         /* of flows in the detail (id_mix.h) */
    uint32_t category_id, name_id; /* interned ids; 0: none */
    uint8_t type;                  /* enum tm_output_track_type */
    uint8_t legacy_scope;          /* of an instant, instead of a type; 0: none */
    uint8_t flow_phase;            /* s, t or f; 0: it is no flow */
    bool binds_enclosing;          /* of a flow */
    bool value_is_double;          /* VALUE has the bits of a double */
    bool value_is_thread_time;     /* VALUE is a reading on the track of thread time, in nanoseconds */
    const struct tm_event_texts *texts; /* NULL: none */
    struct tm_text detail; /* a Detail message: args, flows and thread time; a counter has none */
    struct tm_annotation_keys arg_keys; /* of its args */
};

/* True if DRAFT refers to no bytes. Its packet is then short; to encode it takes no longer than to copy the draft. */
static inline bool tm_event_draft_is_short(const struct tm_event_draft *draft)
{
    return draft->texts == NULL && draft->detail.len == 0;
}

/* Scratch memory of an encoder. Zero-initialise. */
struct tm_event_scratch {
    struct tm_annotations annotations;
    struct tm_buf body;
};

/* Appends the packet of DRAFT to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_event_draft_encode(const struct tm_event_draft *draft, struct tm_event_scratch *scratch,
                                     struct tm_buf *out);

void tm_event_scratch_release(struct tm_event_scratch *scratch);

#endif
