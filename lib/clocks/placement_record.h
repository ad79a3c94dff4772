/* How the events of one (file, machine, clock) were placed, and why others were not. It becomes a Placement frame with
 * the number of placed events, and an Account frame for each reason to drop. */
#ifndef TM_CLOCKS_PLACEMENT_RECORD_H
#define TM_CLOCKS_PLACEMENT_RECORD_H

#include "base/buf.h"
#include "base/map.h"
#include "clocks/clock_graph.h"
#include "stream/writer.h"

/* Whether an event was placed, or why it was dropped. */
enum tm_row_result {
    TM_RESULT_PLACED,
    TM_RESULT_NEGATIVE_TIME,
    TM_RESULT_UNKNOWN_SOURCE_CLOCK,
    TM_RESULT_UNKNOWN_TARGET_CLOCK,
    TM_RESULT_NO_PATH,
    TM_RESULT_OUT_OF_RANGE,
    TM_RESULTS
};

/* Returns the reason in the account of a dropped event: "negative_time", …. */
const char *tm_row_result_reason(enum tm_row_result result);

/* Returns the counter in the stats table to which a dropped event adds. */
const char *tm_row_result_stat(enum tm_row_result result);

enum { TM_PATHS_SHOWN_MAX = 4 };

/* A hop of the record's first path, and the readings of both clocks at the first and the last of its relations that was
 * used. */
struct tm_hop_record {
    uint32_t from_clock, to_clock; /* clock ids */
    bool same_machine;
    enum tm_edge_origin origin;
    int64_t first_from_ns, first_to_ns, last_from_ns, last_to_ns;
    struct tm_buf from, to; /* the clocks as text */
    bool has_line, is_broken; /* the ends below are set; lines between them may not join */
    int64_t line_from[2], line_to[2];
    bool has_jitter;
    uint64_t jitter_ns; /* the largest distance of a snapshot from the line between its neighbours */
    struct tm_clock_exactness exactness;
};

/* Zero-initialise with machine and clock set. */
struct tm_placement_record {
    uint32_t machine; /* Machine.id */
    uint32_t clock;   /* clock id; 0: times are trace time as they stand */
    uint64_t counts[TM_RESULTS];            /* events */
    uint64_t definition_counts[TM_RESULTS]; /* timed definitions */
    int64_t earliest_ns; /* the lowest of the negative times that conversions gave, else 0 */
    bool is_listed;      /* Dropped frames have all that was dropped */
    /* private */
    int64_t first_ns, last_ns; /* earliest and latest event, in trace time */
    int64_t first_offset_ns, last_offset_ns;
    uint64_t snapshots_used;
    bool has_distance;
    int64_t max_distance_ns;
    enum tm_edge_origin weakest;
    bool has_weakest; /* else no hop was ever needed */
    bool has_step_error, is_interpolated;
    uint64_t step_error_ns; /* the largest distance between an event's time by steps and by lines */
    uint64_t paths[TM_PATHS_SHOWN_MAX];
    uint32_t path_count;
    struct tm_buf path; /* text, paths joined by "; " */
    struct tm_hop_record hops[TM_GRAPH_HOPS_MAX]; /* of paths[0] */
    uint32_t hop_count;
};

/* A run of events that one step placed: counted events between LOW_NS and HIGH_NS on the source clock. */
struct tm_placed_run {
    int64_t low_ns, high_ns;
    uint64_t count;
};

/* Adds RUN, which has at least one event. True if the path of STEP is new; the caller must then add its text. */
bool tm_placement_record_add(struct tm_placement_record *record, const struct tm_clock_graph *graph,
                             const struct tm_step *step, const struct tm_placed_run *run);

/* Notes how exact STEP is known to be. SOURCE is the clock of RUN. GRAPH may know more now than when STEP was found. */
void tm_placement_record_check(struct tm_placement_record *record, struct tm_clock_graph *graph, uint32_t source,
                               const struct tm_step *step, const struct tm_placed_run *run);

/* Adds the recorded snapshots of STEP to RECORD's count, each once. USED has the snapshots that records of the whole
 * run have counted. Its size has a limit; later snapshots are not counted. SERIAL identifies RECORD in USED. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_placement_record_use(struct tm_placement_record *record, uint32_t serial,
                                       const struct tm_clock_graph *graph, const struct tm_step *step,
                                       struct tm_map *used);

/* Appends the text of one path. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_placement_record_path(struct tm_placement_record *record, const struct tm_buf *text);

/* Returns the hop whose texts are still missing, or NULL. */
struct tm_hop_record *tm_placement_record_bare_hop(struct tm_placement_record *record, uint32_t i);

/* Sets the fields of PLACEMENT that state how exact it is. They point into WORDS, which has SIZE bytes. */
enum { TM_EXACTNESS_BYTES = 96 };
void tm_placement_record_exactness(const struct tm_placement_record *record, Tracemerge__Placement *placement,
                                   char *words, size_t size);

/* Writes the frames of RECORD, which belongs to FILE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_placement_record_write(const struct tm_placement_record *record, uint32_t file,
                                         struct tm_stream_writer *writer, struct tm_error *err);

void tm_placement_record_release(struct tm_placement_record *record);

#endif
