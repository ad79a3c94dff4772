/* Output pftrace: the attributes that state that the trace was merged, its files, and how. */
#include "emit/perfetto/internal.h"

#include "base/hash.h"
#include "emit/by_file.h"
#include "perfetto/message_fields.h"
#include "stream/field_text.h"
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

enum { FILES_MAX = 1000, PLACEMENTS_MAX = 16, TEXT_MAX = 1024, KEY_MAX = 128 };

/* The attributes so far, a TraceAttributes message. */
struct attributes {
    struct tm_buf message;
    struct tm_by_file placements, metadata;
    bool failed;
};

static void put_text(struct attributes *a, const char *key, size_t key_len, const void *text, size_t len)
{
    size_t mark;
    a->failed |= tm_pb_begin(&a->message, TM_ATTRIBUTES_ATTRIBUTE, &mark) != TM_OK ||
                 tm_pb_put_bytes(&a->message, TM_ATTRIBUTE_KEY, key, key_len) != TM_OK ||
                 tm_pb_put_bytes(&a->message, TM_ATTRIBUTE_TEXT, text, len) != TM_OK ||
                 tm_pb_end(&a->message, mark) != TM_OK;
}

static void put_number(struct attributes *a, const char *key, size_t key_len, int64_t value)
{
    size_t mark;
    a->failed |= tm_pb_begin(&a->message, TM_ATTRIBUTES_ATTRIBUTE, &mark) != TM_OK ||
                 tm_pb_put_bytes(&a->message, TM_ATTRIBUTE_KEY, key, key_len) != TM_OK ||
                 tm_pb_put_varint(&a->message, TM_ATTRIBUTE_INT, (uint64_t)value) != TM_OK ||
                 tm_pb_end(&a->message, mark) != TM_OK;
}

static bool has_events(const struct tm_catalog_file *file)
{
    return file->begun && file->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
}

static void add(struct tm_buf *text, const char *s, size_t len, bool *failed)
{
    *failed |= tm_buf_add(text, s, len) != TM_OK;
}

/* Puts "BOOTTIME(watch) -> REALTIME(watch) = … (rendezvous, offset 250000000 ns)" for each clock of FILE. */
static void add_placements(const struct tm_catalog *c, const struct tm_by_file *placements, uint32_t file,
                           struct tm_buf *text, bool *failed)
{
    char part[TEXT_MAX];
    uint32_t count = 0;
    for (uint32_t i = placements->starts[file]; i < placements->starts[file + 1] && count < PLACEMENTS_MAX; i++) {
        const Tracemerge__Placement *p = c->placements[placements->order[i]];
        if (p->placed_count == 0)
            continue;
        add(text, "; ", 2, failed);
        add(text, (const char *)p->path.data, p->path.len, failed);
        int n = snprintf(part, sizeof part, " (%.*s, offset %" PRId64 " ns)", (int)p->rule.len,
                         (const char *)p->rule.data, p->first_offset_ns);
        add(text, part, n < (int)sizeof part ? (size_t)n : sizeof part - 1, failed);
        count++;
    }
}

static void add_uuid(const struct tm_catalog *c, const struct tm_by_file *metadata, uint32_t file, struct tm_buf *text,
                     bool *failed)
{
    static const char name[] = "trace_uuid", words[] = "; uuid ";
    for (uint32_t i = metadata->starts[file]; i < metadata->starts[file + 1]; i++) {
        const Tracemerge__Metadata *m = c->metadata[metadata->order[i]];
        if (m->value_case != TRACEMERGE__METADATA__VALUE_STR_VALUE ||
            m->name.len != sizeof name - 1 || memcmp(m->name.data, name, sizeof name - 1) != 0)
            continue;
        add(text, words, sizeof words - 1, failed);
        add(text, (const char *)m->str_value.data, m->str_value.len, failed);
        return;
    }
}

/* Puts tracemerge.file.N; N is the file's place in the order of processing. */
static void put_file(struct attributes *a, const struct tm_catalog *c, uint32_t file, struct tm_buf *text)
{
    const struct tm_catalog_file *f = &c->files[file];
    char key[KEY_MAX], path[TEXT_MAX], size[KEY_MAX];
    const char *name = tm_packet_file_name(c, file, path, sizeof path);
    text->len = 0;
    add(text, name, strlen(name), &a->failed);
    add(text, ": ", 2, &a->failed);
    add(text, (const char *)f->type.data, f->type.len, &a->failed);
    int n = snprintf(size, sizeof size, ", %" PRIu64 " bytes, %" PRIu64 " events", f->size_bytes, f->timed_count);
    add(text, size, (size_t)n, &a->failed);
    add_placements(c, &a->placements, file, text, &a->failed);
    add_uuid(c, &a->metadata, file, text, &a->failed);
    n = snprintf(key, sizeof key, TM_PROVENANCE_FILE "%" PRIu32, f->processing_order);
    if (!a->failed)
        put_text(a, key, (size_t)n, text->data, text->len);
}

