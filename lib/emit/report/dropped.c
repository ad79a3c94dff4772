/* dropped: the dropped events, a line each with fields between tabs. Events of Dropped frames have their own lines.
 * Accounts of other dropped events follow: a line for each file, machine, clock and reason, with the place of the
 * first. */
#include "emit/by_file.h"
#include "emit/report/account.h"
#include "emit/report/members.h"
#include "emit/report/words.h"
#include "stream/kind_name.h"

/* One event, row ROW of a frame. */
struct listed_event {
    const Tracemerge__Dropped *frame;
    size_t row;
};

static struct tm_text name_of(const struct tm_report *r, const struct listed_event *e)
{
    const struct tm_event texts = {.detail = e->frame->texts.data, .detail_bytes = (uint32_t)e->frame->texts.len};
    return tm_catalog_string(r->context->catalog, e->frame->name[e->row], &texts);
}

/* Writes a field of text; "-" if it is empty. */
static void put_text(struct tm_report *r, struct tm_text text)
{
    if (text.data && text.len)
        tm_out_escaped(&r->out, text);
    else
        tm_out_char(&r->out, '-');
}

static void put_number(struct tm_report *r, bool is_known, int64_t v)
{
    tm_out_char(&r->out, '\t');
    if (is_known)
        tm_out_i64(&r->out, v);
    else
        tm_out_char(&r->out, '-');
}

static void put_count(struct tm_report *r, uint64_t count)
{
    tm_out_char(&r->out, '\t');
    tm_out_u64(&r->out, count);
}

static void put_account(struct tm_report *r, const Tracemerge__Account *a)
{
    tm_report_put_path(r, a->file);
    tm_out_char(&r->out, '\t');
    if (a->has_machine)
        tm_report_put_machine(r, a->machine);
    else
        tm_out_char(&r->out, '-');
    tm_out_char(&r->out, '\t');
    if (a->clock)
        tm_report_put_clock(r, a->clock);
    else
        tm_out_char(&r->out, '-');
    tm_out_char(&r->out, '\t');
    tm_out_escaped(&r->out, tm_text_of(a->reason));
    put_count(r, a->count);
    tm_out_str(&r->out, tm_accounting_is_bytes(a) ? "\tbyte" : "\tevent");
    put_count(r, a->definition_count);
    tm_out_char(&r->out, '\t');
    if (a->has_byte)
        tm_out_u64(&r->out, a->byte);
    else
        tm_out_char(&r->out, '-');
    put_number(r, a->has_earliest_ns, a->earliest_ns);
}

/* Writes the fields that only an event has; E is NULL for an account. */
static void put_event(struct tm_report *r, const struct listed_event *e)
{
    if (e == NULL) {
        tm_out_str(&r->out, "\t-\t-\t-\t-");
        return;
    }
    const char *kind = tm_name_of_kind(e->frame->kind[e->row]);
    put_count(r, e->frame->position[e->row]);
    put_number(r, true, e->frame->time_ns[e->row]);
    tm_out_char(&r->out, '\t');
    tm_out_str(&r->out, kind ? kind : "-");
    tm_out_char(&r->out, '\t');
    put_text(r, name_of(r, e));
}

static void put_event_json(struct tm_report *r, const struct listed_event *e)
{
    const char *kind = tm_name_of_kind(e->frame->kind[e->row]);
    tm_member_u64(r, "position", e->frame->position[e->row]);
    tm_member_i64(r, "time_ns", e->frame->time_ns[e->row]);
    tm_member_text(r, "kind", kind ? tm_text_str(kind) : (struct tm_text){0});
    tm_member_text(r, "name", name_of(r, e));
}

static void put_line(struct tm_report *r, const Tracemerge__Account *a, const struct listed_event *e)
{
    r->dropped_lines++;
    if (!r->context->options->json) {
        put_account(r, a);
        put_event(r, e);
        tm_out_char(&r->out, '\n');
        return;
    }
    tm_out_str(&r->out, r->dropped_lines > 1 ? ",\n" : "\n");
    tm_report_put_account_json(r, a);
    if (e)
        put_event_json(r, e);
    tm_out_char(&r->out, '}');
}

void tm_report_dropped_begin(struct tm_report *r)
{
    tm_out_str(&r->out, r->context->options->json ? "["
                                                  : "file\tmachine\tclock\treason\tcount\tunit\tdefinitions\t"
                                                    "first_byte\tearliest_ns\tposition\ttime_ns\tkind\tname\n");
}

static bool is_consistent(const struct tm_report *r, const Tracemerge__Dropped *d)
{
    size_t n = d->n_position;
    return d->file < r->context->catalog->file_count && d->n_time_ns == n && d->n_kind == n && d->n_name == n &&
           d->n_is_definition == n && (d->n_trace_ns == n || d->n_trace_ns == 0);
}

static enum tm_status put_events(struct tm_report *r, const Tracemerge__Dropped *d, struct tm_error *err)
{
    Tracemerge__Account one = TRACEMERGE__ACCOUNT__INIT; /* represents a single event */
    enum tm_status st = TM_OK;
    one.file = d->file;
    one.has_machine = true;
    one.machine = d->machine;
    one.clock = d->clock;
    one.reason = d->reason;
    one.has_earliest_ns = d->n_trace_ns > 0;
    for (size_t i = 0; i < d->n_position && st == TM_OK; i++) {
        const struct listed_event event = {d, i};
        one.count = !d->is_definition[i];
        one.definition_count = !one.count;
        one.earliest_ns = one.has_earliest_ns ? d->trace_ns[i] : 0;
        put_line(r, &one, &event);
        st = tm_out_end_row(&r->out, err);
    }
    return st;
}

enum tm_status tm_report_dropped_frame(struct tm_report *r, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__Dropped *d = (Tracemerge__Dropped *)tm_frame_message(frame, &tracemerge__dropped__descriptor, err);
    if (d == NULL)
        return err->status;
    enum tm_status st =
        is_consistent(r, d) ? put_events(r, d, err)
                       : tm_error_at(err, frame->offset, "columns of a list of dropped events contradict each other");
    tracemerge__dropped__free_unpacked(d, NULL);
    return st;
}

void tm_report_dropped_end(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    struct tm_by_file a = {0};
    if (tm_by_file_accounts(&a, c) < 0)
        r->out.failed = true;
    else
        for (uint32_t k = 0; k < a.starts[c->file_count]; k++)
            if (!c->accounts[a.order[k]]->is_listed)
                put_line(r, c->accounts[a.order[k]], NULL);
    if (r->context->options->json)
        tm_out_str(&r->out, "\n]\n");
    tm_by_file_release(&a);
}
