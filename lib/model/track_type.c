#include "model/track_type.h"

#include "perfetto/named_tracks.h"
#include "perfetto/sys_names.h"

/* Counters whose names begin with HEAD and end with TAIL. */
struct family {
    const char *head, *tail; /* "" fits all; a tail of NULL: HEAD is the whole name */
    struct tm_column_type type;
};

#define OF_DISK "diskstat.[{device_name}].{counter_name}"
#define OF_BATTERY {.text = "battery_counter", .pattern = "batt.{battery_name}.{counter_name}"}

/* Signal processors, by the number of their channel. */
static const char *const processors[] = {"ASDP", "MDSP", "SDSP", "CDSP", NULL};

/* In each table, the first row that fits counts. The last row has no head and fits all names. */

static const struct family of_cpus[] = {
    {"cpufreq_throttle", "", {.text = "cpu_frequency_throttle"}},
    {"cpufreq", "", {.text = "cpu_frequency"}},
    {"cpuidle", NULL, {.text = "cpu_idle"}},
    {"cpuidle", "", {.text = "cpu_idle_state", .unit = "us", .pattern = "cpuidle{}.{state}"}},
    {"cpu.times.", "", {.text = "cpustat", .pattern = "cpu.times.{cpustat_key}"}},
    {"Cpu ", " Max Freq Limit", {.text = "cpu_max_frequency_limit"}},
    {"Cpu ", " Min Freq Limit", {.text = "cpu_min_frequency_limit"}},
    {"Cpu ", " Util", {.text = "cpu_utilization"}},
    {"Cpu ", " Cap", {.text = "cpu_capacity"}},
    {"Cpu ", " Nr Running", {.text = "cpu_nr_running"}},
    {NULL, NULL, {.text = "cpu_counter"}},
};

static const struct family of_processes[] = {
    {"oom_score_adj", "", {.text = "oom_score_adj", .text_of_thread = "oom_score_adj_thread_fallback"}},
    {"runtime.", "", {.text = "proc_stat_runtime", .pattern = "runtime.{proc_stat_runtime_key}"}},
    {"chrome.", "", {.text = "chrome_process_stats", .pattern = "chrome.{key}"}},
    {"mem.smaps.", "", {.text = "smaps", .pattern = "mem.smaps.{smaps_key}"}},
    {"mem.mm.", "",
     {.text = "mm_event", .text_of_thread = "mm_event_thread_fallback",
      .pattern = "mem.mm.{mm_event_type}.{mm_event_metric}"}},
    {"mem.", "",
     {.text = "process_memory", .text_of_thread = "process_memory_thread_fallback",
      .pattern = "mem.{process_memory_key}"}},
    {NULL, NULL, {.text = "process_counter"}},
};

static const struct family of_threads[] = {
    {"thread_time", "", {.text = "thread_time"}},
    {"thread_instruction_count", "", {.text = "thread_instructions"}},
    {"mem.ion_change.", "", {.text = "ion_change", .pattern = "mem.ion_change.{heap_name}"}},
    {"mem.ion_change", "", {.text = "ion_change", .pattern = "mem.ion_change{heap_name}"}},
    {"mem.dma_heap_change", "", {.text = "android_dma_heap_change"}},
    {"mem.fastrpc_change[", "",
     {.text = "fastrpc_change", .pattern = "mem.fastrpc_change[{#cid}]", .words = processors}},
    {NULL, NULL, {.text = "thread_counter"}},
};

