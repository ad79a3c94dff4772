/* TrackEvent packets: slices, instants, counters, flows and their arguments. Rules:
 * importers/proto/track_event_tokenizer.cc and track_event_event_importer.h of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_TRACK_EVENT_H
#define TM_FORMAT_PERFETTO_TRACK_EVENT_H

#include "format/perfetto/internal.h"
#include "perfetto/track_event_fields.h"

/* TrackEvent.Type */
enum { TM_TYPE_SLICE_BEGIN = 1, TM_TYPE_SLICE_END = 2, TM_TYPE_INSTANT = 3, TM_TYPE_COUNTER = 4, TM_TYPE_STATE = 5 };

enum tm_legacy_id { TM_LEGACY_NO_ID, TM_LEGACY_UNSCOPED_ID, TM_LEGACY_LOCAL_ID, TM_LEGACY_GLOBAL_ID };

/* The fields of legacy_event. */
struct tm_proto_legacy {
    bool has_phase, has_bind_id, has_pid, has_tid, bind_to_enclosing;
    uint8_t phase;
    enum tm_legacy_id id_kind;
    uint32_t flow_direction, instant_scope;
    int32_t pid, tid;
    uint64_t name_iid, id, bind_id;
    int64_t duration_us, thread_duration_us, thread_instruction_delta;
    const uint8_t *id_scope; /* NULL: none */
    size_t id_scope_len;
};

/* A decoded TrackEvent. Repeated fields are not stored; they are read again from the body when needed. Borrows from the
 * packet. */
struct tm_proto_track_event {
    bool has_type, has_track, has_int, has_double, has_delta, has_absolute;
    bool has_thread_delta, has_thread_absolute, has_instructions_delta, has_instructions_absolute;
    bool has_extra, has_flows, has_args, has_legacy;
    uint32_t type;
    uint32_t category_count; /* number of iids and texts; a packed list counts as 2 */
    uint64_t track;
    uint64_t name_iid;
    uint64_t category_iid;       /* the last one */
    const uint8_t *name; /* inline name; NULL: none */
    size_t name_len;
    const uint8_t *category; /* the last inline category; NULL: none */
    size_t category_len;
    uint64_t counter;            /* an int64 or the bits of a double */
    int64_t time_us, thread_us, instructions;
    struct tm_pb body;
    uint64_t fields; /* TM_TRACK_EVENT_BITs of the fields that exist; TM_TRACK_EVENT_OTHERS also stands for fields that
                      * were not read because one before them is damaged */
    const struct tm_proto_legacy *legacy; /* never NULL */
    struct tm_proto_legacy legacy_read;   /* used if has_legacy */
};

/* Common facts of the rows of an event. */
struct tm_proto_track_context {
    struct tm_proto_map *tracks;
    struct tm_proto_rows *rows;
    const struct tm_described_types *types; /* of the file */
    struct tm_v8_profile **v8;              /* of the file */
    const struct tm_proto_packet *packet;
    const struct tm_proto_track_event *event;
    struct tm_text recorded;    /* the range of the packet that is raw */
    size_t head_bytes;          /* of the event's tag and length in it */
    bool is_whole;              /* the event has no damage */
    bool is_absolute; /* raw is that range with absolute extra counter values, which are in no rows (absolute_raw.h) */
    bool is_wide;    /* the extra counter values need fields of doubles (absolute_raw.h) */
    uint64_t track;  /* uuid after defaults */
    bool fallback;   /* the event is on thread (pid, tid) and not on a track */
    bool has_thread; /* pid and tid are known */
    bool has_process; /* pid is known */
    int64_t pid, tid;
};

/* Decodes the TrackEvent in BODY. TM_OK or TM_E_INPUT (without an error text). */
enum tm_status tm_proto_track_event_decode(struct tm_proto_track_event *event, const struct tm_pb_field *body);

/* Adds the rows of a track_event packet. */
enum tm_status tm_proto_track_event_read(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err);

/* True if LEGACY has a phase whose event is on a thread: B, E, X, R, or i or I without another scope. */
bool tm_proto_legacy_is_of_thread(const struct tm_proto_legacy *legacy);

/* Fills ROW, whose common columns are set, by the legacy phase. A phase that no row can show gets kind PACKET. */
enum tm_status tm_proto_legacy_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                    struct tm_error *err);

/* For an M event that names a thread or process: adds the DERIVED row after ROW. TM_OK or an error. */
enum tm_status tm_proto_legacy_names(const struct tm_proto_track_context *context, const struct tm_event *row,
                                     struct tm_error *err);

/* Sets the value of ROW, a TYPE_COUNTER event. TM_OK. TM_END: the reference importer would drop the event; it is
 * counted. Otherwise an error. */
enum tm_status tm_proto_counter_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                     struct tm_error *err);

/* Reads the extra counter values into the pending rows, as derived rows, before the primary row is added. Incremental
 * values are summed up. TM_OK. TM_END: the reference importer would drop the event; it is counted. Otherwise an
 * error. */
enum tm_status tm_proto_extra_counters_read(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err);

/* Adds the derived rows of tm_proto_extra_counters_read; call it after the primary row. */
enum tm_status tm_proto_extra_counters_add(const struct tm_proto_track_context *context, struct tm_error *err);

/* Adds thread time and instruction count as DERIVED counters of the thread. */
enum tm_status tm_proto_thread_counters_add(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err);

#endif
