#include "emit/report/placement.h"

#include "base/checked.h"
#include "emit/assumption.h"
#include "emit/report/suggestion.h"
#include "emit/report/words.h"
#include "stream/uncertainty_source.h"

enum { PATH_MAX_SHOWN = 1000, SCOPED_FIRST = 64, SCOPED_LAST = 127 };

static void put(struct tm_report *r, const char *text)
{
    tm_out_str(&r->out, text);
}

static void put_seconds(struct tm_report *r, int64_t ns)
{
    tm_out_seconds(&r->out, ns);
    put(r, " s");
}

void tm_report_explain_trace_time(struct tm_report *r)
{
    const struct tm_catalog *c = r->context->catalog;
    put(r, "The timeline is ");
    if (!c->has_trace_time || !c->trace_time_has_machine) {
        put(r, "the first file's own, because no file claims it with a clock.");
    } else {
        tm_report_put_clock(r, c->trace_time_clock);
        put(r, " of ");
        tm_report_put_machine(r, c->trace_time_machine);
        if (c->trace_time_has_file) {
            put(r, ": ");
            tm_report_put_path(r, c->trace_time_file);
            put(r, " was the first file to claim one.");
        } else {
            put(r, ", as trace_time in the manifest says.");
        }
    }
    if (r->has_bounds) {
        put(r, "\nIt goes from ");
        put_seconds(r, r->first_ns);
        put(r, " to ");
        put_seconds(r, r->last_ns);
        put(r, ".");
    }
    put(r, "\n");
}

static bool has_machine_relation(const Tracemerge__Placement *p)
{
    for (size_t i = 0; i < p->n_hops; i++)
        if (tm_report_origin(p->hops[i]) == TM_RULE_SNAPSHOT && !p->hops[i]->same_machine)
            return true;
    return false;
}

static bool is_pinned(struct tm_report *r, const Tracemerge__Placement *p)
{
    const Tracemerge__ConfigEntry *entry = tm_config_facts_entry(&r->facts, p->file);
    return entry && entry->pinned;
}

/* Returns a sentence about the rule that placed P. */
static const char *rule_text(struct tm_report *r, const Tracemerge__Placement *p)
{
    static const char *const texts[TM_RULES] = {
        [TM_RULE_TRACE_TIME] = "This clock is the timeline: they keep the times they were recorded with.",
        [TM_RULE_SNAPSHOT] = "Real snapshot path: clock snapshots that were recorded lead to the timeline.",
        [TM_RULE_MANIFEST] = "Manifest path: a clocks entry (sync_to) of the manifest says how its clock relates.",
        [TM_RULE_HINT] = "Hint: the file mentions the relation outside its snapshots, and --hints uses it.",
        [TM_RULE_RENDEZVOUS] =
            "REALTIME rendezvous: nothing that was recorded relates the two machines, but both know\n"
            "  the wall clock, which is assumed to read the same on both.",
        [TM_RULE_SAME_DOMAIN] =
            "Same-domain assumption: nothing relates the two clocks. Because both are of one kind, they\n"
            "  are assumed to be one clock. This is a guess.",
        [TM_RULE_PRIVATE] =
            "Assumption: nothing relates a timeline of the file's own to the clock of others, so the\n"
            "  two are assumed to read the same. This is a guess.",
        [TM_RULE_NONE] = "None of them could be placed.",
    };
    if (p->clock == 0 && p->placed_count)
        return "Its packets name no clock: their numbers are assumed to be trace time.";
    enum tm_placement_rule rule = tm_report_rule(p);
    if (rule == TM_RULE_MANIFEST && tm_report_is_aligned(p))
        return "Alignment: events of both files say how the clocks relate (tm-align writes it to a manifest).";
    if (rule == TM_RULE_MANIFEST && is_pinned(r, p))
        return "Clock override: the manifest pins the file's own timeline (sync_to without a clock of the file).";
    if (rule == TM_RULE_SNAPSHOT && has_machine_relation(p))
        return "Machine relation: the clocks of the machines were compared when they were recorded (RemoteClockSync).";
    return texts[rule] ? texts[rule] : "Placed by a rule that this program does not know.";
}

static const char *relation_text(const Tracemerge__PlacementHop *hop)
{
    static const char *const texts[TM_RULES] = {
        [TM_RULE_SNAPSHOT] = "snapshots",  [TM_RULE_MANIFEST] = "the manifest", [TM_RULE_HINT] = "a hint",
        [TM_RULE_RENDEZVOUS] = "assumed",  [TM_RULE_SAME_DOMAIN] = "assumed",   [TM_RULE_PRIVATE] = "assumed",
    };
    enum tm_placement_rule origin = tm_report_origin(hop);
    if (origin == TM_RULE_SNAPSHOT && !hop->same_machine)
        return "clock synchronization between the machines";
    return texts[origin] ? texts[origin] : "unknown";
}

static void put_readings(struct tm_report *r, int64_t from_ns, int64_t to_ns)
{
    put_seconds(r, from_ns);
    put(r, " = ");
    put_seconds(r, to_ns);
}

