#include "emit/by_file.h"
#include "emit/report/placement.h"
#include "emit/report/words.h"

/* Longer texts are cut; --json shows them whole. */
enum { REPORT_VALUE_MAX = 200 };

static void put_column(struct tm_report *r, struct tm_text text, size_t width, bool right)
{
    size_t from = r->out.buf.len;
    tm_out_escaped(&r->out, text);
    tm_out_pad(&r->out, from, width, right);
    tm_out_str(&r->out, "  ");
}

static void put_number_column(struct tm_report *r, bool has, uint64_t n, size_t width)
{
    size_t from = r->out.buf.len;
    if (has)
        tm_out_u64(&r->out, n);
    tm_out_pad(&r->out, from, width, true);
    tm_out_str(&r->out, "  ");
}

static void put_files(struct tm_report *r)
{
    enum { ORDER_WIDTH = 5, TYPE_WIDTH = 17, SIZE_WIDTH = 12 };
    const struct tm_catalog *c = r->context->catalog;
    tm_out_str(&r->out, "files\n  order  type                      bytes  name\n");
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        tm_out_str(&r->out, "  ");
        put_number_column(r, f->begun, f->processing_order, ORDER_WIDTH);
        put_column(r, f->type.len ? f->type : tm_text_str("unknown"), TYPE_WIDTH, false);
        put_number_column(r, true, f->size_bytes, SIZE_WIDTH);
        tm_report_put_path(r, i);
        tm_out_char(&r->out, '\n');
    }
}

static void put_machines(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    if (c->machine_count == 0)
        return;
    tm_out_str(&r->out, "\nmachines\n");
    for (uint32_t i = 0; i < c->machine_count; i++) {
        tm_out_str(&r->out, "  ");
        tm_report_put_machine(r, i);
        tm_out_str(&r->out, " (id ");
        tm_out_i64(&r->out, c->machines[i].raw_id);
        tm_out_str(&r->out, ")\n");
    }
}

static void put_trace_time(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    if (!r->placed)
        return;
    tm_out_str(&r->out, "\ntrace time\n  ");
    if (c->has_trace_time) {
        tm_report_put_clock(r, c->trace_time_clock);
        if (c->trace_time_has_machine) {
            tm_out_str(&r->out, " of ");
            tm_report_put_machine(r, c->trace_time_machine);
        }
        if (c->trace_time_has_file) {
            tm_out_str(&r->out, ", claimed by ");
            tm_report_put_path(r, c->trace_time_file);
        }
    } else {
        tm_out_str(&r->out, "claimed by no clock");
    }
    tm_out_char(&r->out, '\n');
    if (!r->has_bounds)
        return;
    tm_out_str(&r->out, "  from ");
    tm_out_seconds(&r->out, r->first_ns);
    tm_out_str(&r->out, " s to ");
    tm_out_seconds(&r->out, r->last_ns);
    tm_out_str(&r->out, " s\n");
}

static void put_placements(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    if (c->placement_count)
        tm_out_str(&r->out, "\nplacements\n");
    for (uint32_t i = 0; i < c->placement_count; i++) {
        tm_out_str(&r->out, "  ");
        tm_report_put_path(r, c->placements[i]->file);
        tm_out_str(&r->out, ", ");
        tm_report_put_machine(r, c->placements[i]->machine);
        tm_out_str(&r->out, ", ");
        tm_report_put_clock(r, c->placements[i]->clock);
        tm_out_str(&r->out, ": ");
        tm_out_escaped(&r->out, tm_text_of(c->placements[i]->rule));
        tm_out_char(&r->out, '\n');
        size_t from = r->out.buf.len;
        tm_report_explain_placement(r, c->placements[i], false);
        tm_out_indent(&r->out, from);
    }
}

static void put_sums(struct tm_report *r, uint64_t read, const struct tm_accounting_file *f)
{
    tm_report_put_count(r, read, "event");
    tm_out_str(&r->out, " read, ");
    tm_out_u64(&r->out, f->placed);
    tm_out_str(&r->out, r->placed ? " placed, " : " in the stream, ");
    tm_out_u64(&r->out, f->dropped);
    tm_out_str(&r->out, " dropped");
    if (f->skipped_bytes) {
        tm_out_str(&r->out, ", ");
        tm_report_put_count(r, f->skipped_bytes, "byte");
        tm_out_str(&r->out, " skipped");
    }
}

static void put_account(struct tm_report *r, const Tracemerge__Account *a)
{
    tm_out_str(&r->out, "    ");
    tm_out_escaped(&r->out, tm_text_of(a->reason));
    tm_out_str(&r->out, ": ");
    tm_out_u64(&r->out, a->count);
    if (a->has_definition_count) {
        tm_out_str(&r->out, " and ");
        tm_report_put_count(r, a->definition_count, "definition");
    }
    if (a->has_machine) {
        tm_out_str(&r->out, ", ");
        tm_report_put_machine(r, a->machine);
    }
    if (a->clock) {
        tm_out_str(&r->out, ", ");
        tm_report_put_clock(r, a->clock);
    }
    if (a->has_byte) {
        tm_out_str(&r->out, ", first at byte ");
        tm_out_u64(&r->out, a->byte);
    }
    tm_out_char(&r->out, '\n');
}

