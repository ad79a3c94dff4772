#include "limit_rows.h"

#include "clocks/clock_graph.h"
#include "clocks/clock_hints.h"
#include "clocks/clock_scope.h"
#include "clocks/clock_table.h"
#include "clocks/machine_table.h"
#include "clocks/pending_frames.h"
#include "clocks/unplaced_rows.h"

#include <stddef.h>

const struct limit clock_limits[] = {
    LIMIT(TM_GRAPH_HOPS_MAX),
    LIMIT(TM_GRAPH_WIDTH_MAX),
    LIMIT(TM_CLOCKS_MAX),
    LIMIT(TM_GRAPH_KINDS_MAX),
    LIMIT(TM_GRAPH_READINGS_MAX),
    LIMIT(TM_GRAPH_WORK_MAX),
    LIMIT(TM_MACHINES_MAX),
    LIMIT(TM_FILE_RECORDS_MAX),
    LIMIT(TM_PENDING_FRAMES_MAX),
    LIMIT(TM_HINTS_MAX),
    LIMIT(TM_UNPLACED_ROWS_MAX),
    {NULL, 0},
};
