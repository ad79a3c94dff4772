#include "format/perfetto/metadata.h"

#include "base/base64.h"
#include "format/perfetto/config_text.h"
#include "format/perfetto/count.h"
#include "format/perfetto/fingerprint.h"
#include "format/perfetto/numbers.h"
#include "perfetto/message_fields.h"

#include <inttypes.h>
#include <stdio.h>

enum { CONFIG_STATSD = 7, CONFIG_SESSION_NAME = 22, CONFIG_UUID_MSB = 27, CONFIG_UUID_LSB = 28 };
enum { CONFIG_ATTRIBUTES = 48, CONFIG_BUFFERS = 1, CONFIG_WRITE_INTO_FILE = 8, BUFFER_FILL_POLICY = 4, DISCARD = 2 };
enum { CONFIG_FLUSH_PERIOD = 13, INFO_SERVICE_VERSION = 4 };
enum { BODY_BYTES_MAX = 1 << 20 }; /* of a packet that becomes text as a whole */
enum { TRIGGER_NAME = 1, CHROME_TRIGGER_HASH = 2, SERVICE_SLOW_SOURCES = 7, SOURCES_SOURCE = 1 };
enum { SERVICE_CLONE_STARTED = 10, SERVICE_BUFFER_CLONED = 11 };
enum { SOURCE_PRODUCER = 1, SOURCE_NAME = 2, PROPERTIES_VALUE = 1, PROPERTY_NAME = 1, PROPERTY_VALUE = 2 };
enum { INFO_UTSNAME = 1, INFO_FINGERPRINT = 2, INFO_SDK = 5, INFO_RAM_BYTES = 16 };
/* ChromeMetadataPacket */
enum { CHROME_BACKGROUND = 1, CHROME_TRIAL = 4, BACKGROUND_SCENARIO = 3, TRIALS_MAX = 1 << 14 };
/* ChromeEventBundle, ChromeMetadata */
enum { BUNDLE_METADATA = 2, METADATA_NAME = 1, METADATA_BOOL = 3, METADATA_JSON = 5 };

/* A field that becomes a row of metadata. */
struct named {
    uint8_t field;
    const char *name;
};

static const struct named info_names[] = {
    {2, "android_build_fingerprint"}, {4, "tracing_service_version"},   {5, "android_sdk_version"},
    {7, "timezone_off_mins"},         {9, "android_soc_model"},         {10, "android_hardware_revision"},
    {11, "android_storage_model"},    {12, "android_ram_model"},        {13, "android_guest_soc_model"},
    {14, "android_device_manufacturer"}, {15, "android_serial_console"}, {16, "system_ram_bytes"},
};

static const struct named utsname_names[] = {
    {1, "system_name"}, {2, "system_version"}, {3, "system_release"}, {4, "system_machine"}};

static const struct named benchmark_names[] = {
    {1, "benchmark_start_time_us"}, {2, "benchmark_story_run_time_us"}, {3, "benchmark_name"},
    {4, "benchmark_description"},   {5, "benchmark_label"},             {6, "benchmark_story_name"},
    {7, "benchmark_story_tags"},    {8, "benchmark_story_run_index"},   {9, "benchmark_had_failures"},
};

