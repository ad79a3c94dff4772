/* Computes how exact a placement is, from the jitter of its snapshots, the manifest, and the difference between steps
 * and lines. */
#include "clocks/placement_record.h"

#include "stream/uncertainty_source.h"

#include <string.h>

static uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Compares row ROW of KIND with the line between its neighbours, if it has both and all three are snapshots. */
static void check_snapshot(struct tm_hop_record *r, const struct tm_clock_kind *kind, uint32_t row, uint32_t from,
                           uint32_t to)
{
    int64_t expected, a[2], b[2];
    struct tm_clock_line line;
    if (row == 0 || row + 1 >= kind->count)
        return;
    for (uint32_t i = row - 1; i <= row + 1; i++)
        if (kind->origins[i] != TM_EDGE_SNAPSHOT)
            return;
    for (int i = 0; i < 2; i++) {
        a[i] = tm_clock_kind_reading(kind, row - 1 + 2 * (uint32_t)i, from);
        b[i] = tm_clock_kind_reading(kind, row - 1 + 2 * (uint32_t)i, to);
    }
    if (a[0] >= a[1] || b[0] > b[1])
        return;
    tm_clock_line_init(&line, a, b);
    if (!tm_clock_line_at(&line, tm_clock_kind_reading(kind, row, from), &expected))
        return;
    uint64_t off = distance(expected, tm_clock_kind_reading(kind, row, to));
    r->has_jitter = true;
    r->jitter_ns = off > r->jitter_ns ? off : r->jitter_ns;
}

/* Notes that the line between these rows was used, or would have been with --interpolate. */
static void use_line(struct tm_hop_record *r, const struct tm_clock_kind *kind, const uint32_t ends[2], uint32_t from,
                     uint32_t to)
{
    int64_t first = tm_clock_kind_reading(kind, ends[0], from), last = tm_clock_kind_reading(kind, ends[1], from);
    if (kind->joins && r->has_line && (r->line_from[0] != first || r->line_from[1] != last))
        r->is_broken = true; /* several lines of a manifest may be a step, so no drift is stated */
    if (!r->has_line || first < r->line_from[0]) {
        r->line_from[0] = first;
        r->line_to[0] = tm_clock_kind_reading(kind, ends[0], to);
    }
    if (!r->has_line || last > r->line_from[1]) {
        r->line_from[1] = last;
        r->line_to[1] = tm_clock_kind_reading(kind, ends[1], to);
    }
    r->has_line = true;
}

/* Notes how exact the relations of STEP are. STEP follows the record's first path by lines. */
static void check_hops(struct tm_placement_record *record, const struct tm_clock_graph *graph,
                       const struct tm_step *step)
{
    for (uint32_t i = 0; i < step->hop_count; i++) {
        const struct tm_hop *hop = &step->hops[i];
        const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
        uint32_t from = tm_clock_kind_column(kind, hop->from), to = tm_clock_kind_column(kind, hop->to);
        struct tm_hop_record *r = &record->hops[i];
        r->exactness = kind->exactness;
        if (hop->is_line)
            use_line(r, kind, hop->line_ends, from, to);
        check_snapshot(r, kind, hop->row, from, to);
        check_snapshot(r, kind, hop->row + 1, from, to);
    }
}

/* True if both steps lead over the same clocks. */
static bool is_same_path(const struct tm_step *a, const struct tm_step *b)
{
    bool same = a->hop_count == b->hop_count;
    for (uint32_t i = 0; same && i < a->hop_count; i++)
        same = a->hops[i].kind == b->hops[i].kind && a->hops[i].from == b->hops[i].from &&
               a->hops[i].to == b->hops[i].to;
    return same;
}

void tm_placement_record_check(struct tm_placement_record *record, struct tm_clock_graph *graph, uint32_t source,
                               const struct tm_step *step, const struct tm_placed_run *run)
{
    const int64_t ends[] = {run->low_ns, run->high_ns};
    bool interpolates = graph->interpolates, is_first = true;
    record->is_interpolated |= interpolates;
    for (uint32_t i = 0; i < step->hop_count && i < record->hop_count; i++)
        is_first &= record->hops[i].from_clock == graph->clocks.clocks[step->hops[i].from].key.clock &&
                    record->hops[i].to_clock == graph->clocks.clocks[step->hops[i].to].key.clock;
    if (step->hop_count == 0 || step->hop_count != record->hop_count || !is_first)
        return;
    for (int i = 0; i < 2; i++) {
        struct tm_step by[2]; /* steps, lines */
        enum tm_convert result[2];
        for (int k = 0; k < 2; k++) {
            graph->interpolates = k == 1;
            result[k] = tm_clock_graph_convert(graph, source, ends[i], &by[k]);
        }
        graph->interpolates = interpolates;
        if (result[0] != TM_CONVERT_OK || result[1] != TM_CONVERT_OK || !is_same_path(&by[1], step))
            continue;
        check_hops(record, graph, &by[1]);
        for (uint32_t k = 0; k < step->hop_count; k++) {
            const struct tm_hop *hop = &by[1].hops[k];
            bool is_snapshot = graph->kinds[hop->kind].origins[hop->row] == TM_EDGE_SNAPSHOT;
            record->has_step_error |= hop->is_line && is_snapshot;
        }
        /* Uses the step that placed the event, even if a later snapshot is nearer by now. */
        int64_t placed = tm_step_apply(interpolates ? &by[0] : step, ends[i]);
        uint64_t error = distance(placed, tm_step_apply(&by[1], ends[i]));
        if (record->has_step_error && error > record->step_error_ns)
            record->step_error_ns = error;
    }
}

