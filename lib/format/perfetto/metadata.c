#include "format/perfetto/metadata.h"

#include "format/perfetto/count.h"

#include <stdio.h>
#include <stdlib.h>

enum { UUID_MSB = 1, UUID_LSB = 2 };
enum { CONFIG_SESSION_NAME = 22, CONFIG_ATTRIBUTES = 48 };
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTE_KEY = 1, ATTRIBUTE_INT = 2, ATTRIBUTE_STRING = 3 };
enum { INFO_UTSNAME = 1, STATS_BUFFERS = 1, STATS_FILTER = 11 };
enum { STATED_MAX = 1 << 16 }; /* numbers of trace_stats kept until the end */

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

/* Numbers of trace_stats: of the service, of the filter, of each buffer. */
struct stated {
    uint8_t field;
    uint8_t severity; /* Tracemerge__Severity */
    const char *name;
};

enum { INFO = TRACEMERGE__SEVERITY__INFO, LOSS = TRACEMERGE__SEVERITY__DATA_LOSS, FAULT = TRACEMERGE__SEVERITY__ERROR };
enum { OF_SERVICE = 0, OF_FILTER = 32, OF_BUFFER = 64 }; /* groups, told apart in the keys of p->stated */

static const struct stated service_stats[] = {
    {2, INFO, "traced_producers_connected"}, {3, INFO, "traced_producers_seen"},
    {4, INFO, "traced_data_sources_registered"}, {5, INFO, "traced_data_sources_seen"},
    {6, INFO, "traced_tracing_sessions"}, {7, INFO, "traced_total_buffers"}, {8, INFO, "traced_chunks_discarded"},
    {9, INFO, "traced_patches_discarded"}, {12, INFO, "traced_flushes_requested"},
    {13, INFO, "traced_flushes_succeeded"}, {14, LOSS, "traced_flushes_failed"},
};

static const struct stated filter_stats[] = {
    {1, INFO, "filter_input_packets"}, {2, INFO, "filter_input_bytes"}, {3, INFO, "filter_output_bytes"},
    {4, FAULT, "filter_errors"}, {5, INFO, "filter_time_taken_ns"},
};

static const struct stated buffer_stats[] = {
    {1, INFO, "traced_buf_bytes_written"}, {2, INFO, "traced_buf_chunks_written"},
    {3, INFO, "traced_buf_chunks_overwritten"}, {4, INFO, "traced_buf_write_wrap_count"},
    {5, INFO, "traced_buf_patches_succeeded"}, {6, LOSS, "traced_buf_patches_failed"},
    {7, INFO, "traced_buf_readaheads_succeeded"}, {8, INFO, "traced_buf_readaheads_failed"},
    {9, LOSS, "traced_buf_abi_violations"}, {10, INFO, "traced_buf_chunks_rewritten"},
    {11, INFO, "traced_buf_chunks_committed_out_of_order"}, {12, INFO, "traced_buf_buffer_size"},
    {13, INFO, "traced_buf_bytes_overwritten"}, {14, INFO, "traced_buf_bytes_read"},
    {15, INFO, "traced_buf_padding_bytes_written"}, {16, INFO, "traced_buf_padding_bytes_cleared"},
    {17, INFO, "traced_buf_chunks_read"}, {18, INFO, "traced_buf_chunks_discarded"},
    {19, LOSS, "traced_buf_trace_writer_packet_loss"}, {20, INFO, "traced_buf_chunks_relocated"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct stated *stated_of(uint32_t key)
{
    const struct stated *list = key >= OF_BUFFER   ? buffer_stats
                                : key >= OF_FILTER ? filter_stats
                                                   : service_stats;
    size_t count = key >= OF_BUFFER   ? COUNT(buffer_stats)
                   : key >= OF_FILTER ? COUNT(filter_stats)
                                      : COUNT(service_stats);
    for (size_t i = 0; i < count; i++)
        if (list[i].field == key % OF_FILTER)
            return &list[i];
    return NULL;
}

static enum tm_status put(struct tm_proto *p, const struct tm_proto_packet *packet, Tracemerge__Metadata *m,
                          const char *name, struct tm_error *err)
{
    m->name = tm_bytes(name, strlen(name));
    m->has_machine = true;
    m->machine = packet->machine;
    m->has_file = true;
    m->file = p->sink->file;
    return tm_stream_write_message(p->sink->writer, TM_FRAME_METADATA, &m->base, err);
}

/* A number or a text, by its wire type. */
static enum tm_status put_field(struct tm_proto *p, const struct tm_proto_packet *packet, const char *name,
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
    return put(p, packet, &m, name, err);
}

static enum tm_status put_named(struct tm_proto *p, const struct tm_proto_packet *packet,
                                const struct tm_pb_field *message, const struct named *names, size_t count,
                                struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        for (size_t i = 0; i < count && st >= 0; i++)
            if (names[i].field == f.id)
                st = put_field(p, packet, names[i].name, &f, err);
    return st;
}

static enum tm_status read_info(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = put_named(p, packet, &packet->body, info_names, COUNT(info_names), err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == INFO_UTSNAME && f.type == TM_PB_LEN)
            st = put_named(p, packet, &f, utsname_names, COUNT(utsname_names), err);
    return st;
}

/* The least significant half comes first in the text, each half from its lowest byte up. */
static enum tm_status read_uuid(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t half[2] = {0, 0};
    char text[40];
    size_t at = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == UUID_LSB)
            half[0] = f.value;
        else if (f.id == UUID_MSB)
            half[1] = f.value;
    }
    if (half[0] == 0 && half[1] == 0)
        return TM_OK;
    for (int i = 15; i >= 0; i--) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%02x", (unsigned)(half[i / 8] >> 8 * (i % 8) & 255));
        if (i == 12 || i == 10 || i == 8 || i == 6)
            text[at++] = '-';
    }
    f = (struct tm_pb_field){.type = TM_PB_LEN, .data = (const uint8_t *)text, .len = at};
    return put_field(p, packet, "trace_uuid", &f, err);
}