static bool is_assumed(const Tracemerge__PlacementHop *hop)
{
    enum tm_placement_rule origin = tm_report_origin(hop);
    return origin == TM_RULE_RENDEZVOUS || origin == TM_RULE_SAME_DOMAIN || origin == TM_RULE_PRIVATE;
}

static void put_hop(struct tm_report *r, const Tracemerge__PlacementHop *hop)
{
    put(r, "    ");
    tm_out_escaped_cut(&r->out, tm_text_of(hop->from), PATH_MAX_SHOWN);
    put(r, " to ");
    tm_out_escaped_cut(&r->out, tm_text_of(hop->to), PATH_MAX_SHOWN);
    put(r, ", ");
    put(r, relation_text(hop));
    if (is_assumed(hop)) {
        put(r, " to read the same\n");
        return;
    }
    put(r, ": ");
    put_readings(r, hop->first_from_ns, hop->first_to_ns);
    if (hop->last_from_ns != hop->first_from_ns || hop->last_to_ns != hop->first_to_ns) {
        put(r, ", ..., ");
        put_readings(r, hop->last_from_ns, hop->last_to_ns);
    }
    put(r, "\n");
}

static void put_path(struct tm_report *r, const Tracemerge__Placement *p)
{
    if (p->n_hops == 0 && p->hops == NULL && p->path.len && tm_report_rule(p) != TM_RULE_TRACE_TIME) {
        put(r, "    ");
        tm_out_escaped_cut(&r->out, tm_text_of(p->path), PATH_MAX_SHOWN);
        put(r, "\n");
    }
    for (size_t i = 0; i < p->n_hops; i++)
        put_hop(r, p->hops[i]);
    if (memchr(p->path.data ? p->path.data : (const uint8_t *)"", ';', p->path.len))
        put(r, "    and by other paths, because its clocks differ between sequences or times\n");
}

/* Writes PART of WHOLE in millionths with three decimals. */
static void put_ppm(struct tm_report *r, int64_t part, int64_t whole)
{
    tm_i128 thousandths = (tm_i128)part * 1000000000 / whole;
    uint64_t n = (uint64_t)(thousandths < 0 ? -thousandths : thousandths);
    tm_out_char(&r->out, part < 0 ? '-' : '+');
    tm_out_u64(&r->out, n / 1000);
    tm_out_char(&r->out, '.');
    for (uint64_t unit = 100; unit > 0; unit /= 10)
        tm_out_char(&r->out, (char)('0' + n / unit % 10));
    put(r, " ppm");
}

static void put_offset(struct tm_report *r, const Tracemerge__Placement *p)
{
    int64_t change = 0, span = 0;
    put(r, "  Offset ");
    tm_report_put_offset(r, p->first_offset_ns);
    bool is_known = tm_sub_i64(p->last_offset_ns, p->first_offset_ns, &change) &&
                    tm_sub_i64(p->last_ns, p->first_ns, &span);
    if (!is_known || change == 0) {
        put(r, is_known ? ", the same throughout.\n" : " at the first event.\n");
        return;
    }
    put(r, " at the first event, ");
    tm_report_put_offset(r, p->last_offset_ns);
    put(r, " at the last: ");
    tm_report_put_offset(r, change);
    put(r, " in ");
    tm_out_duration(&r->out, span);
    /* Clocks of several sequences are several clocks: the difference between two of them is not drift. */
    if (span > 0 && !(p->clock >= SCOPED_FIRST && p->clock <= SCOPED_LAST)) {
        put(r, ", a drift of ");
        put_ppm(r, change, span);
    }
    put(r, ".\n");
}

static void put_distance(struct tm_report *r, const Tracemerge__Placement *p)
{
    if (p->snapshots_used == 0 && !p->has_max_distance_ns)
        return;
    put(r, "  ");
    tm_report_put_count(r, p->snapshots_used, "snapshot");
    put(r, p->snapshots_used == 1 ? " was used" : " were used");
    if (p->has_max_distance_ns) {
        put(r, "; the farthest that an event is from one is ");
        tm_out_duration(&r->out, p->max_distance_ns);
    }
    put(r, ".\n");
}

