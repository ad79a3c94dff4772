#include "format/fuchsia/fuchsia.h"

#include "format/fuchsia/internal.h"

#include <stdlib.h>

#define MAGIC UINT64_C(0x0016547846040010)

enum {
    RECORD_METADATA = 0,
    RECORD_INITIALIZATION = 1,
    RECORD_STRING = 2,
    RECORD_THREAD = 3,
    RECORD_EVENT = 4,
    RECORD_BLOB = 5,
    RECORD_KERNEL_OBJECT = 7,
    RECORD_SCHEDULING = 8,
    RECORD_LOG = 9,
    RECORD_LARGE = 15
};
enum { METADATA_PROVIDER = 1, METADATA_SECTION = 2, METADATA_PROVIDER_EVENT = 3, METADATA_TRACE = 4 };
enum { BLOB_PERFETTO = 3, RECORDS_AT_ONCE = 256 };

/* Adds the name of a provider as a row of the metadata table. */
static enum tm_status put_provider(struct tm_fxt *x, uint32_t id, struct tm_text name)
{
    Tracemerge__Metadata row = TRACEMERGE__METADATA__INIT;
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "fuchsia_provider.%lu", (unsigned long)id) != TM_OK)
        return tm_error_nomem(x->err);
    row.name = tm_bytes(x->text.data, x->text.len);
    row.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
    row.str_value = tm_bytes(name.data, name.len);
    row.has_file = true;
    row.file = x->context.sink->file;
    return tm_event_sink_message(x->context.sink, TM_FRAME_METADATA, &row.base, x->err);
}

static enum tm_status metadata(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint32_t id = (uint32_t)tm_fxt_bits(r->header, 20, 51);
    struct tm_text name;
    enum tm_status st;
    switch (tm_fxt_bits(r->header, 16, 19)) {
    case METADATA_PROVIDER:
        if (!tm_fxt_text(&r->rest, (size_t)tm_fxt_bits(r->header, 52, 59), &name))
            return tm_fxt_lose(x, TM_FXT_LOSS_READ);
        st = tm_fxt_tables_provider(&x->tables, id, x->err);
        return st < 0 ? st : put_provider(x, id, name);
    case METADATA_SECTION:
        tm_fxt_tables_section(&x->tables, id);
        return TM_OK;
    case METADATA_PROVIDER_EVENT:
        x->buffers_full += tm_fxt_bits(r->header, 52, 55) == 0;
        return TM_OK;
    case METADATA_TRACE:
        return TM_OK;
    default:
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    }
}

static enum tm_status string(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint32_t index = (uint32_t)tm_fxt_bits(r->header, 16, 30);
    struct tm_text text;
    if (index == 0)
        return TM_OK;
    if (!tm_fxt_text(&r->rest, (size_t)tm_fxt_bits(r->header, 32, 46), &text))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    return tm_fxt_tables_set_string(&x->tables, index, text, x->err);
}

static enum tm_status thread(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint32_t index = (uint32_t)tm_fxt_bits(r->header, 16, 23);
    struct tm_fxt_thread t;
    if (index == 0)
        return TM_OK;
    if (tm_fxt_thread_ref(&x->tables, &r->rest, 0, &t) != TM_FXT_READ_OK)
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    return tm_fxt_tables_set_thread(&x->tables, index, &t, x->err);
}

static enum tm_status blob(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint64_t name_ref = tm_fxt_bits(r->header, 16, 31);
    struct tm_text name, bytes;
    if (tm_fxt_bits(r->header, 48, 55) != BLOB_PERFETTO)
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    /* All blobs form one trace, so their names do not matter. */
    if (tm_fxt_string_ref(&x->tables, &r->rest, name_ref, &name) == TM_FXT_READ_CUT ||
        !tm_fxt_text(&r->rest, (size_t)tm_fxt_bits(r->header, 32, 46), &bytes))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    return tm_fxt_blob_add(&x->blob, bytes, x->err);
}

static enum tm_status read_record(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint64_t type = tm_fxt_bits(r->header, 0, 3);
    if (type != RECORD_METADATA && !tm_fxt_tables_has_provider(&x->tables))
        return tm_fxt_lose(x, TM_FXT_LOSS_PROVIDER);
    switch (type) {
    case RECORD_METADATA:
        return metadata(x, r);
    case RECORD_INITIALIZATION:
        return tm_fxt_word(&r->rest, tm_fxt_tables_ticks(&x->tables)) ? TM_OK : tm_fxt_lose(x, TM_FXT_LOSS_READ);
    case RECORD_STRING:
        return string(x, r);
    case RECORD_THREAD:
        return thread(x, r);
    case RECORD_EVENT:
        return tm_fxt_event(x, r);
    case RECORD_BLOB:
        return blob(x, r);
    case RECORD_KERNEL_OBJECT:
        return tm_fxt_kernel_object(x, r);
    case RECORD_SCHEDULING:
        return tm_fxt_scheduling(x, r);
    case RECORD_LOG:
        return tm_fxt_log(x, r);
    default:
        return tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    }
}