/* Finds the drift along all lines of the path. False if a recorded relation has no line, or if no relation has one. */
static bool find_drift(const struct tm_placement_record *record, int64_t *ppb)
{
    enum { BILLION = 1000000000 };
    tm_i128 rate = BILLION;
    bool has_line = false;
    for (uint32_t i = 0; i < record->hop_count; i++) {
        const struct tm_hop_record *r = &record->hops[i];
        struct tm_clock_line line;
        int64_t part;
        if (!r->has_line && r->origin == TM_EDGE_SNAPSHOT)
            return false;
        if (!r->has_line)
            continue;
        if (r->is_broken || r->line_from[0] >= r->line_from[1] || r->line_to[0] > r->line_to[1])
            return false;
        tm_clock_line_init(&line, r->line_from, r->line_to);
        if (!tm_clock_line_drift(&line, &part) || part > INT32_MAX)
            return false;
        rate = rate * ((tm_i128)BILLION + part) / BILLION;
        has_line = true;
    }
    if (rate > INT64_MAX)
        return false;
    *ppb = (int64_t)rate - BILLION;
    return has_line;
}

/* The sum of the uncertainties of a placement, and what they come from. */
struct sum {
    uint64_t ns;
    bool is_bounded;
    enum tm_uncertainty_source sources[TM_UNCERTAINTY_SOURCES];
    uint32_t count;
};

static void add_source(struct sum *sum, enum tm_uncertainty_source source)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->sources[i] == source)
            return;
    sum->sources[sum->count++] = source;
}

static void add_bound(struct sum *sum, enum tm_uncertainty_source source, uint64_t ns)
{
    add_source(sum, source);
    sum->is_bounded &= sum->ns <= UINT64_MAX - ns;
    sum->ns += ns;
}

/* Adds the uncertainty of hop R. Returns why it has no bound, or TM_UNCERTAINTY_OTHER if it has one. */
static enum tm_uncertainty_source add_hop(struct sum *sum, const struct tm_hop_record *r)
{
    const bool is_stated = r->exactness.is_stated && r->exactness.is_bounded;
    switch (r->origin) {
    case TM_EDGE_SNAPSHOT:
        if (r->has_jitter)
            add_bound(sum, TM_UNCERTAINTY_JITTER, r->jitter_ns);
        return r->has_jitter ? TM_UNCERTAINTY_OTHER : TM_UNCERTAINTY_SNAPSHOT;
    case TM_EDGE_MANIFEST:
        if (is_stated)
            add_bound(sum, r->exactness.is_aligned ? TM_UNCERTAINTY_ALIGNMENT : TM_UNCERTAINTY_MANIFEST,
                      r->exactness.uncertainty_ns);
        return is_stated ? TM_UNCERTAINTY_OTHER : TM_UNCERTAINTY_MANIFEST;
    case TM_EDGE_HINT:
        return TM_UNCERTAINTY_HINT;
    default:
        return TM_UNCERTAINTY_ASSUMPTION;
    }
}

/* Adds up the uncertainties of RECORD. If the sum has no bound, its last source is the reason. */
static void sum_up(const struct tm_placement_record *record, struct sum *sum)
{
    enum tm_uncertainty_source unbounded = TM_UNCERTAINTY_OTHER;
    *sum = (struct sum){.is_bounded = true};
    for (uint32_t i = 0; i < record->hop_count; i++) {
        enum tm_uncertainty_source why = add_hop(sum, &record->hops[i]);
        unbounded = why ? why : unbounded;
    }
    if (record->has_step_error && !record->is_interpolated)
        add_bound(sum, TM_UNCERTAINTY_STEP, record->step_error_ns);
    if (record->hop_count == 0 && record->clock == 0)
        unbounded = TM_UNCERTAINTY_ASSUMPTION;
    else if (record->hop_count == 0)
        add_source(sum, TM_UNCERTAINTY_TRACE_TIME);
    if (unbounded)
        add_source(sum, unbounded);
    sum->is_bounded &= !unbounded;
}

void tm_placement_record_exactness(const struct tm_placement_record *record, Tracemerge__Placement *placement,
                                   char *words, size_t size)
{
    struct sum sum;
    size_t len = 0;
    if (record->counts[TM_RESULT_PLACED] == 0)
        return;
    sum_up(record, &sum);
    for (uint32_t i = 0; i < sum.count; i++) {
        const char *word = tm_uncertainty_source_name(sum.sources[i]);
        size_t word_len = strlen(word);
        if (len + word_len + 2 > size)
            break;
        if (len)
            words[len++] = '+';
        memcpy(words + len, word, word_len);
        len += word_len;
    }
    placement->has_uncertainty_from = true;
    placement->uncertainty_from = tm_bytes(words, len);
    placement->has_uncertainty_ns = sum.is_bounded;
    placement->uncertainty_ns = sum.is_bounded ? sum.ns : 0;
    placement->has_drift_ppb = find_drift(record, &placement->drift_ppb);
    placement->has_step_error_ns = record->has_step_error;
    placement->step_error_ns = record->step_error_ns;
    placement->has_interpolated = record->is_interpolated && record->has_step_error;
    placement->interpolated = placement->has_interpolated;
    for (uint32_t i = 0; i < record->hop_count; i++) {
        placement->has_jitter_ns |= record->hops[i].has_jitter;
        placement->jitter_ns += record->hops[i].jitter_ns;
    }
}