static const struct named interest_names[] = {{1, "range_of_interest_start_us"}};
static const struct named statsd_names[] = {{4, "statsd_triggering_subscription_id"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static enum tm_status put(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, Tracemerge__Metadata *m,
                          const char *name, struct tm_error *err)
{
    m->name = tm_bytes(name, strlen(name));
    m->has_machine = true;
    m->machine = packet->machine;
    m->has_file = true;
    m->file = rows->sink->file;
    return tm_stream_write_message(rows->sink->writer, TM_FRAME_METADATA, &m->base, err);
}

/* Puts a number or a text, by its wire type. */
static enum tm_status put_field(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *name,
                                const struct tm_pb_field *f, struct tm_error *err)
{
    Tracemerge__Metadata m = TRACEMERGE__METADATA__INIT;
    if (f->type == TM_PB_VARINT) {
        m.value_case = TRACEMERGE__METADATA__VALUE_INT_VALUE;
        m.int_value = (int64_t)f->value;
    } else if (f->type == TM_PB_LEN) {
        m.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
        m.str_value = tm_bytes(f->data, f->len);
    } else {
        return TM_OK;
    }
    return put(rows, packet, &m, name, err);
}

struct named_list {
    const struct named *names;
    size_t count;
};

#define LIST(names) ((struct named_list){names, COUNT(names)})

static enum tm_status put_named(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                const struct tm_pb_field *message, struct named_list list, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        for (size_t i = 0; i < list.count && st >= 0; i++)
            if (list.names[i].field == f.id)
                st = put_field(rows, packet, list.names[i].name, &f, err);
    return st;
}

static enum tm_status put_gigabytes(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                    struct tm_pb_field bytes, struct tm_error *err)
{
    bytes.value = (bytes.value + 500000000) / 1000000000;
    return put_field(rows, packet, "system_ram_gb", &bytes, err);
}

/* Puts what follows from the fingerprint of Android's build: its number and, unless HAS_SDK, the version of the API. */
static enum tm_status put_build(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                const struct tm_pb_field *fingerprint, bool has_sdk, struct tm_error *err)
{
    const struct tm_fingerprint parts = tm_fingerprint_read(tm_text_at(fingerprint->data, fingerprint->len));
    struct tm_pb_field build = {.type = TM_PB_LEN, .data = parts.incremental.data, .len = parts.incremental.len};
    struct tm_pb_field sdk = {.type = TM_PB_VARINT, .value = tm_fingerprint_sdk(parts.release)};
    enum tm_status st = build.data ? put_field(rows, packet, "android_incremental_build", &build, err) : TM_OK;
    return st < 0 || has_sdk || sdk.value == 0 ? st : put_field(rows, packet, "android_sdk_version", &sdk, err);
}

/* Returns the major version in a text such as "Perfetto v54.0-..."; 0 if the text has another form. */
static uint32_t major_version(const struct tm_pb_field *f)
{
    static const char before[] = "Perfetto v";
    const size_t len = sizeof before - 1;
    const char *text = (const char *)f->data, *at = text + len, *end = text + f->len;
    uint32_t major = 0;
    if (f->len <= len || memcmp(text, before, len) != 0)
        return 0;
    while (at < end && *at >= '0' && *at <= '9' && major < 1000)
        major = major * 10 + (uint32_t)(*at++ - '0');
    return at < end && (*at == '.' || *at == '-') ? major : 0;
}

static enum tm_status read_info(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    bool has_sdk = false;
    enum tm_status st = put_named(rows, packet, &packet->body, LIST(info_names), err);
    for (struct tm_pb fields = pb; tm_pb_next(&fields, &f) == TM_OK;)
        has_sdk |= f.id == INFO_SDK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INFO_UTSNAME && f.type == TM_PB_LEN)
            st = put_named(rows, packet, &f, LIST(utsname_names), err);
        else if (f.id == INFO_SERVICE_VERSION && f.type == TM_PB_LEN)
            metadata->service_major = major_version(&f);
        else if (f.id == INFO_RAM_BYTES && f.type == TM_PB_VARINT)
            st = put_gigabytes(rows, packet, f, err);
        else if (f.id == INFO_FINGERPRINT && f.type == TM_PB_LEN)
            st = put_build(rows, packet, &f, has_sdk, err);
    return st;
}

/* Kinds of packets that metadata->chrome_counts counts. Their numbers distinguish instances of Chrome in one file. */
enum chrome_kind { CHROME_BUNDLE, CHROME_PACKET };

static enum tm_status count_chrome(struct tm_proto_metadata *metadata, uint32_t machine, enum chrome_kind kind,
                                   uint64_t *number, struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    if (tm_proto_map_add(&metadata->chrome_counts, machine, kind, UINT32_MAX, &entry) != TM_OK)
        return tm_error_nomem(err);
    *number = entry->v1++;
    return TM_OK;
}

/* Puts VALUE under KEY, which is NULL if memory ran out. */
static enum tm_status put_keyed(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *key,
                                const struct tm_pb_field *value, struct tm_error *err)
{
    return key ? put_field(rows, packet, key, value, err) : tm_error_nomem(err);
}

/* Returns "cr-" INFIX NAME, valid until the next call, or NULL if memory ran out. */
static const char *chrome_key(struct tm_buf *key, const char *infix, const struct tm_pb_field *name)
{
    key->len = 0;
    if (tm_buf_addf(key, "cr-%s%.*s", infix, (int)name->len, (const char *)name->data) != TM_OK)
        return NULL;
    return tm_buf_cstr(key);
}

static enum tm_status read_chrome_metadata(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                           const struct tm_pb_field *message, const char *infix, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, value = {0}, name = {.data = (const uint8_t *)""};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == METADATA_NAME && f.type == TM_PB_LEN && f.data)
            name = f;
        else if (f.id > METADATA_NAME && f.id <= METADATA_JSON)
            value = f;
    }
    if (value.id == METADATA_BOOL)
        value.value = value.value != 0;
    if (value.id == 0)
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_CHROME_METADATA_EMPTY, packet->machine, 1, err);
    return put_keyed(rows, packet, chrome_key(&rows->key, infix, &name), &value, err);
}

