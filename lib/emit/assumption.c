#include "emit/assumption.h"

#include "base/checked.h"
#include "base/time_units.h"
#include "emit/paths.h"
#include "stream/clock_id.h"
#include "stream/clock_name.h"
#include "stream/placement_rule.h"

/* the wall clock of a machine is adjusted now and then: starts within this distance are equal */
#define SAME_START_NS (10 * TM_NS_PER_S)

enum tm_assumption tm_assumption_of(const struct tm_catalog *c, const Tracemerge__Placement *p)
{
    if (p->placed_count == 0)
        return TM_ASSUMPTION_NONE;
    if (p->clock == 0)
        return c->has_trace_time && c->trace_time_has_machine &&
                       !(c->trace_time_has_file && c->trace_time_file == p->file)
                   ? TM_ASSUMPTION_NO_CLOCK
                   : TM_ASSUMPTION_NONE;
    switch (tm_placement_rule_of(tm_text_of(p->rule))) {
    case TM_RULE_PRIVATE: return TM_ASSUMPTION_START;
    case TM_RULE_SAME_DOMAIN: return TM_ASSUMPTION_CLOCK;
    default: return TM_ASSUMPTION_NONE;
    }
}

const Tracemerge__Placement *tm_assumption_first(const struct tm_catalog *c)
{
    const Tracemerge__Placement *first = NULL;
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        if (tm_assumption_of(c, p) != TM_ASSUMPTION_NONE && (first == NULL || p->file < first->file))
            first = p;
    }
    return first;
}

static void put_clock(struct tm_out *out, uint32_t clock)
{
    const char *name = tm_name_of_clock(clock);
    tm_out_str(out, name ? name : "clock ");
    if (name == NULL)
        tm_out_u64(out, clock);
}

static void put_machine(struct tm_out *out, const struct tm_catalog *c, uint32_t machine)
{
    const struct tm_catalog_machine *m = tm_catalog_machine(c, machine);
    if (m && m->name.len) {
        tm_out_escaped(out, m->name);
    } else if (m == NULL || m->raw_id == 0) {
        tm_out_str(out, "host");
    } else {
        tm_out_str(out, "machine ");
        tm_out_i64(out, m->raw_id);
    }
}

static void put_path(struct tm_out *out, const struct tm_catalog *c, uint32_t file)
{
    char path[TM_PATH_TEXT_MAX];
    tm_catalog_path(c, file, path, sizeof path);
    tm_out_str(out, path);
}

/* Puts the clock of the timeline and its machine. */
static void put_trace_time(struct tm_out *out, const struct tm_catalog *c)
{
    if (!c->has_trace_time) {
        tm_out_str(out, "the timeline");
        return;
    }
    put_clock(out, c->trace_time_clock);
    tm_out_str(out, " of ");
    if (c->trace_time_has_file && c->trace_time_clock == TM_CLOCK_TRACE_FILE)
        put_path(out, c, c->trace_time_file);
    else
        put_machine(out, c, c->trace_time_machine);
}

/* Returns the machine whose clock is assumed to be that of P: P's own machine if the assumption relates an isolated
 * clock to its machine's clock, else the machine of trace time. */
static uint32_t assumed_machine(const struct tm_catalog *c, const Tracemerge__Placement *p)
{
    for (size_t i = 0; i < p->n_hops; i++)
        if (tm_placement_rule_of(tm_text_of(p->hops[i]->origin)) == TM_RULE_SAME_DOMAIN && p->hops[i]->same_machine)
            return p->machine;
    return c->trace_time_machine;
}

void tm_assumption_put(struct tm_out *out, const struct tm_catalog *c, const Tracemerge__Placement *p)
{
    switch (tm_assumption_of(c, p)) {
    case TM_ASSUMPTION_START:
        tm_out_str(out, "nothing relates its ");
        put_clock(out, p->clock);
        tm_out_str(out, " to ");
        put_trace_time(out, c);
        tm_out_str(out, ", so the two are assumed to read the same");
        break;
    case TM_ASSUMPTION_CLOCK:
        tm_out_str(out, "nothing relates its ");
        put_clock(out, p->clock);
        tm_out_str(out, " to that of ");
        put_machine(out, c, assumed_machine(c, p));
        tm_out_str(out, ", so the two are assumed to be one clock");
        break;
    default:
        tm_out_str(out, "its packets name no clock, so their numbers are assumed to be readings of ");
        put_trace_time(out, c);
    }
}

/* Puts a difference: "81 days" if it is long, otherwise exact. */
static void put_span(struct tm_out *out, int64_t ns)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {{86400, " days"}, {3600, " hours"}, {60, " minutes"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ns / TM_NS_PER_S >= 2 * units[i].seconds) {
            tm_out_i64(out, ns / TM_NS_PER_S / units[i].seconds);
            tm_out_str(out, units[i].unit);
            return;
        }
    tm_out_duration(out, ns);
}

