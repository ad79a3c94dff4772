#include "emit/report/suggestion.h"

#include "base/table.h"
#include "base/time_units.h"
#include "emit/report/words.h"
#include "stream/clock_id.h"

#include <stdlib.h>

/* Adds ENTRY. False if memory runs out, or if its file has a different entry already. */
static bool add_entry(struct tm_report *r, struct tm_suggestion *suggestion, const struct tm_entry *entry)
{
    uint32_t i;
    if (tm_map_find(&suggestion->of_file, entry->file, &i)) {
        const struct tm_entry *e = &suggestion->entries[i];
        return !entry->has_clocks || (e->machine == entry->machine && e->from_clock == entry->from_clock);
    }
    if (tm_array_grow(&suggestion->entries, &suggestion->cap, suggestion->count, sizeof *suggestion->entries, NULL) < 0)
        return !(r->out.failed = true);
    if (tm_map_set(&suggestion->of_file, entry->file, suggestion->count) != TM_OK)
        return !(r->out.failed = true);
    suggestion->entries[suggestion->count++] = *entry;
    return true;
}

/* Returns the time by which the timeline must begin earlier, in ns, a whole number of seconds. */
static int64_t shift_needed(const struct tm_catalog *c)
{
    int64_t earliest = 0;
    for (uint32_t i = 0; i < c->account_count; i++)
        if (c->accounts[i]->has_earliest_ns && c->accounts[i]->earliest_ns < earliest)
            earliest = c->accounts[i]->earliest_ns;
    int64_t seconds = earliest / -TM_NS_PER_S + 1;
    return seconds <= INT64_MAX / TM_NS_PER_S ? seconds * TM_NS_PER_S : INT64_MAX;
}

/* Adds a relation for each file that was assumed to be on the old timeline. Without it the new one would move the
 * file. */
static void add_assumed(struct tm_report *r, struct tm_suggestion *suggestion)
{
    const struct tm_catalog *c = r->context->catalog;
    struct tm_entry entry;
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        enum tm_placement_rule rule = tm_report_rule(p);
        bool is_assumed = rule == TM_RULE_PRIVATE ||
                          (rule == TM_RULE_SAME_DOMAIN && p->machine != c->trace_time_machine);
        if (is_assumed && tm_report_entry_for(r, p, &entry))
            (void)add_entry(r, suggestion, &entry);
    }
}

/* Suggests REALTIME as a timeline that begins before all events. If no snapshot relates it to the present timeline,
 * adds a relation with an offset that suffices. */
static bool suggest_realtime(struct tm_report *r, struct tm_suggestion *suggestion)
{
    struct tm_anchor anchor;
    if (suggestion->has_trace_time)
        return true;
    if (!tm_report_anchor(r, &anchor) || anchor.clock == TM_CLOCK_REALTIME)
        return false;
    uint32_t clocks = tm_config_facts_clocks(&r->facts, anchor.file, anchor.machine);
    bool has_realtime = clocks >> TM_CLOCK_REALTIME & 1 && anchor.clock < TM_CONFIG_FACTS_CLOCKS &&
                        clocks >> anchor.clock & 1;
    struct tm_entry entry = {.file = anchor.file,
                             .has_clocks = true,
                             .machine = anchor.machine,
                             .from_clock = anchor.clock,
                             .to_file = anchor.file,
                             .to_machine = anchor.machine,
                             .to_clock = TM_CLOCK_REALTIME,
                             .offset_ns = shift_needed(r->context->catalog)};
    if (!has_realtime && (tm_config_facts_is_related(&r->facts, anchor.file) || !add_entry(r, suggestion, &entry)))
        return false;
    suggestion->has_trace_time = true;
    suggestion->trace_time = (struct tm_anchor){anchor.file, anchor.machine, TM_CLOCK_REALTIME};
    add_assumed(r, suggestion);
    return true;
}

/* Relates the clock of P's events to trace time. If trace time belongs to no file, makes the clock trace time. */
static bool relate(struct tm_report *r, struct tm_suggestion *suggestion, const Tracemerge__Placement *p)
{
    struct tm_anchor anchor;
    struct tm_entry entry;
    struct tm_text path;
    if (tm_report_entry_for(r, p, &entry)) {
        entry.offset_ns = 0;
        suggestion->has_unknown_offset = true;
        return add_entry(r, suggestion, &entry);
    }
    const Tracemerge__ConfigEntry *config = tm_config_facts_entry(&r->facts, p->file);
    if (tm_report_anchor(r, &anchor) || suggestion->has_trace_time || !tm_clock_has_manifest_name(p->clock) ||
        (config && config->has_machines) || !tm_config_facts_path(&r->facts, r->context->catalog, p->file, &path))
        return false;
    suggestion->has_trace_time = true;
    suggestion->trace_time = (struct tm_anchor){p->file, p->machine, p->clock};
    return true;
}