static enum tm_status read_attribute(struct tm_proto *p, const struct tm_proto_packet *packet,
                                     const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, key = {.data = (const uint8_t *)""}, value = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == ATTRIBUTE_KEY && f.type == TM_PB_LEN)
            key = f;
        else if (f.id == ATTRIBUTE_INT || f.id == ATTRIBUTE_STRING)
            value = f;
    }
    if (value.id == 0)
        return TM_OK;
    p->key.len = 0;
    const char *name = NULL;
    if (tm_buf_addf(&p->key, "trace_attribute.%.*s", (int)key.len, (const char *)key.data) == TM_OK)
        name = tm_buf_cstr(&p->key);
    return name ? put_field(p, packet, name, &value, err) : tm_error_nomem(err);
}

static enum tm_status read_attributes(struct tm_proto *p, const struct tm_proto_packet *packet,
                                      const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == ATTRIBUTES_ATTRIBUTE && f.type == TM_PB_LEN)
            st = read_attribute(p, packet, &f, err);
    return st;
}

static enum tm_status read_config(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == CONFIG_SESSION_NAME && f.type == TM_PB_LEN)
            st = put_field(p, packet, "unique_session_name", &f, err);
        else if (f.id == CONFIG_ATTRIBUTES && f.type == TM_PB_LEN)
            st = read_attributes(p, packet, &f, err);
    }
    return st;
}

/* Keeps one number; a later trace_stats of the file overwrites it. Past the bound no new ones are kept. */
static enum tm_status note(struct tm_proto *p, const struct tm_proto_packet *packet, uint32_t key, uint32_t buffer,
                           uint64_t value, struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    enum tm_status st = tm_proto_map_add(&p->stated, packet->machine, (uint64_t)buffer << 32 | key, STATED_MAX, &entry,
                                         NULL);
    if (st == TM_OK)
        entry->v1 = value;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status note_all(struct tm_proto *p, const struct tm_proto_packet *packet,
                               const struct tm_pb_field *message, uint32_t group, uint32_t buffer, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_VARINT && f.id < OF_FILTER && stated_of(group + f.id))
            st = note(p, packet, group + f.id, buffer, f.value, err);
    return st;
}

static enum tm_status read_stats(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint32_t buffer = 0;
    enum tm_status st = note_all(p, packet, &packet->body, OF_SERVICE, 0, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN)
            continue;
        if (f.id == STATS_BUFFERS)
            st = note_all(p, packet, &f, OF_BUFFER, buffer++, err);
        else if (f.id == STATS_FILTER)
            st = note_all(p, packet, &f, OF_FILTER, 0, err);
    }
    return st;
}

enum tm_status tm_proto_metadata_read(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    switch (packet->body.id) {
    case TM_PACKET_TRACE_UUID:
        return read_uuid(p, packet, err);
    case TM_PACKET_TRACE_CONFIG:
        return read_config(p, packet, err);
    case TM_PACKET_TRACE_ATTRIBUTES:
        return read_attributes(p, packet, &packet->body, err);
    case TM_PACKET_TRACE_STATS:
        return read_stats(p, packet, err);
    default:
        return read_info(p, packet, err);
    }
}

enum tm_status tm_proto_metadata_flush(struct tm_proto *p, struct tm_error *err)
{
    struct tm_proto_map_entry *all;
    if (tm_proto_map_list(&p->stated, &all) < 0)
        return tm_error_nomem(err);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < p->stated.count && st >= 0; i++) {
        uint32_t key = (uint32_t)all[i].k2;
        const struct stated *stated = stated_of(key);
        st = tm_proto_count_stated(p, stated->name, (Tracemerge__Severity)stated->severity,
                                   key >= OF_BUFFER ? (int64_t)(all[i].k2 >> 32) : -1, all[i].k1, (int64_t)all[i].v1,
                                   err);
    }
    free(all);
    tm_proto_map_clear(&p->stated);
    return st;
}
