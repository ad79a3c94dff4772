/* dropped: each account of what was dropped, a line of fields between tabs. The stream has one account for each file,
 * machine, clock and reason, with where the first was; it does not have the events themselves. */
#include "emit/by_file.h"
#include "emit/report/drop.h"
#include "emit/report/words.h"

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
    tm_out_char(&r->out, '\t');
    if (a->has_earliest_ns)
        tm_out_i64(&r->out, a->earliest_ns);
    else
        tm_out_char(&r->out, '-');
    tm_out_char(&r->out, '\n');
}

static void put_json(struct tm_report *r, const struct tm_by_file *a)
{
    const struct tm_catalog *c = r->context->catalog;
    tm_out_char(&r->out, '[');
    for (uint32_t k = 0; k < a->starts[c->file_count]; k++) {
        tm_out_str(&r->out, k ? ",\n" : "\n");
        tm_report_put_account_json(r, c->accounts[a->order[k]]);
        tm_out_char(&r->out, '}');
    }
    tm_out_str(&r->out, "\n]\n");
}

void tm_report_dropped(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    struct tm_by_file a = {0};
    if (tm_by_file_accounts(&a, c) < 0) {
        r->out.failed = true;
    } else if (r->context->options->json) {
        put_json(r, &a);
    } else {
        tm_out_str(&r->out, "file\tmachine\tclock\treason\tcount\tunit\tdefinitions\tfirst_byte\tearliest_ns\n");
        for (uint32_t k = 0; k < a.starts[c->file_count]; k++)
            put_account(r, c->accounts[a.order[k]]);
    }
    tm_by_file_release(&a);
}
