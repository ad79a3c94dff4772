#include "emit/report/suggestion.h"
#include "emit/report/words.h"
#include "stream/clock_id.h"
#include "stream/clock_name.h"

#include <stdlib.h>

enum { PACKET_ID_BITS = 32 }; /* raw ids of packets have as many; those of machines that a manifest names are higher */

/* True if MACHINE is the host: its raw id is 0, or the first one of packets, which it adopted if no machine has 0. */
static bool is_host(const struct tm_catalog *c, uint32_t machine)
{
    uint32_t adopted = UINT32_MAX;
    for (uint32_t i = 0; i < c->machine_count; i++) {
        if (c->machines[i].raw_id == 0)
            return i == machine;
        if (adopted == UINT32_MAX && c->machines[i].raw_id >> PACKET_ID_BITS == 0)
            adopted = i;
    }
    return machine == adopted;
}

bool tm_report_is_undeclared(struct tm_report *r, uint32_t file, uint32_t machine)
{
    const Tracemerge__ConfigEntry *entry = tm_config_facts_entry(&r->facts, file);
    const struct tm_catalog_machine *row = tm_catalog_machine(r->context->catalog, machine);
    if (row == NULL || (entry && entry->has_machines))
        return false;
    return entry && entry->machine_raw_id ? row->raw_id != entry->machine_raw_id
                                          : !is_host(r->context->catalog, machine);
}

/* True if a manifest can name CLOCK of FILE on MACHINE. Without `machines`, it names the base machine's clocks. */
static bool can_name(struct tm_report *r, uint32_t file, uint32_t machine, uint32_t clock)
{
    struct tm_text path;
    const Tracemerge__ConfigEntry *entry = tm_config_facts_entry(&r->facts, file);
    const struct tm_catalog_machine *row = tm_catalog_machine(r->context->catalog, machine);
    bool is_multi = entry && entry->has_machines;
    return tm_config_facts_path(&r->facts, r->context->catalog, file, &path) &&
           (tm_clock_has_manifest_name(clock) || (clock == TM_CLOCK_TRACE_FILE && !is_multi)) &&
           (is_multi ? row && row->name.len : !tm_report_is_undeclared(r, file, machine));
}

static bool find_first_files(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    if (r->first_files)
        return true;
    if ((r->first_files = malloc(((size_t)c->machine_count + 1) * sizeof *r->first_files)) == NULL)
        return !(r->out.failed = true);
    for (uint32_t i = 0; i <= c->machine_count; i++)
        r->first_files[i] = UINT32_MAX;
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        if (p->machine >= c->machine_count || p->file >= c->file_count)
            continue;
        uint32_t *first = &r->first_files[p->machine];
        if (*first == UINT32_MAX || c->files[p->file].processing_order < c->files[*first].processing_order)
            *first = p->file;
    }
    return true;
}

/* Finds the file with events on MACHINE whose turn came first. False: there is none. */
static bool first_file_on(struct tm_report *r, uint32_t machine, uint32_t *file)
{
    if (machine >= r->context->catalog->machine_count || !find_first_files(r))
        return false;
    *file = r->first_files[machine];
    return *file != UINT32_MAX;
}

bool tm_report_anchor(struct tm_report *r, struct tm_anchor *anchor)
{
    const struct tm_catalog *c = r->context->catalog;
    if (!c->has_trace_time || !c->trace_time_has_machine)
        return false;
    *anchor = (struct tm_anchor){c->trace_time_file, c->trace_time_machine, c->trace_time_clock};
    if (!c->trace_time_has_file &&
        (anchor->clock == TM_CLOCK_TRACE_FILE || !first_file_on(r, anchor->machine, &anchor->file)))
        return false;
    return can_name(r, anchor->file, anchor->machine, anchor->clock);
}

/* True if the clocks of P's file are its own: it has snapshots, and is not the first file of its machine. A manifest
 * names the clocks that the other files of the machine share. *FIRST is the first of these. */
static bool is_isolated(struct tm_report *r, const Tracemerge__Placement *p, uint32_t *first)
{
    return first_file_on(r, p->machine, first) && *first != p->file &&
           tm_config_facts_clocks(&r->facts, p->file, p->machine) != 0;
}

/* True if the clock of P, of an isolated file, was assumed to be the one that files of its machine share. */
static bool is_assumed_shared(const Tracemerge__Placement *p)
{
    return p->n_hops > 0 && p->hops[0]->same_machine && p->hops[0]->from_clock == p->hops[0]->to_clock &&
           tm_report_origin(p->hops[0]) == TM_RULE_SAME_DOMAIN;
}