static const struct family of_all[] = {
    {"num_irq (", "", {.text = "num_irq", .pattern = "num_irq (id: {#irq})"}},
    {"num_softirq (", "",
     {.text = "num_softirq", .pattern = "num_softirq (id: {#irq})"}},
    {"num_irq_total", "", {.text = "num_irq_total"}},
    {"num_softirq_total", "", {.text = "num_softirq_total"}},
    {"num_forks", "", {.text = "num_forks"}},
    {"mem.buddyinfo[", "",
     {.text = "buddyinfo",
      .pattern = "mem.buddyinfo[{buddyinfo_node}][{buddyinfo_zone}][{#buddyinfo_chunk_size_kb} kB]"}},
    {"mem.slab.", "", {.text = "slabinfo", .unit = "bytes", .pattern = "mem.slab.{slab_name}"}},
    {"mem.ion.", "", {.text = "ion", .pattern = "mem.ion.{heap_name}"}},
    {"mem.ion", "", {.text = "ion", .pattern = "mem.ion{heap_name}"}},
    {"mem.dma_heap", "", {.text = "android_dma_heap"}},
    {"mem.fastrpc[", "", {.text = "fastrpc", .pattern = "mem.fastrpc[{#cid}]", .words = processors}},
    {"diskstat.", ".flush_amount", {.text = "diskstat", .unit = "count", .pattern = OF_DISK}},
    {"diskstat.", ".flush_time", {.text = "diskstat", .unit = "ms", .pattern = OF_DISK}},
    {"diskstat.", "_amount", {.text = "diskstat", .unit = "MB", .pattern = OF_DISK}},
    {"diskstat.", "_throughput", {.text = "diskstat", .unit = "MB/s", .pattern = OF_DISK}},
    {"diskstat.", "", {.text = "diskstat", .pattern = OF_DISK}},
    {"psi.", "", {.text = "psi", .pattern = "psi.{psi_resource}"}},
    {"battery_stats.", "", {.text = "battery_stats", .pattern = "{counter_key}"}},
    {"BatteryStatus", NULL, {.text = "battery_status"}},
    {"PlugType", NULL, {.text = "battery_plugged_status"}},
    {"batt.", ".charge_uah", OF_BATTERY},
    {"batt.", ".capacity_pct", OF_BATTERY},
    {"batt.", ".current_ua", OF_BATTERY},
    {"batt.", ".current.avg_ua", OF_BATTERY},
    {"batt.", ".voltage_uv", OF_BATTERY},
    {"batt.", ".power_mw", OF_BATTERY},
    {"batt.", "", {.text = "battery_counter", .pattern = "batt.{battery_name}{counter_name}"}},
    {"power.", "", {.text = "power_rails"}},
    {"cpuidle", "", {.text = "cpu_idle_state", .unit = "us", .pattern = "cpuidle{}.{state}"}},
    {"gpufreq", "", {.text = "gpu_frequency", .unit = "kHz"}},
    {"Entity residency: ", "",
     {.text = "entity_state", .pattern = "Entity residency: {entity_name} is {state_name}"}},
    {"ScreenState", "", {.text = "screen_state"}},
    {"io.ufs.clkgating", "", {.text = "ufs_clkgating"}},
    {"io.ufs.command.count", "", {.text = "ufs_command_count"}},
    {"f2fs_iostat_latency.", "",
     {.text = "f2fs_iostat_latency", .pattern = "f2fs_iostat_latency.[{linux_device}].{counter_key}"}},
    {"f2fs_iostat.", "", {.text = "f2fs_iostat", .pattern = "f2fs_iostat.[{linux_device}].{counter_key}"}},
    {"bcl_irq_", "", {.text = "bcl_irq", .pattern = "{bcl_key}"}},
    {"cros_ec.cros_ec_sensorhub_data.", "",
     {.text = "cros_ec_sensorhub_data", .pattern = "cros_ec.cros_ec_sensorhub_data.{#ec_sensor_num}"}},
    {"Virtgpu ", " Free",
     {.text = "virtgpu_num_free", .pattern = "Virtgpu {virtgpu_name} Free"}},
    {"Virtgpu ", " Latency",
     {.text = "virtgpu_latency", .pattern = "Virtgpu {virtgpu_name} Latency"}},
    {"mali_gpu_power_state", "", {.text = "mali_gpu_power_state"}},
    {"devfreq_", "", {.text = "linux_device_frequency", .pattern = "devfreq_{linux_device}"}},
    {"Kfree Skb IP Prot", "", {.text = "net_kfree_skb"}},
    {"", " Transmitted KB", {.text = "net_transmit", .pattern = "{network_interface} Transmitted KB"}},
    {"", " Received KB", {.text = "net_receive", .pattern = "{network_interface} Received KB"}},
    {"", " Page Count",
     {.text = "etw_meminfo", .unit = "pages", .pattern = "{counter_type} Page Count"}},
    {"", " Frequency", {.text = "clock_frequency", .pattern = "{linux_device} Frequency"}},
    {"", " State", {.text = "clock_state", .pattern = "{linux_device} State"}},
    {"", " Temperature", {.text = "thermal_temperature", .pattern = "{thermal_zone} Temperature"}},
    {"", " Cooling Device", {.text = "cooling_device_counter", .pattern = "{linux_device} Cooling Device"}},
    {NULL, NULL, {.text = "counter"}},
};

static bool fits(const struct family *f, struct tm_text name)
{
    if (f->tail == NULL)
        return tm_text_is(name, f->head);
    size_t head = strlen(f->head), tail = strlen(f->tail);
    return head + tail <= name.len && memcmp(name.data, f->head, head) == 0 &&
           memcmp(name.data + name.len - tail, f->tail, tail) == 0;
}

static const struct family *find(const struct family *families, struct tm_text name)
{
    while (families->head && !fits(families, name))
        families++;
    return families;
}

static struct tm_column_type type_of_global(struct tm_text name, enum tm_input_type file_type)
{
    if (file_type == TM_INPUT_PERF)
        return (struct tm_column_type){.text = "perf_global_counter", .pattern = "{name}"};
    for (uint64_t i = 0; i < TM_SYS_NAMES_MAX; i++) {
        const char *meminfo = tm_proto_meminfo_name(i), *vmstat = tm_proto_vmstat_name(i);
        if (meminfo && tm_text_is(name, meminfo))
            return (struct tm_column_type){.text = "meminfo", .unit = "bytes", .pattern = "{meminfo_key}"};
        if (vmstat && tm_text_is(name, vmstat))
            return (struct tm_column_type){.text = "vmstat", .pattern = "{vmstat_key}"};
    }
    return find(of_all, name)->type;
}