/* Reads the metadata of a ChromeEventBundle. Names of a second instance contain its number. */
static enum tm_status read_chrome_events(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    char infix[24] = "";
    uint64_t number = 0;
    bool is_counted = false;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != BUNDLE_METADATA || f.type != TM_PB_LEN)
            continue;
        if (!is_counted && (st = count_chrome(metadata, packet->machine, CHROME_BUNDLE, &number, err)) == TM_OK &&
            number)
            snprintf(infix, sizeof infix, "%llu-", (unsigned long long)number + 1);
        is_counted = true;
        if (st >= 0)
            st = read_chrome_metadata(rows, packet, &f, infix, err);
    }
    return st;
}

/* Fields of TraceUuid and TraceConfig: those of the lower and the upper half of the trace's identity. */
static const uint32_t trace_uuid[] = {TM_TRACE_UUID_LSB, TM_TRACE_UUID_MSB};
static const uint32_t config_uuid[] = {CONFIG_UUID_LSB, CONFIG_UUID_MSB};

/* Puts the identity that FIELDS of the packet's message state, if they do. In the text the upper half comes first, each
 * half from its highest byte down. */
static enum tm_status read_uuid(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                const struct tm_proto_packet *packet, const uint32_t fields[2], struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t half[2] = {0, 0};
    char text[40];
    size_t at = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == fields[0] && f.type == TM_PB_VARINT)
            half[0] = f.value;
        else if (f.id == fields[1] && f.type == TM_PB_VARINT)
            half[1] = f.value;
    }
    if (half[0] == 0 && half[1] == 0)
        return TM_OK;
    metadata->has_uuid = true;
    for (int i = 15; i >= 0; i--) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%02x", (unsigned)(half[i / 8] >> 8 * (i % 8) & 255));
        if (i == 12 || i == 10 || i == 8 || i == 6)
            text[at++] = '-';
    }
    f = (struct tm_pb_field){.type = TM_PB_LEN, .data = (const uint8_t *)text, .len = at};
    return put_field(rows, packet, "trace_uuid", &f, err);
}

static enum tm_status read_attribute(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, key = {.data = (const uint8_t *)""}, value = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ATTRIBUTE_KEY && f.type == TM_PB_LEN)
            key = f;
        else if (f.id == TM_ATTRIBUTE_INT || f.id == TM_ATTRIBUTE_TEXT)
            value = f;
    }
    if (value.id == 0)
        return TM_OK;
    rows->key.len = 0;
    const char *name = NULL;
    if (tm_buf_addf(&rows->key, "trace_attribute.%.*s", (int)key.len, (const char *)key.data) == TM_OK)
        name = tm_buf_cstr(&rows->key);
    return name ? put_field(rows, packet, name, &value, err) : tm_error_nomem(err);
}

static enum tm_status read_attributes(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_ATTRIBUTES_ATTRIBUTE && f.type == TM_PB_LEN)
            st = read_attribute(rows, packet, &f, err);
    return st;
}

/* Puts TEXT as the value NAME. */
static enum tm_status put_text(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *name,
                               const struct tm_buf *text, struct tm_error *err)
{
    struct tm_pb_field f = {.type = TM_PB_LEN, .data = text->data, .len = text->len};
    return put_field(rows, packet, name, &f, err);
}

