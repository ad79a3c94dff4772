#include "model/catalog.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/table.h"
#include "stream/field_text.h"

#include <stdlib.h>

enum { CATALOG_DEPTH_MAX = 32 };

static void text_free(struct tm_text *text)
{
    free((void *)(uintptr_t)text->data);
    *text = (struct tm_text){0};
}

/* Makes TEXT a copy of BYTES; its data is not NULL even if they are empty. */
static enum tm_status text_copy(struct tm_text *text, const ProtobufCBinaryData *bytes, struct tm_error *err)
{
    uint8_t *copy = malloc(bytes->len + 1);
    if (copy == NULL)
        return tm_error_nomem(err);
    if (bytes->len)
        memcpy(copy, bytes->data, bytes->len);
    text_free(text);
    *text = (struct tm_text){copy, bytes->len};
    return TM_OK;
}

static enum tm_status set_type(struct tm_catalog_file *f, const ProtobufCBinaryData *type, struct tm_error *err)
{
    f->input_type = tm_input_type_of(tm_text_of(*type));
    return text_copy(&f->type, type, err);
}

static enum tm_status add_file(struct tm_catalog *c, const Tracemerge__File *m, struct tm_error *err)
{
    if (m->id != c->file_count)
        return tm_error_set(err, TM_E_INPUT, "file %u where file %u should follow", m->id, c->file_count);
    if (m->has_parent && m->parent >= m->id)
        return tm_error_set(err, TM_E_INPUT, "file %u lies in file %u, which is not known yet", m->id, m->parent);
    enum tm_status st = tm_array_grow(&c->files, &c->file_cap, c->file_count, sizeof *c->files, err);
    if (st < 0)
        return st;
    struct tm_catalog_file *f = &c->files[c->file_count++];
    *f = (struct tm_catalog_file){.has_parent = m->has_parent,
                                  .parent = m->parent,
                                  .size_bytes = m->size_bytes,
                                  .is_container = m->is_container};
    if (m->id == 0) {
        c->has_head_hash = m->has_head_hash;
        c->head_hash = m->head_hash;
    }
    if (m->id == 0 && m->has_given_name && (st = text_copy(&c->given_name, &m->given_name, err)) < 0)
        return st;
    if (m->has_name && (st = text_copy(&f->name, &m->name, err)) < 0)
        return st;
    return set_type(f, &m->type, err);
}

static enum tm_status check_file(const struct tm_catalog *c, uint32_t file, struct tm_error *err)
{
    return file < c->file_count ? TM_OK : tm_error_set(err, TM_E_INPUT, "refers to file %u, which is not known", file);
}

static enum tm_status begin_file(struct tm_catalog *c, const Tracemerge__FileBegin *m, struct tm_error *err)
{
    enum tm_status st = check_file(c, m->id, err);
    if (st < 0)
        return st;
    struct tm_catalog_file *f = &c->files[m->id];
    f->begun = true;
    f->processing_order = m->processing_order;
    f->clock_policy = m->clock_policy;
    return m->type.len ? set_type(f, &m->type, err) : TM_OK;
}

static enum tm_status end_file(struct tm_catalog *c, const Tracemerge__FileEnd *m, struct tm_error *err)
{
    enum tm_status st = check_file(c, m->id, err);
    if (st < 0)
        return st;
    struct tm_catalog_file *f = &c->files[m->id];
    f->size_bytes = m->size_bytes;
    f->timed_count = m->timed_count;
    f->untimed_count = m->untimed_count;
    f->lists_slice_tids = m->lists_slice_tids;
    free(f->slice_tids);
    f->slice_tid_count = 0;
    f->slice_tids = calloc(m->n_slice_tids + 1, sizeof *f->slice_tids);
    if (f->slice_tids == NULL)
        return tm_error_nomem(err);
    f->slice_tid_count = m->n_slice_tids;
    if (m->n_slice_tids)
        memcpy(f->slice_tids, m->slice_tids, m->n_slice_tids * sizeof *f->slice_tids);
    return TM_OK;
}

