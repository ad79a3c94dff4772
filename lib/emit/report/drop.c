#include "emit/report/drop.h"

#include "emit/drop_reason.h"
#include "emit/report/words.h"

/* What is said where the manifest can say it. */
static const char *const by_manifest = "The manifest below places them.";

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
                               struct tm_remedies *remedies)
{
    const struct tm_drop_reason *reason = tm_drop_reason_find(a->reason);
    tm_out_str(&r->out, "  ");
    tm_report_put_count(r, a->count, tm_accounting_is_bytes(a) ? "byte" : "event");
    put_definitions(r, a);
    put_where(r, a);
    tm_out_str(&r->out, ": ");
    tm_out_str(&r->out, reason->cause);
    if (a->has_earliest_ns) {
        tm_out_str(&r->out, ", the earliest by ");
        tm_out_duration(&r->out, a->earliest_ns == INT64_MIN ? INT64_MAX : -a->earliest_ns);
    }
    if (a->has_byte) {
        tm_out_str(&r->out, ", first at byte ");
        tm_out_u64(&r->out, a->byte);
    }
    tm_out_str(&r->out, ".\n  ");
    tm_out_str(&r->out, p && tm_report_suggestion(r, remedies, p, a) ? by_manifest : reason->remedy);
    tm_out_char(&r->out, '\n');
}