/* Puts the base that P's file states, and its distance from that of the first file with one. False: it states none. */
static bool put_base(struct tm_out *out, const struct tm_catalog *c, const struct tm_clock_facts *facts,
                     const Tracemerge__Placement *p)
{
    const struct tm_stated_base *base = tm_clock_facts_base(facts, p->file);
    int64_t later;
    if (base == NULL)
        return false;
    const struct tm_stated_base *first = tm_clock_facts_first_base(facts, base);
    tm_out_str(out, "states ");
    tm_out_str(out, base->source);
    tm_out_char(out, ' ');
    tm_out_i64(out, base->value_ns);
    if (first != base && tm_sub_i64(base->value_ns, first->value_ns, &later) && later != INT64_MIN) {
        tm_out_str(out, later == 0 ? ", as " : ", ");
        if (later != 0) {
            put_span(out, later < 0 ? -later : later);
            tm_out_str(out, later < 0 ? " before that of " : " after that of ");
        }
        put_path(out, c, first->file);
        tm_out_str(out, later == 0 ? " does" : "");
    }
    tm_out_str(out, ": --hints takes it for ");
    put_clock(out, base->clock);
    return true;
}

/* Puts when the machine of P's file was started by the wall clock, compared with that of an earlier file. False:
 * unknown. */
static bool put_starts(struct tm_out *out, const struct tm_catalog *c, const struct tm_clock_facts *facts,
                       const Tracemerge__Placement *p)
{
    const struct tm_wall_start *own = tm_clock_facts_start(facts, p->file, p->machine);
    const struct tm_wall_start *other = own ? tm_clock_facts_earlier(facts, c, own) : NULL;
    int64_t distance;
    if (other == NULL || !tm_sub_i64(own->started_ns, other->started_ns, &distance) || distance == INT64_MIN)
        return false;
    const struct tm_wall_start *late = distance < 0 ? other : own, *early = distance < 0 ? own : other;
    bool may_be_one = early->last_ns <= late->started_ns;
    distance = distance < 0 ? -distance : distance;
    if (distance <= SAME_START_NS) {
        tm_out_str(out, "by the wall clock, its machine was started at the same time as that of ");
        put_path(out, c, other->file);
        if (distance != 0) {
            tm_out_str(out, ", to within ");
            tm_out_duration(out, distance);
        }
        return true;
    }
    tm_out_str(out, "by the wall clock, its machine was started ");
    put_span(out, distance);
    tm_out_str(out, own == late ? " after that of " : " before that of ");
    put_path(out, c, other->file);
    tm_out_str(out, may_be_one ? ": these look like two machines (or one that was restarted)"
                               : ": these look like two machines");
    tm_out_str(out, "; if so, give --machine NAME=FILE for each");
    return true;
}

/* Puts what the clocks of two machines read at one instant, if that was recorded after P's clock had been assumed to be
 * that of the other machine. False: it was not. */
static bool put_relation(struct tm_out *out, const struct tm_catalog *c, const struct tm_clock_facts *facts,
                         const Tracemerge__Placement *p)
{
    const struct tm_machine_relation *relation = NULL;
    for (size_t i = 0; i < p->n_hops && relation == NULL; i++)
        if (tm_placement_rule_of(tm_text_of(p->hops[i]->origin)) == TM_RULE_SAME_DOMAIN && !p->hops[i]->same_machine)
            relation = tm_clock_facts_relation(facts, p->machine, p->hops[i]->from_clock);
    if (relation == NULL)
        return false;
    const size_t own = relation->machine[1] == p->machine, other = 1 - own;
    if (relation->machine[other] != c->trace_time_machine)
        return false;
    tm_out_str(out, "a clock synchronization that comes after its first event is not used: ");
    put_clock(out, relation->clock);
    tm_out_char(out, ' ');
    tm_out_seconds(out, relation->value_ns[own]);
    tm_out_str(out, " s = ");
    tm_out_seconds(out, relation->value_ns[other]);
    tm_out_str(out, " s of ");
    put_machine(out, c, relation->machine[other]);
    return true;
}

bool tm_assumption_put_evidence(struct tm_out *out, const struct tm_catalog *c, const struct tm_clock_facts *facts,
                                const Tracemerge__Placement *p)
{
    switch (tm_assumption_of(c, p)) {
    case TM_ASSUMPTION_START: return put_base(out, c, facts, p);
    case TM_ASSUMPTION_CLOCK: return put_relation(out, c, facts, p) || put_starts(out, c, facts, p);
    default: return false;
    }
}