static enum tm_status add_machine(struct tm_catalog *c, const Tracemerge__Machine *m, struct tm_error *err)
{
    if (m->id > c->machine_count)
        return tm_error_set(err, TM_E_INPUT, "machine %u where at most machine %u can follow", m->id, c->machine_count);
    if (m->id == c->machine_count) {
        enum tm_status st = tm_array_grow(&c->machines, &c->machine_cap, c->machine_count, sizeof *c->machines, err);
        if (st < 0)
            return st;
        c->machine_count++;
    }
    struct tm_catalog_machine *row = &c->machines[m->id];
    row->raw_id = m->raw_id;
    return m->has_name ? text_copy(&row->name, &m->name, err) : TM_OK;
}

static enum tm_status add_sequence(struct tm_catalog *c, const Tracemerge__Sequence *m, struct tm_error *err)
{
    uint32_t next = c->sequence_count ? c->sequence_count : 1;
    if (m->generation != next)
        return tm_error_set(err, TM_E_INPUT, "generation %u where generation %u should follow", m->generation, next);
    enum tm_status st = check_file(c, m->file, err);
    if (st < 0 || (st = tm_array_grow(&c->sequences, &c->sequence_cap, next, sizeof *c->sequences, err)) < 0)
        return st;
    c->sequences[next] = (struct tm_catalog_sequence){m->file, m->machine, m->trusted_packet_sequence_id};
    c->sequence_count = next + 1;
    return TM_OK;
}

static enum tm_status set_trace_time(struct tm_catalog *c, const Tracemerge__TraceTime *m, struct tm_error *err)
{
    if (m->has_file && check_file(c, m->file, err) < 0)
        return TM_E_INPUT;
    c->has_trace_time = true;
    c->trace_time_clock = m->clock;
    c->trace_time_has_machine = m->has_machine;
    c->trace_time_machine = m->machine;
    c->trace_time_has_file = m->has_file;
    c->trace_time_file = m->file;
    return TM_OK;
}

static enum tm_status add_strings(struct tm_catalog *c, const Tracemerge__Strings *m, struct tm_error *err)
{
    if (m->first != c->string_count + 1)
        return tm_error_set(err, TM_E_INPUT, "strings from %u where string %u should follow", m->first,
                            c->string_count + 1);
    if (m->n_text >= TM_STRING_INLINE - m->first)
        return tm_error_set(err, TM_E_INPUT, "more strings than can be numbered");
    for (size_t i = 0; i < m->n_text; i++) {
        enum tm_status st =
            tm_array_grow(&c->string_bounds, &c->string_cap, c->string_count + 1, sizeof *c->string_bounds, err);
        if (st < 0)
            return st;
        if (tm_buf_reserve(&c->text, m->text[i].len + TM_CATALOG_TEXT_SLACK) < 0)
            return tm_error_nomem(err);
        c->string_bounds[c->string_count] = c->text.len;
        tm_buf_add(&c->text, m->text[i].data, m->text[i].len);
        c->string_bounds[++c->string_count] = c->text.len;
    }
    return TM_OK;
}

/* Appends *M to *ARRAY, which takes it over; *M becomes NULL. */
static enum tm_status keep(void *array, uint32_t *cap, uint32_t *count, ProtobufCMessage **m, struct tm_error *err)
{
    ProtobufCMessage **messages;
    enum tm_status st = tm_array_grow(array, cap, *count, sizeof *messages, err);
    if (st < 0)
        return st;
    memcpy(&messages, array, sizeof messages);
    messages[(*count)++] = *m;
    *m = NULL;
    return TM_OK;
}

/* Accounts are added up if all fields that identify them are equal, and so are statistics. */

static uint64_t account_hash(const struct tm_index *index, const Tracemerge__Account *m)
{
    uint64_t hash = tm_index_hash_bytes(index, m->reason.data, m->reason.len);
    hash = tm_index_hash_more(index, hash, (uint64_t)m->file << 32 | m->clock);
    return tm_index_hash_more(index, hash, m->has_machine ? (uint64_t)m->machine + 1 : 0);
}

