/* Tracks of slices, instants and counters that come from packets other than track events. The detail of an event on
 * such a track begins with a track description, which has the number of the track's type. Types: those of the
 * reference. */
#ifndef TM_PERFETTO_NAMED_TRACKS_H
#define TM_PERFETTO_NAMED_TRACKS_H

#include "stream/event.h"

#include <stddef.h>

/* Numbers are part of the stream format and never change. */
enum tm_named_track {
    TM_NAMED_TRACK_NONE = 0,
    TM_NAMED_TRACK_EXPECTED_FRAMES = 1, /* of a process, in lanes */
    TM_NAMED_TRACK_ACTUAL_FRAMES = 2,   /* of a process, in lanes */
    TM_NAMED_TRACK_GPU_STAGE = 3,       /* of a GPU, by name, in lanes */
    TM_NAMED_TRACK_GPU_WORK = 4,        /* of a GPU: periods of an app's work */
    TM_NAMED_TRACK_JOBS = 5,            /* global: the jobs of a ring of a GPU */
    TM_NAMED_TRACK_FENCES = 6,          /* global: the fences of a timeline */
    TM_NAMED_TRACK_FILE_READS = 7,      /* global, in lanes */
    TM_NAMED_TRACK_CHECKPOINTS = 8,     /* of a process: a file system writes a checkpoint */
    TM_NAMED_TRACK_VIRTUAL_GPU = 9,     /* global: a queue of requests, in lanes */
    TM_NAMED_TRACK_VIDEO_QUEUE = 10,    /* global: buffers of a virtual video device, in lanes */
    TM_NAMED_TRACK_VIDEO_COMMANDS = 11, /* global: commands to it or from it, in lanes */
    TM_NAMED_TRACK_FILE_REQUESTS = 12,  /* of a thread of Windows, in lanes */
    TM_NAMED_TRACK_DISK_REQUESTS = 13,  /* of a thread of Windows, in lanes */
    TM_NAMED_TRACK_TRIGGERS = 14,       /* global: triggers of the recording */
    /* Global: counters of a phone's firmware */
    TM_NAMED_TRACK_ACPM_TEMPERATURE = 15,
    TM_NAMED_TRACK_ACPM_COOLING = 16,
    TM_NAMED_TRACK_CPM_COUNTERS = 17,
    TM_NAMED_TRACK_FIRMWARE_COUNTERS = 18,
    TM_NAMED_TRACK_ADRENO_BATCHES = 19, /* global: a context of a GPU, in lanes */
    TM_NAMED_TRACK_FIRMWARE_SLICES = 20, /* global: one track, named after its first event */
    TM_NAMED_TRACK_THERMAL_ZONE = 21,    /* global: the counter of a zone in /sys */
    TM_NAMED_TRACK_GPU_MEMORY = 22,      /* of a GPU: a counter */
    TM_NAMED_TRACK_PROCESS_GPU_MEMORY = 23, /* of a process, by GPU: a counter */
    TM_NAMED_TRACK_GPU_COUNTER = 24, /* of a GPU, by name: a counter that its driver describes */
    TM_NAMED_TRACK_ION_BUFFERS = 25, /* global: buffers, in lanes */
    TM_NAMED_TRACK_DMA_BUFFERS = 26, /* global: buffers, in lanes */
    TM_NAMED_TRACK_KILLS = 27, /* of a process: that it was killed for its memory */
    TM_NAMED_TRACK_DRIVER_SLICES = 28, /* global: slices that a driver states */
    TM_NAMED_TRACK_DRIVER_THREAD_SLICES = 29, /* of a thread */
    TM_NAMED_TRACK_DRIVER_PROCESS_SLICES = 30, /* of a process */
    TM_NAMED_TRACK_DRIVER_CPU_SLICES = 31, /* of a cpu */
    TM_NAMED_TRACK_DRIVER_COUNTERS = 32, /* global: a counter that a driver states */
    TM_NAMED_TRACK_DRIVER_THREAD_COUNTERS = 33, /* of a thread */
    TM_NAMED_TRACK_DRIVER_PROCESS_COUNTERS = 34, /* of a process */
    TM_NAMED_TRACK_DRIVER_CPU_COUNTERS = 35, /* of a cpu */
    TM_NAMED_TRACK_DEVICE_POWER = 36, /* global: states of a device's power */
    TM_NAMED_TRACK_SUSPEND = 37, /* global, in lanes: the steps of suspend and resume */
    TM_NAMED_TRACK_NETWORK = 38, /* global: packets on an interface in one direction, in lanes */
    TM_NAMED_TRACK_BLUETOOTH = 39, /* global */
    TM_NAMED_TRACK_DEVICE_STATE = 40, /* global: how a device is folded */
    TM_NAMED_TRACK_APP_WAKELOCKS = 41, /* global, in lanes */
    TM_NAMED_TRACK_STATSD = 42, /* global: atoms */
    TM_NAMED_TRACK_SYSTEM_PROPERTY = 43, /* global: a counter */
    TM_NAMED_TRACK_POWER_RAIL = 44, /* global: a counter */
    TM_NAMED_TRACK_ENERGY = 45, /* global: a counter of the energy that a consumer has used */
    TM_NAMED_TRACK_ENERGY_OF_UID = 46, /* global: the part of an app */
    TM_NAMED_TRACK_GPU_LOG = 47, /* global */
    TM_NAMED_TRACK_VULKAN = 48, /* global */
    TM_NAMED_TRACK_METATRACE = 49, /* of a thread: a counter of Perfetto itself */
    TM_NAMED_TRACK_KERNEL_WAKELOCK = 50, /* global: a counter */
    TM_NAMED_TRACK_CPU_TIME_OF_UID = 51, /* global: a counter of an app on a cluster of cpus */
    TM_NAMED_TRACK_CPU_TIMES = 52, /* global: the same of all apps, or of the system */
    TM_NAMED_TRACK_VULKAN_DRIVER_MEMORY = 53, /* of a process: a counter; so are the next two */
    TM_NAMED_TRACK_VULKAN_ALLOCATED = 54,
    TM_NAMED_TRACK_VULKAN_BOUND = 55,
    TM_NAMED_TRACK_GRAPHICS_BUFFERS = 56, /* global: events of a buffer, or a phase of it, or of a layer */
    TM_NAMED_TRACK_SAMPLE_COUNTS = 57, /* global: a counter of what the samples of a sequence count */
    TM_NAMED_TRACK_SAMPLE_COUNTS_OF_CPU = 58, /* of a cpu: the same */
    TM_NAMED_TRACK_COUNT
};