bool tm_report_entry_for(struct tm_report *r, const Tracemerge__Placement *p, struct tm_entry *entry)
{
    struct tm_anchor anchor;
    uint32_t clock = p->clock, first;
    if (!tm_report_anchor(r, &anchor))
        return false;
    if (!tm_clock_has_manifest_name(clock) && clock != TM_CLOCK_TRACE_FILE) {
        if (clock == 0 || tm_config_facts_clocks(&r->facts, p->file, p->machine))
            return false;
        clock = TM_CLOCK_TRACE_FILE; /* pinned: all its timestamps are on it */
    }
    if (!can_name(r, p->file, p->machine, clock) || tm_config_facts_is_related(&r->facts, p->file) ||
        (p->file == anchor.file && clock == anchor.clock))
        return false;
    bool isolated = is_isolated(r, p, &first);
    if (isolated && p->placed_count) { /* another relation would move the files that share the machine */
        *entry = (struct tm_entry){.file = p->file,
                                   .has_clocks = true,
                                   .machine = p->machine,
                                   .from_clock = clock,
                                   .to_file = first,
                                   .to_machine = p->machine,
                                   .to_clock = clock};
        return is_assumed_shared(p) && can_name(r, first, p->machine, clock);
    }
    if (isolated && clock != TM_CLOCK_BOOTTIME) /* only its BOOTTIME can be related to the shared one */
        return false;
    *entry = (struct tm_entry){.file = p->file,
                               .has_clocks = true,
                               .machine = p->machine,
                               .from_clock = clock,
                               .to_file = anchor.file,
                               .to_machine = anchor.machine,
                               .to_clock = anchor.clock};
    if (p->placed_count)
        entry->offset_ns = p->first_offset_ns;
    return true;
}

static void put_path(struct tm_report *r, uint32_t file)
{
    struct tm_text path;
    (void)tm_config_facts_path(&r->facts, r->context->catalog, file, &path);
    tm_out_json(&r->out, path);
}

/* Writes the machines that the manifest gives FILE at present. */
static void put_machines(struct tm_report *r, uint32_t file)
{
    const Tracemerge__ConfigEntry *entry = tm_config_facts_entry(&r->facts, file);
    if (entry == NULL)
        return;
    if (entry->whole_file) {
        tm_out_str(&r->out, ", \"machine\": {\"name\": ");
        tm_out_json(&r->out, tm_config_facts_machine(&r->facts, entry->machine_raw_id));
        tm_out_char(&r->out, '}');
    }
    for (size_t i = 0; entry->has_machines && i < entry->n_machines; i++) {
        tm_out_str(&r->out, i == 0 ? ", \"machines\": [{\"id\": " : ", {\"id\": ");
        tm_out_u64(&r->out, entry->machines[i]->id);
        tm_out_str(&r->out, ", \"name\": ");
        tm_out_json(&r->out, tm_config_facts_machine(&r->facts, entry->machines[i]->raw_id));
        tm_out_str(&r->out, i + 1 == entry->n_machines ? "}]" : "}");
    }
}

/* Writes MACHINE, if the manifest gives FILE several machines. */
static void put_machine_of(struct tm_report *r, uint32_t file, uint32_t machine)
{
    const Tracemerge__ConfigEntry *entry = tm_config_facts_entry(&r->facts, file);
    const struct tm_catalog_machine *row = tm_catalog_machine(r->context->catalog, machine);
    if (entry == NULL || !entry->has_machines || row == NULL)
        return;
    tm_out_str(&r->out, ", \"machine\": ");
    tm_out_json(&r->out, row->name);
}

static void put_clock(struct tm_report *r, const char *before, uint32_t clock)
{
    tm_out_str(&r->out, before);
    tm_out_str(&r->out, "\"clock\": \"");
    tm_out_str(&r->out, tm_name_of_clock(clock));
    tm_out_char(&r->out, '"');
}

void tm_report_put_entry(struct tm_report *r, const struct tm_entry *entry)
{
    tm_out_str(&r->out, "{\"path\": ");
    put_path(r, entry->file);
    put_machines(r, entry->file);
    if (entry->has_clocks) {
        tm_out_str(&r->out, ", \"clocks\": {");
        if (entry->from_clock != TM_CLOCK_TRACE_FILE) {
            put_clock(r, "", entry->from_clock);
            put_machine_of(r, entry->file, entry->machine);
            tm_out_str(&r->out, ", ");
        }
        tm_out_str(&r->out, "\"sync_to\": {\"file\": ");
        put_path(r, entry->to_file);
        if (entry->to_clock != TM_CLOCK_TRACE_FILE)
            put_clock(r, ", ", entry->to_clock);
        put_machine_of(r, entry->to_file, entry->to_machine);
        tm_out_str(&r->out, "}, \"offset_ns\": ");
        tm_out_i64(&r->out, entry->offset_ns);
        tm_out_char(&r->out, '}');
    }
    tm_out_char(&r->out, '}');
}

void tm_report_put_trace_time(struct tm_report *r, const struct tm_anchor *anchor)
{
    put_clock(r, "\"trace_time\": {", anchor->clock);
    tm_out_str(&r->out, ", \"file\": ");
    put_path(r, anchor->file);
    put_machine_of(r, anchor->file, anchor->machine);
    tm_out_char(&r->out, '}');
}
