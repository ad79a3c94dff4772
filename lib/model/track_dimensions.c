#include "model/track_dimensions.h"

#include "model/sched.h"
#include "stream/detail_arg.h"

#include <string.h>

/* The part of the name of a track of TYPE between HEAD and TAIL. */
static const struct named {
    const char *type, *head, *tail, *key;
    bool is_number;
} named[] = {
    {"atrace_async_slice", "", "", "name", false},
    {"atrace_async_slice_for_track", "", "", "name", false},
    {"atrace_counter", "", "", "name", false},
    {"battery_counter", "batt.", "", "counter_name", false},
    {"chrome_process_stats", "chrome.", "", "key", false},
    {"clock_frequency", "", " Frequency", "linux_device", false},
    {"clock_state", "", " State", "linux_device", false},
    {"cooling_device_counter", "", " Cooling Device", "linux_device", false},
    {"cpustat", "cpu.times.", "", "cpustat_key", false},
    {"fuchsia_counter", "", "", "name", false},
    {"gpu_render_stage", "", "", "hwqueue_name", false},
    {"json_counter", "", "", "name", false},
    {"legacy_async_global_slice", "", "", "name", false},
    {"legacy_async_process_slice", "", "", "name", false},
    {"meminfo", "", "", "meminfo_key", false},
    {"net_receive", "", " Received KB", "network_interface", false},
    {"net_transmit", "", " Transmitted KB", "network_interface", false},
    {"num_irq", "num_irq (id: ", ")", "irq", true},
    {"num_softirq", "num_softirq (id: ", ")", "irq", true},
    {"proc_stat_runtime", "runtime.", "", "proc_stat_runtime_key", false},
    {"process_memory", "mem.", "", "process_memory_key", false},
    {"psi", "psi.", "", "psi_resource", false},
    {"slabinfo", "mem.slab.", "", "slab_name", false},
    {"smaps", "mem.smaps.", "", "smaps_key", false},
    {"thermal_temperature", "", " Temperature", "thermal_zone", false},
    {"vmstat", "", "", "vmstat_key", false},
};

static const struct named *find(const char *type)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].type, type) == 0)
            return &named[i];
    return NULL;
}

static int64_t number_of(struct tm_text digits)
{
    int64_t n = 0;
    for (size_t i = 0; i < digits.len && digits.data[i] >= '0' && digits.data[i] <= '9' && n < UINT32_MAX; i++)
        n = n * 10 + (digits.data[i] - '0');
    return n;
}

static enum tm_status put_named(const struct named *of, struct tm_text name, struct tm_buf *detail)
{
    size_t head = strlen(of->head), tail = strlen(of->tail);
    if (name.data == NULL || name.len < head + tail)
        return TM_OK;
    struct tm_text value = {name.data + head, name.len - head - tail};
    return of->is_number ? tm_detail_arg_int(detail, of->key, number_of(value))
                         : tm_detail_arg_text(detail, of->key, value.data, value.len);
}

static enum tm_status put_owner(const struct tm_track *track, struct tm_buf *detail)
{
    enum tm_status st;
    switch (track->scope) {
    case TM_TRACK_THREAD: return tm_detail_arg_int(detail, "utid", track->owner);
    case TM_TRACK_PROCESS: return tm_detail_arg_int(detail, "upid", track->owner);
    case TM_TRACK_CPU: return tm_detail_arg_int(detail, "cpu", track->owner);
    case TM_TRACK_GPU:
        st = tm_detail_arg_int(detail, "ugpu", tm_ucpu(track->machine, (uint32_t)track->owner));
        return st < 0 ? st : tm_detail_arg_int(detail, "gpu", track->owner);
    default: return TM_OK;
    }
}

static bool is_in_lanes(enum tm_track_type type)
{
    return type == TM_TRACK_TYPE_ASYNC_PROCESS || type == TM_TRACK_TYPE_ASYNC_GLOBAL ||
           type == TM_TRACK_TYPE_MARKER_ASYNC || type == TM_TRACK_TYPE_MARKER_TRACK ||
           type == TM_TRACK_TYPE_DESCRIBED_LANE || type == TM_TRACK_TYPE_NAMED;
}

enum tm_status tm_track_dimensions(const struct tm_track *track, const char *type, struct tm_text name,
                                   struct tm_text merge_key, struct tm_buf *detail)
{
    const struct named *of = find(type);
    enum tm_status st = put_owner(track, detail);
    if (st == TM_OK && of)
        st = put_named(of, name, detail);
    if (st == TM_OK && track->type == TM_TRACK_TYPE_DESCRIBED)
        st = tm_detail_arg_int(detail, "track_uuid", (int64_t)track->uuid);
    if (st == TM_OK && track->type == TM_TRACK_TYPE_DESCRIBED_LANE) {
        st = tm_detail_arg_int(detail, "parent_track_uuid", (int64_t)track->uuid);
        if (st == TM_OK)
            st = tm_detail_arg_int(detail, "merge_key_type", track->merge_key_type);
        if (st == TM_OK && merge_key.data)
            st = tm_detail_arg_text(detail, "merge_key_value", merge_key.data, merge_key.len);
    }
    if (st == TM_OK && is_in_lanes(track->type) && track->lane != UINT32_MAX)
        st = tm_detail_arg_int(detail, "track_compressor_idx", track->lane);
    return st;
}
