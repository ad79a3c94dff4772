/* Problems with events, counted by file and machine. Each is a row of the stats table. */
#ifndef TM_MODEL_STATS_H
#define TM_MODEL_STATS_H

#include "base/table.h"
#include "model/place.h"

enum tm_model_stat {
    TM_MODEL_UNMATCHED_END,
    TM_MODEL_CUT_SHORT,
    TM_MODEL_TOO_DEEP,
    TM_MODEL_CROSSING,
    TM_MODEL_CROSSING_DROPPED,
    TM_MODEL_NEGATIVE_DURATION,
    TM_MODEL_NO_DURATION,
    TM_MODEL_NO_TRACK,
    TM_MODEL_FLOW_WITHOUT_SLICE,
    TM_MODEL_FLOW_STEP_WITHOUT_START,
    TM_MODEL_FLOW_END_WITHOUT_START,
    TM_MODEL_FLOW_DUPLICATE,
    TM_MODEL_SCHED_MISMATCH,
    TM_MODEL_SWITCH_SKIPPED,
    TM_MODEL_WAKING_SKIPPED,
    TM_MODEL_PARENT_CHANGED,
    TM_MODEL_HEAP_GRAPH_MALFORMED,
    TM_MODEL_HEAP_GRAPH_MISSING_PACKET,
    TM_MODEL_HEAP_GRAPH_NO_LOCATION,
    TM_MODEL_HEAP_GRAPH_NOT_FINISHED,
    TM_MODEL_MEMORY_WITHOUT_THREAD,
    TM_MODEL_TASK_STATE_ORDER,
    TM_MODEL_TASK_STATE_INVALID,
    TM_MODEL_TRACK_LOOP,
    TM_MODEL_TRACK_WITHOUT_PARENT,
    TM_MODEL_TRACK_TOO_DEEP,
    TM_MODEL_TRACK_CONFLICT,
    TM_MODEL_DEFAULT_TRACK_WITH_PARENT,
    TM_MODEL_BEFORE_START,
    TM_MODEL_LEFT_OUT, /* what is beyond the limits of GPUs, address spaces and texts of processors */
    TM_MODEL_STAT_COUNT
};

struct tm_model_stat_row {
    struct tm_place place;
    uint64_t counts[TM_MODEL_STAT_COUNT];
};

/* Zero-initialise. */
struct tm_model_stats {
    struct tm_model_stat_row *rows;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_table by_place;
};

/* Adds COUNT to statistic STAT of PLACE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_model_stats_add(struct tm_model_stats *stats, struct tm_place place, enum tm_model_stat stat,
                                  uint64_t count, struct tm_error *err);

void tm_model_stats_release(struct tm_model_stats *stats);

/* Returns the name of STAT in the stats table. */
const char *tm_model_stat_name(enum tm_model_stat stat);

/* Returns the severity of STAT as in the stats table: "info", "data_loss" or "error". */
const char *tm_model_stat_severity(enum tm_model_stat stat);

#endif
