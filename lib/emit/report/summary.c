/* summary: one line for each file on each machine and clock, and a last line for all. */
#include "emit/by_file.h"
#include "emit/report/account.h"
#include "emit/report/members.h"
#include "emit/report/words.h"

static bool has_relation_of_machines(const Tracemerge__Placement *p)
{
    bool has = false;
    for (size_t i = 0; i < p->n_hops; i++)
        has |= !p->hops[i]->same_machine;
    return has;
}

/* Returns a few words about how P was placed. */
static const char *words_of(const Tracemerge__Placement *p)
{
    static const char *const words[TM_RULES] = {
        [TM_RULE_NONE] = "none of them placed",
        [TM_RULE_TRACE_TIME] = "its clock is the timeline",
        [TM_RULE_SNAPSHOT] = "by clock snapshots",
        [TM_RULE_MANIFEST] = "by the manifest",
        [TM_RULE_HINT] = "by a hint",
        [TM_RULE_RENDEZVOUS] = "by REALTIME rendezvous",
        [TM_RULE_SAME_DOMAIN] = "by a guess: same-domain assumption",
        [TM_RULE_PRIVATE] = "by a guess: its zero is the timeline's",
    };
    if (p->clock == 0 && p->placed_count)
        return "its numbers are assumed to be trace time";
    enum tm_placement_rule rule = tm_report_rule(p);
    if (rule == TM_RULE_MANIFEST && tm_report_is_aligned(p))
        return "by an alignment of events";
    if (rule == TM_RULE_SNAPSHOT && has_relation_of_machines(p))
        return "by clock synchronization of the machines";
    return words[rule] ? words[rule] : "by an unknown rule";
}

static bool has_offset(const Tracemerge__Placement *p)
{
    return p->placed_count && p->clock && tm_report_rule(p) != TM_RULE_TRACE_TIME;
}

static void put_placement(struct tm_report *r, const Tracemerge__Placement *p)
{
    tm_out_str(&r->out, "  ");
    tm_report_put_path(r, p->file);
    tm_out_str(&r->out, " on ");
    tm_report_put_machine(r, p->machine);
    tm_out_str(&r->out, ": ");
    tm_report_put_count(r, p->placed_count, "event");
    if (p->clock) {
        tm_out_str(&r->out, " on ");
        tm_report_put_clock(r, p->clock);
    }
    tm_out_str(&r->out, ", ");
    tm_out_str(&r->out, words_of(p));
    if (has_offset(p)) {
        tm_out_str(&r->out, ", offset ");
        tm_report_put_offset(r, p->first_offset_ns);
    }
    tm_out_char(&r->out, '\n');
}

static void put_account(struct tm_report *r, const Tracemerge__Account *a)
{
    tm_out_str(&r->out, "  ");
    tm_report_put_path(r, a->file);
    tm_out_str(&r->out, ": ");
    tm_report_put_count(r, a->count, tm_accounting_is_bytes(a) ? "byte" : "event");
    tm_out_str(&r->out, " dropped, ");
    tm_out_escaped(&r->out, tm_text_of(a->reason));
    tm_out_char(&r->out, '\n');
}

static void put_total(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_accounting *b = r->context->accounting;
    tm_out_str(&r->out, "  ");
    tm_report_put_count(r, b->total.placed, "event");
    tm_out_str(&r->out, " on the timeline");
    if (c->has_trace_time && c->trace_time_has_machine) {
        tm_out_str(&r->out, ", ");
        tm_report_put_clock(r, c->trace_time_clock);
        tm_out_str(&r->out, " of ");
        tm_report_put_machine(r, c->trace_time_machine);
    }
    tm_out_str(&r->out, "; ");
    tm_out_u64(&r->out, b->total.dropped);
    tm_out_str(&r->out, b->total.dropped ? " dropped; tm-merge --explain says why\n" : " dropped\n");
}

static void put_placement_json(struct tm_report *r, const Tracemerge__Placement *p)
{
    tm_out_char(&r->out, '{');
    tm_member_key(r, false, "file");
    tm_out_json(&r->out, tm_report_path(r, p->file));
    tm_member_machine(r, "machine", p->machine);
    tm_member_clock(r, "clock", p->clock);
    tm_member_u64(r, "events", p->placed_count);
    tm_member_text(r, "rule", tm_text_of(p->rule));
    tm_member_text(r, "text", tm_text_str(words_of(p)));
    if (has_offset(p))
        tm_member_i64(r, "offset_ns", p->first_offset_ns);
    tm_out_char(&r->out, '}');
}

static void put_total_json(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_accounting *b = r->context->accounting;
    tm_member_key(r, false, "total");
    tm_out_char(&r->out, '{');
    tm_member_key(r, false, "read");
    tm_out_u64(&r->out, b->read);
    tm_member_u64(r, "placed", b->total.placed);
    tm_member_u64(r, "dropped", b->total.dropped);
    tm_out_str(&r->out, "},\n\"trace_time\":");
    if (c->has_trace_time && c->trace_time_has_machine) {
        tm_out_str(&r->out, "{\"clock\":");
        size_t from = r->out.buf.len;
        tm_report_put_clock(r, c->trace_time_clock);
        tm_member_quote(r, from);
        tm_member_machine(r, "machine", c->trace_time_machine);
        tm_out_char(&r->out, '}');
    } else {
        tm_out_str(&r->out, "null");
    }
}

static void put_json(struct tm_report *r, const struct tm_by_file *p, const struct tm_by_file *a)
{
    const struct tm_catalog *c = r->context->catalog;
    tm_out_str(&r->out, "{\n\"placements\":[");
    for (uint32_t k = 0; k < p->starts[c->file_count]; k++) {
        tm_out_str(&r->out, k ? ",\n" : "\n");
        put_placement_json(r, c->placements[p->order[k]]);
    }
    tm_out_str(&r->out, "],\n\"dropped\":[");
    for (uint32_t k = 0; k < a->starts[c->file_count]; k++) {
        tm_out_str(&r->out, k ? ",\n" : "\n");
        tm_report_put_account_json(r, c->accounts[a->order[k]]);
        tm_out_char(&r->out, '}');
    }
    tm_out_str(&r->out, "],\n");
    put_total_json(r);
    tm_out_str(&r->out, "\n}\n");
}

static void put_text(struct tm_report *r, const struct tm_by_file *p, const struct tm_by_file *a)
{
    const struct tm_catalog *c = r->context->catalog;
    for (uint32_t i = 0; i < c->file_count; i++) {
        for (uint32_t k = p->starts[i]; k < p->starts[i + 1]; k++)
            put_placement(r, c->placements[p->order[k]]);
        for (uint32_t k = a->starts[i]; k < a->starts[i + 1]; k++)
            put_account(r, c->accounts[a->order[k]]);
    }
    put_total(r);
}

void tm_report_summary(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    struct tm_by_file p = {0}, a = {0};
    if (tm_by_file_placements(&p, c) < 0 || tm_by_file_accounts(&a, c) < 0)
        r->out.failed = true;
    else if (r->context->options->json)
        put_json(r, &p, &a);
    else
        put_text(r, &p, &a);
    tm_by_file_release(&p);
    tm_by_file_release(&a);
}