/* The argument SECOND of tm_named_track_number for an instant that shares its lane with no slice. */
enum { TM_NAMED_TRACK_ALONE = UINT16_MAX };

/* Returns the name of the type, which outputs write into their type column. */
const char *tm_named_track_type(enum tm_named_track track);

/* True if slices that overlap on TRACK are spread over lanes. */
bool tm_named_track_has_lanes(enum tm_named_track track);

/* Returns the unit of the counter on TRACK, or NULL. */
const char *tm_named_track_unit(enum tm_named_track track);

/* Returns the column track of an asynchronous slice on a track of type TRACK. SECOND and INSTANCE distinguish the slice
 * from others. */
static inline uint64_t tm_named_track_number(enum tm_named_track track, uint16_t second, uint32_t instance)
{
    return UINT64_C(1) << 63 | (uint64_t)track << 48 | (uint64_t)second << 32 | instance;
}

/* Returns the length in bytes of the track description at the start of a Detail message, or 0. */
size_t tm_named_track_bytes(const uint8_t *detail, size_t len);

/* True if EVENT, a counter, is on the track that its detail describes. The detail of another counter can describe the
 * track of a slice that its event ends. */
bool tm_named_track_is_of_counter(const struct tm_event *event);

/* True if the detail of EVENT describes its track. */
bool tm_named_track_is_of(const struct tm_event *event);

/* True if EVENT, a slice or an instant, is on a track of a driver. Its category is the name of the kernel's event. */
bool tm_named_track_is_of_driver(const struct tm_event *event);

/* True if EVENT, the end of a slice or args for it, states the number of a frame, which is then the slice's name. Sets
 * *FRAME. */
bool tm_named_track_frame(const struct tm_event *event, int64_t *frame);

/* True if EVENT is an asynchronous marker whose column track is a cookie. The reference shows that as the argument
 * cookie of the slice. */
static inline bool tm_event_has_cookie(const struct tm_event *event)
{
    return tm_event_is_async_marker(event->flags) && event->flags & TM_EVENT_HAS_TRACK && event->category == 0 &&
           !tm_named_track_is_of(event);
}

#endif
