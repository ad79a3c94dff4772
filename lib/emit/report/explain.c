#include "emit/by_file.h"
#include "emit/message_out.h"
#include "emit/report/account.h"
#include "emit/report/members.h"
#include "emit/report/placement.h"
#include "emit/report/words.h"

#include <stdlib.h>

struct explanation {
    struct tm_by_file placements, accounts;
    /* of the file being explained */
    struct tm_map placement_of; /* from a machine and clock to the number of the placement */
    bool has_several_machines;
    struct tm_suggestion suggestion;
    bool has_drops;
};

static uint64_t key_of(uint32_t machine, uint32_t clock)
{
    return (uint64_t)machine << 32 | clock;
}

/* Begins to explain FILE. Indexes its placements by machine and clock, which accounts have, too. */
static void begin_file(struct tm_report *r, struct explanation *x, uint32_t file)
{
    const struct tm_catalog *c = r->context->catalog;
    const uint32_t first = x->placements.starts[file], end = x->placements.starts[file + 1];
    tm_map_clear(&x->placement_of);
    x->has_several_machines = false;
    for (uint32_t k = first; k < end; k++) {
        const Tracemerge__Placement *p = c->placements[x->placements.order[k]];
        if (tm_map_set(&x->placement_of, key_of(p->machine, p->clock), x->placements.order[k]) != TM_OK)
            r->out.failed = true;
        x->has_several_machines |= p->machine != c->placements[x->placements.order[first]]->machine;
    }
}

static const Tracemerge__Placement *placement_of(const struct tm_report *r, const struct explanation *x,
                                                 const Tracemerge__Account *a)
{
    uint32_t i;
    if (!a->has_machine || !tm_map_find(&x->placement_of, key_of(a->machine, a->clock), &i))
        return NULL;
    return r->context->catalog->placements[i];
}

static void put_machines(struct tm_report *r, const struct explanation *x, uint32_t file)
{
    const struct tm_catalog *c = r->context->catalog;
    uint32_t first = x->placements.starts[file], end = x->placements.starts[file + 1];
    for (uint32_t k = first; k < end; k++) {
        uint32_t machine = c->placements[x->placements.order[k]]->machine;
        bool is_new = k == first || c->placements[x->placements.order[k - 1]]->machine != machine;
        if (!is_new)
            continue;
        tm_out_str(&r->out, k == first ? " on " : ", ");
        tm_report_put_machine(r, machine);
    }
}

static void put_file(struct tm_report *r, struct explanation *x, uint32_t file)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_by_file *p = &x->placements, *a = &x->accounts;
    if (p->starts[file] == p->starts[file + 1] && a->starts[file] == a->starts[file + 1])
        return;
    tm_out_char(&r->out, '\n');
    tm_report_put_path(r, file);
    put_machines(r, x, file);
    tm_out_char(&r->out, '\n');
    begin_file(r, x, file);
    for (uint32_t k = p->starts[file]; k < p->starts[file + 1]; k++)
        tm_report_explain_placement(r, c->placements[p->order[k]], x->has_several_machines);
    for (uint32_t k = a->starts[file]; k < a->starts[file + 1]; k++) {
        const Tracemerge__Account *account = c->accounts[a->order[k]];
        x->has_drops = true;
        tm_report_explain_account(r, account, placement_of(r, x, account), &x->suggestion);
    }
}

static void put_sum(struct tm_report *r, struct explanation *x)
{
    const struct tm_accounting *b = r->context->accounting;
    tm_out_char(&r->out, '\n');
    if (!x->has_drops) {
        tm_out_str(&r->out, "All ");
        tm_report_put_count(r, b->read, "event");
        tm_out_str(&r->out, b->read == 1 ? " is on the timeline.\n" : " are on the timeline.\n");
        return;
    }
    tm_report_put_count(r, b->read, "event");
    tm_out_str(&r->out, ", ");
    tm_out_u64(&r->out, b->total.placed);
    tm_out_str(&r->out, " on the timeline, ");
    tm_out_u64(&r->out, b->total.dropped);
    tm_out_str(&r->out, " dropped.\n");
    if (x->suggestion.count || x->suggestion.has_trace_time)
        tm_report_put_suggestion(r, &x->suggestion);
}

static void put_placement_json(struct tm_report *r, const struct explanation *x, const Tracemerge__Placement *p)
{
    tm_out_str(&r->out, "{\"machine\":");
    size_t from = r->out.buf.len;
    tm_report_put_machine(r, p->machine);
    tm_member_quote(r, from);
    tm_member_clock(r, "clock", p->clock);
    tm_member_key(r, true, "text");
    from = r->out.buf.len;
    tm_report_explain_placement(r, p, x->has_several_machines);
    tm_member_quote(r, from);
    tm_member_key(r, true, "placement");
    tm_message_json(&r->out, (const ProtobufCMessage *)p);
    tm_out_char(&r->out, '}');
}

