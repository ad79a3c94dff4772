/* Adds up accounts and statistics of a Perfetto trace and writes them as few frames. Names of statistics are those of
 * the reference importer (src/trace_processor/storage/stats.h) if it has one. */
#ifndef TM_FORMAT_PERFETTO_COUNT_H
#define TM_FORMAT_PERFETTO_COUNT_H

#include "format/format.h"
#include "format/perfetto/id_map.h"

enum tm_proto_stat {
    TM_PROTO_STAT_PACKET_LOSS,
    TM_PROTO_STAT_INTERNED_ERRORS,
    TM_PROTO_STAT_INTERNED_SKIPPED,
    TM_PROTO_STAT_NEEDS_STATE,
    TM_PROTO_STAT_TRACK_EVENT_ERRORS,
    TM_PROTO_STAT_TRACK_EVENT_NO_TIME,
    TM_PROTO_STAT_COUNTER_NO_TRACK,
    TM_PROTO_STAT_COUNTER_NO_VALUE,
    TM_PROTO_STAT_COUNTER_BAD_TRACK,
    TM_PROTO_STAT_EXTRA_COUNTER_NO_TRACKS,
    TM_PROTO_STAT_EXTRA_COUNTER_MISMATCH,
    TM_PROTO_STAT_EXTRA_COUNTER_EXCEEDS,
    TM_PROTO_STAT_EXTRA_COUNTER_BAD,
    TM_PROTO_STAT_DESCRIPTOR_NO_UUID,
    TM_PROTO_STAT_DESCRIPTOR_NO_PID,
    TM_PROTO_STAT_DESCRIPTOR_SKIPPED,
    TM_PROTO_STAT_DELTA_NO_STATE,
    TM_PROTO_STAT_THREAD_DELTA_NO_STATE,
    TM_PROTO_STAT_INSTRUCTIONS_NO_STATE,
    TM_PROTO_STAT_NO_SEQUENCE,
    TM_PROTO_STAT_CLEARED_NO_SEQUENCE,
    TM_PROTO_STAT_DROPPED_NO_SEQUENCE,
    TM_PROTO_STAT_DEFAULTS_NO_SEQUENCE,
    TM_PROTO_STAT_INTERNED_NO_SEQUENCE,
    TM_PROTO_STAT_DESCRIPTOR_NO_SEQUENCE,
    TM_PROTO_STAT_ANNOTATION_ERRORS,
    TM_PROTO_STAT_UNKNOWN_EXTENSIONS,
    TM_PROTO_STAT_FTRACE_ERRORS,
    TM_PROTO_STAT_GENERIC_DESCRIPTOR,
    TM_PROTO_STAT_DRIVER_TRACK,
    TM_PROTO_STAT_COMPACT_SCHED_ERRORS,
    TM_PROTO_STAT_MARKER_ERRORS,
    TM_PROTO_STAT_FLOW_INVALID_ID,
    TM_PROTO_STAT_FLOW_NO_DIRECTION,
    TM_PROTO_STAT_GPU_COUNTER_BAD,
    TM_PROTO_STAT_FRAME_ERRORS,
    TM_PROTO_STAT_GPU_WORK_NEGATIVE,
    TM_PROTO_STAT_FRAME_UNPAIRED_END,
    TM_PROTO_STAT_BUFFER_ERRORS,
    TM_PROTO_STAT_HEAP_MALFORMED,
    TM_PROTO_STAT_HEAP_MISSING,
    TM_PROTO_STAT_HEAP_NO_STACK,
    TM_PROTO_STAT_DISK_NO_NAME,
    TM_PROTO_STAT_V8_NODE,
    TM_PROTO_STAT_V8_SAMPLE,
    TM_PROTO_STAT_THERMAL_ZONE,
    TM_PROTO_STAT_INNER_DAMAGE,
    TM_PROTO_STAT_NETWORK_CONTEXT,
    TM_PROTO_STAT_ATOM_NO_TIME,
    TM_PROTO_STAT_ATOM_UNKNOWN,
    TM_PROTO_STAT_RAIL_UNKNOWN,
    TM_PROTO_STAT_ENTITY_UNKNOWN,
    TM_PROTO_STAT_ENERGY_MISSING,
    TM_PROTO_STAT_ENERGY_UID_MISSING,
    TM_PROTO_STAT_WAKELOCK_UNKNOWN,
    TM_PROTO_STAT_METATRACE_OVERRUNS,
    TM_PROTO_STAT_KERNEL_WAKELOCK_AGAIN,
    TM_PROTO_STAT_KERNEL_WAKELOCK_UNKNOWN,
    TM_PROTO_STAT_KERNEL_WAKELOCK_ZERO,
    TM_PROTO_STAT_KERNEL_WAKELOCK_BACKWARDS,
    TM_PROTO_STAT_KERNEL_WAKELOCK_LARGE,
    TM_PROTO_STAT_PERF_LOST,
    TM_PROTO_STAT_PERF_SKIPPED,
    TM_PROTO_STAT_PERF_SKIPPED_LOSS,
    TM_PROTO_STAT_CPU_INFO_EMPTY,
    TM_PROTO_STAT_CPU_FEATURES_UNKNOWN,
    TM_PROTO_STAT_CPU_TIMES_INVALID,
    TM_PROTO_STAT_RAILS_EMPTY,
    TM_PROTO_STAT_ENERGY_DESCRIPTOR,
    TM_PROTO_STAT_ENTITY_INVALID,
    TM_PROTO_STAT_MEMINFO_UNKNOWN,
    TM_PROTO_STAT_VMSTAT_UNKNOWN,
    TM_PROTO_STAT_PSI_UNKNOWN,
    TM_PROTO_STAT_PROCESS_STATS_UNKNOWN,
    TM_PROTO_STAT_MM_UNKNOWN,
    TM_PROTO_STAT_CHROME_METADATA_EMPTY,
    TM_PROTO_STAT_FTRACE_SETUP,
    TM_PROTO_STAT_COUNT
};

