#include "model/track_type.h"

#include "perfetto/named_tracks.h"
#include "perfetto/sys_names.h"
#include "stream/input_type.h"

/* Counters whose names begin with HEAD and end with TAIL. */
struct family {
    const char *head, *tail; /* "" fits all */
    const char *type;
};

/* the first that fits counts */
static const struct family of_cpus[] = {
    {"cpufreq_throttle", "", "cpu_frequency_throttle"},
    {"cpufreq", "", "cpu_frequency"},
    {"cpuidle", "", "cpu_idle"},
    {"cpu.times.", "", "cpustat"},
    {"Cpu ", " Max Freq Limit", "cpu_max_frequency_limit"},
    {"Cpu ", " Min Freq Limit", "cpu_min_frequency_limit"},
    {"Cpu ", " Util", "cpu_utilization"},
    {"Cpu ", " Cap", "cpu_capacity"},
    {"Cpu ", " Nr Running", "cpu_nr_running"},
    {NULL, NULL, "cpu_counter"},
};

static const struct family of_processes[] = {
    {"oom_score_adj", "", "oom_score_adj"},
    {"runtime.", "", "proc_stat_runtime"},
    {"GPU Memory", "", "process_gpu_memory"},
    {"chrome.", "", "chrome_process_stats"},
    {"mem.smaps.", "", "smaps"},
    {"mem.mm.", "", "mm_event"},
    {"mem.", "", "process_memory"},
    {NULL, NULL, "atrace_counter"},
};

static const struct family of_threads[] = {
    {"thread_time", "", "thread_time"},
    {"thread_instruction_count", "", "thread_instructions"},
    {"mem.ion_change", "", "ion_change"},
    {"mem.dma_heap_change", "", "android_dma_heap_change"},
    {NULL, NULL, "thread_counter"},
};

static const struct family of_all[] = {
    {"num_irq (", "", "num_irq"},
    {"num_softirq (", "", "num_softirq"},
    {"num_irq_total", "", "num_irq_total"},
    {"num_softirq_total", "", "num_softirq_total"},
    {"num_forks", "", "num_forks"},
    {"mem.buddyinfo[", "", "buddyinfo"},
    {"mem.slab.", "", "slabinfo"},
    {"mem.ion", "", "ion"},
    {"mem.dma_heap", "", "android_dma_heap"},
    {"mem.fastrpc_change[", "", "fastrpc_change"},
    {"mem.fastrpc[", "", "fastrpc"},
    {"diskstat.", "", "diskstat"},
    {"psi.", "", "psi"},
    {"batt.", "", "battery_counter"},
    {"power.", "", "power_rails"},
    {"cpuidle", "", "cpu_idle_state"},
    {"gpufreq", "", "gpu_frequency"},
    {"Entity residency: ", "", "entity_state"},
    {"GPU Memory", "", "gpu_memory"},
    {"ScreenState", "", "screen_state"},
    {"io.ufs.clkgating", "", "ufs_clkgating"},
    {"mali_gpu_power_state", "", "mali_gpu_power_state"},
    {"devfreq_", "", "linux_device_frequency"},
    {"Kfree Skb IP Prot", "", "net_kfree_skb"},
    {"", " Transmitted KB", "net_transmit"},
    {"", " Received KB", "net_receive"},
    {"", " Frequency", "clock_frequency"},
    {"", " State", "clock_state"},
    {"", " Temperature", "thermal_temperature"},
    {"", " Cooling Device", "cooling_device_counter"},
    {NULL, NULL, "counter"},
};

static const char *family_of(const struct family *families, struct tm_text name)
{
    const struct family *f = families;
    for (; f->head; f++) {
        size_t head = strlen(f->head), tail = strlen(f->tail);
        if (head + tail <= name.len && memcmp(name.data, f->head, head) == 0 &&
            memcmp(name.data + name.len - tail, f->tail, tail) == 0)
            break;
    }
    return f->type;
}

static const char *type_of_global(struct tm_text name)
{
    for (uint64_t i = 0; i < TM_SYS_NAMES_MAX; i++) {
        const char *meminfo = tm_proto_meminfo_name(i), *vmstat = tm_proto_vmstat_name(i);
        if (meminfo && tm_text_is(name, meminfo))
            return "meminfo";
        if (vmstat && tm_text_is(name, vmstat))
            return "vmstat";
    }
    return family_of(of_all, name);
}

/* "cpuidle" is the state of a cpu, "cpuidle0.C1" the time it spent in one. */
static const char *type_of_cpu(struct tm_text name)
{
    const char *type = family_of(of_cpus, name);
    return strcmp(type, "cpu_idle") == 0 && !tm_text_is(name, "cpuidle") ? "cpu_idle_state" : type;
}

static const char *type_of_process(struct tm_text name, enum tm_input_type file_type)
{
    const char *type = family_of(of_processes, name);
    bool is_marker = file_type == TM_INPUT_PROTO || file_type == TM_INPUT_SYSTRACE;
    if (file_type == TM_INPUT_JSON)
        return "json_counter";
    if (file_type == TM_INPUT_FUCHSIA)
        return "fuchsia_counter";
    return strcmp(type, "atrace_counter") == 0 && !is_marker ? "process_counter" : type;
}

/* Depends on the owner of the track: a track of slices, one for siblings, a counter. */
static const char *type_of_described(const struct tm_track *track)
{
    static const char *const types[][3] = {
        {"global_track_event", "global_merged_track_event", "global_counter_track_event"},
        {"process_track_event", "process_merged_track_event", "process_counter_track_event"},
        {"thread_track_event", "thread_merged_track_event", "thread_counter_track_event"},
    };
    int whose = track->scope == TM_TRACK_THREAD ? 2 : track->scope == TM_TRACK_PROCESS ? 1 : 0;
    return types[whose][track->is_counter ? 2 : track->type == TM_TRACK_TYPE_DESCRIBED_LANE ? 1 : 0];
}

const char *tm_track_type_text(const struct tm_track *track, struct tm_text name, enum tm_input_type file_type)
{
    if (name.data == NULL)
        name = (struct tm_text){(const uint8_t *)"", 0};
    switch (track->type) {
    case TM_TRACK_TYPE_DESCRIBED:
    case TM_TRACK_TYPE_DESCRIBED_LANE: return type_of_described(track);
    case TM_TRACK_TYPE_NAMED: return tm_named_track_type((enum tm_named_track)track->named);
    case TM_TRACK_TYPE_COUNTER: return type_of_global(name);
    case TM_TRACK_TYPE_THREAD_COUNTER: return family_of(of_threads, name);
    case TM_TRACK_TYPE_PROCESS_COUNTER: return type_of_process(name, file_type);
    case TM_TRACK_TYPE_CPU_COUNTER: return type_of_cpu(name);
    default: return tm_track_type_name(track->type);
    }
}

const char *tm_track_type_unit(const char *type)
{
    static const char *const units[][2] = {{"meminfo", "bytes"},    {"slabinfo", "bytes"},
                                           {"gpu_memory", "bytes"}, {"process_gpu_memory", "bytes"},
                                           {"cpu_idle_state", "us"}, {"gpu_frequency", "kHz"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], type) == 0)
            return units[i][1];
    return NULL;
}
