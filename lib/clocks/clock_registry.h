/* The clocks of a run: the graph, the machines, the trace-time clock, and the frames about them for later stages
 * (Machine, TraceTime, ClockRow). */
#ifndef TM_CLOCKS_CLOCK_REGISTRY_H
#define TM_CLOCKS_CLOCK_REGISTRY_H

#include "clocks/clock_graph.h"
#include "clocks/machine_table.h"
#include "clocks/unplaced_rows.h"
#include "stream/writer.h"

/* The owner of the claim to trace time, if it is not a File.id. */
enum { TM_CLAIM_NOBODY = -1, TM_CLAIM_MANIFEST = -2 };

/* The clock of the merged timeline. Before any claim: the private timeline of file 0. */
struct tm_trace_time {
    uint32_t index;    /* in the graph */
    uint32_t machine;  /* Machine.id; row 0 need not exist yet */
    uint32_t clock;
    int64_t owner;     /* TM_CLAIM_*, or the file */
    bool is_announced; /* its frame has been written */
};

struct tm_clock_registry {
    struct tm_clock_graph graph;
    struct tm_machine_table machines;
    struct tm_trace_time trace_time;
    uint64_t invalid_count;  /* snapshots and edges refused so far */
    uint64_t invalid_edge_count; /* those of the manifest */
    uint64_t scope_version;  /* grows whenever the meaning of a file's clock id may change */
    bool has_file;                   /* FILE recorded the relation that is being added */
    uint32_t file;
    struct tm_unplaced_rows unplaced;
    struct tm_stream_writer *writer; /* borrowed */
};

/* Initialises the registry. FILE_TAG is the tag of file 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_registry_init(struct tm_clock_registry *registry, struct tm_stream_writer *writer,
                                      uint32_t file_tag, struct tm_error *err);

/* Increases with every change that may alter how a time converts. */
static inline uint64_t tm_clock_registry_version(const struct tm_clock_registry *registry)
{
    return registry->graph.version + registry->scope_version;
}

/* Sets *ROW to the row of RAW_ID. A new row is announced by a frame. NAME may be NULL. TM_OK, TM_E_INPUT (limit) or
 * TM_E_SYSTEM. */
enum tm_status tm_clock_registry_machine(struct tm_clock_registry *registry, int64_t raw_id,
                                         const ProtobufCBinaryData *name, uint32_t *row, struct tm_error *err);

/* Writes the Machine frame of ROW, or writes it again. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_registry_announce(struct tm_clock_registry *registry, uint32_t row, struct tm_error *err);

/* Claims KEY as trace time for OWNER. Ignored if another owner has claimed it; the same owner may change its claim.
 * TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_registry_claim(struct tm_clock_registry *registry, const struct tm_clock_key *key,
                                       int64_t owner, struct tm_error *err);

/* Adds RELATION and its rows of clock_snapshot. A refused one is counted. TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_registry_add(struct tm_clock_registry *registry, const struct tm_clock_relation *relation,
                                     struct tm_error *err);

/* Adds a point of a line, as tm_clock_graph_add_point does, and its rows of clock_snapshot. Returns what
 * tm_clock_registry_add returns. */
enum tm_status tm_clock_registry_add_point(struct tm_clock_registry *registry, const struct tm_clock_relation *relation,
                                           bool is_step, struct tm_error *err);

/* Writes rows for the readings whose trace time was not known when they were added, and is now. Readings of the
 * trace-time machine are left out: a second file of that machine, placed by an assumption alone, must not set its
 * clocks. The rows are marked as unrelated. Readings beyond TM_UNPLACED_ROWS_MAX are stated as facts_beyond_limits of
 * their files. TM_OK or an error of the stream. */
enum tm_status tm_clock_registry_write_unplaced_rows(struct tm_clock_registry *registry, struct tm_error *err);

/* Returns a reading: clock INDEX shows VALUE nanoseconds. */
static inline struct tm_reading tm_reading_at(uint32_t index, int64_t value)
{
    return (struct tm_reading){.clock = index, .value = value, .unit_ns = 1};
}

void tm_clock_registry_release(struct tm_clock_registry *registry);

#endif