static void put_drop_json(struct tm_report *r, struct explanation *x, const Tracemerge__Account *account)
{
    x->has_drops = true;
    tm_report_put_account_json(r, account);
    tm_member_key(r, true, "text");
    size_t from = r->out.buf.len;
    tm_report_explain_account(r, account, placement_of(r, x, account), &x->suggestion);
    tm_member_quote(r, from);
    tm_out_char(&r->out, '}');
}

static void put_file_json(struct tm_report *r, struct explanation *x, uint32_t file)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_by_file *p = &x->placements, *a = &x->accounts;
    begin_file(r, x, file);
    tm_out_str(&r->out, "{\"path\":");
    tm_out_json(&r->out, tm_report_path(r, file));
    tm_out_str(&r->out, ",\n \"placements\":[");
    for (uint32_t k = p->starts[file]; k < p->starts[file + 1]; k++) {
        tm_out_str(&r->out, k > p->starts[file] ? ",\n  " : "\n  ");
        put_placement_json(r, x, c->placements[p->order[k]]);
    }
    tm_out_str(&r->out, "],\n \"dropped\":[");
    for (uint32_t k = a->starts[file]; k < a->starts[file + 1]; k++) {
        tm_out_str(&r->out, k > a->starts[file] ? ",\n  " : "\n  ");
        put_drop_json(r, x, c->accounts[a->order[k]]);
    }
    tm_out_str(&r->out, "]}");
}

static void put_json(struct tm_report *r, struct explanation *x, const uint32_t *turns)
{
    const struct tm_accounting *b = r->context->accounting;
    tm_out_str(&r->out, "{\n\"trace_time\":{\"text\":");
    size_t from = r->out.buf.len;
    tm_report_explain_trace_time(r);
    tm_member_quote(r, from);
    if (r->has_bounds) {
        tm_member_i64(r, "first_ns", r->first_ns);
        tm_member_i64(r, "last_ns", r->last_ns);
    }
    tm_out_str(&r->out, "},\n\"files\":[");
    for (uint32_t i = 0; turns[i]; i++) {
        tm_out_str(&r->out, i ? ",\n" : "\n");
        put_file_json(r, x, turns[i] - 1);
    }
    tm_out_str(&r->out, "],\n\"remedies\":");
    if (x->suggestion.count || x->suggestion.has_trace_time)
        tm_report_put_suggestion_json(r, &x->suggestion);
    else
        tm_out_str(&r->out, "null");
    tm_out_str(&r->out, ",\n\"total\":{\"read\":");
    tm_out_u64(&r->out, b->read);
    tm_member_u64(r, "placed", b->total.placed);
    tm_member_u64(r, "dropped", b->total.dropped);
    tm_out_str(&r->out, "}\n}\n");
}

static void put_text(struct tm_report *r, struct explanation *x, const uint32_t *turns)
{
    tm_report_explain_trace_time(r);
    for (uint32_t i = 0; turns[i]; i++)
        put_file(r, x, turns[i] - 1);
    put_sum(r, x);
}

/* Returns the numbers, plus 1, of files in the order of their turns; 0 ends them. NULL: out of memory. */
static uint32_t *turns_of(const struct tm_catalog *c)
{
    uint32_t *turns = calloc((size_t)c->file_count + 1, sizeof *turns), count = 0;
    for (uint32_t i = 0; turns && i < c->file_count; i++)
        if (c->files[i].begun && c->files[i].processing_order < c->file_count)
            turns[c->files[i].processing_order] = i + 1;
    for (uint32_t i = 0; turns && i < c->file_count; i++)
        if (turns[i])
            turns[count++] = turns[i];
    if (turns)
        turns[count] = 0;
    return turns;
}

void tm_report_explain(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    struct explanation x = {0};
    uint32_t *turns = turns_of(c);
    if (turns == NULL || tm_by_file_placements(&x.placements, c) < 0 || tm_by_file_accounts(&x.accounts, c) < 0) {
        r->out.failed = true;
        goto out;
    }
    if (r->context->options->json)
        put_json(r, &x, turns);
    else
        put_text(r, &x, turns);
out:
    free(turns);
    tm_by_file_release(&x.placements);
    tm_by_file_release(&x.accounts);
    tm_map_release(&x.placement_of);
    tm_suggestion_release(&x.suggestion);
}
