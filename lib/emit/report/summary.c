/* summary: a line for each file on each machine and clock, and one for all. */
#include "emit/by_file.h"
#include "emit/outputs.h"
#include "emit/report/words.h"

static bool has_relation_of_machines(const Tracemerge__Placement *p)
{
    bool has = false;
    for (size_t i = 0; i < p->n_hops; i++)
        has |= !p->hops[i]->same_machine;
    return has;
}

static const char *way_of(const Tracemerge__Placement *p)
{
    static const char *const ways[][2] = {
        {"trace_time", "its clock is the timeline"}, {"snapshot", "by clock snapshots"},
        {"manifest", "by the manifest"},             {"hint", "by a hint"},
        {"rendezvous", "by REALTIME rendezvous"},    {"same_domain", "by a guess: same-domain assumption"},
        {"private", "by a guess: it starts with the timeline"}, {"none", "none of them placed"},
    };
    if (p->clock == 0 && p->placed_count)
        return "its numbers are taken as they stand";
    if (tm_report_is(p->rule, "snapshot") && has_relation_of_machines(p))
        return "by clock synchronization of the machines";
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (tm_report_is(p->rule, ways[i][0]))
            return ways[i][1];
    return "by a rule that is not known";
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
    tm_out_str(&r->out, way_of(p));
    if (p->placed_count && p->clock && !tm_report_is(p->rule, "trace_time")) {
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
    const struct tm_accounting *b = r->context->balance;
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
    tm_out_str(&r->out, b->total.dropped ? " dropped, which tm-merge --explain explains\n" : " dropped\n");
}

void tm_report_summary(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    struct tm_by_file p = {0}, a = {0};
    if (tm_by_file_placements(&p, c) < 0 || tm_by_file_accounts(&a, c) < 0)
        r->out.failed = true;
    for (uint32_t i = 0; i < c->file_count && !r->out.failed; i++) {
        for (uint32_t k = p.starts[i]; k < p.starts[i + 1]; k++)
            put_placement(r, c->placements[p.order[k]]);
        for (uint32_t k = a.starts[i]; k < a.starts[i + 1]; k++)
            put_account(r, c->accounts[a.order[k]]);
    }
    if (!r->out.failed)
        put_total(r);
    tm_by_file_release(&p);
    tm_by_file_release(&a);
}
