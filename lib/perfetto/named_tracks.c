#include "perfetto/named_tracks.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <string.h>

static const struct {
    const char *type;
    enum { ALONE, LANES, COUNTER } content; /* slices in one lane or in several, or the values of a counter */
} tracks[TM_NAMED_TRACK_COUNT] = {
    [TM_NAMED_TRACK_NONE] = {"unknown", LANES},
    [TM_NAMED_TRACK_EXPECTED_FRAMES] = {"android_expected_frame_timeline", LANES},
    [TM_NAMED_TRACK_ACTUAL_FRAMES] = {"android_actual_frame_timeline", LANES},
    [TM_NAMED_TRACK_GPU_STAGE] = {"gpu_render_stage", LANES},
    [TM_NAMED_TRACK_GPU_WORK] = {"android_gpu_work_period", ALONE},
    [TM_NAMED_TRACK_JOBS] = {"drm_sched_ring", ALONE},
    [TM_NAMED_TRACK_FENCES] = {"drm_fence", ALONE},
    [TM_NAMED_TRACK_FILE_READS] = {"android_fs", LANES},
    [TM_NAMED_TRACK_CHECKPOINTS] = {"f2fs_write_checkpoint", ALONE},
    [TM_NAMED_TRACK_VIRTUAL_GPU] = {"virtgpu_queue_event", LANES},
    [TM_NAMED_TRACK_VIDEO_QUEUE] = {"virtio_video_queue_event", LANES},
    [TM_NAMED_TRACK_VIDEO_COMMANDS] = {"virtio_video_command", LANES},
    [TM_NAMED_TRACK_FILE_REQUESTS] = {"etw_fileio", LANES},
    [TM_NAMED_TRACK_DISK_REQUESTS] = {"etw_diskio", LANES},
    [TM_NAMED_TRACK_TRIGGERS] = {"triggers", ALONE},
    [TM_NAMED_TRACK_ACPM_TEMPERATURE] = {"acpm_thermal_temperature", COUNTER},
    [TM_NAMED_TRACK_ACPM_COOLING] = {"acpm_cooling_device_counter", COUNTER},
    [TM_NAMED_TRACK_CPM_COUNTERS] = {"pixel_cpm_counters", COUNTER},
    [TM_NAMED_TRACK_FIRMWARE_COUNTERS] = {"pixel_fwtp_counters", COUNTER},
    [TM_NAMED_TRACK_FIRMWARE_SLICES] = {"pixel_fwtp_slices", ALONE},
    [TM_NAMED_TRACK_THERMAL_ZONE] = {"thermal_temperature_sys", COUNTER},
    [TM_NAMED_TRACK_GPU_MEMORY] = {"gpu_memory", COUNTER},
    [TM_NAMED_TRACK_PROCESS_GPU_MEMORY] = {"process_gpu_memory", COUNTER},
    [TM_NAMED_TRACK_GPU_COUNTER] = {"gpu_counter", COUNTER},
    [TM_NAMED_TRACK_ADRENO_BATCHES] = {"adreno_gpu_cmdbatch", LANES},
    [TM_NAMED_TRACK_ION_BUFFERS] = {"android_ion_allocations", LANES},
    [TM_NAMED_TRACK_DMA_BUFFERS] = {"android_dma_allocations", LANES},
    [TM_NAMED_TRACK_KILLS] = {"android_lmk", ALONE},
    [TM_NAMED_TRACK_DRIVER_SLICES] = {"kernel_trackevent_custom_slice", ALONE},
    [TM_NAMED_TRACK_DRIVER_THREAD_SLICES] = {"kernel_trackevent_thread_slice", ALONE},
    [TM_NAMED_TRACK_DRIVER_PROCESS_SLICES] = {"kernel_trackevent_process_slice", ALONE},
    [TM_NAMED_TRACK_DRIVER_CPU_SLICES] = {"kernel_trackevent_cpu_slice", ALONE},
    [TM_NAMED_TRACK_DRIVER_COUNTERS] = {"kernel_trackevent_custom_counter", COUNTER},
    [TM_NAMED_TRACK_DRIVER_THREAD_COUNTERS] = {"kernel_trackevent_thread_counter", COUNTER},
    [TM_NAMED_TRACK_DRIVER_PROCESS_COUNTERS] = {"kernel_trackevent_process_counter", COUNTER},
    [TM_NAMED_TRACK_DRIVER_CPU_COUNTERS] = {"kernel_trackevent_cpu_counter", COUNTER},
    [TM_NAMED_TRACK_DEVICE_POWER] = {"linux_rpm", ALONE},
    [TM_NAMED_TRACK_SUSPEND] = {"suspend_resume", LANES},
    [TM_NAMED_TRACK_NETWORK] = {"network_packets", LANES},
    [TM_NAMED_TRACK_BLUETOOTH] = {"bluetooth_trace_event", ALONE},
    [TM_NAMED_TRACK_DEVICE_STATE] = {"android_device_state", ALONE},
    [TM_NAMED_TRACK_APP_WAKELOCKS] = {"app_wakelock_events", LANES},
    [TM_NAMED_TRACK_STATSD] = {"statsd_atoms", ALONE},
    [TM_NAMED_TRACK_SYSTEM_PROPERTY] = {"sysprop_counter", COUNTER},
    [TM_NAMED_TRACK_POWER_RAIL] = {"power_rails", COUNTER},
    [TM_NAMED_TRACK_ENERGY] = {"android_energy_estimation_breakdown", COUNTER},
    [TM_NAMED_TRACK_ENERGY_OF_UID] = {"android_energy_estimation_breakdown_per_uid", COUNTER},
    [TM_NAMED_TRACK_GPU_LOG] = {"gpu_log", ALONE},
    [TM_NAMED_TRACK_VULKAN] = {"vulkan_events", ALONE},
    [TM_NAMED_TRACK_METATRACE] = {"metatrace_counter", COUNTER},
    [TM_NAMED_TRACK_KERNEL_WAKELOCK] = {"android_kernel_wakelock", COUNTER},
    [TM_NAMED_TRACK_CPU_TIME_OF_UID] = {"android_cpu_per_uid", COUNTER},
    [TM_NAMED_TRACK_CPU_TIMES] = {"android_cpu_per_uid_totals", COUNTER},
    [TM_NAMED_TRACK_VULKAN_DRIVER_MEMORY] = {"vulkan_driver_mem", COUNTER},
    [TM_NAMED_TRACK_VULKAN_ALLOCATED] = {"vulkan_device_mem_allocation", COUNTER},
    [TM_NAMED_TRACK_VULKAN_BOUND] = {"vulkan_device_mem_bind", COUNTER},
    [TM_NAMED_TRACK_GRAPHICS_BUFFERS] = {"graphics_frame_event", ALONE},
    [TM_NAMED_TRACK_SAMPLE_COUNTS] = {"stack_sample_session_counter", COUNTER},
    [TM_NAMED_TRACK_SAMPLE_COUNTS_OF_CPU] = {"stack_sample_cpu_counter", COUNTER},
};

