#include "format/journal/journal.h"

#include "base/hash.h"
#include "base/map.h"
#include "format/journal/boots.h"
#include "format/journal/internal.h"

#include <stdlib.h>

enum { ENTRIES_AT_ONCE = 256, NAMES_MAX = 1 << 16 };

struct journal {
    struct tm_format_context context;
    const struct tm_journal_syntax *syntax;
    struct tm_journal_entry entry;
    struct tm_journal_boots boots;
    struct tm_map names; /* by pid: hash of the latest name */
    struct tm_buf detail;
    bool has_begun, has_entries;
    uint64_t damaged, first_damaged, skipped_bytes, no_time, first_no_time, left_out;
};

/* Skips the damage at the front of IN, up to a place where an entry may begin or to the end. Adds the number of skipped
 * bytes to *SKIPPED. TM_OK or an error. */
static enum tm_status pass_damage(const struct tm_journal_syntax *syntax, struct tm_input *in, uint64_t *skipped,
                                  struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t want = 1; (st = tm_input_fill(in, want, err)) == TM_OK;) {
        const uint8_t *p = in->data;
        bool is_found = syntax->find(&p, in->data + in->len);
        size_t passed = (size_t)(p - in->data);
        *skipped += passed;
        tm_input_skip(in, passed);
        if (is_found)
            return TM_OK;
        want = in->len + 1;
    }
    if (st == TM_END) {
        *skipped += in->len;
        tm_input_skip(in, in->len);
    }
    return st < 0 ? st : TM_OK;
}

/* Reads the whole file once to find its boots. */
static enum tm_status note_boots(struct journal *j, struct tm_error *err)
{
    struct tm_journal_entry entry = {.is_brief = true};
    struct tm_input in = {0};
    const char *cause;
    uint64_t skipped = 0;
    size_t size = 0;
    enum tm_status st = tm_extent_open(&j->context.whole, &in, err);
    while (st == TM_OK && (st = j->syntax->read(&in, &entry, &size, &cause, err)) != TM_END) {
        if (st == TM_OK) {
            tm_input_skip(&in, size);
            st = tm_journal_boots_note(&j->boots, &entry, err);
        } else if (st == TM_E_INPUT && err->status == TM_OK) {
            st = pass_damage(j->syntax, &in, &skipped, err);
        }
    }
    tm_input_release(&in);
    tm_journal_entry_release(&entry);
    return st < 0 ? st : TM_OK;
}

static void journal_close(void *state)
{
    struct journal *j = state;
    if (j == NULL)
        return;
    tm_journal_entry_release(&j->entry);
    tm_journal_boots_release(&j->boots);
    tm_map_release(&j->names);
    tm_buf_release(&j->detail);
    free(j);
}

static enum tm_status open_as(const struct tm_journal_syntax *syntax, const struct tm_format_context *context,
                              void **state, struct tm_error *err)
{
    struct journal *j = calloc(1, sizeof *j);
    if (j == NULL)
        return tm_error_nomem(err);
    j->context = *context;
    j->syntax = syntax;
    *state = j;
    return j->context.whole.len > 0 ? note_boots(j, err) : TM_OK;
}

/* Entries that state no boot are on REALTIME. */
static Tracemerge__ClockPolicy journal_policy(const void *state)
{
    const struct journal *j = state;
    return j->context.whole.len > 0 && j->boots.count == 0 ? TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK
                                                           : TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK;
}

static enum tm_status json_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_as(&tm_journal_json, context, state, err);
}

static enum tm_status export_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    return open_as(&tm_journal_export, context, state, err);
}

/* Adds the name of the process after an entry that states a new one. */
static enum tm_status add_name(struct journal *j, const struct tm_event *log, struct tm_error *err)
{
    const struct tm_buf *comm = &j->entry.comm;
    uint32_t known = 0, hash = (uint32_t)tm_hash64(comm->data, comm->len);
    if (comm->len == 0 || !j->entry.has_pid || (tm_map_find(&j->names, (uint64_t)log->pid, &known) && known == hash))
        return TM_OK;
    if (j->names.count == NAMES_MAX)
        tm_map_clear(&j->names);
    if (tm_map_set(&j->names, (uint64_t)log->pid, hash) < 0)
        return tm_error_nomem(err);
    struct tm_event name = *log;
    tm_buf_clear(&j->detail);
    name.kind = TM_KIND_TASK_RENAME;
    name.tid = log->pid;
    name.flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_DERIVED;
    name.value = 0;
    name.category = 0;
    enum tm_status st =
        tm_event_sink_string(j->context.sink, tm_text_at(comm->data, comm->len), &j->detail, &name.name, err);
    name.detail = j->detail.data;
    name.detail_bytes = (uint32_t)j->detail.len;
    return st < 0 ? st : tm_event_sink_add(j->context.sink, &name, err);
}