static void put_manifest_attributes(struct attributes *a, const struct tm_catalog *c)
{
    static const char prefix[] = "manifest_attribute.";
    for (uint32_t i = 0; i < c->metadata_count; i++) {
        const Tracemerge__Metadata *m = c->metadata[i];
        const char *key = (const char *)m->name.data;
        if (m->name.len < sizeof prefix || memcmp(key, prefix, sizeof prefix - 1) != 0)
            continue;
        if (m->value_case == TRACEMERGE__METADATA__VALUE_STR_VALUE)
            put_text(a, key, m->name.len, m->str_value.data, m->str_value.len);
        else if (m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE)
            put_number(a, key, m->name.len, m->int_value);
    }
}

static enum tm_status write_packet(struct pftrace *p, uint32_t machine, uint32_t field, const struct tm_buf *message,
                                   struct tm_error *err)
{
    struct tm_buf *out = &p->packets.out;
    size_t mark;
    enum tm_status st = tm_packet_begin(&p->packets, machine, err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, field, &mark) != TM_OK || tm_buf_add(out, message->data, message->len) != TM_OK ||
        tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(&p->packets, err);
}

/* Writes the UUID of a merge of several traces, of version 8 (RFC 9562). Equal merges have equal UUIDs. */
static enum tm_status write_uuid(struct pftrace *p, const struct tm_buf *attributes, struct tm_error *err)
{
    struct tm_buf message = {0};
    uint64_t high = tm_hash64_seed(attributes->data, attributes->len, 1);
    uint64_t low = tm_hash64_seed(attributes->data, attributes->len, 2);
    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x8000);
    low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    enum tm_status st = tm_pb_put_varint(&message, TM_TRACE_UUID_MSB, high);
    if (st == TM_OK)
        st = tm_pb_put_varint(&message, TM_TRACE_UUID_LSB, low);
    st = st == TM_OK ? write_packet(p, p->clocks.home, TM_PACKET_TRACE_UUID, &message, err) : tm_error_nomem(err);
    tm_buf_release(&message);
    return st;
}

/* Puts M, which a file states about itself: tracemerge.file.N.NAME. */
static void put_statement(struct attributes *a, const struct tm_catalog *c, const Tracemerge__Metadata *m,
                          struct tm_buf *key)
{
    key->len = 0;
    a->failed |= tm_buf_addf(key, TM_PROVENANCE_FILE "%" PRIu32 ".", c->files[m->file].processing_order) != TM_OK ||
                 tm_buf_add(key, m->name.data, m->name.len) != TM_OK;
    if (a->failed)
        return;
    if (m->value_case == TRACEMERGE__METADATA__VALUE_STR_VALUE)
        put_text(a, (const char *)key->data, key->len, m->str_value.data, m->str_value.len);
    else if (m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE)
        put_number(a, (const char *)key->data, key->len, m->int_value);
}

/* Writes what FILE states about itself, unless it is a proto, whose packets state it. */
static enum tm_status write_statements(struct pftrace *p, struct attributes *a, uint32_t file, struct tm_buf *key,
                                       struct tm_error *err)
{
    static const char trace_time[] = "trace_time_clock_id"; /* of the whole trace */
    const struct tm_catalog *c = p->context->catalog;
    uint32_t machine = p->clocks.home;
    tm_buf_clear(&a->message);
    if (!has_events(&c->files[file]) || c->files[file].clock_policy == TRACEMERGE__CLOCK_POLICY__PROTO)
        return TM_OK;
    for (uint32_t i = a->metadata.starts[file]; i < a->metadata.starts[file + 1]; i++) {
        const Tracemerge__Metadata *m = c->metadata[a->metadata.order[i]];
        if (tm_text_is(tm_text_of(m->name), trace_time))
            continue;
        if (m->has_machine && m->machine < c->machine_count)
            machine = m->machine;
        put_statement(a, c, m, key);
    }
    if (a->failed)
        return tm_error_nomem(err);
    return a->message.len ? write_packet(p, machine, TM_PACKET_TRACE_ATTRIBUTES, &a->message, err) : TM_OK;
}

enum tm_status tm_pftrace_provenance(struct pftrace *p, struct tm_error *err)
{
    static const char version[] = "tracemerge.version", files[] = "tracemerge.files";
    const struct tm_catalog *c = p->context->catalog;
    struct attributes a = {0};
    struct tm_buf text = {0};
    uint32_t count = 0;
    a.failed = tm_by_file_placements(&a.placements, c) < 0 || tm_by_file_metadata(&a.metadata, c) < 0;
    put_text(&a, version, sizeof version - 1, PACKAGE_VERSION, sizeof PACKAGE_VERSION - 1);
    for (uint32_t i = 0; i < c->file_count; i++)
        if (has_events(&c->files[i]) && ++count <= FILES_MAX && !a.failed)
            put_file(&a, c, i, &text);
    put_number(&a, files, sizeof files - 1, count);
    put_manifest_attributes(&a, c);
    p->packets.has_own_uuid = count > 1;
    enum tm_status st = a.failed ? tm_error_nomem(err)
                                 : write_packet(p, p->clocks.home, TM_PACKET_TRACE_ATTRIBUTES, &a.message, err);
    if (st == TM_OK && p->packets.has_own_uuid)
        st = write_uuid(p, &a.message, err);
    for (uint32_t i = 0; i < c->file_count && st == TM_OK; i++)
        st = write_statements(p, &a, i, &text, err);
    tm_buf_release(&a.message);
    tm_by_file_release(&a.placements);
    tm_by_file_release(&a.metadata);
    tm_buf_release(&text);
    return st;
}
