#include "clocks/placement_record.h"

#include "base/checked.h"
#include "base/hash.h"
#include "stream/drop_reason.h"
#include "stream/placement_rule.h"

enum { SNAPSHOTS_REMEMBERED_MAX = 1 << 20 };

const char *tm_row_result_reason(enum tm_row_result result)
{
    static const enum tm_drop_reason reasons[TM_RESULTS] = {
        [TM_RESULT_NEGATIVE_TIME] = TM_DROP_NEGATIVE_TIME,
        [TM_RESULT_UNKNOWN_SOURCE_CLOCK] = TM_DROP_UNKNOWN_SOURCE_CLOCK,
        [TM_RESULT_UNKNOWN_TARGET_CLOCK] = TM_DROP_UNKNOWN_TARGET_CLOCK,
        [TM_RESULT_NO_PATH] = TM_DROP_NO_PATH,
        [TM_RESULT_OUT_OF_RANGE] = TM_DROP_OUT_OF_RANGE,
    };
    return tm_drop_reason_name(reasons[result]);
}

const char *tm_row_result_stat(enum tm_row_result result)
{
    static const char *const names[TM_RESULTS] = {
        [TM_RESULT_PLACED] = "placed",
        [TM_RESULT_NEGATIVE_TIME] = "trace_sorter_negative_timestamp_dropped",
        [TM_RESULT_UNKNOWN_SOURCE_CLOCK] = "clock_sync_failure_unknown_source_clock",
        [TM_RESULT_UNKNOWN_TARGET_CLOCK] = "clock_sync_failure_unknown_target_clock",
        [TM_RESULT_NO_PATH] = "clock_sync_failure_no_path",
        [TM_RESULT_OUT_OF_RANGE] = "clock_sync_failure_out_of_range",
    };
    return names[result];
}

static enum tm_placement_rule rule_of(const struct tm_placement_record *record)
{
    if (record->counts[TM_RESULT_PLACED] == 0)
        return TM_RULE_NONE;
    return record->has_weakest ? tm_edge_origin_rule(record->weakest) : TM_RULE_TRACE_TIME;
}

/* Returns the hash of a path: of its kinds and clocks, but not of its rows. */
static uint64_t path_hash(const struct tm_step *step)
{
    uint64_t hash = step->hop_count;
    for (uint32_t i = 0; i < step->hop_count; i++) {
        hash = tm_hash_u64(hash ^ step->hops[i].kind);
        hash = tm_hash_u64(hash ^ ((uint64_t)step->hops[i].from << 32 | step->hops[i].to));
    }
    return hash;
}

static bool is_new_path(struct tm_placement_record *record, const struct tm_step *step)
{
    uint64_t hash = path_hash(step);
    for (uint32_t i = 0; i < record->path_count; i++)
        if (record->paths[i] == hash)
            return false;
    if (record->path_count == TM_PATHS_SHOWN_MAX)
        return false;
    record->paths[record->path_count++] = hash;
    return true;
}

static void add_distance(struct tm_placement_record *record, int64_t from, int64_t to)
{
    int64_t d = from < to ? tm_sub_saturate_i64(to, from) : tm_sub_saturate_i64(from, to);
    if (!record->has_distance || d > record->max_distance_ns)
        record->max_distance_ns = d;
    record->has_distance = true;
}

/* Widens the range of relations used by STEP, which took the first path of the record. */
static void use_hops(struct tm_placement_record *record, const struct tm_clock_graph *graph,
                     const struct tm_step *step)
{
    for (uint32_t i = 0; i < step->hop_count; i++) {
        const struct tm_hop *hop = &step->hops[i];
        const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
        const struct tm_clock_key *from = &graph->clocks.clocks[hop->from].key,
                                  *to = &graph->clocks.clocks[hop->to].key;
        struct tm_hop_record *r = &record->hops[i];
        int64_t from_ns = tm_clock_kind_reading(kind, hop->row, tm_clock_kind_column(kind, hop->from));
        int64_t to_ns = tm_clock_kind_reading(kind, hop->row, tm_clock_kind_column(kind, hop->to));
        bool is_new = i >= record->hop_count;
        if (is_new || from_ns < r->first_from_ns) {
            r->first_from_ns = from_ns;
            r->first_to_ns = to_ns;
        }
        if (is_new || from_ns >= r->last_from_ns) {
            r->last_from_ns = from_ns;
            r->last_to_ns = to_ns;
        }
        r->from_clock = from->clock;
        r->to_clock = to->clock;
        r->same_machine = from->machine == to->machine;
        r->origin = (enum tm_edge_origin)kind->origins[hop->row];
    }
    record->hop_count = step->hop_count;
}

bool tm_placement_record_add(struct tm_placement_record *record, const struct tm_clock_graph *graph,
                             const struct tm_step *step, const struct tm_placed_run *run)
{
    int64_t low = tm_step_apply(step, run->low_ns), high = tm_step_apply(step, run->high_ns);
    if (record->counts[TM_RESULT_PLACED] == 0 || low < record->first_ns) {
        record->first_ns = low;
        record->first_offset_ns = tm_step_offset(step, run->low_ns);
    }
    if (record->counts[TM_RESULT_PLACED] == 0 || high >= record->last_ns) {
        record->last_ns = high;
        record->last_offset_ns = tm_step_offset(step, run->high_ns);
    }
    record->counts[TM_RESULT_PLACED] += run->count;
    if (step->has_anchors) {
        add_distance(record, run->low_ns, step->anchor_high_ns);
        add_distance(record, run->low_ns, step->anchor_low_ns);
        add_distance(record, run->high_ns, step->anchor_high_ns);
        add_distance(record, run->high_ns, step->anchor_low_ns);
    }
    for (uint32_t i = 0; i < step->hop_count; i++) {
        enum tm_edge_origin origin = graph->kinds[step->hops[i].kind].origins[step->hops[i].row];
        if (!record->has_weakest || origin > record->weakest)
            record->weakest = origin;
        record->has_weakest = true;
    }
    bool is_new = is_new_path(record, step);
    if (record->paths[0] == path_hash(step))
        use_hops(record, graph, step);
    return is_new;
}