/* Appends the LEN bytes at DATA to OUT as text. */
typedef enum tm_status text_form(struct tm_buf *out, const uint8_t *data, size_t len);

/* A row of metadata whose value is bytes in a form. */
struct shown {
    const char *name; /* NULL: memory ran out */
    text_form *form;
};

/* Adds BYTES of the packet as SHOWN. Bytes that are too long are left out. */
static enum tm_status put_as_text(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                  const struct tm_pb_field *bytes, struct shown shown, struct tm_error *err)
{
    tm_buf_clear(&rows->text);
    if (bytes->len > BODY_BYTES_MAX) {
        rows->sink->left_out++;
        return TM_OK;
    }
    if (shown.name == NULL || shown.form(&rows->text, bytes->data, bytes->len) < 0)
        return tm_error_nomem(err);
    return put_text(rows, packet, shown.name, &rows->text, err);
}

/* Returns the last field ID of MESSAGE with wire type TYPE. If there is none, its id is 0 and it is empty. */
static struct tm_pb_field find(const struct tm_pb_field *message, uint32_t id, enum tm_pb_type type)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, found = {.type = type};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id && f.type == type)
            found = f;
    return found;
}

static uint64_t number_in(const struct tm_pb_field *message, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint64_t number = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        number = f.id == id && f.type == TM_PB_VARINT ? f.value : number;
    return number;
}

/* Puts the field trials in a ChromeMetadataPacket, two on each line. */
static enum tm_status put_trials(struct tm_buf *out, const uint8_t *data, size_t len)
{
    enum { TRIAL_NAME = 1, TRIAL_GROUP = 2 };
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    size_t count = 0;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != CHROME_TRIAL || f.type != TM_PB_LEN)
            continue;
        st = tm_buf_addf(out, "%s{ name: %" PRIu32 ", group: %" PRIu32 " } ", count && count % 2 == 0 ? "\n" : "",
                         (uint32_t)number_in(&f, TRIAL_NAME), (uint32_t)number_in(&f, TRIAL_GROUP));
        count++;
    }
    return st;
}

/* Puts the BackgroundTracingMetadata in F as a whole, and the hash of its scenario's name. */
static enum tm_status put_background(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     const struct tm_pb_field *f, struct tm_error *err)
{
    struct tm_pb_field scenario = find(f, BACKGROUND_SCENARIO, TM_PB_I32);
    enum tm_status st =
        put_as_text(rows, packet, f, (struct shown){"cr-background_tracing_metadata", tm_base64_add}, err);
    scenario.type = TM_PB_VARINT;
    return st < 0 || scenario.id == 0 ? st : put_field(rows, packet, "cr-scenario_name_hash", &scenario, err);
}

static enum tm_status read_chrome_packet(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err)
{
    static const struct named names[] = {{2, "playstore_version_code"}, {3, "enabled_categories"}, {5, "package-name"},
                                         {6, "product-version"},        {7, "channel"},            {8, "os-name"}};
    static const char hashes[] = "field_trial_hashes";
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    const struct tm_pb_field trial_hashes = {.data = (const uint8_t *)hashes, .len = sizeof hashes - 1};
    uint64_t number = 0, trials = 0;
    enum tm_status st = count_chrome(metadata, packet->machine, CHROME_PACKET, &number, err);
    const char infix[] = {(char)('a' + number % 26), '-', '\0'};
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        trials += f.id == CHROME_TRIAL && f.type == TM_PB_LEN;
        for (size_t i = 0; i < COUNT(names) && st >= 0; i++) {
            const struct tm_pb_field name = {.data = (const uint8_t *)names[i].name, .len = strlen(names[i].name)};
            if (names[i].field == f.id)
                st = put_keyed(rows, packet, chrome_key(&rows->key, infix, &name), &f, err);
        }
    }
    if (trials > TRIALS_MAX)
        rows->sink->left_out++;
    else if (st >= 0 && trials)
        st = put_as_text(rows, packet, &packet->body,
                         (struct shown){chrome_key(&rows->key, infix, &trial_hashes), put_trials}, err);
    f = find(&packet->body, CHROME_BACKGROUND, TM_PB_LEN);
    return st < 0 || f.id == 0 ? st : put_background(rows, packet, &f, err);
}