/* Adds the text of BUF as a string of the stream. */
static enum tm_status put_string(struct journal *j, const struct tm_buf *buf, uint32_t *string, struct tm_error *err)
{
    return tm_event_sink_string(j->context.sink, tm_text_given(buf->data, buf->len),
                                &j->detail, string, err);
}

static enum tm_status add_entry(struct journal *j, struct tm_error *err)
{
    const struct tm_journal_entry *e = &j->entry;
    struct tm_event log = {.kind = TM_KIND_LOG};
    enum tm_status st = tm_journal_boots_place(&j->boots, e, j->context.sink, &log, err);
    j->left_out += e->left_out;
    if (st == TM_END && j->no_time++ == 0)
        j->first_no_time = j->context.input->offset;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    log.flags = 0;
    tm_event_set_journal(&log, e->priority >= 0, (uint32_t)e->priority);
    if (e->has_pid) {
        log.pid = e->pid;
        log.tid = e->has_tid ? e->tid : e->pid;
        log.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    }
    tm_buf_clear(&j->detail);
    if ((st = put_string(j, &e->message, &log.name, err)) < 0)
        return st;
    if ((e->tag.len || e->comm.len) && (st = put_string(j, e->tag.len ? &e->tag : &e->comm, &log.category, err)) < 0)
        return st;
    if (j->context.sink->want_detail && tm_buf_add(&j->detail, e->args.data, e->args.len) != TM_OK)
        return tm_error_nomem(err);
    log.detail = j->detail.data;
    log.detail_bytes = (uint32_t)j->detail.len;
    st = tm_event_sink_add(j->context.sink, &log, err);
    return st < 0 ? st : add_name(j, &log, err);
}

/* Handles damage at the front of the input. Depending on on_damage, returns an error, skips the rest of the file, or
 * skips to the next entry. */
static enum tm_status take_damage(struct journal *j, const char *cause, struct tm_error *err)
{
    struct tm_input *in = j->context.input;
    if (j->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, in->offset, "%s", cause);
        return tm_error_recoverable(err);
    }
    if (j->damaged++ == 0)
        j->first_damaged = in->offset;
    if (j->context.options->on_damage == TM_DAMAGE_SALVAGE)
        return pass_damage(j->syntax, in, &j->skipped_bytes, err);
    enum tm_status st;
    while ((st = tm_input_fill(in, 1, err)) == TM_OK) {
        j->skipped_bytes += in->len;
        tm_input_skip(in, in->len);
    }
    return st < 0 ? st : TM_OK;
}

static enum tm_status finish(struct journal *j, struct tm_error *err)
{
    struct tm_event_sink *sink = j->context.sink;
    enum tm_status st = TM_OK;
    if (!j->has_entries && j->damaged == 0) {
        tm_error_at(err, j->context.input->offset, "no entry of a journal in the text");
        return tm_error_other_type(err);
    }
    if (j->damaged)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, 0, j->damaged, j->first_damaged}, err);
    if (st >= 0 && j->skipped_bytes)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, j->skipped_bytes, j->first_damaged},
                                   err);
    if (st >= 0 && j->no_time)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_NO_TIME, 0, j->no_time, j->first_no_time}, err);
    if (st >= 0 && j->left_out)
        st = tm_event_sink_stat(sink, "journal_fields_left_out", TRACEMERGE__SEVERITY__DATA_LOSS, (int64_t)j->left_out,
                                err);
    if (st >= 0 && j->boots.count > 1)
        st = tm_event_sink_stat(sink, "journal_boots", TRACEMERGE__SEVERITY__INFO, j->boots.count, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status journal_read(void *state, struct tm_error *err)
{
    struct journal *j = state;
    enum tm_status st = TM_OK;
    const char *cause = NULL;
    size_t size = 0;
    if (!j->has_begun && j->context.whole.len > 0)
        st = tm_journal_boots_begin(&j->boots, j->context.sink, err);
    j->has_begun = true;
    for (int i = 0; st == TM_OK && i < ENTRIES_AT_ONCE; i++) {
        st = j->syntax->read(j->context.input, &j->entry, &size, &cause, err);
        if (st == TM_OK) {
            j->has_entries = true;
            st = add_entry(j, err);
            tm_input_skip(j->context.input, size);
        } else if (st == TM_E_INPUT && err->status == TM_OK) {
            st = take_damage(j, cause, err);
        }
    }
    if (st != TM_END)
        return st;
    tm_input_skip(j->context.input, j->context.input->len);
    return finish(j, err);
}

const struct tm_format tm_format_journal_json = {
    .type = TM_INPUT_JOURNAL_JSON,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = tm_journal_json_sniff,
    .open = json_open,
    .read = journal_read,
    .close = journal_close,
    .is_text = true,
    .by_place = true,
    .policy_of = journal_policy,
};

const struct tm_format tm_format_journal_export = {
    .type = TM_INPUT_JOURNAL_EXPORT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = tm_journal_export_sniff,
    .open = export_open,
    .read = journal_read,
    .close = journal_close,
    .is_text = true,
    .by_place = true,
    .policy_of = journal_policy,
};
