#include "format/perfetto/android.h"

#include "base/hash.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/known_texts.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/network.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/packet_rows.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/statsd.h"
#include "format/perfetto/system.h"
#include "format/perfetto/unnamed_readings.h"
#include "stream/detail_arg.h"

enum { PROPERTY = 1, PROPERTY_NAME = 1, PROPERTY_VALUE = 2 };
enum { PACKAGE = 1, PACKAGE_NAME = 1, PACKAGE_UID = 2 };
enum { BLUETOOTH_TYPE = 1, BLUETOOTH_DURATION = 4 };
enum { ENERGY_CONSUMERS = 1, ENERGY_CONSUMER = 2, ENERGY_UWS = 3, ENERGY_PER_UID = 4 };
enum { CONSUMERS_CONSUMER = 1, CONSUMER_ID = 1, CONSUMER_ORDINAL = 2, CONSUMER_TYPE = 3, CONSUMER_NAME = 4 };
enum { PER_UID_UID = 1, PER_UID_UWS = 2 };
enum { WAKELOCKS_IIDS = 1, WAKELOCKS_TIMES = 2 };
enum { LOCK_TAG = 2, LOCK_FLAGS = 3, LOCK_OWNER_PID = 4, LOCK_OWNER_UID = 5, LOCK_WORK_UID = 6 };

static struct tm_text text_of(const struct tm_proto_event_fields *m, uint32_t field)
{
    return tm_text_given(m->text[field], m->len[field]);
}

static enum tm_status count(const struct tm_proto_packet_rows *w, enum tm_proto_stat stat)
{
    return tm_proto_count_stat(&w->rows->counts, stat, w->packet->machine, 1, w->err);
}

