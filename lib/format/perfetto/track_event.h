/* TrackEvent packets: slices, instants, counters, flows and their arguments.
 * Rules: importers/proto/track_event_tokenizer.cc and track_event_event_importer.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_TRACK_EVENT_H
#define TM_FORMAT_PERFETTO_TRACK_EVENT_H

#include "format/perfetto/internal.h"
#include "perfetto/track_event_fields.h"

/* TrackEvent.Type */
enum { TM_TYPE_SLICE_BEGIN = 1, TM_TYPE_SLICE_END = 2, TM_TYPE_INSTANT = 3, TM_TYPE_COUNTER = 4, TM_TYPE_STATE = 5 };

/* LegacyEvent.InstantEventScope */
enum { TM_LEGACY_SCOPE_GLOBAL = 1, TM_LEGACY_SCOPE_PROCESS = 2 };

enum tm_legacy_id { TM_LEGACY_NO_ID, TM_LEGACY_UNSCOPED_ID, TM_LEGACY_LOCAL_ID, TM_LEGACY_GLOBAL_ID };

/* legacy_event. */
struct tm_proto_legacy {
    bool has_phase, has_duration, has_bind_id, has_pid, has_tid, bind_to_enclosing, use_async_tts;
    uint8_t phase;
    enum tm_legacy_id id_kind;
    uint32_t flow_direction, instant_scope;
    int32_t pid, tid;
    uint64_t name_iid, id, bind_id;
    int64_t duration_us;
    const uint8_t *id_scope; /* NULL: none */
    size_t id_scope_len;
};

/* A TrackEvent taken apart; what repeats is read again where it is there. Borrows. */
struct tm_proto_track_event {
    bool has_type, has_track, has_int, has_double, has_delta, has_absolute;
    bool has_thread_delta, has_thread_absolute, has_instructions_delta, has_instructions_absolute;
    bool has_extra, has_flows, has_args, has_legacy;
    uint32_t type;
    uint32_t category_count; /* iids and texts */
    uint64_t track;
    uint64_t name_iid;
    uint64_t category_iid;       /* the last */
    const uint8_t *name; /* inline name; NULL: none */
    size_t name_len;
    const uint8_t *category; /* the last inline category; NULL: none */
    size_t category_len;
    uint64_t counter;            /* int64 or the bits of a double */
    int64_t time_us, thread_us, instructions;
    struct tm_pb body;
    uint64_t fields; /* TM_TRACK_EVENT_BITs of those that are there; 63 stands for all from there on */
    const struct tm_proto_legacy *legacy; /* never NULL */
    struct tm_proto_legacy legacy_read;   /* where has_legacy */
};

/* What rows of an event have in common with it. */
struct tm_proto_track_context {
    struct tm_proto *p;
    const struct tm_proto_packet *packet;
    const struct tm_proto_track_event *event;
    uint64_t track;  /* uuid after defaults */
    bool fallback;   /* lies on the thread (pid, tid) instead of a track */
    bool has_thread; /* pid and tid are known */
    bool has_process; /* pid is known */
    int64_t pid, tid;
};

/* Takes the TrackEvent in BODY apart: TM_OK or TM_E_INPUT (no text). */
enum tm_status tm_proto_track_event_decode(struct tm_proto_track_event *event, const struct tm_pb_field *body);

/* Adds the rows of a track_event packet. */
enum tm_status tm_proto_track_event_read(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err);

/* Makes ROW, whose common columns are set, what the legacy phase says. Kind PACKET for phases that
 * are no more than raw. */
enum tm_status tm_proto_legacy_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                    struct tm_error *err);

/* An M event that names a thread or process: adds the DERIVED row behind ROW. */
enum tm_status tm_proto_legacy_names(const struct tm_proto_track_context *context, const struct tm_event *row,
                                     struct tm_error *err);

/* The value of a TYPE_COUNTER event into ROW. TM_END: the reference would drop it (counted). */
enum tm_status tm_proto_counter_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                     struct tm_error *err);

/* Reads the extra counter values ahead, adding up incremental ones, into p->rows as derived rows.
 * TM_END: the reference would drop the event (counted). */
enum tm_status tm_proto_extra_counters_read(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err);

/* Adds them, after the primary row. */
enum tm_status tm_proto_extra_counters_add(const struct tm_proto_track_context *context, struct tm_error *err);

/* Thread time and instruction count as DERIVED counters of the thread. */
enum tm_status tm_proto_thread_counters_add(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err);

#endif