bool tm_report_suggestion(struct tm_report *r, struct tm_suggestion *suggestion, const Tracemerge__Placement *p,
                          const Tracemerge__Account *a)
{
    switch (tm_accounting_reason(a)) {
    case TM_DROP_NEGATIVE_TIME: return suggest_realtime(r, suggestion);
    case TM_DROP_NO_PATH:
    case TM_DROP_UNKNOWN_SOURCE_CLOCK:
    case TM_DROP_UNKNOWN_TARGET_CLOCK: return relate(r, suggestion, p);
    default: return false;
    }
}

/* Adds an entry for each file that others refer to, because such a file needs one. */
static void add_references(struct tm_report *r, struct tm_suggestion *suggestion)
{
    uint32_t count = suggestion->count;
    for (uint32_t i = 0; i <= count; i++) {
        if (i == count && !suggestion->has_trace_time)
            break;
        uint32_t file = i < count ? suggestion->entries[i].to_file : suggestion->trace_time.file;
        if (tm_config_facts_entry(&r->facts, file) == NULL)
            (void)add_entry(r, suggestion, &(struct tm_entry){.file = file});
    }
}

static void put_entries(struct tm_report *r, const struct tm_suggestion *suggestion, const char *indent,
                        const char *comma)
{
    for (uint32_t i = 0; i < suggestion->count; i++) {
        tm_out_str(&r->out, indent);
        tm_report_put_entry(r, &suggestion->entries[i]);
        tm_out_str(&r->out, i + 1 < suggestion->count ? comma : "\n");
    }
}

static void put_whole_manifest(struct tm_report *r, const struct tm_suggestion *suggestion)
{
    tm_out_str(&r->out,
               "  This manifest would place them (perfetto_manifest.json beside the files, or tm-merge -m):\n\n"
               "    {\"perfetto_manifest\": {\"version\": 1,\n");
    if (suggestion->has_trace_time) {
        tm_out_str(&r->out, "      ");
        tm_report_put_trace_time(r, &suggestion->trace_time);
        tm_out_str(&r->out, ",\n");
    }
    tm_out_str(&r->out, "      \"files\": [\n");
    put_entries(r, suggestion, "        ", ",\n");
    tm_out_str(&r->out, "      ]}}\n");
}

static void put_changes(struct tm_report *r, const struct tm_suggestion *suggestion)
{
    if (suggestion->count) {
        tm_out_str(&r->out,
                   "  To place them, add this to \"files\" of the manifest, or replace the entry of the same path "
                   "by it:\n\n");
        put_entries(r, suggestion, "    ", "\n");
    }
    if (suggestion->has_trace_time) {
        const bool replaces = r->facts.config->trace_time != NULL;
        if (suggestion->count)
            tm_out_str(&r->out, replaces ? "\n  and let this replace \"trace_time\":\n\n    "
                                         : "\n  and add this beside \"files\":\n\n    ");
        else
            tm_out_str(&r->out, replaces
                                    ? "  To place them, let this replace \"trace_time\" in the manifest:\n\n    "
                                    : "  To place them, add this beside \"files\" in the manifest:\n\n    ");
        tm_report_put_trace_time(r, &suggestion->trace_time);
        tm_out_char(&r->out, '\n');
    }
}

void tm_report_put_suggestion(struct tm_report *r, struct tm_suggestion *suggestion)
{
    add_references(r, suggestion);
    if (r->facts.config)
        put_changes(r, suggestion);
    else
        put_whole_manifest(r, suggestion);
    if (suggestion->has_unknown_offset)
        tm_out_str(&r->out,
                   "\n  Replace each offset_ns of 0 by a difference of readings at one instant: the other clock "
                   "(sync_to) minus this one.\n");
}

void tm_report_put_suggestion_json(struct tm_report *r, struct tm_suggestion *suggestion)
{
    add_references(r, suggestion);
    tm_out_str(&r->out, "{\"files\":[");
    for (uint32_t i = 0; i < suggestion->count; i++) {
        tm_out_str(&r->out, i ? ",\n " : "\n ");
        tm_report_put_entry(r, &suggestion->entries[i]);
    }
    tm_out_char(&r->out, ']');
    if (suggestion->has_trace_time) {
        tm_out_str(&r->out, ",\n ");
        tm_report_put_trace_time(r, &suggestion->trace_time);
    }
    tm_out_str(&r->out, suggestion->has_unknown_offset ? ",\"offsets_unknown\":true}" : ",\"offsets_unknown\":false}");
}

void tm_suggestion_release(struct tm_suggestion *suggestion)
{
    free(suggestion->entries);
    tm_map_release(&suggestion->of_file);
    *suggestion = (struct tm_suggestion){0};
}