const char *tm_named_track_type(enum tm_named_track track)
{
    return tracks[track < TM_NAMED_TRACK_COUNT ? track : TM_NAMED_TRACK_NONE].type;
}

bool tm_named_track_has_lanes(enum tm_named_track track)
{
    return tracks[track < TM_NAMED_TRACK_COUNT ? track : TM_NAMED_TRACK_NONE].content == LANES;
}

const char *tm_named_track_unit(enum tm_named_track track)
{
    switch (track) {
    case TM_NAMED_TRACK_THERMAL_ZONE: return "C";
    case TM_NAMED_TRACK_GPU_MEMORY:
    case TM_NAMED_TRACK_PROCESS_GPU_MEMORY: return "bytes";
    case TM_NAMED_TRACK_KERNEL_WAKELOCK:
    case TM_NAMED_TRACK_CPU_TIME_OF_UID:
    case TM_NAMED_TRACK_CPU_TIMES: return "ms";
    default: return NULL;
    }
}

size_t tm_named_track_bytes(const uint8_t *detail, size_t len)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    return len && tm_pb_next(&pb, &f) == TM_OK && f.id == TM_DETAIL_TRACK ? (size_t)(f.end - detail) : 0;
}

bool tm_named_track_is_of(const struct tm_event *e)
{
    return e->detail_bytes && e->detail[0] == (TM_DETAIL_TRACK << 3 | TM_PB_LEN) &&
           tm_event_scope(e->flags) != TM_SCOPE_TRACK;
}

/* Returns the type of the track that E's detail describes; NONE: it describes none. */
static enum tm_named_track type_of(const struct tm_event *e)
{
    struct tm_pb_field part, f;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    if (!tm_named_track_is_of(e) || tm_pb_next(&pb, &part) != TM_OK)
        return TM_NAMED_TRACK_NONE;
    for (pb = tm_pb_of(part.data, part.len); tm_pb_next(&pb, &f) == TM_OK;)
        if (f.id == TM_TRACK_DESCRIPTION_NAMED_TRACK)
            return f.value < TM_NAMED_TRACK_COUNT ? (enum tm_named_track)f.value : TM_NAMED_TRACK_NONE;
    return TM_NAMED_TRACK_NONE;
}

bool tm_named_track_is_of_counter(const struct tm_event *e)
{
    return tracks[type_of(e)].content == COUNTER;
}

bool tm_named_track_frame(const struct tm_event *e, int64_t *frame)
{
    static const char key[] = "frame_number";
    bool is_frame = false;
    struct tm_pb_field f, part;
    if (type_of(e) != TM_NAMED_TRACK_GRAPHICS_BUFFERS)
        return false;
    for (struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes); !is_frame && tm_pb_next(&pb, &f) == TM_OK;) {
        struct tm_pb arg = tm_pb_of(f.data, f.id == TM_DETAIL_ARGS ? f.len : 0);
        while (tm_pb_next(&arg, &part) == TM_OK) {
            if (part.id == TM_ARG_KEY)
                is_frame = part.len == sizeof key - 1 && memcmp(part.data, key, part.len) == 0;
            else if (part.id == TM_ARG_INT && is_frame)
                *frame = tm_unzigzag(part.value);
        }
    }
    return is_frame;
}

bool tm_named_track_is_of_driver(const struct tm_event *e)
{
    const enum tm_named_track type = type_of(e);
    return type >= TM_NAMED_TRACK_DRIVER_SLICES && type <= TM_NAMED_TRACK_DRIVER_CPU_SLICES;
}
