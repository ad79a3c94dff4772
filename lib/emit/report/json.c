#include "emit/message_out.h"
#include "emit/report/members.h"
#include "stream/clock_name.h"

static void put_sums(struct tm_report *r, uint64_t read, const struct tm_accounting_file *f)
{
    tm_member_u64(r, "read", read);
    tm_member_u64(r, "placed", f->placed);
    tm_member_u64(r, "dropped", f->dropped);
    tm_member_u64(r, "lost", f->lost);
    tm_member_u64(r, "lost_definitions", f->lost_definitions);
    tm_member_u64(r, "skipped_bytes", f->skipped_bytes);
    tm_member_u64(r, "other_rows", f->others);
}

static void put_files(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    tm_out_str(&r->out, "{\n\"files\":[");
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        tm_out_str(&r->out, i ? ",\n{" : "\n{");
        tm_member_key(r, false, "id");
        tm_out_u64(&r->out, i);
        if (f->has_parent)
            tm_member_u64(r, "parent", f->parent);
        tm_member_text(r, "path", tm_report_path(r, i));
        tm_member_text(r, "name", f->name);
        tm_member_text(r, "type", f->type);
        tm_member_u64(r, "size", f->size_bytes);
        tm_member_bool(r, "is_container", f->is_container);
        if (f->begun)
            tm_member_u64(r, "processing_order", f->processing_order);
        put_sums(r, f->timed_count, &r->context->accounting->files[i]);
        tm_member_u64(r, "untimed", f->untimed_count);
        tm_member_bool(r, "balanced", tm_accounting_holds(r->context->accounting, c, i));
        tm_out_char(&r->out, '}');
    }
    tm_out_str(&r->out, "],\n");
}

static void put_machines(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    tm_out_str(&r->out, "\"machines\":[");
    for (uint32_t i = 0; i < c->machine_count; i++) {
        tm_out_str(&r->out, i ? ",\n{" : "\n{");
        tm_member_key(r, false, "id");
        tm_out_u64(&r->out, i);
        tm_member_key(r, true, "raw_id");
        tm_out_i64(&r->out, c->machines[i].raw_id);
        tm_member_text(r, "name", c->machines[i].name);
        tm_out_char(&r->out, '}');
    }
    tm_out_str(&r->out, "],\n");
}

static void put_trace_time(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    tm_member_key(r, false, "trace_time");
    if (c->has_trace_time) {
        tm_out_char(&r->out, '{');
        tm_member_key(r, false, "clock");
        tm_out_u64(&r->out, c->trace_time_clock);
        if (tm_name_of_clock(c->trace_time_clock))
            tm_member_text(r, "clock_name", tm_text_str(tm_name_of_clock(c->trace_time_clock)));
        if (c->trace_time_has_machine)
            tm_member_u64(r, "machine", c->trace_time_machine);
        if (c->trace_time_has_file)
            tm_member_u64(r, "file", c->trace_time_file);
        tm_out_char(&r->out, '}');
    } else {
        tm_out_str(&r->out, "null");
    }
    tm_member_key(r, true, "bounds");
    if (r->has_bounds) {
        tm_out_str(&r->out, "{\"first_ns\":");
        tm_out_i64(&r->out, r->first_ns);
        tm_out_str(&r->out, ",\"last_ns\":");
        tm_out_i64(&r->out, r->last_ns);
        tm_out_char(&r->out, '}');
    } else {
        tm_out_str(&r->out, "null");
    }
    tm_out_str(&r->out, ",\n");
}

/* Writes the member KEY, an array of COUNT messages. MESSAGES is an array of pointers to them. */
static void put_messages(struct tm_report *r, const char *key, const void *messages, uint32_t count)
{
    tm_member_key(r, false, key);
    tm_out_char(&r->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        const ProtobufCMessage *m;
        memcpy(&m, (const uint8_t *)messages + i * sizeof m, sizeof m);
        tm_out_str(&r->out, i ? ",\n" : "\n");
        tm_message_json(&r->out, m);
    }
    tm_out_str(&r->out, "],\n");
}

/* Writes the members of the object TEXT, the result of tm-align or of the causality test; the last one is a list. */
static void put_members(struct tm_report *r, struct tm_text text)
{
    const uint8_t *from = text.data ? memchr(text.data, '"', text.len) : NULL;
    size_t len = from ? text.len - (size_t)(from - text.data) : 0;
    while (len > 0 && from[len - 1] != ']')
        len--;
    for (size_t i = 0; i < len; i++)
        tm_out_char(&r->out, (char)from[i]);
    if (len > 0)
        tm_out_str(&r->out, ",\n");
}

void tm_report_json(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    const struct tm_accounting *b = r->context->accounting;
    bool all_hold = true;
    for (uint32_t i = 0; i < c->file_count; i++)
        all_hold &= tm_accounting_holds(b, c, i);
    put_files(r);
    put_machines(r);
    put_trace_time(r);
    put_messages(r, "placements", c->placements, c->placement_count);
    put_messages(r, "accounts", c->accounts, c->account_count);
    put_messages(r, "stats", c->stats, c->stat_count);
    put_messages(r, "metadata", c->metadata, c->metadata_count);
    put_members(r, r->context->options->alignment);
    put_members(r, (struct tm_text){r->causality_found.data, r->causality_found.len});
    tm_out_str(&r->out, "\"total\":{\"files\":");
    tm_out_u64(&r->out, c->file_count);
    put_sums(r, b->read, &b->total);
    tm_member_u64(r, "snapshots", r->snapshot_count);
    tm_member_u64(r, "clock_rows", r->clock_row_count);
    tm_member_bool(r, "balanced", all_hold);
    tm_out_str(&r->out, "}\n}\n");
}
