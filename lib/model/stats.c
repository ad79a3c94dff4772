#include "model/stats.h"

#include <stdlib.h>

enum tm_status tm_model_stats_add(struct tm_model_stats *stats, struct tm_place place, enum tm_model_stat stat,
                                  uint64_t count, struct tm_error *err)
{
    struct tm_key key = {place.file, place.machine, 0};
    int64_t i = tm_table_find(&stats->by_place, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = stats->count;
        if ((st = tm_array_grow(&stats->rows, &stats->cap, stats->count, sizeof *stats->rows, err)) < 0 ||
            (st = tm_table_set(&stats->by_place, &key, i, err)) < 0)
            return st;
        stats->rows[stats->count++] = (struct tm_model_stat_row){.place = place};
    }
    stats->rows[i].counts[stat] += count;
    return TM_OK;
}

void tm_model_stats_release(struct tm_model_stats *stats)
{
    free(stats->rows);
    tm_table_release(&stats->by_place);
    *stats = (struct tm_model_stats){0};
}

const char *tm_model_stat_name(enum tm_model_stat stat)
{
    static const char *const names[] = {
        [TM_MODEL_UNMATCHED_END] = "tm_slice_end_without_begin",
        [TM_MODEL_CUT_SHORT] = "misplaced_end_event",
        [TM_MODEL_TOO_DEEP] = "slice_max_depth_exceeded",
        [TM_MODEL_CROSSING] = "slice_spill_overlapping_complete_event",
        [TM_MODEL_CROSSING_DROPPED] = "slice_drop_overlapping_complete_event",
        [TM_MODEL_NEGATIVE_DURATION] = "slice_negative_duration",
        [TM_MODEL_NO_DURATION] = "slice_complete_event_without_duration",
        [TM_MODEL_NO_TRACK] = "track_event_parser_errors",
        [TM_MODEL_FLOW_WITHOUT_SLICE] = "flow_no_enclosing_slice",
        [TM_MODEL_FLOW_STEP_WITHOUT_START] = "flow_step_without_start",
        [TM_MODEL_FLOW_END_WITHOUT_START] = "flow_end_without_start",
        [TM_MODEL_FLOW_DUPLICATE] = "flow_duplicate_id",
        [TM_MODEL_SCHED_MISMATCH] = "mismatched_sched_switch_tids",
        [TM_MODEL_SWITCH_SKIPPED] = "compact_sched_switch_skipped",
        [TM_MODEL_WAKING_SKIPPED] = "compact_sched_waking_skipped",
        [TM_MODEL_PARENT_CHANGED] = "process_tracker_parent_pid_changed",
        [TM_MODEL_HEAP_GRAPH_MALFORMED] = "heap_graph_malformed_packet",
        [TM_MODEL_HEAP_GRAPH_MISSING_PACKET] = "heap_graph_missing_packet",
        [TM_MODEL_HEAP_GRAPH_NO_LOCATION] = "heap_graph_invalid_string_id",
        [TM_MODEL_HEAP_GRAPH_NOT_FINISHED] = "heap_graph_non_finalized_graph",
        [TM_MODEL_MEMORY_WITHOUT_THREAD] = "rss_stat_unknown_thread_for_mm_id",
        [TM_MODEL_TASK_STATE_ORDER] = "generic_task_state_invalid_order",
        [TM_MODEL_TASK_STATE_INVALID] = "task_state_invalid",
        [TM_MODEL_TRACK_LOOP] = "track_event_track_hierarchy_loop",
        [TM_MODEL_TRACK_WITHOUT_PARENT] = "track_hierarchy_missing_uuid",
        [TM_MODEL_TRACK_TOO_DEEP] = "track_event_track_hierarchy_too_deep",
        [TM_MODEL_TRACK_CONFLICT] = "track_descriptor_conflicting_reservation",
        [TM_MODEL_DEFAULT_TRACK_WITH_PARENT] = "track_descriptor_default_track_with_parent",
        [TM_MODEL_BEFORE_START] = "ftrace_packet_before_tracing_start",
        [TM_MODEL_LEFT_OUT] = "facts_beyond_limits",
    };
    return names[stat];
}

const char *tm_model_stat_severity(enum tm_model_stat stat)
{
    switch (stat) {
    case TM_MODEL_UNMATCHED_END:
    case TM_MODEL_NO_TRACK:
    case TM_MODEL_FLOW_STEP_WITHOUT_START:
    case TM_MODEL_FLOW_END_WITHOUT_START:
    case TM_MODEL_SWITCH_SKIPPED:
    case TM_MODEL_WAKING_SKIPPED:
    case TM_MODEL_PARENT_CHANGED:
    case TM_MODEL_MEMORY_WITHOUT_THREAD:
    case TM_MODEL_TRACK_WITHOUT_PARENT:
    case TM_MODEL_BEFORE_START:
        return "info";
    case TM_MODEL_CUT_SHORT:
    case TM_MODEL_HEAP_GRAPH_NOT_FINISHED:
    case TM_MODEL_LEFT_OUT:
        return "data_loss";
    default:
        return "error";
    }
}