/* Adds a counter on the track NAMED with NAME. rows->text has its track's dimensions. */
static enum tm_status add_counter(struct tm_proto_packet_rows *w, const struct tm_proto_named_row *named,
                                  struct tm_text name, int64_t value)
{
    struct tm_event row = w->like;
    row.kind = TM_KIND_COUNTER;
    row.flags |= TM_EVENT_HAS_VALUE;
    row.value = (uint64_t)value;
    enum tm_status st = tm_proto_named_counter(w->rows, named, name, &row, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Adds an instant called *STATE, or without a name. */
static enum tm_status add_device_state(struct tm_proto_packet_rows *w, const struct tm_text *state)
{
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_DEVICE_STATE};
    struct tm_event row = w->like;
    row.kind = TM_KIND_INSTANT;
    enum tm_status st = tm_proto_named_row_on(w->rows, &named, "DeviceStateChanged", &row, w->err);
    row.flags &= ~(uint32_t)TM_EVENT_ASYNC;
    if (st >= 0 && state)
        st = tm_proto_string(w->rows, state->data, state->len, &row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Adds the counter or the instant of the property in F, if the reference importer shows it. */
static enum tm_status add_property(struct tm_proto_packet_rows *w, const struct tm_pb_field *f)
{
    static const struct {
        const char *property, *counter;
    } counters[] = {{"debug.tracing.mcc", "mcc"},
                    {"debug.tracing.mnc", "mnc"},
                    {"debug.tracing.desktop_mode_visible_tasks", "desktop_mode_visible_tasks"},
                    {"debug.tracing.battery_status", "BatteryStatus"},
                    {"debug.tracing.plug_type", "PlugType"}};
    static const char tracing[] = "debug.tracing.", battery[] = "debug.tracing.battery_stats.";
    struct tm_proto_event_fields m;
    int32_t value;
    tm_proto_event_fields_read(&m, f);
    const struct tm_text name = text_of(&m, PROPERTY_NAME), text = text_of(&m, PROPERTY_VALUE);
    if (tm_text_is(name, "debug.tracing.device_state"))
        return add_device_state(w, m.has[PROPERTY_VALUE] ? &text : NULL);
    if (!tm_proto_number_of_text(text, &value))
        return TM_OK;
    if (tm_text_is(name, "debug.tracing.screen_state"))
        return tm_proto_counter_add(w->rows, &w->like, "ScreenState", (uint64_t)(int64_t)value, w->err);
    if (tm_text_begins(name, battery)) {
        struct tm_buf *key = &w->rows->key;
        tm_buf_clear(key);
        const struct tm_text counter = tm_text_after(name, sizeof tracing - 1);
        const char *full = tm_buf_add(key, counter.data, counter.len) < 0 ? NULL : tm_buf_cstr(key);
        if (full == NULL)
            return tm_error_nomem(w->err);
        return tm_proto_counter_add(w->rows, &w->like, full, (uint64_t)(int64_t)value, w->err);
    }
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (tm_text_is(name, counters[i].property)) {
            const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_SYSTEM_PROPERTY};
            enum tm_status st = tm_proto_named_dimension(w->rows, "sysprop_name", name, w->err);
            return st < 0 ? st : add_counter(w, &named, tm_text_str(counters[i].counter), value);
        }
    return TM_OK;
}

/* Notes the app in F under its number. The first name for a number counts. */
static enum tm_status note_package(struct tm_proto_packet_rows *w, const struct tm_pb_field *f)
{
    struct tm_proto_event_fields m;
    struct tm_proto_known_text before;
    tm_proto_event_fields_read(&m, f);
    const uint64_t key = tm_hash64_numbers(&m.number[PACKAGE_UID], 1, TM_PROTO_KNOWN_APP);
    const struct tm_proto_known_text name = {.name = text_of(&m, PACKAGE_NAME)};
    if (tm_proto_known_text_find(w->known, w->packet->machine, key, &before))
        return TM_OK;
    return tm_proto_known_text_add(w->known, w->packet->machine, key, &name) < 0 ? tm_error_nomem(w->err) : TM_OK;
}

static enum tm_status add_bluetooth(struct tm_proto_packet_rows *w)
{
    static const char *const types[] = {NULL,         "HCI_CMD",    "HCI_EVT",    "HCI_ACL_RX", "HCI_ACL_TX",
                                        "HCI_SCO_RX", "HCI_SCO_TX", "HCI_ISO_RX", "HCI_ISO_TX"};
    static const struct {
        uint32_t field;
        const char *key;
    } numbers[] = {{2, "Count"},      {3, "Length"},        {5, "Op Code"},
                   {6, "Event Code"}, {7, "Subevent Code"}, {8, "Handle"}};
    static const char name[] = "BluetoothTraceEvent";
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_BLUETOOTH};
    struct tm_buf *detail = &w->rows->detail;
    struct tm_proto_event_fields m;
    struct tm_event row = w->like;
    tm_proto_event_fields_read(&m, &w->packet->body);
    row.kind = TM_KIND_SLICE_COMPLETE;
    row.dur_ns = (uint32_t)m.number[BLUETOOTH_DURATION];
    enum tm_status st = tm_proto_named_row_on(w->rows, &named, name, &row, w->err);
    if (st < 0)
        return st;
    const uint64_t type = m.number[BLUETOOTH_TYPE];
    const char *word = type < sizeof types / sizeof *types ? types[type] : NULL;
    if (m.has[BLUETOOTH_TYPE])
        st = tm_detail_arg_text(detail, "TracePacketType", word ? word : "PBZERO_UNKNOWN_ENUM_VALUE",
                                strlen(word ? word : "PBZERO_UNKNOWN_ENUM_VALUE"));
    for (size_t i = 0; st == TM_OK && i < sizeof numbers / sizeof *numbers; i++)
        if (m.has[numbers[i].field])
            st = tm_detail_arg_uint(detail, numbers[i].key, (uint32_t)m.number[numbers[i].field]);
    if (st < 0)
        return tm_error_nomem(w->err);
    st = tm_proto_string(w->rows, name, sizeof name - 1, &row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

static uint64_t consumer_key(uint64_t number)
{
    return tm_hash64_numbers(&number, 1, TM_PROTO_KNOWN_CONSUMER);
}

/* Notes the consumer in M. */
static enum tm_status note_consumer(struct tm_proto_packet_rows *w, const struct tm_proto_event_fields *m)
{
    struct tm_buf *source = &w->rows->detail; /* empty between rows */
    const struct tm_text type = text_of(m, CONSUMER_TYPE);
    if ((m->has[CONSUMER_TYPE] ? tm_detail_arg_text(source, "consumer_type", type.data, type.len)
                               : tm_detail_arg_null(source, "consumer_type")) < 0 ||
        tm_detail_arg_int(source, "ordinal", (int32_t)m->number[CONSUMER_ORDINAL]) < 0)
        return TM_E_SYSTEM;
    const struct tm_proto_known_text consumer = {.name = text_of(m, CONSUMER_NAME),
                                                 .source = {source->data, source->len}};
    enum tm_status st = tm_proto_known_text_add(w->known, w->packet->machine, consumer_key(m->number[CONSUMER_ID]),
                                                &consumer);
    source->len = 0;
    return st;
}

/* Notes the consumers in the descriptor PB. */
static enum tm_status note_consumers(struct tm_proto_packet_rows *w, struct tm_pb pb)
{
    struct tm_pb_field consumer;
    struct tm_proto_event_fields m;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &consumer) == TM_OK) {
        if (consumer.id != CONSUMERS_CONSUMER || consumer.type != TM_PB_LEN)
            continue;
        tm_proto_event_fields_read(&m, &consumer);
        st = m.has[CONSUMER_ID] ? note_consumer(w, &m) : count(w, TM_PROTO_STAT_ENERGY_DESCRIPTOR);
    }
    return st < 0 ? tm_error_nomem(w->err) : TM_OK;
}

/* Adds a counter of the energy that CONSUMER, which TEXT describes, has used: by all, or by the app with *UID. */
static enum tm_status add_energy(struct tm_proto_packet_rows *w, uint64_t consumer,
                                 const struct tm_proto_known_text *text, const uint64_t *uid, int64_t value)
{
    const struct tm_proto_named_row named = {.type = uid ? TM_NAMED_TRACK_ENERGY_OF_UID : TM_NAMED_TRACK_ENERGY,
                                             .source = uid ? (struct tm_text){0} : text->source};
    struct tm_buf *dimensions = &w->rows->text;
    tm_buf_clear(dimensions);
    if (tm_detail_arg_int(dimensions, "energy_consumer_id", (int32_t)consumer) < 0 ||
        (uid && tm_detail_arg_int(dimensions, "uid", (int32_t)*uid) < 0))
        return tm_error_nomem(w->err);
    return add_counter(w, &named, text->name, value);
}

enum tm_status tm_proto_energy_read(struct tm_proto_packet_rows *w)
{
    const struct tm_pb_field *body = &w->packet->body;
    struct tm_proto_event_fields m, part;
    struct tm_pb pb = tm_pb_of(body->data, body->len);
    struct tm_pb_field f;
    tm_proto_event_fields_read(&m, body);
    if (m.has[ENERGY_CONSUMERS]) /* it only describes */
        return note_consumers(w, tm_pb_of(m.text[ENERGY_CONSUMERS], m.len[ENERGY_CONSUMERS]));
    if (!w->packet->has_time)
        return TM_OK;
    const uint64_t consumer = m.number[ENERGY_CONSUMER];
    struct tm_proto_known_text text;
    if (!m.has[ENERGY_CONSUMER] || !m.has[ENERGY_UWS])
        return count(w, TM_PROTO_STAT_ENERGY_MISSING);
    if (!tm_proto_known_text_find(w->known, w->packet->machine, consumer_key(consumer), &text))
        return tm_proto_unnamed_add(w, body, 0, TM_PROTO_STAT_ENERGY_MISSING);
    enum tm_status st = add_energy(w, consumer, &text, NULL, (int64_t)m.number[ENERGY_UWS]);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != ENERGY_PER_UID || f.type != TM_PB_LEN)
            continue;
        tm_proto_event_fields_read(&part, &f);
        st = part.has[PER_UID_UID] && part.has[PER_UID_UWS]
                 ? add_energy(w, consumer, &text, &part.number[PER_UID_UID], (int64_t)part.number[PER_UID_UWS])
                 : count(w, TM_PROTO_STAT_ENERGY_UID_MISSING);
    }
    return st;
}