/* Which of the numbers of a statistic: that of a machine (embedded id) and an index, such as a cpu. */
struct tm_proto_stat_index {
    uint32_t machine, idx;
};

/* Zero-initialise, and set sink. */
struct tm_proto_counts {
    struct tm_event_sink *sink; /* borrowed */
    uint64_t additions;         /* number of additions to statistics */
    /* private: the sums that are not written yet */
    struct tm_proto_map accounts, stats;
};

/* Accounts for one timed event on CLOCK that gets no row. BYTE is its offset in the file. */
enum tm_status tm_proto_count_account(struct tm_proto_counts *counts, enum tm_drop_reason reason, uint32_t clock,
                                      uint64_t byte, struct tm_error *err);

/* Adds VALUE to a statistic of MACHINE (embedded id). */
enum tm_status tm_proto_count_stat(struct tm_proto_counts *counts, enum tm_proto_stat stat, uint32_t machine,
                                   int64_t value, struct tm_error *err);

/* Adds VALUE to the number OF of a statistic. */
enum tm_status tm_proto_count_indexed(struct tm_proto_counts *counts, enum tm_proto_stat stat,
                                      struct tm_proto_stat_index of, int64_t value, struct tm_error *err);

/* A statistic of a machine (embedded id) that is written immediately. */
struct tm_proto_stated {
    const char *name;
    Tracemerge__Severity severity;
    bool is_found; /* tm-unpack found it; else the trace itself states it */
    int64_t idx;   /* -1: none */
    uint32_t machine;
    int64_t value;
};

/* Writes the Stat frame of STATED. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_count_stated(struct tm_proto_counts *counts, const struct tm_proto_stated *stated,
                                     struct tm_error *err);

/* Counts damage in a message inside a packet of MACHINE: if STATUS is TM_E_INPUT, it is counted and the rows before the
 * damage stay; other results are returned. The reference importer too checks only the outermost message. */
enum tm_status tm_proto_count_inner(struct tm_proto_counts *counts, uint32_t machine, enum tm_status status,
                                    struct tm_error *err);

/* Writes the statistic that the kernel overwrote events of CPU. */
enum tm_status tm_proto_count_cpu_loss(struct tm_proto_counts *counts, uint32_t cpu, uint32_t machine,
                                       struct tm_error *err);

/* Writes all sums. */
enum tm_status tm_proto_count_flush(struct tm_proto_counts *counts, struct tm_error *err);

void tm_proto_counts_release(struct tm_proto_counts *counts);

#endif
