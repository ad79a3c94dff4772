/* The files of the output `tables'. */
#ifndef TM_EMIT_TABLE_FILES_H
#define TM_EMIT_TABLE_FILES_H

/* All tables but those that the views args and package_list read, and those views that show more than the rows of one
 * table and are not contained in a larger view. */
#define TM_TABLE_FILES(X)                                                                                           \
    X(android_logs) X(args) X(clock_snapshot) X(counter) X(counter_track) X(cpu) X(cpu_available_frequencies)       \
    X(cpu_counter_track) X(cpu_profile_stack_sample) X(cpu_track) X(flow) X(ftrace_event) X(gpu)                    \
    X(gpu_counter_track) X(heap_graph) X(heap_graph_class) X(heap_graph_object) X(heap_graph_object_data)             \
    X(heap_graph_primitive) X(heap_graph_reference) X(heap_profile) X(heap_profile_allocation)                      \
    X(instruments_sample) X(machine) X(metadata) X(package_list)                                                    \
    X(perf_sample) X(process) X(process_counter_track) X(process_track) X(sched) X(slice) X(spurious_sched_wakeup)  \
    X(stack_profile_callsite) X(stack_profile_frame) X(stack_profile_mapping) X(stack_profile_symbol)               \
    X(stack_sample) X(stack_sample_counter) X(stats) X(thread) X(thread_counter_track) X(thread_state)              \
    X(thread_track) X(tm_accounting) X(tm_placement) X(tm_sample) X(trace_bounds) X(trace_file) X(track)

#endif