/* Adds the begin or the end of holding the lock in M, TIME after the packet. Locks that agree in all fields are one. */
static enum tm_status add_lock(struct tm_proto_packet_rows *w, const struct tm_proto_event_fields *m, uint64_t time)
{
    static const struct {
        uint32_t field;
        const char *key;
    } args[] = {{LOCK_OWNER_PID, "owner_pid"}, {LOCK_OWNER_UID, "owner_uid"}, {LOCK_WORK_UID, "work_uid"}};
    const struct tm_text tag = text_of(m, LOCK_TAG);
    const uint64_t identity[] = {tm_hash64(tag.data, tag.len), m->number[LOCK_FLAGS], m->number[LOCK_OWNER_PID],
                                 m->number[LOCK_OWNER_UID], m->number[LOCK_WORK_UID]};
    const uint64_t hash = tm_hash64_numbers(identity, sizeof identity / sizeof *identity, 0);
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_APP_WAKELOCKS,
                                             .second = (uint16_t)(hash >> 32 & INT16_MAX),
                                             .instance = (uint32_t)hash};
    struct tm_buf *detail = &w->rows->detail;
    struct tm_event row = w->like;
    tm_proto_packet_rows_later(w, time >> 1, &row);
    row.kind = time & 1 ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    enum tm_status st = tm_proto_named_row_on(w->rows, &named, "app_wakelock_events", &row, w->err);
    if (st < 0 || row.kind == TM_KIND_SLICE_END)
        return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
    st = tm_detail_arg_int(detail, "flags", (int32_t)m->number[LOCK_FLAGS]);
    for (size_t i = 0; st == TM_OK && i < sizeof args / sizeof *args; i++)
        if (m->has[args[i].field])
            st = tm_detail_arg_int(detail, args[i].key, (int32_t)m->number[args[i].field]);
    if (st < 0)
        return tm_error_nomem(w->err);
    if (m->has[LOCK_TAG])
        st = tm_proto_string(w->rows, tag.data, tag.len, &row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

static enum tm_status add_locks(struct tm_proto_packet_rows *w)
{
    const struct tm_pb_field *body = &w->packet->body;
    struct tm_proto_numbers iids = {.pb = tm_pb_of(body->data, body->len), .id = WAKELOCKS_IIDS}, times = iids;
    enum tm_status st = TM_OK;
    uint64_t iid, time;
    times.id = WAKELOCKS_TIMES;
    while (st >= 0 && tm_proto_numbers_next(&times, &time) && tm_proto_numbers_next(&iids, &iid)) {
        struct tm_pb_field lock = {0};
        struct tm_proto_event_fields m;
        if (!tm_proto_interned_find(w->packet->sequence, TM_INTERNED_APP_WAKELOCKS, (uint32_t)iid, &lock.data,
                                    &lock.len)) {
            st = count(w, TM_PROTO_STAT_WAKELOCK_UNKNOWN);
            continue;
        }
        tm_proto_event_fields_read(&m, &lock);
        st = add_lock(w, &m, time);
    }
    return st;
}

/* Calls ADD for each message in field FIELD of the packet's. */
static enum tm_status for_each(struct tm_proto_packet_rows *w, uint32_t field,
                               enum tm_status (*add)(struct tm_proto_packet_rows *, const struct tm_pb_field *))
{
    struct tm_pb pb = tm_pb_of(w->packet->body.data, w->packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == field && f.type == TM_PB_LEN)
            st = add(w, &f);
    return st;
}

enum tm_status tm_proto_android_read(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                     const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_packet_rows w = {.known = known, .rows = rows, .packet = packet, .err = err};
    enum tm_status st = tm_proto_packet_rows_begin(&w);
    const uint32_t id = packet->body.id;
    const bool has_own_times = id == TM_PACKET_NETWORK_BUNDLE || id == TM_PACKET_APP_WAKELOCKS;
    if (st < 0 || !rows->sink->want_packet_args)
        return st;
    if (id == TM_PACKET_PACKAGES)
        return for_each(&w, PACKAGE, note_package);
    if (id == TM_PACKET_ENERGY)
        return tm_proto_energy_read(&w);
    /* Times of a clock of a sequence can be relative to those before them. */
    if (!packet->has_time || (has_own_times && tm_clock_is_scoped(packet->clock)))
        return TM_OK;
    switch (id) {
    case TM_PACKET_SYSTEM_PROPERTY: return for_each(&w, PROPERTY, add_property);
    case TM_PACKET_BLUETOOTH: return add_bluetooth(&w);
    case TM_PACKET_APP_WAKELOCKS: return add_locks(&w);
    case TM_PACKET_STATSD: return tm_proto_statsd_add(&w);
    default: return tm_proto_network_add(&w);
    }
}
