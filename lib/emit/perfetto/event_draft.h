/* A TrackEvent packet of the output's own that has no bytes yet: all that they depend on. Events are thus encoded where
 * and when that suits, perhaps by another thread (packet_encoder.h). */
#ifndef TM_EMIT_PERFETTO_EVENT_DRAFT_H
#define TM_EMIT_PERFETTO_EVENT_DRAFT_H

#include "base/text.h"
#include "emit/perfetto/annotations.h"
#include "emit/perfetto/draft_head.h"

/* TrackEvent.Type of track_event.proto. */
enum tm_output_track_type {
    TM_TRACK_NONE = 0,
    TM_TRACK_BEGIN = 1,
    TM_TRACK_END = 2,
    TM_TRACK_INSTANT = 3,
    TM_TRACK_COUNTER = 4
};

/* Zero-initialise. All texts are borrowed. */
struct tm_event_draft {
    struct tm_draft_head head;
    uint64_t track_uuid;
    uint64_t value;            /* of a counter, or the output's id of a flow */
    uint64_t thread_time_uuid; /* the track of thread time; 0: the event states none */
    uint64_t flow_mix;         /* for tm_event_draft_flow */
    uint32_t category_id, name_id; /* interned ids; 0: none */
    uint8_t type;                  /* enum tm_output_track_type */
    uint8_t legacy_scope;          /* of an instant, instead of a type; 0: none */
    uint8_t flow_phase;            /* s, t or f; 0: it is no flow */
    bool binds_enclosing;          /* of a flow */
    bool value_is_double;          /* VALUE has the bits of a double */
    struct tm_text category, name; /* those without an id */
    struct tm_text entries;        /* InternedData: what is new in it */
    struct tm_text detail;         /* a Detail message: args, flows and thread time; a counter has none */
};

/* Returns the output's id of flow ID of a file with MIX; 0: flows keep their ids. */
static inline uint64_t tm_event_draft_flow(uint64_t mix, uint64_t id)
{
    return mix ? tm_hash_u64(id ^ mix) : id;
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