static void put_ordered_accounts(struct tm_report *r, const uint32_t *starts, const uint32_t *order)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_accounting *b = r->context->accounting;
    bool all_hold = true;
    tm_out_str(&r->out, "\naccounts\n");
    for (uint32_t i = 0; i < c->file_count; i++) {
        bool holds = tm_accounting_holds(b, c, i);
        all_hold &= holds;
        if (c->files[i].is_container && c->files[i].timed_count == 0 && b->files[i].placed == 0 &&
            b->files[i].dropped == 0 && b->files[i].skipped_bytes == 0)
            continue;
        tm_out_str(&r->out, "  ");
        tm_report_put_path(r, i);
        tm_out_str(&r->out, ": ");
        put_sums(r, c->files[i].timed_count, &b->files[i]);
        tm_out_str(&r->out, holds ? "\n" : "; DOES NOT BALANCE\n");
        for (uint32_t k = starts[i]; k < starts[i + 1]; k++)
            put_account(r, c->accounts[order[k]]);
    }
    tm_out_str(&r->out, "  total: ");
    put_sums(r, b->read, &b->total);
    tm_out_str(&r->out, all_hold ? "; the accounts balance\n" : "; THE ACCOUNTS DO NOT BALANCE\n");
}

static void put_accounts(struct tm_report *r)
{
    struct tm_by_file accounts = {0};
    if (tm_by_file_accounts(&accounts, r->context->catalog) == TM_OK)
        put_ordered_accounts(r, accounts.starts, accounts.order);
    else
        r->out.failed = true;
    tm_by_file_release(&accounts);
}

static void put_stats(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    static const char *const severities[] = {"info", "data_loss", "error", "notice"};
    if (c->stat_count)
        tm_out_str(&r->out, "\nstats\n");
    for (uint32_t i = 0; i < c->stat_count; i++) {
        const Tracemerge__Stat *s = c->stats[i];
        tm_out_str(&r->out, "  ");
        tm_out_escaped(&r->out, tm_text_of(s->name));
        if (s->has_idx) {
            tm_out_char(&r->out, '[');
            tm_out_i64(&r->out, s->idx);
            tm_out_char(&r->out, ']');
        }
        tm_out_str(&r->out, " = ");
        tm_out_i64(&r->out, s->value);
        tm_out_str(&r->out, " (");
        tm_out_str(&r->out, (unsigned)s->severity < 4 ? severities[s->severity] : "unknown");
        if (s->has_machine) {
            tm_out_str(&r->out, ", ");
            tm_report_put_machine(r, s->machine);
        }
        if (s->has_file) {
            tm_out_str(&r->out, ", ");
            tm_report_put_path(r, s->file);
        }
        tm_out_str(&r->out, ")\n");
    }
}

static void put_metadata(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    if (c->metadata_count)
        tm_out_str(&r->out, "\nmetadata\n");
    for (uint32_t i = 0; i < c->metadata_count; i++) {
        const Tracemerge__Metadata *m = c->metadata[i];
        tm_out_str(&r->out, "  ");
        tm_out_escaped(&r->out, tm_text_of(m->name));
        tm_out_str(&r->out, " = ");
        if (m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE)
            tm_out_i64(&r->out, m->int_value);
        else if (m->value_case == TRACEMERGE__METADATA__VALUE_STR_VALUE)
            tm_out_escaped_cut(&r->out, tm_text_of(m->str_value), REPORT_VALUE_MAX);
        if (m->has_machine) {
            tm_out_str(&r->out, " (");
            tm_report_put_machine(r, m->machine);
            tm_out_char(&r->out, ')');
        }
        tm_out_char(&r->out, '\n');
    }
}

/* Writes LINES, the result of tm-align or of the causality test, as the section TITLE. */
static void put_section(struct tm_report *r, const char *title, struct tm_text lines)
{
    if (lines.len == 0)
        return;
    tm_out_char(&r->out, '\n');
    tm_out_str(&r->out, title);
    tm_out_char(&r->out, '\n');
    for (size_t at = 0, end; at < lines.len; at = end + 1) {
        for (end = at; end < lines.len && lines.data[end] != '\n';)
            end++;
        tm_out_str(&r->out, "  ");
        tm_out_escaped(&r->out, (struct tm_text){lines.data + at, end - at});
        tm_out_char(&r->out, '\n');
    }
}

void tm_report_text(struct tm_report *r)
{
    put_files(r);
    put_machines(r);
    put_trace_time(r);
    put_placements(r);
    put_accounts(r);
    put_stats(r);
    put_metadata(r);
    put_section(r, "alignment", r->context->options->alignment);
    put_section(r, "causality", (struct tm_text){r->causality_found.data, r->causality_found.len});
}
