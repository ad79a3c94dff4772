#include "emit/report/account.h"

#include "emit/drop_text.h"
#include "emit/report/members.h"
#include "emit/report/words.h"
#include "stream/clock_id.h"

/* The advice if the manifest can help, and if it can once it declares the machine. */
static const char *const by_manifest = "The manifest below places them.";
static const char *const by_declared_machine =
    "A manifest can relate this clock if it declares the machine ids of the packets (machines).";

static void put_where(struct tm_report *r, const Tracemerge__Account *a)
{
    if (a->clock) {
        tm_out_str(&r->out, " on ");
        tm_report_put_clock(r, a->clock);
    }
    tm_out_str(&r->out, " dropped, ");
    tm_out_escaped(&r->out, tm_text_of(a->reason));
}

static void put_definitions(struct tm_report *r, const Tracemerge__Account *a)
{
    if (a->definition_count == 0)
        return;
    tm_out_str(&r->out, ", and ");
    tm_report_put_count(r, a->definition_count, "definition");
}

void tm_report_explain_account(struct tm_report *r, const Tracemerge__Account *a, const Tracemerge__Placement *p,
                               struct tm_suggestion *suggestion)
{
    struct tm_drop_text text = tm_drop_text_of(tm_accounting_reason(a));
    tm_out_str(&r->out, "  ");
    tm_report_put_count(r, a->count, tm_accounting_is_bytes(a) ? "byte" : "event");
    put_definitions(r, a);
    put_where(r, a);
    tm_out_str(&r->out, ": ");
    tm_out_str(&r->out, tm_drop_text_cause(&text, a->count + a->definition_count));
    if (a->has_earliest_ns) {
        tm_out_str(&r->out, ", the earliest by ");
        tm_out_duration(&r->out, a->earliest_ns == INT64_MIN ? INT64_MAX : -a->earliest_ns);
    }
    if (a->has_byte) {
        tm_out_str(&r->out, ", first at byte ");
        tm_out_u64(&r->out, a->byte);
    }
    tm_out_str(&r->out, ".\n  ");
    if (p && tm_report_suggestion(r, suggestion, p, a))
        tm_out_str(&r->out, by_manifest);
    else
        tm_out_str(&r->out, p && tm_clock_has_manifest_name(p->clock) &&
                                    tm_report_is_undeclared(r, p->file, p->machine)
                                ? by_declared_machine
                                : text.advice);
    tm_out_char(&r->out, '\n');
}

void tm_report_put_account_json(struct tm_report *r, const Tracemerge__Account *a)
{
    tm_out_char(&r->out, '{');
    tm_member_key(r, false, "file");
    tm_out_json(&r->out, tm_report_path(r, a->file));
    if (a->has_machine)
        tm_member_machine(r, "machine", a->machine);
    tm_member_clock(r, "clock", a->clock);
    tm_member_text(r, "reason", tm_text_of(a->reason));
    tm_member_text(r, "cause", tm_text_str(tm_drop_text_of(tm_accounting_reason(a)).cause));
    tm_member_u64(r, "count", a->count);
    tm_member_text(r, "unit", tm_text_str(tm_accounting_is_bytes(a) ? "byte" : "event"));
    if (a->definition_count)
        tm_member_u64(r, "definitions", a->definition_count);
    if (a->has_byte)
        tm_member_u64(r, "byte", a->byte);
    if (a->has_earliest_ns)
        tm_member_i64(r, "earliest_ns", a->earliest_ns);
}
