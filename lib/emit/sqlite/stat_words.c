/* Rows of stats: the source of each statistic's number, as the reference importer names it, and a sentence. */
#include "emit/sqlite/internal.h"

/* IS_GLOBAL: one row for the whole trace. IS_LATEST: of the rows of one idx, machine and file the last one counts. */
enum source { OF_TRACE = 0, OF_ANALYSIS = 1, IS_GLOBAL = 2, IS_LATEST = 4 };

/* Names without _begin, _end and _delta are sorted by their bytes. */
static const struct words {
    const char *name;
    unsigned source;
    const char *text;
} table[] = {
    {"android_log_num_failed", OF_TRACE, "Messages of Android's log that the recorder could not read"},
    {"android_log_num_skipped", OF_TRACE, "Messages of Android's log that the recorder was told to leave out"},
    {"android_log_num_total", OF_TRACE, "Messages of Android's log that the recorder saw"},
    {"app_wakelock_unknown_id", OF_ANALYSIS, "Begins and ends of wakelocks that the trace does not describe"},
    {"art_method_buffer_full", OF_ANALYSIS, "Method traces whose buffer was full, so that later calls are missing"},
    {"art_method_undefined_methods", OF_ANALYSIS, "Calls of methods that the method trace does not name"},
    {"atom_timestamp_missing", OF_TRACE, "Atoms of statsd without a time, which have that of their packet"},
    {"atom_unknown", OF_ANALYSIS, "Atoms of statsd with an unknown number"},
    {"bugreport_files_not_read", OF_ANALYSIS, "Files of a bug report that are neither traces nor logs"},
    {"clock_sync_failure_no_path", OF_ANALYSIS, "Events whose clock nothing relates to trace time"},
    {"clock_sync_failure_unknown_source_clock", OF_ANALYSIS, "Events on a clock that no snapshot names"},
    {"clock_sync_failure_unknown_target_clock", OF_ANALYSIS, "Events that came before trace time was in a snapshot"},
    {"clock_sync_unrelatable_clock_domains", OF_ANALYSIS, "Files or machines whose clocks nothing relates"},
    {"compact_sched_has_parse_errors", OF_TRACE, "Messages of compact_sched whose columns do not agree"},
    {"compact_sched_switch_skipped", OF_ANALYSIS,
     "First switches of cpus in compact_sched, which do not state who ran before"},
    {"compact_sched_waking_skipped", OF_ANALYSIS, "Wakings before the first switch of their cpu"},
    {"config_write_into_file_discard", OF_TRACE,
     "The buffer stopped when it was full, although the recording was written into a file"},
    {"config_write_into_file_no_flush", OF_TRACE,
     "The recording was written into a file without a period of flushes"},
    {"cpu_info_empty", OF_ANALYSIS, "Descriptions of cpus that name none"},
    {"cpu_info_unknown_cpu_features", OF_ANALYSIS, "Cpus with features that have no name here"},
    {"ctf_args_cut", OF_ANALYSIS, "Events of CTF whose arguments were cut"},
    {"ctf_lost_events", OF_ANALYSIS, "Events that the tracer of a CTF trace lost"},
    {"ctf_lost_packets", OF_ANALYSIS, "Packets that the tracer of a CTF trace lost, with an unknown number of events"},
    {"debug_annotation_errors", OF_ANALYSIS,
     "Arguments that were left out because an event has too many, or nests them too deeply"},
    {"dumpstate_lines_not_read", OF_ANALYSIS, "Lines of the text of a bug report that are not of its logs"},
    {"empty_chrome_metadata", OF_TRACE, "Metadata of Chrome without a value"},
    {"energy_breakdown_missing_values", OF_ANALYSIS,
     "Estimates of energy without a value, or of a consumer that the trace does not name"},
    {"energy_descriptor_invalid", OF_ANALYSIS,
     "Consumers of energy and states that are described without their number"},
    {"energy_uid_breakdown_missing_values", OF_ANALYSIS, "Estimates of the energy that apps used without app or value"},
    {"entity_state_residency_invalid", OF_ANALYSIS, "Packets about times in states without a time"},
    {"entity_state_residency_lookup_failed", OF_ANALYSIS, "Times in states that the trace does not name"},
    {"event_details_cut", OF_ANALYSIS, "Events of which texts, arguments or frames were left out, because of a limit"},
    {"facts_beyond_limits", OF_ANALYSIS, "Names and similar facts that were left out, because of a limit"},
    {"filter_errors", OF_TRACE, "Packets that the filter of the recording could not read"},
    {"filter_input_bytes", OF_TRACE, "Bytes that went into the filter of the recording"},
    {"filter_input_packets", OF_TRACE, "Packets that went into the filter of the recording"},
    {"filter_output_bytes", OF_TRACE, "Bytes that came out of the filter of the recording"},
    {"filter_time_taken_ns", OF_TRACE, "Time that the filter of the recording took"},
    {"flow_duplicate_id", OF_TRACE, "Flows that began while one of the same id was open"},
    {"flow_end_without_start", OF_TRACE, "Ends of flows that did not begin"},
    {"flow_invalid_id", OF_TRACE, "Flow events with an invalid id"},
    {"flow_no_enclosing_slice", OF_TRACE, "Flow events outside any slice"},
    {"flow_step_without_start", OF_TRACE, "Steps of flows that did not begin"},
    {"flow_without_direction", OF_TRACE, "Slices with a flow that is neither incoming nor outgoing"},
    {"frame_timeline_event_parser_errors", OF_ANALYSIS, "Events of frames that lack what is needed to show them"},
    {"frame_timeline_unpaired_end_event", OF_ANALYSIS, "Ends of frames that did not begin"},
    {"ftrace_abi_errors_skipped_zero_data_length", OF_ANALYSIS, "Records of the kernel's buffer without data"},
    {"ftrace_bundle_tokenizer_errors", OF_ANALYSIS, "Bundles of kernel events that could not be read"},
    {"ftrace_cpu_bytes", OF_TRACE, "Bytes of a cpu's kernel buffer that were not read"},
    {"ftrace_cpu_commit_overrun", OF_TRACE, "Events lost because interrupts filled a cpu's kernel buffer"},
    {"ftrace_cpu_dropped_events", OF_TRACE, "Events that did not fit into a cpu's kernel buffer"},
    {"ftrace_cpu_entries", OF_TRACE, "Entries of a cpu's kernel buffer that were not read"},
    {"ftrace_cpu_has_data_loss", OF_TRACE, "Bundles of a cpu before which the kernel overwrote events"},
    {"ftrace_cpu_now_ts", OF_TRACE, "Time of a cpu's kernel buffer"},
    {"ftrace_cpu_oldest_event_ts", OF_TRACE, "Time of the oldest event in a cpu's kernel buffer"},
    {"ftrace_cpu_overrun", OF_TRACE, "Events that newer ones overwrote in a cpu's kernel buffer"},
    {"ftrace_cpu_read_events", OF_TRACE, "Events that were read from a cpu's kernel buffer"},
    {"ftrace_generic_descriptor_errors", OF_ANALYSIS,
     "Fields and kernel events that the trace does not describe, or not well"},
    {"ftrace_kprobe_hits", OF_TRACE, "Calls of probed functions that were recorded"},
    {"ftrace_kprobe_misses", OF_TRACE, "Calls of probed functions that were not recorded"},
    {"ftrace_packet_before_tracing_start", OF_ANALYSIS, "Kernel events from before the recording started"},
    {"ftrace_setup_errors", OF_TRACE, "Categories and kernel events that could not be recorded"},
    {"ftrace_text_lost_events", OF_ANALYSIS, "Events that the kernel lost, by the lines of the text that say so"},
    {"ftrace_thermal_exynos_acpm_unknown_tz_id", OF_ANALYSIS, "Events of thermal zones with an unknown number"},
    {"fuchsia_buffer_full", OF_ANALYSIS, "Buffers of Fuchsia that were full, so that events were lost"},
    {"fuchsia_invalid_event", OF_ANALYSIS, "Fuchsia events that lack what is needed to show them"},
    {"fuchsia_invalid_event_arg_type", OF_ANALYSIS,
     "Fuchsia records with an argument whose type does not fit its name"},
    {"fuchsia_invalid_string_ref", OF_ANALYSIS, "Fuchsia strings that no record defines"},
    {"fuchsia_invalid_thread_ref", OF_ANALYSIS, "Fuchsia threads that no record defines"},
    {"fuchsia_non_numeric_counters", OF_ANALYSIS, "Fuchsia counters whose value is not a number"},
    {"fuchsia_record_read_error", OF_ANALYSIS, "Fuchsia records that could not be read"},
    {"fuchsia_timestamp_overflow", OF_ANALYSIS, "Fuchsia times that do not fit into 64 bits of nanoseconds"},
    {"game_intervention_has_parse_errors", OF_TRACE, "The recorder could not parse the list of games"},
    {"game_intervention_has_read_errors", OF_TRACE, "The recorder could not read the list of games"},
    {"gecko_args_cut", OF_ANALYSIS, "Arguments of markers that were left out, because of a limit"},
    {"gecko_marker_tracks_shared", OF_ANALYSIS, "Markers that share the track of their thread, because of a limit"},
    {"gecko_process_without_start", OF_ANALYSIS, "Threads of child processes whose start is not known"},
    {"gecko_stack_broken", OF_ANALYSIS, "Stacks with a prefix that does not precede them"},
    {"gecko_stack_cut", OF_ANALYSIS, "Stacks of Firefox without their outermost frames, because of a limit"},
    {"generic_task_state_invalid_order", OF_ANALYSIS, "States of tasks that contradict the one before"},
    {"gpu_counters_invalid_spec", OF_ANALYSIS, "Counters of GPUs, and values of theirs, that are not described"},
    {"gpu_work_period_negative_duration", OF_ANALYSIS, "Periods of a GPU's work that end before they begin"},
    {"heap_graph_invalid_string_id", OF_TRACE | IS_GLOBAL, "Classes of heap graphs whose file is not named"},
    {"heap_graph_malformed_packet", OF_TRACE | IS_GLOBAL,
     "Parts of heap graphs that are incomplete or contradict each other"},
    {"heap_graph_missing_packet", OF_TRACE | IS_GLOBAL, "Gaps in the numbers of packets with heap graphs"},
    {"heap_graph_non_finalized_graph", OF_TRACE | IS_GLOBAL,
     "Heap graphs without their last packet, and parts of no graph"},
    {"heapprofd_buffer_corrupted", OF_TRACE, "The process wrote into the buffer it shares with heapprofd"},
    {"heapprofd_buffer_overran", OF_TRACE,
     "The process filled the buffer faster than heapprofd read it; the profile ends early"},
    {"heapprofd_client_disconnected", OF_TRACE, "The process ended its connection to heapprofd"},
    {"heapprofd_client_error", OF_TRACE, "Why profiling of the process stopped, as one of Perfetto's error numbers"},
    {"heapprofd_client_spinlock_blocked", OF_TRACE,
     "Microseconds that the process waited for the lock of the shared buffer"},
    {"heapprofd_hit_guardrail", OF_TRACE, "heapprofd exceeded its limit of time or memory"},
    {"heapprofd_last_profile_timestamp", OF_TRACE | IS_LATEST, "Time of the last packet with a profile of the process"},
    {"heapprofd_malformed_packet", OF_TRACE, "Stacks whose totals went down; they are left out"},
    {"heapprofd_missing_packet", OF_TRACE, "Gaps in the numbers of profile packets"},
    {"heapprofd_rejected_concurrent", OF_TRACE, "Another session profiled the process at that time"},
    {"heapprofd_sampling_interval_adjusted", OF_TRACE,
     "Bytes by which the interval between samples differs from the configured one"},
    {"heapprofd_unwind_samples", OF_TRACE, "Stacks that heapprofd unwound"},
    {"heapprofd_unwind_time_us", OF_TRACE, "Microseconds in which heapprofd unwound stacks"},
    {"incremental_state_cleared_missing_sequence_id", OF_ANALYSIS,
     "Packets that clear the state of a sequence without naming it"},
    {"instruments_clock_sync_backwards", OF_ANALYSIS, "Signposts that relate clocks and go back in time"},
    {"instruments_row_missing_thread", OF_ANALYSIS, "Rows of Instruments without a thread"},
    {"instruments_stack_cut", OF_ANALYSIS, "Stacks of Instruments without their outermost frames, because of a limit"},
    {"instruments_unknown_ref", OF_ANALYSIS, "References to an element that the file does not have"},
    {"interned_data_missing_sequence_id", OF_ANALYSIS, "Interned data on no sequence, which is not used"},
    {"interned_data_skipped_incremental_state_invalid", OF_ANALYSIS,
     "Interned data after a loss, which is not used"},
    {"interned_data_tokenizer_errors", OF_ANALYSIS, "Interned data without an id, or damaged"},
    {"invalid_clock_snapshots", OF_ANALYSIS | IS_GLOBAL, "Snapshots that contradict others or name a clock twice"},
    {"invalid_cpu_times", OF_ANALYSIS, "Times of a cpu that do not state which"},
    {"journal_boots", OF_ANALYSIS, "Boots of the machine that the journal has entries of"},
    {"journal_fields_left_out", OF_ANALYSIS, "Fields of the journal that are too long, or that journalctl left out"},
    {"json_args_cut", OF_ANALYSIS,
     "Events of Chrome JSON of which arguments or frames were left out, because of a limit"},
    {"json_control_characters", OF_ANALYSIS, "Objects of Chrome JSON with control characters in a string"},
    {"json_display_time_unit", OF_TRACE, "The unit in which a Chrome JSON file asks to show times"},
    {"json_invalid_utf8", OF_ANALYSIS, "Objects of Chrome JSON with bytes that are no UTF-8"},
    {"json_parser_failure", OF_TRACE, "Chrome JSON objects that lack what their phase needs"},
    {"json_tokenizer_failure", OF_TRACE, "Chrome JSON objects that could not be read"},
    {"kernel_trackevent_format_error", OF_ANALYSIS, "Slices and counters of drivers that lack a field"},
    {"kernel_wakelock_implausibly_large_value_reported", OF_TRACE, "Times of wakelocks that cannot be true"},
    {"kernel_wakelock_non_monotonic_value_reported", OF_TRACE, "Times of wakelocks that went back"},
    {"kernel_wakelock_reused_id", OF_ANALYSIS, "Wakelocks with the number of another"},
    {"kernel_wakelock_unknown_id", OF_ANALYSIS, "Times of wakelocks that the trace does not describe"},
    {"kernel_wakelock_zero_value_reported", OF_TRACE, "Times of wakelocks that became 0"},
    {"legacy_v8_cpu_profile_invalid_callsite", OF_TRACE, "Nodes of V8's CPU profiles that contradict others"},
    {"legacy_v8_cpu_profile_invalid_sample", OF_TRACE, "Parts of V8's CPU profiles that cannot be read"},
    {"logcat_lines_without_year", OF_ANALYSIS, "Lines of logcat whose year was assumed"},
    {"logcat_lines_without_zone", OF_ANALYSIS, "Lines of logcat whose time was taken for UTC"},
    {"logcat_messages_repeated", OF_ANALYSIS,
     "Messages of logcat that the text of the bug report has too, and that are left out here"},
    {"meminfo_unknown_keys", OF_ANALYSIS, "Values of meminfo with an unknown number"},
    {"metatrace_overruns", OF_TRACE, "Losses of what Perfetto records about itself"},
    {"mismatched_sched_switch_tids", OF_ANALYSIS, "Switches from a task other than the one that ran"},
    {"misplaced_end_event", OF_ANALYSIS, "Slices that were open when the slice around them ended"},
    {"missing_disk_io_event_name", OF_ANALYSIS, "Readings of disks without a name"},
    {"mm_unknown_type", OF_ANALYSIS, "Statistics of the kernel's memory of an unknown type"},
    {"network_trace_intern_errors", OF_ANALYSIS, "Packets of the network that the trace does not describe"},
    {"nsight_log_not_read", OF_ANALYSIS, "A log is beside the database of Nsight Systems, and was not read"},
    {"nsight_texts_cut", OF_ANALYSIS, "Texts of Nsight Systems that were cut, because of a limit"},
    {"packages_list_has_parse_errors", OF_TRACE, "The recorder could not parse the list of packages"},
    {"packages_list_has_read_errors", OF_TRACE, "The recorder could not read the list of packages"},
    {"packet_skipped_seq_needs_incremental_state_invalid", OF_ANALYSIS,
     "Packets whose meaning was lost with earlier packets"},
    {"perf_cpu_lost_records", OF_TRACE,
     "Records of perf that the kernel lost because the recorder did not read them in time"},
    {"perf_data_aux_truncated", OF_ANALYSIS, "Records of a hardware tracer that perf cut"},
    {"perf_data_auxtrace_bytes", OF_ANALYSIS, "Bytes of a hardware tracer, which are not read"},
    {"perf_data_lost_events", OF_ANALYSIS, "Events that perf lost"},
    {"perf_data_stacks_cut", OF_ANALYSIS, "Samples of perf without some frames, because of a limit"},
    {"perf_data_tracepoints_cut", OF_ANALYSIS,
     "Events of tracepoints of which fields were left out, because of a limit"},
    {"perf_data_user_stacks_not_unwound", OF_ANALYSIS,
     "Samples whose user stack was recorded as bytes, and not unwound"},
    {"perf_guardrail_stop_ts", OF_TRACE | IS_LATEST,
     "When perf's recorder stopped because it used too much of the device"},
    {"perf_samples_skipped", OF_ANALYSIS, "Samples of perf without a stack, because the process could not be read"},
    {"perf_samples_skipped_dataloss", OF_TRACE,
     "Samples of perf without a stack, because the recorder had too much to do"},
    {"perf_script_lost_events", OF_ANALYSIS, "Events that perf lost, by the lines of the text that say so"},
    {"power_rail_empty_packet", OF_ANALYSIS, "Packets about rails without a reading"},
    {"power_rail_unknown_index", OF_TRACE, "Readings of rails that the trace does not name"},
    {"previous_packet_dropped_missing_sequence_id", OF_ANALYSIS,
     "Packets after a loss on a sequence that they do not name"},
    {"proc_stat_unknown_counters", OF_ANALYSIS, "Values of processes with an unknown number"},
    {"process_tracker_parent_pid_changed", OF_ANALYSIS, "Processes whose parent is stated differently later"},
    {"psi_unknown_resource", OF_ANALYSIS, "Values of pressure on an unknown resource"},
    {"rss_stat_unknown_thread_for_mm_id", OF_ANALYSIS, "Counters of memory that belong to no known living thread"},
    {"simpleperf_lost_samples", OF_ANALYSIS, "Samples that simpleperf lost"},
    {"simpleperf_stacks_cut", OF_ANALYSIS, "Samples of simpleperf without some frames, because of a limit"},
    {"slice_complete_event_without_duration", OF_ANALYSIS, "Complete slices without a duration"},
    {"slice_drop_overlapping_complete_event", OF_ANALYSIS, "Complete slices that cross others and are left out"},
    {"slice_max_depth_exceeded", OF_ANALYSIS, "Slices that nest too deeply and are left out"},
    {"slice_negative_duration", OF_ANALYSIS, "Slices with a duration below 0"},
    {"slice_spill_overlapping_complete_event", OF_ANALYSIS,
     "Complete slices that cross others and are on a track of their own"},
    {"spans_args_cut", OF_ANALYSIS, "Arguments of spans that were left out or cut, because of a limit"},
    {"spans_links_cut", OF_ANALYSIS, "Links of spans that were left out, because of a limit"},
    {"spans_lists_missing", OF_ANALYSIS, "Resources and scopes without a list of what they sent"},
    {"spans_services_on_other_hosts", OF_ANALYSIS, "Resources that state another host than the first one"},
    {"spans_services_shared", OF_ANALYSIS, "Service instances that share one, because of a limit"},
    {"stackprofile_invalid_callstack_id", OF_TRACE, "Samples whose stack is not in the interned data"},
    {"systemd_journal_num_failed", OF_TRACE, "Messages of the journal that the recorder could not read"},
    {"systemd_journal_num_total", OF_TRACE, "Messages of the journal that the recorder saw"},
    {"systrace_parse_failure", OF_ANALYSIS, "Lines of systrace and markers that could not be read"},
    {"task_state_invalid", OF_ANALYSIS, "States of tasks with an unknown number"},
    {"thread_descriptor_missing_sequence_id", OF_ANALYSIS,
     "Descriptors of threads on no sequence, which are not used"},
    {"thread_descriptor_skipped_incremental_state_invalid", OF_ANALYSIS,
     "Descriptors of threads after a loss, which are not used"},
    {"tm_json_without_events", OF_ANALYSIS, "The JSON has no list of events"},
    {"tm_proto_damaged_messages", OF_ANALYSIS, "Packets with a damaged message inside, read up to the damage"},
    {"tm_slice_end_without_begin", OF_ANALYSIS, "Ends of slices that did not begin"},
    {"trace_dat_args_cut", OF_ANALYSIS, "Events of trace.dat whose arguments were cut or left out, because of a limit"},
    {"trace_dat_library_messages", OF_ANALYSIS, "Messages of libtracecmd about pages of events that it left out"},
    {"trace_dat_lost_events", OF_ANALYSIS, "Events that the kernel lost"},
    {"trace_dat_ticks", OF_ANALYSIS, "Times are ticks that nothing converts to nanoseconds"},
    {"trace_packet_defaults_missing_sequence_id", OF_ANALYSIS, "Defaults for no sequence, which are not used"},
    {"trace_sorter_negative_timestamp_dropped", OF_TRACE | IS_GLOBAL, "Events before the start of trace time"},
    {"traced_buf_abi_violations", OF_TRACE, "Chunks that contradict the rules of the shared buffer"},
    {"traced_buf_buffer_size", OF_TRACE, "Bytes of the buffer"},
    {"traced_buf_bytes_filtered_out", OF_TRACE, "Bytes of the buffer that the filter of the recording removed"},
    {"traced_buf_bytes_overwritten", OF_TRACE, "Bytes that newer ones overwrote before they were read"},
    {"traced_buf_bytes_read", OF_TRACE, "Bytes that were read from the buffer"},
    {"traced_buf_bytes_written", OF_TRACE, "Bytes that were written to the buffer"},
    {"traced_buf_chunks_committed_out_of_order", OF_TRACE, "Chunks that came out of order"},
    {"traced_buf_chunks_discarded", OF_TRACE, "Chunks that did not fit into a full buffer"},
    {"traced_buf_chunks_overwritten", OF_TRACE, "Chunks that newer ones overwrote before they were read"},
    {"traced_buf_chunks_read", OF_TRACE, "Chunks that were read from the buffer"},
    {"traced_buf_chunks_relocated", OF_TRACE, "Chunks that were written to the buffer again so that they stayed in it"},
    {"traced_buf_chunks_rewritten", OF_TRACE, "Chunks that were written to the buffer again, when they were complete"},
    {"traced_buf_chunks_written", OF_TRACE, "Chunks that were written to the buffer"},
    {"traced_buf_clone_done_timestamp_ns", OF_TRACE | IS_LATEST, "When the clone of the buffer was complete"},
    {"traced_buf_data_loss_chunk_corrupted", OF_TRACE, "Losses because of damaged chunks"},
    {"traced_buf_data_loss_orphan_continuation", OF_TRACE, "Losses of the start of a packet"},
    {"traced_buf_data_loss_overwrite", OF_TRACE, "Losses because newer data overwrote older data"},
    {"traced_buf_data_loss_read_gap", OF_TRACE, "Losses because of a gap between two reads of the buffer"},
    {"traced_buf_data_loss_reassembly_broken_chain", OF_TRACE,
     "Losses because fragments of packets do not belong together"},
    {"traced_buf_data_loss_reassembly_gap", OF_TRACE, "Losses of fragments inside a packet"},
    {"traced_buf_data_loss_smb_full", OF_TRACE, "Losses because the shared buffer was full"},
    {"traced_buf_data_loss_writer_abort", OF_TRACE, "Packets that their writer gave up"},
    {"traced_buf_incremental_sequences_dropped", OF_ANALYSIS,
     "Sequences that are not shown because their state was never complete"},
    {"traced_buf_padding_bytes_cleared", OF_TRACE, "Bytes of padding that were overwritten"},
    {"traced_buf_padding_bytes_written", OF_TRACE, "Bytes of padding that were written"},
    {"traced_buf_patches_failed", OF_TRACE, "Corrections to chunks that were no longer in the buffer"},
    {"traced_buf_patches_succeeded", OF_TRACE, "Corrections to chunks in the buffer"},
    {"traced_buf_readaheads_failed", OF_TRACE, "Chunks that could not be read out of order"},
    {"traced_buf_readaheads_succeeded", OF_TRACE, "Chunks that were read out of order"},
    {"traced_buf_sequence_packet_loss", OF_ANALYSIS, "How often packets of a sequence were lost"},
    {"traced_buf_trace_writer_packet_loss", OF_TRACE, "How often the writers to the buffer lost packets"},
    {"traced_buf_write_wrap_count", OF_TRACE, "How often the buffer was full and writing went on at its start"},
    {"traced_chunks_discarded", OF_TRACE, "Chunks that the service discarded"},
    {"traced_clone_started_timestamp_ns", OF_TRACE | IS_LATEST, "When the cloning of the recording began"},
    {"traced_clone_trigger_timestamp_ns", OF_TRACE | IS_LATEST, "When the trigger came to clone the recording"},
    {"traced_data_sources_registered", OF_TRACE, "Data sources that were registered"},
    {"traced_data_sources_seen", OF_TRACE, "Data sources that were ever registered"},
    {"traced_final_flush_failed", OF_TRACE, "The last flush of the recording failed"},
    {"traced_final_flush_succeeded", OF_TRACE, "The last flush of the recording succeeded"},
    {"traced_flushes_failed", OF_TRACE, "Flushes that failed or came too late"},
    {"traced_flushes_requested", OF_TRACE, "Flushes that were requested"},
    {"traced_flushes_succeeded", OF_TRACE, "Flushes that succeeded"},
    {"traced_patches_discarded", OF_TRACE, "Corrections of chunks that the service discarded"},
    {"traced_producers_connected", OF_TRACE, "Producers connected to the service"},
    {"traced_producers_seen", OF_TRACE, "Producers that ever connected to the service"},
    {"traced_total_buffers", OF_TRACE, "Buffers of the service"},
    {"traced_tracing_sessions", OF_TRACE, "Sessions of the service"},
    {"track_descriptor_conflicting_reservation", OF_ANALYSIS,
     "Track descriptors that contradict an earlier one of the track"},
    {"track_descriptor_default_track_with_parent", OF_ANALYSIS, "Descriptors of the default track with a parent"},
    {"track_descriptor_missing_uuid", OF_ANALYSIS, "Track descriptors without a uuid"},
    {"track_descriptor_thread_missing_pid_tid", OF_ANALYSIS, "Thread descriptors without pid or tid"},
    {"track_event_counter_invalid_track_uuid", OF_ANALYSIS, "Counter values for a track that is not a counter"},
    {"track_event_counter_missing_track_uuid", OF_ANALYSIS, "Counter values without a track"},
    {"track_event_counter_missing_value", OF_ANALYSIS, "Counter events without a value"},
    {"track_event_extra_counter_exceeds_max", OF_ANALYSIS, "Track events with too many further counter values"},
    {"track_event_extra_counter_invalid_track", OF_ANALYSIS, "Further counter values without a counter track"},
    {"track_event_extra_counter_missing_track_uuids", OF_ANALYSIS, "Further counter values without a stated track"},
    {"track_event_extra_counter_track_uuid_mismatch", OF_ANALYSIS, "Further counter values whose track has no number"},
    {"track_event_missing_sequence_id", OF_ANALYSIS, "Track events without a sequence"},
    {"track_event_missing_timestamp", OF_ANALYSIS, "Track events without a time"},
    {"track_event_parser_errors", OF_ANALYSIS, "Track events on no track, or damaged"},
    {"track_event_skipped_thread_instruction_delta_without_valid_state", OF_ANALYSIS,
     "Track events with a count of instructions relative to one that is not known"},
    {"track_event_skipped_thread_time_delta_without_valid_state", OF_ANALYSIS,
     "Track events with a time of the thread relative to one that is not known"},
    {"track_event_skipped_timestamp_delta_without_valid_state", OF_ANALYSIS,
     "Track events whose time is relative to one that is not known"},
    {"track_event_track_hierarchy_loop", OF_ANALYSIS, "Track events whose track is its own ancestor"},
    {"track_event_track_hierarchy_too_deep", OF_ANALYSIS, "Track events whose track has too many ancestors"},
    {"track_hierarchy_missing_uuid", OF_ANALYSIS, "Track events whose track has an ancestor without a descriptor"},
    {"unknown_extension_fields", OF_TRACE, "Fields of track events that no schema names"},
    {"vmstat_unknown_keys", OF_ANALYSIS, "Values of vmstat with an unknown number"},
    {"xspace_events_without_name", OF_ANALYSIS, "Events of XSpace whose name the file does not have"},
    {"xspace_stats_not_shown", OF_ANALYSIS, "Stats of XSpace that are no arguments: bytes, and those beyond a limit"},
};