/* Writes a statistic for each buffer that discards data when it is full, if the recording is written into a file. */
static enum tm_status count_discarding(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                       struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    struct tm_proto_stated stated = {.name = "config_write_into_file_discard",
                                     .severity = TRACEMERGE__SEVERITY__DATA_LOSS,
                                     .idx = -1,
                                     .machine = packet->machine,
                                     .value = 1};
    enum tm_status st = TM_OK;
    if (!number_in(&packet->body, CONFIG_WRITE_INTO_FILE))
        return TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != CONFIG_BUFFERS || f.type != TM_PB_LEN)
            continue;
        stated.idx++;
        if (number_in(&f, BUFFER_FILL_POLICY) == DISCARD)
            st = tm_proto_count_stated(&rows->counts, &stated, err);
    }
    return st;
}

static enum tm_status read_config(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                  const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = metadata->has_uuid ? TM_OK : read_uuid(metadata, rows, packet, config_uuid, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == CONFIG_SESSION_NAME && f.type == TM_PB_LEN)
            st = put_field(rows, packet, "unique_session_name", &f, err);
        else if (f.id == CONFIG_ATTRIBUTES && f.type == TM_PB_LEN)
            st = read_attributes(rows, packet, &f, err);
        else if (f.id == CONFIG_STATSD && f.type == TM_PB_LEN)
            st = put_named(rows, packet, &f, LIST(statsd_names), err);
    }
    metadata->is_unflushed =
        number_in(&packet->body, CONFIG_WRITE_INTO_FILE) && !number_in(&packet->body, CONFIG_FLUSH_PERIOD);
    metadata->config_machine = packet->machine;
    if (st >= 0)
        st = count_discarding(rows, packet, err);
    return st < 0 ? st : put_as_text(rows, packet, &packet->body,
                                  (struct shown){"trace_config_pbtxt", tm_proto_config_text}, err);
}

/* Puts the trigger that ended the recording: the first one that cloned it, else the first of all. */
static enum tm_status read_trigger(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                   const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum { NONE, OF_TRACE, OF_CLONE };
    uint32_t kind = packet->body.id == TM_PACKET_CLONE_TRIGGER ? OF_CLONE : OF_TRACE;
    struct tm_pb_field name = find(&packet->body, TRIGGER_NAME, TM_PB_LEN);
    if (!packet->has_time || kind <= metadata->trigger)
        return TM_OK;
    metadata->trigger = kind;
    enum tm_status st = put_field(rows, packet, "trace_trigger", &name, err);
    return st < 0 || kind != OF_CLONE ? st
                                      : tm_proto_add_time(rows, packet, "traced_clone_trigger_timestamp_ns", NULL, err);
}

static enum tm_status read_chrome_trigger(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err)
{
    struct tm_pb_field hash = find(&packet->body, CHROME_TRIGGER_HASH, TM_PB_I32);
    hash.type = TM_PB_VARINT;
    return packet->has_time ? put_field(rows, packet, "cr-triggered_rule_name_hash", &hash, err) : TM_OK;
}

/* Adds the times at which the recording was cloned. Puts the data sources that were slow to start: the producer's name
 * and the source's. */
static enum tm_status read_service_event(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         struct tm_error *err)
{
    struct tm_pb_field sources = find(&packet->body, SERVICE_SLOW_SOURCES, TM_PB_LEN), f;
    struct tm_pb_field started = find(&packet->body, SERVICE_CLONE_STARTED, TM_PB_VARINT);
    struct tm_pb_field cloned = find(&packet->body, SERVICE_BUFFER_CLONED, TM_PB_VARINT);
    struct tm_pb pb = tm_pb_of(sources.data, sources.len);
    enum tm_status st = TM_OK;
    if (started.id)
        st = tm_proto_add_time(rows, packet, "traced_clone_started_timestamp_ns", NULL, err);
    if (st >= 0 && cloned.id)
        st = tm_proto_add_time(rows, packet, "traced_buf_clone_done_timestamp_ns", &cloned.value, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != SOURCES_SOURCE || f.type != TM_PB_LEN)
            continue;
        struct tm_pb_field producer = find(&f, SOURCE_PRODUCER, TM_PB_LEN), name = find(&f, SOURCE_NAME, TM_PB_LEN);
        tm_buf_clear(&rows->text);
        if (tm_buf_add(&rows->text, producer.data, producer.len) != TM_OK ||
            tm_buf_add_byte(&rows->text, ' ') != TM_OK || tm_buf_add(&rows->text, name.data, name.len) != TM_OK)
            return tm_error_nomem(err);
        st = put_text(rows, packet, "slow_start_data_source", &rows->text, err);
    }
    return st;
}