/* Writes NS as a duration, at most INT64_MAX ns. */
static void put_width(struct tm_report *r, uint64_t ns)
{
    tm_out_duration(&r->out, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
}

/* Writes the differences between steps and lines, and the drift. */
static void put_lines(struct tm_report *r, const Tracemerge__Placement *p)
{
    if (!p->has_step_error_ns && !p->has_drift_ppb)
        return;
    put(r, p->has_step_error_ns ? "  Steps from snapshot to snapshot are up to " : "  Its clock is on a line");
    if (p->has_step_error_ns) {
        put_width(r, p->step_error_ns);
        put(r, " from the lines between them");
        put(r, p->has_interpolated && p->interpolated ? ", which place its events" : "");
    }
    if (p->has_drift_ppb) {
        put(r, "; trace time runs ");
        tm_out_u64(&r->out, (uint64_t)(p->drift_ppb < 0 ? -p->drift_ppb : p->drift_ppb));
        put(r, p->drift_ppb < 0 ? " ppb slower" : " ppb faster");
    }
    put(r, ".\n");
}

/* Writes the uncertainty of the times of its events, and its source. */
static void put_uncertainty(struct tm_report *r, const Tracemerge__Placement *p)
{
    static const char *const bounds[TM_UNCERTAINTY_SOURCES] = {
        [TM_UNCERTAINTY_JITTER] = "the jitter of repeated snapshots",
        [TM_UNCERTAINTY_STEP] = "the step from one to the next",
        [TM_UNCERTAINTY_ALIGNMENT] = "the bounds of an alignment",
        [TM_UNCERTAINTY_MANIFEST] = "what the manifest says",
    };
    static const char *const reasons[TM_UNCERTAINTY_SOURCES] = {
        [TM_UNCERTAINTY_SNAPSHOT] = "fewer than three snapshots do not show their jitter",
        [TM_UNCERTAINTY_MANIFEST] = "the manifest does not say how exact its offset is",
        [TM_UNCERTAINTY_HINT] = "the accuracy of the hint is not known",
        [TM_UNCERTAINTY_ASSUMPTION] = "it rests on an assumption",
    };
    struct tm_text names = tm_text_of(p->uncertainty_from);
    enum tm_uncertainty_source source;
    const char *between = ": ", *text;
    if (!p->has_uncertainty_from || tm_text_is(names, tm_uncertainty_source_name(TM_UNCERTAINTY_TRACE_TIME)))
        return;
    put(r, "  Uncertainty ");
    if (p->has_uncertainty_ns)
        put_width(r, p->uncertainty_ns);
    else
        put(r, "without a bound");
    while (tm_uncertainty_source_next(&names, &source)) {
        if (p->has_uncertainty_ns)
            text = bounds[source];
        else
            text = names.len ? NULL : reasons[source];
        if (text == NULL)
            continue;
        put(r, between);
        put(r, text);
        between = " and ";
    }
    put(r, ".\n");
}

/* Writes which changes would move the events of P. */
static void put_how_to_move(struct tm_report *r, const Tracemerge__Placement *p)
{
    struct tm_entry entry;
    enum tm_placement_rule rule = tm_report_rule(p);
    bool is_guess = rule == TM_RULE_RENDEZVOUS || rule == TM_RULE_SAME_DOMAIN || rule == TM_RULE_PRIVATE ||
                    rule == TM_RULE_HINT;
    put(r, "  What would move it: ");
    if (p->clock == 0)
        put(r, "a clock snapshot in the file.\n");
    else if (rule == TM_RULE_TRACE_TIME)
        put(r, "nothing; trace_time in the manifest would choose another timeline.\n");
    else if (rule == TM_RULE_MANIFEST && tm_report_is_aligned(p))
        put(r, "other evidence for tm-align, or other points in the manifest that it writes.\n");
    else if (rule == TM_RULE_MANIFEST)
        put(r, p->has_drift_ppb ? "its points in the manifest.\n"
                                : "its offset_ns in the manifest, by the same amount.\n");
    else if (rule == TM_RULE_RENDEZVOUS)
        put(r, "a difference between the wall clocks, by the same amount.");
    else if (is_guess)
        put(r, "a recorded relation of the two clocks, or one that tm-merge --align finds in the events.");
    else
        put(r, "other readings in these snapshots.\n");
    if (!is_guess)
        return;
    if (tm_report_entry_for(r, p, &entry)) {
        put(r, "\n  The manifest can state it; this is what is assumed now, and offset_ns moves it:\n    ");
        tm_report_put_entry(r, &entry);
    } else if (tm_report_is_undeclared(r, p->file, p->machine)) {
        put(r, "\n  The manifest can state it if it declares the machine ids of the packets (machines).");
    }
    put(r, "\n");
}

static void put_evidence(struct tm_report *r, const Tracemerge__Placement *p)
{
    size_t before = r->out.buf.len;
    put(r, "  Evidence: ");
    if (tm_assumption_put_evidence(&r->out, r->context->catalog, r->context->clocks, p))
        put(r, ".\n");
    else
        r->out.buf.len = before;
}

void tm_report_explain_placement(struct tm_report *r, const Tracemerge__Placement *p, bool shows_machine)
{
    put(r, "  ");
    if (p->placed_count == 0) {
        tm_report_put_clock(r, p->clock);
        put(r, ": none of its events could be placed.\n");
        return;
    }
    tm_report_put_count(r, p->placed_count, "event");
    if (p->clock) {
        put(r, " on ");
        tm_report_put_clock(r, p->clock);
    }
    if (shows_machine) {
        put(r, " of ");
        tm_report_put_machine(r, p->machine);
    }
    put(r, ", from ");
    put_seconds(r, p->first_ns);
    put(r, " to ");
    put_seconds(r, p->last_ns);
    put(r, ".\n  ");
    put(r, rule_text(r, p));
    put(r, "\n");
    put_evidence(r, p);
    put_path(r, p);
    if (tm_report_rule(p) != TM_RULE_TRACE_TIME && p->clock)
        put_offset(r, p);
    put_distance(r, p);
    put_lines(r, p);
    put_uncertainty(r, p);
    put_how_to_move(r, p);
}