static struct tm_column_type type_of_process(struct tm_text name, enum tm_input_type file_type)
{
    const struct family *family = find(of_processes, name);
    bool is_marker = file_type == TM_INPUT_PROTO || file_type == TM_INPUT_SYSTRACE;
    if (file_type == TM_INPUT_JSON)
        return (struct tm_column_type){
            .text = "json_counter", .text_of_thread = "json_counter_thread_fallback", .pattern = "{name}"};
    if (file_type == TM_INPUT_FUCHSIA)
        return (struct tm_column_type){.text = "fuchsia_counter", .pattern = "{name}"};
    if (is_marker && family->head == NULL)
        return (struct tm_column_type){.text = "atrace_counter", .pattern = "{name}"};
    return family->type;
}

/* Returns the type of a counter of a thread's process, which is not known. */
static struct tm_column_type type_of_no_process(struct tm_text name, enum tm_input_type file_type)
{
    struct tm_column_type type = type_of_process(name, file_type);
    type.text = type.text_of_thread ? type.text_of_thread
                                    : tm_track_type_name(TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD);
    return type;
}

static struct tm_column_type type_of_cpu(struct tm_text name, enum tm_input_type file_type)
{
    const struct family *family = find(of_cpus, name);
    if (file_type == TM_INPUT_PERF && family->head == NULL)
        return (struct tm_column_type){.text = "perf_cpu_counter", .pattern = "{name}"};
    return family->type;
}

/* Returns the type by the owner of the track and by its content: slices, slices of siblings, or a counter. */
static struct tm_column_type type_of_described(const struct tm_track *track)
{
    static const char *const types[][3] = {
        {"global_track_event", "global_merged_track_event", "global_counter_track_event"},
        {"process_track_event", "process_merged_track_event", "process_counter_track_event"},
        {"thread_track_event", "thread_merged_track_event", "thread_counter_track_event"},
    };
    int whose = track->scope == TM_TRACK_THREAD ? 2 : track->scope == TM_TRACK_PROCESS ? 1 : 0;
    int kind = track->is_counter ? 2 : track->type == TM_TRACK_TYPE_DESCRIBED_LANE ? 1 : 0;
    return (struct tm_column_type){.text = types[whose][kind]};
}

static struct tm_column_type type_of_named(enum tm_named_track track)
{
    return (struct tm_column_type){.text = tm_named_track_type(track), .unit = tm_named_track_unit(track),
                                   .pattern = track == TM_NAMED_TRACK_GPU_STAGE     ? "{hwqueue_name}"
                                              : track == TM_NAMED_TRACK_GPU_COUNTER ? "{name}"
                                                                                    : NULL};
}

static struct tm_column_type type_of_kernel(enum tm_kernel_track track)
{
    return (struct tm_column_type){.text = tm_kernel_track_type(track), .pattern = tm_kernel_track_pattern(track)};
}

struct tm_column_type tm_column_type_of(const struct tm_track *track, struct tm_text name,
                                        enum tm_input_type file_type)
{
    if (track->type >= TM_TRACK_TYPE_KERNEL)
        return type_of_kernel((enum tm_kernel_track)(track->type - TM_TRACK_TYPE_KERNEL));
    struct tm_column_type type = {.text = tm_track_type_name(track->type)};
    if (name.data == NULL)
        name = tm_text_str("");
    switch (track->type) {
    case TM_TRACK_TYPE_DESCRIBED:
    case TM_TRACK_TYPE_DESCRIBED_LANE: return type_of_described(track);
    case TM_TRACK_TYPE_NAMED: return type_of_named((enum tm_named_track)track->named);
    case TM_TRACK_TYPE_COUNTER: return type_of_global(name, file_type);
    case TM_TRACK_TYPE_THREAD_COUNTER: return find(of_threads, name)->type;
    case TM_TRACK_TYPE_PROCESS_COUNTER: return type_of_process(name, file_type);
    case TM_TRACK_TYPE_LINE_COUNTER: return type_of_process(name, TM_INPUT_SYSTRACE);
    case TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD: return type_of_no_process(name, file_type);
    case TM_TRACK_TYPE_LINE_COUNTER_OF_THREAD: return type_of_no_process(name, TM_INPUT_SYSTRACE);
    case TM_TRACK_TYPE_CPU_COUNTER: return type_of_cpu(name, file_type);
    case TM_TRACK_TYPE_PERF_COUNTER: type.pattern = "{name}"; return type;
    case TM_TRACK_TYPE_GPU_COUNTER: type.unit = "kHz"; return type;
    case TM_TRACK_TYPE_MARKER_ASYNC:
    case TM_TRACK_TYPE_MARKER_TRACK: type.pattern = "{name}"; return type;
    default: return type;
    }
}