static int compare(struct tm_text name, const char *known)
{
    size_t len = strlen(known);
    int order = memcmp(name.data, known, name.len < len ? name.len : len);
    return order ? order : (name.len > len) - (name.len < len);
}

static const struct words *find(struct tm_text name)
{
    size_t from = 0, to = sizeof table / sizeof *table;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare(name, table[middle].name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

/* Removes an ending from NAME that states when the recording noted it, and returns the meaning of the ending. */
static const char *take_ending(struct tm_text *name)
{
    static const struct {
        const char *ending, *text;
    } endings[] = {{"_begin", ", at the start of the recording"},
                   {"_end", ", at the end of the recording"},
                   {"_delta", ", from the start to the end of the recording"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t len = strlen(endings[i].ending);
        if (name->len > len && memcmp(name->data + name->len - len, endings[i].ending, len) == 0) {
            name->len -= len;
            return endings[i].text;
        }
    }
    return "";
}

void tm_sqlite_bind_stat_words(sqlite3_stmt *stmt, struct tm_text name, bool from_trace)
{
    enum { SOURCE = 4, TEXT = 8, WHEN = 9 };
    const struct words *words = name.data ? find(name) : NULL;
    const char *when = "";
    if (words == NULL && name.data) {
        when = take_ending(&name);
        words = find(name);
    }
    tm_sqlite_bind_word(stmt, SOURCE, (words ? !(words->source & OF_ANALYSIS) : from_trace) ? "trace" : "analysis");
    tm_sqlite_bind_word(stmt, TEXT, words ? words->text : NULL);
    tm_sqlite_bind_word(stmt, WHEN, when);
}

bool tm_sqlite_stat_is_time(struct tm_text name)
{
    const struct words *words = find(name);
    return words && words->source & IS_LATEST;
}

/* Appends the quoted names of the statistics with FLAG, with commas. */
static enum tm_status put_names(struct tm_buf *sql, unsigned flag)
{
    enum tm_status st = TM_OK;
    const char *comma = "";
    for (size_t i = 0; st == TM_OK && i < sizeof table / sizeof *table; i++)
        if (table[i].source & flag) {
            st = tm_buf_addf(sql, "%s'%s'", comma, table[i].name);
            comma = ",";
        }
    return st;
}

/* Runs BEFORE, the list of the names of all statistics with FLAG, and AFTER. */
static enum tm_status run_for(struct tm_sqlite *s, const char *before, const char *after, unsigned flag,
                              struct tm_error *err)
{
    struct tm_buf sql = {0};
    enum tm_status st = tm_buf_add_str(&sql, before);
    if (st == TM_OK)
        st = put_names(&sql, flag);
    if (st == TM_OK)
        st = tm_buf_add_str(&sql, after);
    const char *text = st == TM_OK ? tm_buf_cstr(&sql) : NULL;
    st = text ? tm_sqlite_exec(s, text, err) : tm_error_nomem(err);
    tm_buf_release(&sql);
    return st;
}

enum tm_status tm_sqlite_join_stats(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = run_for(s,
                                "INSERT INTO stats(name, key, idx, severity, source, value, description)"
                                " SELECT name, key, idx, severity, source, sum(value), description FROM stats"
                                " WHERE name IN (",
                                ") GROUP BY name, idx ORDER BY min(id)", IS_GLOBAL, err);
    if (st == TM_OK)
        st = run_for(s, "DELETE FROM stats WHERE name IN (", ") AND machine_id IS NOT NULL", IS_GLOBAL, err);
    if (st == TM_OK)
        st = run_for(s, "DELETE FROM stats WHERE name IN (",
                     ") AND id NOT IN (SELECT max(id) FROM stats GROUP BY name, idx, machine_id, trace_id)", IS_LATEST,
                     err);
    /* Another file of the machine may state a version of the service that flushes by itself. */
    return st < 0 ? st
                  : tm_sqlite_exec(s,
                                   "DELETE FROM stats WHERE name = 'config_write_into_file_no_flush' AND machine_id IN"
                                   " (SELECT machine_id FROM metadata WHERE name = 'tracing_service_version' AND"
                                   " str_value GLOB 'Perfetto v*' AND CAST(substr(str_value, 11) AS INTEGER) > 53)",
                                   err);
}