enum tm_status tm_placement_record_use(struct tm_placement_record *record, uint32_t serial,
                                       const struct tm_clock_graph *graph, const struct tm_step *step,
                                       struct tm_map *used)
{
    for (uint32_t i = 0; i < step->hop_count; i++) {
        const struct tm_clock_kind *kind = &graph->kinds[step->hops[i].kind];
        uint64_t key = (uint64_t)serial << 32 | kind->snapshots[step->hops[i].row];
        uint32_t there;
        if (kind->origins[step->hops[i].row] != TM_EDGE_SNAPSHOT || tm_map_find(used, key, &there))
            continue;
        if (used->count >= SNAPSHOTS_REMEMBERED_MAX)
            continue;
        if (tm_map_set(used, key, 1) != TM_OK)
            return TM_E_SYSTEM;
        record->snapshots_used++;
    }
    return TM_OK;
}

enum tm_status tm_placement_record_path(struct tm_placement_record *record, const struct tm_buf *text)
{
    if (record->path.len && tm_buf_add_str(&record->path, "; ") != TM_OK)
        return TM_E_SYSTEM;
    return tm_buf_add(&record->path, text->data, text->len);
}

struct tm_hop_record *tm_placement_record_bare_hop(struct tm_placement_record *record, uint32_t i)
{
    return i < record->hop_count && record->hops[i].from.len == 0 ? &record->hops[i] : NULL;
}

static enum tm_status write_account(const struct tm_placement_record *record, uint32_t file, enum tm_row_result result,
                                    struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__Account account = TRACEMERGE__ACCOUNT__INIT;
    account.file = file;
    account.has_machine = true;
    account.machine = record->machine;
    account.clock = record->clock;
    account.reason = tm_bytes_str(tm_row_result_reason(result));
    account.count = record->counts[result];
    account.has_definition_count = record->definition_counts[result] > 0;
    account.definition_count = record->definition_counts[result];
    account.has_earliest_ns = result == TM_RESULT_NEGATIVE_TIME;
    account.earliest_ns = account.has_earliest_ns ? record->earliest_ns : 0;
    account.has_is_listed = account.is_listed = record->is_listed;
    return tm_stream_write_message(writer, TM_FRAME_ACCOUNT, &account.base, err);
}

static Tracemerge__PlacementHop hop_message(const struct tm_hop_record *hop)
{
    Tracemerge__PlacementHop m = TRACEMERGE__PLACEMENT_HOP__INIT;
    m.from = tm_bytes(hop->from.data, hop->from.len);
    m.to = tm_bytes(hop->to.data, hop->to.len);
    m.from_clock = hop->from_clock;
    m.to_clock = hop->to_clock;
    m.same_machine = hop->same_machine;
    m.origin = tm_bytes_str(tm_placement_rule_name(tm_edge_origin_rule(hop->origin)));
    m.first_from_ns = hop->first_from_ns;
    m.first_to_ns = hop->first_to_ns;
    m.last_from_ns = hop->last_from_ns;
    m.last_to_ns = hop->last_to_ns;
    return m;
}

enum tm_status tm_placement_record_write(const struct tm_placement_record *record, uint32_t file,
                                         struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__Placement placement = TRACEMERGE__PLACEMENT__INIT;
    Tracemerge__PlacementHop hops[TM_GRAPH_HOPS_MAX], *pointers[TM_GRAPH_HOPS_MAX];
    char words[TM_EXACTNESS_BYTES];
    placement.file = file;
    placement.machine = record->machine;
    placement.clock = record->clock;
    placement.rule = tm_bytes_str(tm_placement_rule_name(rule_of(record)));
    placement.path = tm_bytes(record->path.data, record->path.len);
    placement.first_ns = record->first_ns;
    placement.last_ns = record->last_ns;
    placement.first_offset_ns = record->first_offset_ns;
    placement.last_offset_ns = record->last_offset_ns;
    placement.snapshots_used = record->snapshots_used;
    placement.has_max_distance_ns = record->has_distance;
    placement.max_distance_ns = record->max_distance_ns;
    placement.placed_count = record->counts[TM_RESULT_PLACED];
    for (uint32_t i = 0; i < record->hop_count; i++) {
        hops[i] = hop_message(&record->hops[i]);
        pointers[i] = &hops[i];
    }
    placement.n_hops = record->hop_count;
    placement.hops = pointers;
    tm_placement_record_exactness(record, &placement, words, sizeof words);
    enum tm_status st = tm_stream_write_message(writer, TM_FRAME_PLACEMENT, &placement.base, err);
    for (int result = TM_RESULT_PLACED + 1; result < TM_RESULTS && st == TM_OK; result++)
        if (record->counts[result] || record->definition_counts[result])
            st = write_account(record, file, (enum tm_row_result)result, writer, err);
    return st;
}

void tm_placement_record_release(struct tm_placement_record *record)
{
    tm_buf_release(&record->path);
    for (uint32_t i = 0; i < TM_GRAPH_HOPS_MAX; i++) {
        tm_buf_release(&record->hops[i].from);
        tm_buf_release(&record->hops[i].to);
    }
}
