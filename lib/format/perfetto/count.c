#include "format/perfetto/count.h"

#include <stdlib.h>

enum { PENDING_MAX = 1024 }; /* number of sums at which all are written */

static const struct {
    const char *name;
    Tracemerge__Severity severity;
} stats[TM_PROTO_STAT_COUNT] = {
    [TM_PROTO_STAT_PACKET_LOSS] = {"traced_buf_sequence_packet_loss", TRACEMERGE__SEVERITY__DATA_LOSS},
    [TM_PROTO_STAT_INTERNED_ERRORS] = {"interned_data_tokenizer_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_INTERNED_SKIPPED] = {"interned_data_skipped_incremental_state_invalid",
                                        TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_NEEDS_STATE] = {"packet_skipped_seq_needs_incremental_state_invalid", TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_TRACK_EVENT_ERRORS] = {"track_event_parser_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_TRACK_EVENT_NO_TIME] = {"track_event_missing_timestamp", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_COUNTER_NO_TRACK] = {"track_event_counter_missing_track_uuid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_COUNTER_NO_VALUE] = {"track_event_counter_missing_value", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_COUNTER_BAD_TRACK] = {"track_event_counter_invalid_track_uuid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_EXTRA_COUNTER_NO_TRACKS] = {"track_event_extra_counter_missing_track_uuids",
                                               TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_EXTRA_COUNTER_MISMATCH] = {"track_event_extra_counter_track_uuid_mismatch",
                                              TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_EXTRA_COUNTER_EXCEEDS] = {"track_event_extra_counter_exceeds_max", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_EXTRA_COUNTER_BAD] = {"track_event_extra_counter_invalid_track", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DESCRIPTOR_NO_UUID] = {"track_descriptor_missing_uuid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DESCRIPTOR_NO_PID] = {"track_descriptor_thread_missing_pid_tid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DESCRIPTOR_SKIPPED] = {"thread_descriptor_skipped_incremental_state_invalid",
                                          TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_DELTA_NO_STATE] = {"track_event_skipped_timestamp_delta_without_valid_state",
                                      TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_THREAD_DELTA_NO_STATE] = {"track_event_skipped_thread_time_delta_without_valid_state",
                                             TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_INSTRUCTIONS_NO_STATE] = {"track_event_skipped_thread_instruction_delta_without_valid_state",
                                             TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_NO_SEQUENCE] = {"track_event_missing_sequence_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_CLEARED_NO_SEQUENCE] = {"incremental_state_cleared_missing_sequence_id",
                                           TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DROPPED_NO_SEQUENCE] = {"previous_packet_dropped_missing_sequence_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DEFAULTS_NO_SEQUENCE] = {"trace_packet_defaults_missing_sequence_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_INTERNED_NO_SEQUENCE] = {"interned_data_missing_sequence_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DESCRIPTOR_NO_SEQUENCE] = {"thread_descriptor_missing_sequence_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ANNOTATION_ERRORS] = {"debug_annotation_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_UNKNOWN_EXTENSIONS] = {"unknown_extension_fields", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_FTRACE_ERRORS] = {"ftrace_bundle_tokenizer_errors", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_GENERIC_DESCRIPTOR] = {"ftrace_generic_descriptor_errors", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DRIVER_TRACK] = {"kernel_trackevent_format_error", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_COMPACT_SCHED_ERRORS] = {"compact_sched_has_parse_errors", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_MARKER_ERRORS] = {"systrace_parse_failure", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_GPU_WORK_NEGATIVE] = {"gpu_work_period_negative_duration", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_FLOW_INVALID_ID] = {"flow_invalid_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_FLOW_NO_DIRECTION] = {"flow_without_direction", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_GPU_COUNTER_BAD] = {"gpu_counters_invalid_spec", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_FRAME_ERRORS] = {"frame_timeline_event_parser_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_FRAME_UNPAIRED_END] = {"frame_timeline_unpaired_end_event", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_BUFFER_ERRORS] = {"graphics_frame_event_parser_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_HEAP_MALFORMED] = {"heapprofd_malformed_packet", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_HEAP_MISSING] = {"heapprofd_missing_packet", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_HEAP_NO_STACK] = {"stackprofile_invalid_callstack_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_V8_NODE] = {"legacy_v8_cpu_profile_invalid_callsite", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_V8_SAMPLE] = {"legacy_v8_cpu_profile_invalid_sample", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_DISK_NO_NAME] = {"missing_disk_io_event_name", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_THERMAL_ZONE] = {"ftrace_thermal_exynos_acpm_unknown_tz_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_NETWORK_CONTEXT] = {"network_trace_intern_errors", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_ATOM_NO_TIME] = {"atom_timestamp_missing", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ATOM_UNKNOWN] = {"atom_unknown", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_RAIL_UNKNOWN] = {"power_rail_unknown_index", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ENTITY_UNKNOWN] = {"entity_state_residency_lookup_failed", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ENERGY_MISSING] = {"energy_breakdown_missing_values", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ENERGY_UID_MISSING] = {"energy_uid_breakdown_missing_values", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_WAKELOCK_UNKNOWN] = {"app_wakelock_unknown_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_METATRACE_OVERRUNS] = {"metatrace_overruns", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_KERNEL_WAKELOCK_AGAIN] = {"kernel_wakelock_reused_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_KERNEL_WAKELOCK_UNKNOWN] = {"kernel_wakelock_unknown_id", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_KERNEL_WAKELOCK_ZERO] = {"kernel_wakelock_zero_value_reported", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_KERNEL_WAKELOCK_BACKWARDS] = {"kernel_wakelock_non_monotonic_value_reported",
                                                 TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_KERNEL_WAKELOCK_LARGE] = {"kernel_wakelock_implausibly_large_value_reported",
                                             TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_PERF_LOST] = {"perf_cpu_lost_records", TRACEMERGE__SEVERITY__DATA_LOSS},
    [TM_PROTO_STAT_PERF_SKIPPED] = {"perf_samples_skipped", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_PERF_SKIPPED_LOSS] = {"perf_samples_skipped_dataloss", TRACEMERGE__SEVERITY__DATA_LOSS},
    [TM_PROTO_STAT_CPU_INFO_EMPTY] = {"cpu_info_empty", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_CPU_FEATURES_UNKNOWN] = {"cpu_info_unknown_cpu_features", TRACEMERGE__SEVERITY__INFO},
    [TM_PROTO_STAT_CPU_TIMES_INVALID] = {"invalid_cpu_times", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_RAILS_EMPTY] = {"power_rail_empty_packet", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ENERGY_DESCRIPTOR] = {"energy_descriptor_invalid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_ENTITY_INVALID] = {"entity_state_residency_invalid", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_MEMINFO_UNKNOWN] = {"meminfo_unknown_keys", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_VMSTAT_UNKNOWN] = {"vmstat_unknown_keys", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_PSI_UNKNOWN] = {"psi_unknown_resource", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_PROCESS_STATS_UNKNOWN] = {"proc_stat_unknown_counters", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_MM_UNKNOWN] = {"mm_unknown_type", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_CHROME_METADATA_EMPTY] = {"empty_chrome_metadata", TRACEMERGE__SEVERITY__ERROR},
    [TM_PROTO_STAT_FTRACE_SETUP] = {"ftrace_setup_errors", TRACEMERGE__SEVERITY__NOTICE},
    [TM_PROTO_STAT_INNER_DAMAGE] = {"tm_proto_damaged_messages", TRACEMERGE__SEVERITY__DATA_LOSS},
};

/* Returns the sum (K1, K2) of MAP. Writes all sums first if there are too many. NULL: ERR has the cause. */
static struct tm_proto_map_entry *sum(struct tm_proto_counts *counts, struct tm_proto_map *map, uint32_t k1,
                                      uint64_t k2, struct tm_error *err)
{
    struct tm_proto_map_entry *entry = NULL;
    enum tm_status st = TM_OK;
    if (map->count >= PENDING_MAX)
        st = tm_proto_count_flush(counts, err);
    if (st >= 0 && tm_proto_map_add(map, k1, k2, PENDING_MAX, &entry) != TM_OK)
        (void)tm_error_nomem(err);
    return entry;
}

enum tm_status tm_proto_count_account(struct tm_proto_counts *counts, enum tm_drop_reason reason, uint32_t clock,
                                      uint64_t byte, struct tm_error *err)
{
    struct tm_proto_map_entry *entry = sum(counts, &counts->accounts, reason, clock, err);
    if (entry == NULL)
        return err->status;
    if (entry->v1++ == 0)
        entry->v2 = byte;
    return TM_OK;
}

/* Adds VALUE to the sum whose key is MACHINE in its low half and above it the index plus one, or 0. */
static enum tm_status add(struct tm_proto_counts *counts, enum tm_proto_stat stat, uint64_t key, int64_t value,
                          struct tm_error *err)
{
    counts->additions++;
    struct tm_proto_map_entry *entry = sum(counts, &counts->stats, stat, key, err);
    if (entry == NULL)
        return err->status;
    entry->v1 += (uint64_t)value;
    return TM_OK;
}

enum tm_status tm_proto_count_stat(struct tm_proto_counts *counts, enum tm_proto_stat stat, uint32_t machine,
                                   int64_t value, struct tm_error *err)
{
    return add(counts, stat, machine, value, err);
}

enum tm_status tm_proto_count_indexed(struct tm_proto_counts *counts, enum tm_proto_stat stat,
                                      struct tm_proto_stat_index of, int64_t value, struct tm_error *err)
{
    return add(counts, stat, ((uint64_t)of.idx + 1) << 32 | of.machine, value, err);
}

enum tm_status tm_proto_count_inner(struct tm_proto_counts *counts, uint32_t machine, enum tm_status status,
                                    struct tm_error *err)
{
    if (status != TM_E_INPUT)
        return status < 0 ? tm_error_nomem(err) : TM_OK;
    return tm_proto_count_stat(counts, TM_PROTO_STAT_INNER_DAMAGE, machine, 1, err);
}

static enum tm_status write_stat(struct tm_proto_counts *counts, Tracemerge__Stat *stat, const char *name,
                                 struct tm_error *err)
{
    stat->name = tm_bytes(name, strlen(name));
    stat->has_machine = true;
    stat->has_file = true;
    stat->file = counts->sink->file;
    return tm_stream_write_message(counts->sink->writer, TM_FRAME_STAT, &stat->base, err);
}

enum tm_status tm_proto_count_stated(struct tm_proto_counts *counts, const struct tm_proto_stated *stated,
                                     struct tm_error *err)
{
    Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
    stat.has_idx = stated->idx >= 0;
    stat.idx = stated->idx;
    stat.machine = stated->machine;
    stat.value = stated->value;
    stat.from_trace = !stated->is_found;
    stat.severity = stated->severity;
    return write_stat(counts, &stat, stated->name, err);
}

enum tm_status tm_proto_count_cpu_loss(struct tm_proto_counts *counts, uint32_t cpu, uint32_t machine,
                                       struct tm_error *err)
{
    Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
    stat.has_idx = true;
    stat.idx = cpu;
    stat.machine = machine;
    stat.value = 1;
    stat.severity = TRACEMERGE__SEVERITY__DATA_LOSS;
    stat.from_trace = true;
    return write_stat(counts, &stat, "ftrace_cpu_has_data_loss", err);
}

static enum tm_status flush_accounts(struct tm_proto_counts *counts, struct tm_error *err)
{
    struct tm_proto_map_entry *all;
    enum tm_status st = tm_proto_map_list(&counts->accounts, &all);
    if (st < 0)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < counts->accounts.count && st >= 0; i++)
        st = tm_event_sink_account(
            counts->sink, (struct tm_loss){(enum tm_drop_reason)all[i].k1, (uint32_t)all[i].k2, all[i].v1, all[i].v2},
            err);
    free(all);
    tm_proto_map_clear(&counts->accounts);
    return st;
}

static enum tm_status flush_stats(struct tm_proto_counts *counts, struct tm_error *err)
{
    struct tm_proto_map_entry *all;
    enum tm_status st = tm_proto_map_list(&counts->stats, &all);
    if (st < 0)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < counts->stats.count && st >= 0; i++) {
        Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
        stat.severity = stats[all[i].k1].severity;
        stat.value = (int64_t)all[i].v1;
        stat.machine = (uint32_t)all[i].k2;
        stat.has_idx = all[i].k2 >> 32 != 0;
        stat.idx = stat.has_idx ? (int64_t)(all[i].k2 >> 32) - 1 : 0;
        st = write_stat(counts, &stat, stats[all[i].k1].name, err);
    }
    free(all);
    tm_proto_map_clear(&counts->stats);
    return st;
}

enum tm_status tm_proto_count_flush(struct tm_proto_counts *counts, struct tm_error *err)
{
    enum tm_status st = flush_accounts(counts, err);
    return st < 0 ? st : flush_stats(counts, err);
}

void tm_proto_counts_release(struct tm_proto_counts *counts)
{
    tm_proto_map_release(&counts->accounts);
    tm_proto_map_release(&counts->stats);
}