static enum tm_status read_property(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                    const struct tm_pb_field *property, struct tm_error *err)
{
    static const struct {
        const char *property, *name;
        bool is_text;
    } known[] = {{"debug.tracing.profile_boot_classpath", "android_profile_boot_classpath", false},
                 {"debug.tracing.profile_system_server", "android_profile_system_server", false},
                 {"debug.tracing.wallpaper.package_name", "debug.tracing.wallpaper.package_name", true},
                 {"debug.tracing.wallpaper.class_name", "debug.tracing.wallpaper.class_name", true}};
    struct tm_pb_field name = find(property, PROPERTY_NAME, TM_PB_LEN);
    struct tm_pb_field value = find(property, PROPERTY_VALUE, TM_PB_LEN);
    struct tm_pb_field number = {.type = TM_PB_VARINT};
    int32_t parsed = 0;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!tm_text_is((struct tm_text){name.data, name.len}, known[i].property))
            continue;
        if (known[i].is_text)
            return put_field(rows, packet, known[i].name, &value, err);
        if (!tm_proto_number_of_text((struct tm_text){value.data, value.len}, &parsed))
            return TM_OK;
        number.value = (uint64_t)(int64_t)parsed;
        return put_field(rows, packet, known[i].name, &number, err);
    }
    return TM_OK;
}

static enum tm_status read_properties(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && packet->has_time && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == PROPERTIES_VALUE && f.type == TM_PB_LEN)
            st = read_property(rows, packet, &f, err);
    return st;
}

enum tm_status tm_proto_metadata_read(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, struct tm_error *err)
{
    const struct tm_pb_field *body = &packet->body;
    switch (body->id) {
    case TM_PACKET_TRACE_UUID: return read_uuid(metadata, rows, packet, trace_uuid, err);
    case TM_PACKET_TRACE_CONFIG: return read_config(metadata, rows, packet, err);
    case TM_PACKET_TRACE_ATTRIBUTES: return read_attributes(rows, packet, body, err);
    case TM_PACKET_CHROME_EVENTS: return read_chrome_events(metadata, rows, packet, err);
    case TM_PACKET_CHROME_METADATA: return read_chrome_packet(metadata, rows, packet, err);
    case TM_PACKET_CHROME_BENCHMARK: return put_named(rows, packet, body, LIST(benchmark_names), err);
    case TM_PACKET_CHROME_TRIGGER: return read_chrome_trigger(rows, packet, err);
    case TM_PACKET_TRIGGER:
    case TM_PACKET_CLONE_TRIGGER: return read_trigger(metadata, rows, packet, err);
    case TM_PACKET_SERVICE_EVENT: return read_service_event(rows, packet, err);
    case TM_PACKET_SYSTEM_PROPERTY: return read_properties(rows, packet, err);
    case TM_PACKET_RANGE_OF_INTEREST: return put_named(rows, packet, body, LIST(interest_names), err);
    case TM_PACKET_UI_STATE: return put_as_text(rows, packet, body, (struct shown){"ui_state", tm_base64_add}, err);
    default: return read_info(metadata, rows, packet, err);
    }
}

enum tm_status tm_proto_metadata_finish(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                        struct tm_error *err)
{
    enum { FLUSHES_ITSELF = 54 }; /* from this version on the service flushes whenever it writes into the file */
    const struct tm_proto_stated stated = {.name = "config_write_into_file_no_flush",
                                           .severity = TRACEMERGE__SEVERITY__ERROR,
                                           .idx = -1,
                                           .machine = metadata->config_machine,
                                           .value = 1};
    return metadata->is_unflushed && metadata->service_major < FLUSHES_ITSELF
               ? tm_proto_count_stated(&rows->counts, &stated, err)
               : TM_OK;
}