static uint64_t stat_hash(const struct tm_index *index, const Tracemerge__Stat *m)
{
    uint64_t hash = tm_index_hash_bytes(index, m->name.data, m->name.len);
    hash = tm_index_hash_more(index, hash, m->has_idx ? (uint64_t)m->idx : UINT64_MAX);
    hash = tm_index_hash_more(index, hash, m->has_machine ? (uint64_t)m->machine + 1 : 0);
    return tm_index_hash_more(index, hash, m->has_file ? (uint64_t)m->file + 1 : 0);
}

static bool bytes_equal(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool account_equal(const Tracemerge__Account *a, const Tracemerge__Account *b)
{
    return a->file == b->file && a->clock == b->clock && a->has_machine == b->has_machine &&
           (!a->has_machine || a->machine == b->machine) && bytes_equal(&a->reason, &b->reason);
}

static bool stat_equal(const Tracemerge__Stat *a, const Tracemerge__Stat *b)
{
    return a->has_idx == b->has_idx && (!a->has_idx || a->idx == b->idx) && a->has_machine == b->has_machine &&
           (!a->has_machine || a->machine == b->machine) && a->has_file == b->has_file &&
           (!a->has_file || a->file == b->file) && bytes_equal(&a->name, &b->name);
}

static enum tm_status add_account(struct tm_catalog *c, ProtobufCMessage **m, struct tm_error *err)
{
    const Tracemerge__Account *more = (const Tracemerge__Account *)*m;
    enum tm_status st = check_file(c, more->file, err);
    if (st < 0)
        return st;
    tm_index_seed(&c->account_index);
    uint64_t hash = account_hash(&c->account_index, more);
    struct tm_probe probe = tm_probe(&c->account_index, hash);
    for (uint32_t row; (row = tm_probe_next(&c->account_index, &probe)) != TM_INDEX_NONE;) {
        Tracemerge__Account *have = c->accounts[row];
        if (!account_equal(have, more))
            continue;
        if (have->count > UINT64_MAX - more->count)
            return tm_error_set(err, TM_E_INPUT, "an account overflows");
        have->count += more->count;
        have->definition_count += more->definition_count;
        have->has_definition_count |= more->has_definition_count;
        have->is_listed = have->is_listed && more->is_listed;
        if (more->has_earliest_ns && (!have->has_earliest_ns || more->earliest_ns < have->earliest_ns)) {
            have->has_earliest_ns = true;
            have->earliest_ns = more->earliest_ns;
        }
        if (more->has_byte && (!have->has_byte || more->byte < have->byte)) {
            have->has_byte = true;
            have->byte = more->byte;
        }
        return TM_OK;
    }
    st = keep(&c->accounts, &c->account_cap, &c->account_count, m, err);
    if (st == TM_OK && tm_index_add(&c->account_index, hash, c->account_count - 1) < 0)
        return tm_error_nomem(err);
    return st;
}

uint64_t tm_catalog_account_count(const struct tm_catalog *c, const Tracemerge__Account *like)
{
    const struct tm_index *index = &c->account_index;
    struct tm_probe probe = tm_probe(index, account_hash(index, like));
    for (uint32_t row; (row = tm_probe_next(index, &probe)) != TM_INDEX_NONE;)
        if (account_equal(c->accounts[row], like))
            return c->accounts[row]->count;
    return 0;
}

static enum tm_status add_stat(struct tm_catalog *c, ProtobufCMessage **m, struct tm_error *err)
{
    const Tracemerge__Stat *more = (const Tracemerge__Stat *)*m;
    enum tm_status st = more->has_file ? check_file(c, more->file, err) : TM_OK;
    if (st < 0)
        return st;
    tm_index_seed(&c->stat_index);
    uint64_t hash = stat_hash(&c->stat_index, more);
    struct tm_probe probe = tm_probe(&c->stat_index, hash);
    for (uint32_t row; (row = tm_probe_next(&c->stat_index, &probe)) != TM_INDEX_NONE;) {
        Tracemerge__Stat *have = c->stats[row];
        if (!stat_equal(have, more))
            continue;
        have->value = tm_add_saturate_i64(have->value, more->value); /* traces state numbers of any size */
        return TM_OK;
    }
    st = keep(&c->stats, &c->stat_cap, &c->stat_count, m, err);
    if (st == TM_OK && tm_index_add(&c->stat_index, hash, c->stat_count - 1) < 0)
        return tm_error_nomem(err);
    return st;
}

static enum tm_status add_placement(struct tm_catalog *c, ProtobufCMessage **m, struct tm_error *err)
{
    enum tm_status st = check_file(c, ((const Tracemerge__Placement *)*m)->file, err);
    return st < 0 ? st : keep(&c->placements, &c->placement_cap, &c->placement_count, m, err);
}

static enum tm_status add_metadata(struct tm_catalog *c, ProtobufCMessage **m, struct tm_error *err)
{
    const Tracemerge__Metadata *row = (const Tracemerge__Metadata *)*m;
    enum tm_status st = row->has_file ? check_file(c, row->file, err) : TM_OK;
    return st < 0 ? st : keep(&c->metadata, &c->metadata_cap, &c->metadata_count, m, err);
}

static const ProtobufCMessageDescriptor *descriptor_of(uint32_t type)
{
    switch (type) {
    case TM_FRAME_FILE: return &tracemerge__file__descriptor;
    case TM_FRAME_FILE_BEGIN: return &tracemerge__file_begin__descriptor;
    case TM_FRAME_FILE_END: return &tracemerge__file_end__descriptor;
    case TM_FRAME_MACHINE: return &tracemerge__machine__descriptor;
    case TM_FRAME_SEQUENCE: return &tracemerge__sequence__descriptor;
    case TM_FRAME_TRACE_TIME: return &tracemerge__trace_time__descriptor;
    case TM_FRAME_STRINGS: return &tracemerge__strings__descriptor;
    case TM_FRAME_PLACEMENT: return &tracemerge__placement__descriptor;
    case TM_FRAME_ACCOUNT: return &tracemerge__account__descriptor;
    case TM_FRAME_STAT: return &tracemerge__stat__descriptor;
    case TM_FRAME_METADATA: return &tracemerge__metadata__descriptor;
    default: return NULL;
    }
}

/* Adds message *M. Sets *M to NULL if the catalog keeps it. */
static enum tm_status take(struct tm_catalog *c, uint32_t type, ProtobufCMessage **m, struct tm_error *err)
{
    switch (type) {
    case TM_FRAME_FILE: return add_file(c, (Tracemerge__File *)*m, err);
    case TM_FRAME_FILE_BEGIN: return begin_file(c, (Tracemerge__FileBegin *)*m, err);
    case TM_FRAME_FILE_END: return end_file(c, (Tracemerge__FileEnd *)*m, err);
    case TM_FRAME_MACHINE: return add_machine(c, (Tracemerge__Machine *)*m, err);
    case TM_FRAME_SEQUENCE: return add_sequence(c, (Tracemerge__Sequence *)*m, err);
    case TM_FRAME_TRACE_TIME: return set_trace_time(c, (Tracemerge__TraceTime *)*m, err);
    case TM_FRAME_STRINGS: return add_strings(c, (Tracemerge__Strings *)*m, err);
    case TM_FRAME_PLACEMENT: return add_placement(c, m, err);
    case TM_FRAME_ACCOUNT: return add_account(c, m, err);
    case TM_FRAME_STAT: return add_stat(c, m, err);
    case TM_FRAME_METADATA: return add_metadata(c, m, err);
    default: return TM_OK;
    }
}

enum tm_status tm_catalog_add(struct tm_catalog *c, const struct tm_frame *frame, struct tm_error *err)
{
    const ProtobufCMessageDescriptor *descriptor = descriptor_of(frame->type);
    struct tm_error why = {0};
    if (descriptor == NULL)
        return TM_OK;
    ProtobufCMessage *m = tm_frame_message(frame, descriptor, err);
    if (m == NULL)
        return err->status;
    enum tm_status st = take(c, frame->type, &m, &why);
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
    if (st == TM_E_INPUT)
        return tm_error_set(err, st, "byte %llu: %s", (unsigned long long)frame->offset, why.text);
    return st < 0 ? tm_error_set(err, st, "%s", why.text) : TM_OK;
}

struct tm_text tm_catalog_inline_string(uint32_t string, const struct tm_event *event)
{
    struct tm_text none = {0};
    uint64_t len;
    uint32_t at = string & ~TM_STRING_INLINE;
    if (!(string & TM_STRING_INLINE) || event == NULL || at >= event->detail_bytes)
        return none;
    const uint8_t *end = event->detail + event->detail_bytes;
    const uint8_t *p = tm_varint_get(event->detail + at, end, &len);
    if (p == NULL || len > (uint64_t)(end - p))
        return none;
    return (struct tm_text){p, (size_t)len};
}

static struct tm_text find_string(const void *catalog, uint32_t string, const struct tm_event *event)
{
    return tm_catalog_string(catalog, string, event);
}

struct tm_arg_expander tm_catalog_expander(const struct tm_catalog *catalog)
{
    return (struct tm_arg_expander){.strings = catalog, .find = find_string};
}

const struct tm_catalog_machine *tm_catalog_machine(const struct tm_catalog *catalog, uint32_t id)
{
    return id < catalog->machine_count ? &catalog->machines[id] : NULL;
}

void tm_catalog_path(const struct tm_catalog *c, uint32_t file, char *out, size_t size)
{
    uint32_t chain[CATALOG_DEPTH_MAX];
    size_t depth = 0, at = 0;
    if (size == 0)
        return;
    out[0] = '\0';
    for (bool more = file < c->file_count; more && depth < CATALOG_DEPTH_MAX; file = c->files[file].parent) {
        chain[depth++] = file;
        more = c->files[file].has_parent;
    }
    while (depth > 0) {
        const struct tm_text *name = &c->files[chain[--depth]].name;
        if (name->len == 0)
            continue;
        if (at > 0 && at + 1 < size)
            out[at++] = '/';
        tm_text_escape((const char *)name->data, name->len, out + at, size - at);
        at += strlen(out + at);
    }
    if (at > 0)
        return;
    const struct tm_text *given = &c->given_name;
    tm_text_escape(given->len ? (const char *)given->data : "-", given->len ? given->len : 1, out, size);
}

void tm_catalog_release(struct tm_catalog *c)
{
    for (uint32_t i = 0; i < c->file_count; i++) {
        text_free(&c->files[i].name);
        text_free(&c->files[i].type);
        free(c->files[i].slice_tids);
    }
    text_free(&c->given_name);
    for (uint32_t i = 0; i < c->machine_count; i++)
        text_free(&c->machines[i].name);
    for (uint32_t i = 0; i < c->placement_count; i++)
        tracemerge__placement__free_unpacked(c->placements[i], NULL);
    for (uint32_t i = 0; i < c->account_count; i++)
        tracemerge__account__free_unpacked(c->accounts[i], NULL);
    for (uint32_t i = 0; i < c->stat_count; i++)
        tracemerge__stat__free_unpacked(c->stats[i], NULL);
    for (uint32_t i = 0; i < c->metadata_count; i++)
        tracemerge__metadata__free_unpacked(c->metadata[i], NULL);
    free(c->files);
    free(c->machines);
    free(c->sequences);
    free(c->placements);
    free(c->accounts);
    free(c->stats);
    free(c->metadata);
    free(c->string_bounds);
    tm_index_release(&c->account_index);
    tm_index_release(&c->stat_index);
    tm_buf_release(&c->text);
    *c = (struct tm_catalog){0};
}