/* True for the header of a record that begins a provider's section. Reading can resume there after any loss. */
static bool resumes(uint64_t header)
{
    uint64_t words = tm_fxt_bits(header, 4, 15), name = tm_fxt_bits(header, 52, 59);
    if (header == MAGIC)
        return true;
    if (tm_fxt_bits(header, 0, 3) != RECORD_METADATA || header >> 60)
        return false;
    return (tm_fxt_bits(header, 16, 19) == METADATA_PROVIDER && words == 1 + (name + TM_FXT_WORD - 1) / TM_FXT_WORD) ||
           (tm_fxt_bits(header, 16, 19) == METADATA_SECTION && words == 1 && name == 0);
}

/* Handles damage at the front of the input. Depending on on_damage, returns an error, skips the rest of the file, or
 * skips to the next section. */
static enum tm_status damage(struct tm_fxt *x, const char *cause)
{
    struct tm_input *in = x->context.input;
    enum tm_on_damage on_damage = x->context.options->on_damage;
    if (on_damage == TM_DAMAGE_HALT) {
        tm_error_at(x->err, in->offset, "%s", cause);
        return tm_error_recoverable(x->err);
    }
    if (x->damaged++ == 0)
        x->first_damaged = in->offset;
    enum tm_status st = TM_OK;
    bool moved = false; /* the damaged record may itself look like the begin of a section */
    for (; (st = tm_input_fill(in, TM_FXT_WORD, x->err)) == TM_OK; moved = true) {
        size_t step = on_damage == TM_DAMAGE_SALVAGE ? TM_FXT_WORD : in->len;
        if (moved && on_damage == TM_DAMAGE_SALVAGE && resumes(tm_get_le64(in->data)))
            return TM_OK;
        x->skipped_bytes += step;
        tm_input_skip(in, step);
    }
    if (st == TM_END) {
        x->skipped_bytes += in->len;
        tm_input_skip(in, in->len);
    }
    return st < 0 ? st : TM_OK;
}

/* Reads one record. TM_END: there is none. */
static enum tm_status read_one(struct tm_fxt *x)
{
    struct tm_input *in = x->context.input;
    enum tm_status st = in->len < TM_FXT_WORD ? tm_input_fill(in, TM_FXT_WORD, x->err) : TM_OK;
    if (st == TM_END)
        return in->len == 0 ? TM_END : damage(x, "the last record is cut short");
    if (st < 0)
        return st;
    struct tm_fxt_record r = {.header = tm_get_le64(in->data)};
    bool is_large = tm_fxt_bits(r.header, 0, 3) == RECORD_LARGE;
    uint64_t size = tm_fxt_bits(r.header, 4, is_large ? 35 : 15) * TM_FXT_WORD;
    if (size == 0)
        return damage(x, "a record of size 0");
    if (is_large) {
        (void)tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
        st = tm_input_advance(in, size, x->err);
        return st == TM_END ? damage(x, "the last record is cut short") : st;
    }
    if (in->len < size && (st = tm_input_fill(in, (size_t)size, x->err)) != TM_OK)
        return st == TM_END ? damage(x, "the last record is cut short") : st;
    r.rest = (struct tm_fxt_cursor){in->data + TM_FXT_WORD, in->data + size};
    st = read_record(x, &r);
    if (st >= 0)
        tm_input_skip(in, (size_t)size);
    else if (st == TM_E_INPUT)
        tm_error_prefix(x->err, "byte %llu", (unsigned long long)in->offset);
    return st;
}

static enum tm_status fxt_read(void *state, struct tm_error *err)
{
    struct tm_fxt *x = state;
    enum tm_status st = TM_OK;
    x->err = err;
    for (int i = 0; !x->all_read && i < RECORDS_AT_ONCE; i++) {
        if ((st = read_one(x)) < 0)
            return st;
        x->all_read = st == TM_END;
    }
    if (!x->all_read)
        return TM_OK;
    st = tm_fxt_blob_read(&x->blob, &x->context, err);
    if (st != TM_END)
        return st;
    st = tm_fxt_count_flush(x);
    return st < 0 ? st : TM_END;
}

static void fxt_close(void *state)
{
    struct tm_fxt *x = state;
    if (x == NULL)
        return;
    tm_fxt_tables_release(&x->tables);
    tm_fxt_flows_release(&x->flows);
    tm_fxt_blob_release(&x->blob);
    tm_buf_release(&x->detail);
    tm_buf_release(&x->text);
    free(x);
}

/* Opens a trace. Records before the first provider is announced belong to provider 0. */
static enum tm_status fxt_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_fxt *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    tm_fxt_blob_init(&x->blob, context->temporary_dir);
    enum tm_status st = tm_fxt_tables_provider(&x->tables, 0, err);
    if (st < 0)
        fxt_close(x);
    else
        *state = x;
    return st;
}

static bool fxt_sniff(const uint8_t *head, size_t len)
{
    return len >= TM_FXT_WORD && tm_get_le64(head) == MAGIC;
}

const struct tm_format tm_format_fxt = {
    .type = TM_INPUT_FUCHSIA,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK,
    .sniff = fxt_sniff,
    .open = fxt_open,
    .read = fxt_read,
    .close = fxt_close,
};
